"""The figures that a release publishes give no deletion away."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from figures_told import DEMO, KARATE, exact_record, numbers_of, random_release, record_of, with_original

import netveil as nv
from netveil.auditing.figure_leaks import (
    FEW,
    AddedTies,
    Printed,
    Reconstruction,
    leaks_of_record,
    read_record,
)
from netveil.network import Network
from netveil.utility import communities


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
