"""What `anonymize` tries beside the search, audit and baselines: told, left out, and cut short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import PEOPLE, netveil, write

import netveil as nv

SEARCH = ("--budget", "10%", "--seed", "1", "--effort", "0.02", "--no-utility", "--no-audit")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a network."""
    write(tmp_path / "people.csv", PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(file: str) -> Any:
    """A JSON document in the current folder."""
    return json.loads(Path(file).read_text(encoding="utf-8"))


def test_the_audit_is_tried_unless_it_is_left_out() -> None:
    """It says so while it is at it, and is in the record and in the report."""
    with_audit = netveil("anonymize", "people.csv", *SEARCH[:-1], "--out", "with")
    without = netveil("anonymize", "people.csv", *SEARCH, "--out", "without")

    assert (with_audit.code, without.code) == (0, 0)
    assert "trying attacks on it (Ctrl-C skips this) …" in with_audit.err and "attacks" not in without.err
    assert record("with/private/run.json")["report"]["audit"]["scored"]
    assert record("without/private/run.json")["report"]["audit"] is None


def test_an_audit_that_is_cut_short_leaves_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit code 130, and a report that says how to get it."""

    def interrupted(*networks: nv.Network, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("netveil.release.gather.auditing", interrupted)
    said = netveil("anonymize", "people.csv", *SEARCH[:-1], "--out", "release")

    assert said.code == 130
    assert record("release/private/run.json")["report"]["audit"] is None
    assert "netveil audit ORIGINAL RELEASE" in Path("release/private/report.html").read_text(encoding="utf-8")


def test_baselines_are_tried_on_request() -> None:
    """It says so while it is at it; they are in the record and in the report."""
    with_them = netveil("anonymize", "people.csv", *SEARCH, "--baselines", "--out", "with")
    without = netveil("anonymize", "people.csv", *SEARCH, "--out", "without")
    said = "trying other algorithms with the same budget (Ctrl-C skips this) …"

    assert (with_them.code, without.code) == (0, 0)
    assert said in with_them.err and said not in without.err
    assert record("with/private/run.json")["report"]["baselines"].keys() == {"es", "ua"}
    assert record("without/private/run.json")["report"]["baselines"] == {}
    pages = [Path(f"{each}/private/report.html").read_text(encoding="utf-8") for each in ("with", "without")]
    assert ["with the baselines at the same budget" in page for page in pages] == [True, False]


def test_baselines_that_are_cut_short_leave_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit code 130, and a report without them."""

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("netveil.release.gather.searching", interrupted)
    said = netveil("anonymize", "people.csv", *SEARCH, "--baselines", "--out", "release")

    assert said.code == 130
    assert record("release/private/run.json")["report"]["baselines"] == {}
