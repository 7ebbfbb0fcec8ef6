"""The audit with a user's own measure, and with those that a release was made against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.job import Anonymization
from netveil.network import Network
from netveil.release.gather import gather

KARATE = nv.load("karate")


def largest_component_and_degree(network: Network) -> list[tuple[int, int]]:
    """Looks at the whole network: two of them side by side have another largest component."""
    largest = max(map(len, nx.connected_components(network.to_networkx())))
    return [(largest, int(degree)) for degree in network.degrees]


def eccentricity(network: Network) -> list[int]:
    """Fails where a network is not connected, as two side by side are not."""
    farthest = nx.eccentricity(network.to_networkx())
    assert isinstance(farthest, dict)
    return list(farthest.values())


@pytest.mark.parametrize(
    ("measure", "found"), [(largest_component_and_degree, 6), (eccentricity, 0)], ids=["lcc", "eccentricity"]
)
def test_a_measure_that_looks_at_all_of_a_network_sees_one_at_a_time(measure: Any, found: int) -> None:
    """Karate in itself: found is who is unique."""
    attack = nv.audit(KARATE, KARATE, measure=[measure]).attacks[0]

    assert attack.release == attack.original
    assert attack.release.found == nv.measure(KARATE, measure).unique == found


def test_labels_tell_an_own_measure_nothing() -> None:
    """It would know who is who: the names of both networks are taken away."""
    names = [f"p{number}" for number in range(34)]
    named = replace(KARATE, labels=names)
    order = np.random.default_rng(1).permutation(34)
    published = replace(KARATE.relabelled(order), labels=names)
    labels = dict(zip(names, [names[number] for number in order], strict=True))
    seen: list[list[Any]] = []

    def by_label(network: Network) -> Any:
        seen.append(list(network.labels))
        return network.degrees

    nv.audit(named, published, labels=labels, measure=by_label, distance=1)

    assert seen == [list(range(34))] * 2


def test_the_report_tries_the_attackers_that_the_release_was_made_against() -> None:
    """One at distance 3 with doubts of 7% is not among those that every audit tries."""
    release = nv.anonymize(
        KARATE, "5%", algorithm="es", distance=3, fuzzy="7%", twins=True, seed=1, threads=1
    )
    audit = gather(release, Anonymization(utility=False, baselines=False)).audit
    assert audit is not None
    tried = [attack.attacker for attack in audit.attacks]

    assert attackers_of("count", 3, "7%")[0] in tried
    assert len(tried) == 45
