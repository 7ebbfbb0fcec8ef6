"""Records that somebody has damaged: one line, and what they tell counts as missing."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import netveil as nv
from netveil.errors import NetveilError
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.job import Anonymization
from netveil.release.folder import ReleaseFolder, render_again
from netveil.release.records import read_run

HOSTILE = [
    "null", "true", "-1", "1.5", "1e999", "-1e999", "NaN", "9" * 30, "9" * 5000, '""', '"\\ud800"', "[]",
    "{}", "[[-1]]", "[true]", "[1.5]", "[0, 0]", f"[{2**63}]", "[" * 100_000 + "]" * 100_000,
]  # fmt: skip
SOME = 120  # changes of each record that every test run tries


def tampered(record: Any) -> Iterator[str]:
    """The record with one of its values replaced by a hostile one, or without it.

    Some such changes, the same each time; every one of them in `make faults`.
    """
    changes = [(way, hostile) for way in ways(record) for hostile in (*HOSTILE, None)]
    if "EVERY_TAMPERING" not in os.environ:
        changes = random.Random(17).sample(changes, min(SOME, len(changes)))
    return (_changed(record, way, hostile) for way, hostile in changes)


def _changed(record: Any, way: list[Any], hostile: str | None) -> str:
    """With another value at a place, as JSON; None removes what is there."""
    mark = "a value to replace"
    changed = copy.deepcopy(record)
    holder = changed
    for step in way[:-1]:
        holder = holder[step]
    if hostile is None:
        del holder[way[-1]]
        return json.dumps(changed)
    holder[way[-1]] = mark
    return json.dumps(changed).replace(f'"{mark}"', hostile)


def ways(record: Any) -> Iterator[list[Any]]:
    """The way to every value in a record, but for the second and later ones of a list."""
    places = record.keys() if isinstance(record, dict) else range(min(1, len(record)))
    for place in places:
        yield [place]
        if isinstance(record[place], (dict, list)):
            yield from ([place, *rest] for rest in ways(record[place]))


@pytest.fixture(scope="module")
def release() -> nv.Release:
    return nv.anonymize(nv.load("karate"), 4, algorithm="es", seed=1)


def test_what_was_kept_of_a_search_is_checked(release: nv.Release, tmp_path: Path) -> None:
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    request = Anonymization(measures=release.outcome.attackers, budget=4, algorithm="es", seed=1)
    folder.keep_found(release, request)
    best = tmp_path / ".release.unfinished" / "best.json"
    record = json.loads(best.read_text())
    record["outcome"]["history"] = record["outcome"]["history"][:1]
    tried = 0
    for text_of_it in tampered(record):
        best.write_text(text_of_it)
        tried += 1
        try:
            edges = folder.best_of_unfinished(release.original)
            found = folder.found_by_unfinished(release.original, request)
        except nv.NetworkError:
            continue  # it says that it is about another network
        assert edges is None or (((edges >= 0) & (edges < 78)).all() and len(np.unique(edges)) == len(edges))
        assert found is None or found.outcome.at_risk_after == release.outcome.at_risk_after
    folder.abandon()
    assert tried == SOME or tried > 500


def test_edges_that_the_network_cannot_have_are_refused(
    release: nv.Release, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, best = ReleaseFolder(tmp_path / "release"), tmp_path / ".release.unfinished" / "best.json"
    folder.claim()
    folder.keep_best(release.original, np.array([3, 5]), at_risk=9)
    whole = best.read_text()
    job = Anonymization(measures=release.outcome.attackers)
    assert folder.found_by_unfinished(release.original, job) is None
    for edges in ("[-1]", "[1.5]", "[true]", "[78]", f"[{2**63}]", "[[1]]", '["1"]', "{}"):
        caplog.clear()
        best.write_text(whole.replace("[3,5]", edges))

        assert folder.best_of_unfinished(release.original) is None
        (line,) = caplog.messages
        assert line.startswith(f"warning: {best} is damaged. ")
    folder.abandon()


def test_a_damaged_record_of_a_release_is_told_in_one_line(release: nv.Release, tmp_path: Path) -> None:
    folder = nv.save(release, tmp_path / "release", utility=False, audit=False)
    file = folder / "private" / "run.json"
    whole = json.loads(file.read_text())
    whole["history"] = whole["history"][:1]
    few = {
        name: whole[name] for name in ("attackers", "settings", "seed", "k", "history", "keep", "fingerprint")
    }
    for number, changed in enumerate(tampered(few)):
        file.write_text(json.dumps({**whole, "changed": 0})[:-1] + "," + changed[1:])
        for reads in (read_run, nv.load_release, *((render_again,) if number % 40 == 0 else ())):
            try:
                reads(folder)
            except NetveilError as error:
                assert "\n" not in str(error)


def test_what_does_not_have_its_shape_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    for content in (b"", b"\xff\xfe", b"[", b"[1]", b'{"a": 1}', b"[" * 100_000):
        file.write_bytes(content)
        with pytest.raises(DamagedRecordError):
            read_record(file, {"a": str})
