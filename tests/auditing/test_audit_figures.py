"""Deletions that follow from about.json: told from exact figures, and not from those of a release."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import netveil as nv
from netveil.anonymity import anonymity_of
from netveil.auditing.added_ties import AddedTies
from netveil.auditing.figure_leaks import FEW, Reconstruction, leaks_of_record, reach
from netveil.auditing.printed_figures import Printed, read_record
from netveil.network import Network
from netveil.release.records import public_record
from netveil.release.release import Release
from netveil.utility import METRICS, MetricSettings, Side, communities, compare
from netveil.utility.metric import Property, Undefined

KARATE, DEMO = nv.load("karate"), nv.load("demo")


def exact_record(original: Network, released: Network) -> dict[str, Any]:
    """What about.json held before its figures were coarse: all digits."""
    share = round(1 - released.edge_count / original.edge_count, 6)
    before, after = nv.measure(original), nv.measure(released)
    figures = {
        name: {
            "before": metric.value(Side(original, MetricSettings())),
            "after": metric.value(Side(released, MetricSettings())),
        }
        for name, metric in METRICS.items()
        if isinstance(metric, Property) and name != "edges"
    }
    return {
        "netveil": "0.1.0",
        "measure": "count",
        "distance": 1,
        "k": 2,
        "budget_share": share,
        "anonymity": {
            "nodes": original.node_count,
            "at_risk_before": before.at_risk,
            "at_risk_after": after.at_risk,
            "unique_before": before.unique,
            "unique_after": after.unique,
        },
        "utility": {"edges_published": released.edge_count, "edges_deleted": share, **figures},
    }


def random_release(network: Network, deletions: int, seed: int) -> Release:
    """A release from which random edges are deleted."""
    rng = np.random.default_rng(seed)
    deleted = np.sort(rng.choice(network.edge_count, deletions, replace=False))
    made = nv.anonymize(network, deletions, seed=1, algorithm="es")
    return with_original(replace(made, outcome=replace(made.outcome, deleted_edges=deleted)), network)


def with_original(release: Release, original: Network) -> Release:
    """A release of another original that becomes the same network: counted anew from scratch."""
    outcome, remaining = release.outcome, original.without_edges(release.outcome.deleted_edges)
    before, after = (anonymity_of(each, outcome.attackers.each, 2) for each in (original, remaining))
    counted = replace(
        outcome,
        at_risk_before=before.at_risk,
        unique_before=before.unique,
        at_risk_after=after.at_risk,
        unique_after=after.unique,
    )
    return Release(original, counted)


def record_of(release: Release) -> dict[str, Any]:
    """Its about.json with all figures."""
    return public_record(release, compare(release.original, release.remaining))


def numbers_of(network: Network, ties: np.ndarray[Any, Any]) -> list[int]:
    """The numbers of edges, which are given by their ends."""
    number = {tuple(edge): position for position, edge in enumerate(network.edges.tolist())}
    return sorted(number[tuple(sorted(tie))] for tie in ties.tolist())


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

    single = reach(AddedTies(released), read_record(about, released), 1)

    assert single.all_tried and 1 <= single.agreeing < 0.1 * single.sets


def test_the_number_of_people_at_risk_is_one_of_the_figures() -> None:
    """A candidate that puts other people at risk is none."""
    released = random_release(KARATE, 1, seed=6).remaining
    about = exact_record(KARATE, released)
    del about["utility"]

    alone = reach(AddedTies(released), read_record(about, released), 1)
    about["anonymity"]["at_risk_before"] = 33
    impossible = reach(AddedTies(released), read_record(about, released), 1)

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


# The figures of a release do not.


@pytest.mark.parametrize("deletions", [1, 2, 3])
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_no_deletion_is_told_by_all_figures_together(
    deletions: int, seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of random sets of missing ties nearly all give the very same about.json, whichever were deleted.

    So the attacker is as wise as before. Without a seed, the release is one that netveil searched for.
    """
    monkeypatch.setattr(communities, "RUNS", 10)
    release = (
        nv.anonymize(KARATE, deletions, seed=1, effort=0.1)
        if seed is None
        else random_release(KARATE, deletions, seed)
    )
    assert len(release.outcome.deleted_edges) == deletions
    published, added = record_of(release), AddedTies(release.remaining)
    sets = added.random_sets(deletions, 60, np.random.default_rng(1))[:25]

    same = 0
    for ties in sets:
        candidate = added.with_ties(ties)
        outcome = replace(release.outcome, deleted_edges=np.array(numbers_of(candidate, ties)))
        same += record_of(with_original(replace(release, outcome=outcome), candidate)) == published

    assert same >= 0.8 * len(sets)


def test_the_reconstruction_of_issue_14_fails() -> None:
    """All 19,013,940 sets of three on karate: the assortativity printed excludes hardly any."""
    release = nv.anonymize(KARATE, 3, seed=1, effort=0.1)
    about, added = record_of(release), AddedTies(release.remaining)
    entry = about["utility"]["assortativity"]
    printed = Printed(entry["before"], entry["within"])

    tried = agreeing = 0
    for part in added.all_sets(3):
        tried += len(part)
        agreeing += int(printed.fits(added.assortativity(part)).sum())

    assert tried == 19_013_940
    assert agreeing >= 0.95 * tried


@pytest.mark.parametrize(
    ("network", "budget"),
    [
        (KARATE, 1),
        (KARATE, 2),
        (KARATE, 3),
        (KARATE, "10%"),
        (KARATE, "20%"),
        (DEMO, 1),
    ],
)
def test_the_audit_of_a_release_finds_no_such_leak(network: Network, budget: int | str) -> None:
    """And says how far it got: where a few deletions may have been made, all sets agree."""
    release = nv.anonymize(network, budget, seed=2, effort=0.05)
    record = record_of(release)

    found = leaks_of_record(record, release.network)

    assert found.leaks == ()
    assert found.told
    numbers = read_record(record, release.network).numbers_of_deletions(release.network)
    assert len(release.outcome.deleted_edges) in numbers and len(numbers) >= 3


def test_the_audit_looks_into_the_folder(tmp_path: Path) -> None:
    """In a release of netveil there is none; with the figures of earlier versions there is."""
    release = nv.anonymize(KARATE, 1, seed=1, effort=0.1)
    folder = nv.save(release, tmp_path / "release", audit=False, baselines=False)
    file = folder / "public" / "network.txt"
    options: dict[str, Any] = {"labels": release.labels, "measures": "degree", "distances": 1, "file": file}

    clean = nv.audit(KARATE, nv.read(file), **options)
    (folder / "public" / "about.json").write_text(json.dumps(exact_record(KARATE, release.network)))
    leaky = nv.audit(KARATE, nv.read(file), **options)

    assert clean.leaks == ()
    assert " 484 of 484 single ones" in clean.reconstruction and clean.reconstruction in clean.findings()
    assert [leak.kind for leak in leaky.leaks] == ["figures"] * 3
    assert leaky.leaks[0].severity == "leak" and str(leaky.leaks[0]) in leaky.findings()
    assert leaky.to_dict()["reconstruction"] == leaky.reconstruction


def test_how_far_it_got_in_words() -> None:
    """All sets, or a sample."""
    assert str(Reconstruction(1, 484, 484, 2, 1)) == "1 of 484 single ones"
    assert str(Reconstruction(2, 5_000, 1_000, 995, 990)) == "990 of 1,000 sets of 2 drawn from 5,000"
    assert Reconstruction(2, 5_000, 1_000, 500, 9).share < FEW
