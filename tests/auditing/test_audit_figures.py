"""Exact figures in about.json give deletions away, and the audit says so."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from figures_told import DEMO, KARATE, exact_record, random_release
from hypothesis import given, settings, strategies as st

import netveil as nv
from netveil.auditing.figure_leaks import AddedTies, leaks_of_record, read_record, reconstruct
from netveil.network import Network
from netveil.utility import METRICS, MetricSettings, Side
from netveil.utility.metric import Undefined

# The reconstruction itself: fast figures against slow ones.


@given(
    st.integers(4, 12).flatmap(
        lambda n: st.tuples(
            st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2))), min_size=2, max_size=30)
        )
    ),
    st.integers(1, 3),
)
@settings(max_examples=40, deadline=None)
def test_figures_with_ties_added_are_those_of_the_network_with_them(
    drawn: tuple[int, set[tuple[int, int]]], ties: int
) -> None:
    """The assortativity of up to three ties, the clustering of one, and every set once."""
    network = Network.from_numbered_edges(np.array(sorted(drawn[1])), drawn[0])
    added = AddedTies(network)
    parts = list(added.all_sets(ties))
    sets = np.concatenate([*parts, np.empty((0, ties, 2), dtype=np.int64)])

    distinct = {frozenset(map(tuple, each)) for each in sets.tolist()}
    assert len(distinct) == len(sets) == added.number_of_sets(ties)
    assert not {tie for each in distinct for tie in each} & {tuple(edge) for edge in network.edges.tolist()}
    some = sets[np.random.default_rng(0).permutation(len(sets))[:10]].astype(np.int64)
    for name, found in {
        "assortativity": added.assortativity(some),
        **({"clustering": added.clustering(some[:, 0])} if ties == 1 else {}),
    }.items():
        for each, figure in zip(some, found, strict=True):
            side = Side(added.with_ties(each), MetricSettings())
            if math.isnan(figure):
                with pytest.raises(Undefined, match=r"all edges have ends|no node has two"):
                    METRICS[name].value(side)  # type: ignore[attr-defined]
            else:
                assert figure == pytest.approx(METRICS[name].value(side), abs=1e-12)  # type: ignore[attr-defined]


def test_random_sets_are_missing_ties_and_the_same_each_time() -> None:
    """No tie twice, none that the network has; the same numbers give the same sets."""
    added = AddedTies(KARATE)
    one, other = (added.random_sets(3, 500, np.random.default_rng(7)) for _ in range(2))

    assert np.array_equal(one, other) and len(one) > 100
    edges = {tuple(edge) for edge in KARATE.edges.tolist()}
    for each in one.tolist():
        ties = {tuple(tie) for tie in each}
        assert len(ties) == 3 and not ties & edges and all(a < b for a, b in ties)


# Exact figures give deletions away, and the audit says so.


@pytest.mark.parametrize(("network", "deletions"), [(KARATE, 1), (KARATE, 2), (DEMO, 1)])
def test_deletions_are_reconstructed_from_exact_figures(network: Network, deletions: int) -> None:
    """The attack of issue 14: of all sets of missing ties one agrees. Its number follows, too."""
    released = nv.anonymize(network, deletions, seed=1, effort=0.05).remaining

    found = leaks_of_record(exact_record(network, released), released)

    leak, number, digits = found.leaks
    assert (leak.severity, leak.kind) == ("leak", "figures")
    sets = math.comb(math.comb(network.node_count, 2) - released.edge_count, deletions)
    assert f" 1 of {sets:,} " in leak.finding and f" 1 of {sets:,} " in found.told
    assert (number.severity, number.kind) == (digits.severity, digits.kind) == ("warning", "figures")
    assert f"how many edges were deleted: {deletions}." in number.finding
    assert "more than three digits" in digits.finding


def test_a_sample_is_enough_where_sets_are_too_many() -> None:
    """Two deletions on demo: hundreds of thousands are tried, and none agrees with figures so exact."""
    released = random_release(DEMO, 2, seed=5).remaining

    (leak, _, _) = leaks_of_record(exact_record(DEMO, released), released).leaks

    assert leak.severity == "leak" and " 0 of 1" in leak.finding and " drawn from 116," in leak.finding


@pytest.mark.parametrize("figure", ["assortativity", "clustering", "path_length"])
def test_one_exact_figure_is_enough(figure: str) -> None:
    """Without shares and all other figures, a single one narrows a deletion down to a few of 484."""
    released = random_release(KARATE, 1, seed=6).remaining
    whole = exact_record(KARATE, released)
    about = {"utility": {figure: whole["utility"][figure]}}

    single = reconstruct(AddedTies(released), read_record(about, released), 1)

    assert single.all_tried and 1 <= single.agreeing < 0.1 * single.sets


def test_the_number_of_people_at_risk_is_one_of_the_figures() -> None:
    """A candidate that puts other people at risk is none."""
    released = random_release(KARATE, 1, seed=6).remaining
    about = exact_record(KARATE, released)
    del about["utility"]

    alone = reconstruct(AddedTies(released), read_record(about, released), 1)
    about["anonymity"]["at_risk_before"] = 33
    impossible = reconstruct(AddedTies(released), read_record(about, released), 1)

    assert 0 < alone.agreeing < alone.sets
    assert impossible.agreeing == 0


def test_what_claims_to_be_coarse_and_is_not_is_read_to_its_digits() -> None:
    """`within` of somebody else's record is believed only where the digits allow it."""
    released = KARATE.without_edges([0])
    entry = {"before": 0.5706384782076823, "after": 0.5, "within": 0.5}
    honest = {"before": 0.6, "after": 0.58, "within": 0.2}

    read = [read_record({"utility": {"clustering": each}}, released) for each in (entry, honest)]

    assert [each.exact for each in read] == [1, 0]
    assert read[0].figures["clustering"].within < 1e-9 < read[1].figures["clustering"].within


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"utility": 3, "anonymity": [], "k": "two"},
        {"utility": {"clustering": {"before": "0.5", "after": None}, "edges_deleted": True}},
        {"utility": {"lcc": {"before": float("nan")}, "edges_deleted": float("inf")}, "measure": 7},
    ],
)
def test_records_of_others_are_no_trouble(about: dict[str, Any]) -> None:
    """What is no figure tells nothing."""
    assert leaks_of_record(about, KARATE).leaks == ()
