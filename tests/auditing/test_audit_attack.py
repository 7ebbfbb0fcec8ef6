"""The attack: candidates in the release, found without a table of labels, scored with one."""

from __future__ import annotations

from fractions import Fraction

import networkx
import numpy as np
import pytest
from audits import figures_of, shuffled, slow_attack
from hypothesis import given, strategies as st

import netveil as nv
from graphs import SQUARE, TRIANGLE_WITH_TAIL, networks
from netveil.anonymity import MEASURES, anonymity_of, attackers_of
from netveil.auditing.attack import score_interval
from netveil.network import Network

SHARES = [None, Fraction(1, 20), Fraction(7, 100), Fraction(28, 100), Fraction(1, 2), Fraction(1)]


@given(networks(), st.data(), st.sampled_from(["degree", "count"]), st.sampled_from(SHARES))
def test_the_attack_is_as_a_slow_one_says(
    network: Network, data: st.DataObject, measure: str, fuzzy: Fraction | None
) -> None:
    """Person by person, with networkx."""
    deleted = data.draw(st.integers(0, network.edge_count))
    released, table = shuffled(network, data.draw(st.integers(0, 99)), deleted)

    whole = nv.audit(
        network,
        released,
        labels=table,
        measure=[measure],
        distance=[1],
        fuzzy=[] if fuzzy is None else [str(fuzzy)],
    )

    attack = whole.attacks[-1]
    assert whole.scored and attack.attacker is not None and attack.attacker.fuzzy == fuzzy
    expected = slow_attack(network, released, table, measure, fuzzy)
    assert figures_of(attack.release) == pytest.approx(expected)
    themselves = {node: node for node in range(network.node_count)}
    expected = slow_attack(network, network, themselves, measure, fuzzy)
    assert figures_of(attack.original) == pytest.approx(expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_in_a_mere_copy_everybody_unique_is_found(measure: str) -> None:
    """Fresh labels alone protect nobody: the release is as good as the original to every attacker."""
    karate = nv.load("karate")
    copy, table = shuffled(karate)

    for attack in nv.audit(karate, copy, labels=table, measure=[measure]).attacks:
        assert attack.release == attack.original
        assert (attack.release.misled, attack.release.not_found) == (0, 0)
        assert attack.at_risk == {} or attack.release.found == attack.at_risk[2]
    exact = nv.audit(karate, copy, labels=table, measure=[measure], distance=[1], fuzzy=[]).attacks[0]
    assert exact.release.found == anonymity_of(karate, attackers_of(measure), k=2).unique


def test_a_measure_of_ones_own_attacks_too() -> None:
    """At the distance that it has, by default."""
    karate = nv.load("karate")
    released, table = shuffled(karate, deleted=5)

    def contacts(network: Network) -> list[int]:
        return [int(degree) for degree in network.degrees]

    (own,) = nv.audit(karate, released, labels=table, measure=[contacts]).attacks
    degree = nv.audit(karate, released, labels=table, measure=["degree"]).attacks[0]

    assert own.name == "contacts"
    assert (own.release, own.original, own.at_risk) == (degree.release, degree.original, degree.at_risk)


def test_the_candidates_do_not_depend_on_the_table_of_labels() -> None:
    """Another table, or none, changes the score and nothing else."""
    people = Network.from_networkx(networkx.powerlaw_cluster_graph(250, 5, 0.5, seed=1))
    released, table = shuffled(people, deleted=120)
    wrong = dict(zip(table, reversed(table.values()), strict=True))

    audits = [nv.audit(people, released, labels=labels) for labels in (table, wrong, None)]

    assert [whole.scored for whole in audits] == [True, False, False]
    candidates, others, none = (
        [attack.to_dict()["release"]["candidates"] for attack in whole.attacks] for whole in audits
    )
    assert candidates == others == none
    assert [attack.at_risk for attack in audits[0].attacks] == [
        attack.at_risk for attack in audits[2].attacks
    ]


def test_who_is_who_is_taken_from_equal_labels() -> None:
    """A release that kept its labels needs no table."""
    remaining = TRIANGLE_WITH_TAIL.without_edges([3])  # without c - d: a triangle and a loner

    attack = nv.audit(TRIANGLE_WITH_TAIL, remaining, measure=["degree"], distance=[1], fuzzy=[]).attacks[0]

    # a and b have two contacts, as c has now; nobody has three; d has one, and nobody has.
    assert figures_of(attack.release) == {
        "found": 0,
        "among_few": 2,
        "among_many": 0,
        "misled": 0,
        "not_found": 2,
        "success": pytest.approx(2 * (1 / 3) / 4),
    }
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

    assert not whole.scored
    assert len(whole.notes) == 1 and reason in whole.notes[0]
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
