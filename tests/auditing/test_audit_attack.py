"""The attack by surroundings: candidates in the release, found without a table of labels, scored with one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from audits import fallen, figures_of, shuffled, similar, slow_attack
from hypothesis import given, strategies as st

import naive_measures
import netveil as nv
from graphs import SQUARE, TRIANGLE_WITH_TAIL, networks
from netveil.anonymity import MEASURES, Attacker, anonymity_of, attackers_of
from netveil.anonymity.attackers import similar_counts
from netveil.auditing.attack import DeletionsAttacker, is_candidate, score_interval
from netveil.job import Anonymization
from netveil.network import Network
from netveil.release.gather import gather

KARATE = nv.load("karate")
SHARES = [Fraction(0), Fraction(1, 20), Fraction(7, 100), Fraction(28, 100), Fraction(1, 2), Fraction(1)]
NUMBERS = ["degree", "count", "edge-count"]
rows_of_three = st.lists(
    st.lists(st.integers(0, 30) | st.sampled_from([100, 93, 92, 2**60]), min_size=3, max_size=3), min_size=1
)


@pytest.mark.parametrize("kind", ["exact", "fuzzy", "deletions"])
@given(networks(), st.data(), st.sampled_from(["degree", "count"]), st.sampled_from(SHARES))
def test_the_attack_is_as_a_slow_one_says(
    kind: str, network: Network, data: st.DataObject, measure: str, share: Fraction
) -> None:
    """Person by person, with networkx; in the release and in the original."""
    released, table = shuffled(
        network, data.draw(st.integers(0, 99)), data.draw(st.integers(0, network.edge_count))
    )
    doubt: dict[str, Any] = {"fuzzy": []} if kind == "exact" else {kind: str(share)}
    attack = nv.audit(network, released, labels=table, measure=measure, distance=1, **doubt).attacks[-1]

    expected = Attacker(MEASURES[measure], 1, None if kind == "exact" else share)
    assert attack.attacker == (
        DeletionsAttacker(MEASURES[measure], 1, share) if kind == "deletions" else expected
    )
    themselves = {node: node for node in range(network.node_count)}
    for found, there, who in ((attack.release, released, table), (attack.original, network, themselves)):
        alike = fallen if kind == "deletions" else similar
        slow = slow_attack(network, there, who, measure, expected.fuzzy or Fraction(0), alike)
        assert figures_of(found) == pytest.approx(slow)


@pytest.mark.parametrize("measure", MEASURES)
def test_in_a_mere_copy_everybody_unique_is_found(measure: str) -> None:
    copy, table = shuffled(KARATE)

    for attack in nv.audit(KARATE, copy, labels=table, measure=[measure]).attacks:
        assert attack.release == attack.original
        assert (attack.release.misled, attack.release.not_found) == (0, 0)
        assert attack.at_risk == {} or attack.release.found == attack.at_risk[2]
        if attack.attacker is not None and attack.attacker.fuzzy is None:
            assert attack.release.found == anonymity_of(KARATE, (attack.attacker,), k=2).unique


def test_the_candidates_do_not_depend_on_the_table_of_labels() -> None:
    people = Network.from_networkx(nx.powerlaw_cluster_graph(250, 5, 0.5, seed=1))
    released, table = shuffled(people, deleted=120)
    wrong = dict(zip(table, reversed(table.values()), strict=True))
    audits = [nv.audit(people, released, labels=labels) for labels in (table, wrong, None)]

    assert [whole.scored for whole in audits] == [True, False, False]
    first, *others = (
        [(attack.to_dict()["release"]["candidates"], attack.at_risk) for attack in whole.attacks]
        for whole in audits
    )
    assert others == [first, first]


def test_who_is_who_is_taken_from_equal_labels() -> None:
    remaining = TRIANGLE_WITH_TAIL.without_edges([3])  # without c - d: a triangle and a loner
    attack = nv.audit(TRIANGLE_WITH_TAIL, remaining, measure=["degree"], distance=[1], fuzzy=[]).attacks[0]

    # a and b have two contacts, as c has now; nobody has three; d has one, and nobody has.
    figures = {"found": 0, "among_few": 2, "among_many": 0, "misled": 0, "not_found": 2}
    assert figures_of(attack.release) == {**figures, "success": pytest.approx(2 * (1 / 3) / 4)}
    assert attack.guessing == 1 / 4
    assert attack.at_risk == {2: 1, 3: 1, 5: 4, 10: 4}


@pytest.mark.parametrize(
    ("released", "reason"),
    [
        (Network.from_edges([("a", "b"), ("b", "c")]), "4 in the original, 3 in the released network"),
        (Network.from_edges([(0, 1), (1, 2), (2, 3)]), "0 in both by label"),
        (Network.from_edges([("a", "c"), ("b", "d")]), "the original lacks 2 of the 2 released edges"),
    ],
)
def test_without_who_is_who_candidates_are_counted_all_the_same(released: Network, reason: str) -> None:
    """Fewer nodes, fresh labels, or labels that mean other people: a note says so."""
    whole = nv.audit(SQUARE, released, measure=["degree"], distance=[1], fuzzy=[])

    assert not whole.scored and len(whole.notes) == 1 and reason in whole.notes[0]
    document = whole.to_dict()["attacks"][0]["release"]
    assert document["success"] is document["interval"] is document["found"] is None
    two_contacts = int(np.count_nonzero(released.degrees == 2))
    assert document["candidates"]["one" if two_contacts == 1 else "few" if two_contacts else "none"] == 4
    assert "not told who is who" in whole.paragraph()


@given(st.floats(0, 1), st.integers(1, 10**6))
def test_the_interval_holds_the_mean_and_stays_a_share(mean: float, people: int) -> None:
    """It has a width also where everybody or nobody is found, and more people make it smaller."""
    low, high = score_interval(mean, people)

    assert 0 <= low <= mean + 1e-12 and mean - 1e-12 <= high <= 1
    assert low < high
    fewer = score_interval(mean, max(people // 4, 1))
    assert people < 4 or high - low < fewer[1] - fewer[0]


# Who knows that numbers only fall.


@given(networks(), st.data(), st.sampled_from(NUMBERS), st.integers(1, 3))
def test_the_numbers_of_these_measures_never_rise(
    network: Network, data: st.DataObject, measure: str, distance: int
) -> None:
    edges = data.draw(st.sets(st.integers(0, max(network.edge_count - 1, 0)), max_size=network.edge_count))
    sides = (network, network.without_edges(sorted(edges)))

    before, after = (MEASURES[measure].states(each, distance) for each in sides)
    assert (after <= before).all()


@given(rows_of_three, rows_of_three, st.sampled_from(SHARES) | st.fractions(0, 1))
def test_candidates_are_those_of_the_definition(
    known: list[list[int]], states: list[list[int]], share: Fraction
) -> None:
    found = similar_counts(np.array(known), np.array(states), share, fallen=True)
    beside = [
        naive_measures.fallen_counts([one], [other], share) == [1]
        for one, other in zip(known, states, strict=False)
    ]
    mine, others = (np.array(each[: len(beside)]) for each in (known, states))

    assert found.tolist() == naive_measures.fallen_counts(known, states, share)
    assert is_candidate(mine, others, share, fallen=True).tolist() == beside


def test_what_she_knows_is_said_in_words() -> None:
    """And the two kinds of doubt are two attackers."""
    she = DeletionsAttacker(MEASURES["count"], 2, Fraction(1, 20))
    doubt = "up to distance 2, and allows for deletions that lower each number by up to 5%"

    assert she.name == "count, distance 2, deletions 5%"
    assert she.title == f"counts contacts and the ties among them, {doubt}"
    assert she.knowledge.endswith(doubt)
    assert she != Attacker(MEASURES["count"], 2, Fraction(1, 20))


# A user's own measure, and attackers that a release was made against.


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


def test_a_measure_of_ones_own_attacks_at_distance_1_and_is_not_known_to_fall() -> None:
    released, table = shuffled(KARATE, deleted=5)

    def contacts(network: Network) -> list[int]:
        return [int(degree) for degree in network.degrees]

    own, degree, *others = nv.audit(KARATE, released, labels=table, measure=[contacts, "degree"]).attacks

    assert own.name == "contacts" and others[-1].name == "degree, distance 2, deletions 20%"
    assert (own.release, own.original, own.at_risk) == (degree.release, degree.original, degree.at_risk)
    assert [name for name in MEASURES if MEASURES[name].only_falls] == NUMBERS


def test_labels_tell_an_own_measure_nothing() -> None:
    names = [f"p{number}" for number in range(34)]
    order = np.random.default_rng(1).permutation(34)
    named, published = replace(KARATE, labels=names), replace(KARATE.relabelled(order), labels=names)
    labels = dict(zip(names, [names[number] for number in order], strict=True))
    seen: list[list[Any]] = []

    def by_label(network: Network) -> Any:
        seen.append(list(network.labels))
        return network.degrees

    nv.audit(named, published, labels=labels, measure=by_label, distance=1)

    assert seen == [list(range(34))] * 2


def test_the_report_tries_the_attackers_that_the_release_was_made_against() -> None:
    """One at distance 3 with doubts of 7% is not among those that every audit tries."""
    doubts = {"distance": 3, "fuzzy": "7%", "twins": True}
    release = nv.anonymize(KARATE, "5%", algorithm="es", seed=1, threads=1, **doubts)  # type: ignore[arg-type]
    audit = gather(release, Anonymization(utility=False, baselines=False)).audit
    assert audit is not None
    tried = [attack.attacker for attack in audit.attacks]

    assert attackers_of("count", 3, "7%")[0] in tried
    assert len(tried) == 45
