"""The attacker who knows that numbers only fall: against a slow twin, and never weaker than who does not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from audits import fallen, figures_of, shuffled, slow_attack
from hypothesis import given, strategies as st

import naive_measures
import netveil as nv
from graphs import networks
from netveil.anonymity import MEASURES, Attacker
from netveil.anonymity.attackers import similar_counts
from netveil.auditing.attack import DeletionsAttacker, is_candidate
from netveil.network import Network

SHARES = [Fraction(0), Fraction(1, 20), Fraction(7, 100), Fraction(28, 100), Fraction(1, 2), Fraction(1)]
rows_of_three = st.lists(
    st.lists(st.integers(0, 30) | st.sampled_from([100, 93, 92, 2**60]), min_size=3, max_size=3), min_size=1
)


@given(networks(), st.data(), st.sampled_from(["degree", "count"]), st.sampled_from(SHARES))
def test_the_attack_is_as_a_slow_one_says(
    network: Network, data: st.DataObject, measure: str, share: Fraction
) -> None:
    """Person by person, with networkx; in the release and in the original."""
    deleted = data.draw(st.integers(0, network.edge_count))
    released, table = shuffled(network, data.draw(st.integers(0, 99)), deleted)

    whole = nv.audit(network, released, labels=table, measure=measure, distance=1, deletions=str(share))

    exact, attack = whole.attacks
    assert exact.attacker == Attacker(MEASURES[measure])
    assert attack.attacker == DeletionsAttacker(MEASURES[measure], 1, share)
    expected = slow_attack(network, released, table, measure, share, fallen)
    assert figures_of(attack.release) == pytest.approx(expected)
    themselves = {node: node for node in range(network.node_count)}
    expected = slow_attack(network, network, themselves, measure, share, fallen)
    assert figures_of(attack.original) == pytest.approx(expected)


@given(networks(), st.data(), st.sampled_from([name for name in MEASURES if MEASURES[name].only_falls]))
def test_the_numbers_of_these_measures_never_rise(
    network: Network, data: st.DataObject, measure: str
) -> None:
    """Whatever edges are deleted, at distances 1 to 3."""
    edges = data.draw(st.sets(st.integers(0, max(network.edge_count - 1, 0)), max_size=network.edge_count))
    remaining = network.without_edges(sorted(edges))

    for distance in (1, 2, 3):
        before, after = (MEASURES[measure].states(each, distance) for each in (network, remaining))
        assert (after <= before).all()


def test_which_measures_are_numbers_that_only_fall() -> None:
    """The three whose states are numbers; a measure of one's own is not known to be."""

    def loneliness(network: Network) -> list[int]:
        return [-int(degree) for degree in network.degrees]

    assert [name for name in MEASURES if MEASURES[name].only_falls] == ["degree", "count", "edge-count"]
    karate = nv.load("karate")
    names = [attack.name for attack in nv.audit(karate, karate, measure=[loneliness, "degree"]).attacks]
    assert not any("deletions" in name for name in names if name.startswith("loneliness"))
    assert "degree, deletions 20%" in names


@given(rows_of_three, rows_of_three, st.sampled_from(SHARES) | st.fractions(0, 1))
def test_candidates_are_those_of_the_definition(
    known: list[list[int]], states: list[list[int]], share: Fraction
) -> None:
    """For any numbers and any share; and beside each other."""
    found = similar_counts(np.array(known), np.array(states), share, fallen=True)

    assert found.tolist() == naive_measures.fallen_counts(known, states, share)
    beside = [
        naive_measures.fallen_counts([mine], [other], share) == [1]
        for mine, other in zip(known, states, strict=False)
    ]
    pairs = len(beside)
    assert (
        is_candidate(np.array(known[:pairs]), np.array(states[:pairs]), share, fallen=True).tolist() == beside
    )


def test_what_she_knows_is_said_in_words() -> None:
    """Name, title and knowledge; and the two kinds of doubt are two attackers."""
    she = DeletionsAttacker(MEASURES["count"], 2, Fraction(1, 20))

    assert she.name == "count, distance 2, deletions 5%"
    assert she.title == (
        "counts contacts and the ties among them, up to distance 2, and allows for deletions that lower each "
        "number by up to 5%"
    )
    assert she.knowledge.endswith(
        "up to distance 2, and allows for deletions that lower each number by up to 5%"
    )
    assert she != Attacker(MEASURES["count"], 2, Fraction(1, 20))
