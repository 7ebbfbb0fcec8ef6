"""What `anonymize` tries beside the search, audit and baselines: told, left out, and cut short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import PEOPLE, netveil, write

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


def test_audit_and_baselines_are_tried_as_asked() -> None:
    """It says so while it is at it; they are in the record and in the report."""
    audit, baselines, neither = (
        netveil("anonymize", "people.csv", *SEARCH[:-1], *words, "--out", out)
        for out, words in (
            ("audit", ()),
            ("baselines", ("--no-audit", "--baselines")),
            ("neither", ("--no-audit",)),
        )
    )
    reports = {out: record(f"{out}/private/run.json")["report"] for out in ("audit", "baselines", "neither")}
    pages = [Path(f"{each}/private/report.html").read_text(encoding="utf-8") for each in reports]

    assert (audit.code, baselines.code, neither.code) == (0, 0, 0)
    assert "trying attacks on it (Ctrl-C skips this) …" in audit.err and "attacks" not in neither.err
    said = "trying other algorithms with the same budget (Ctrl-C skips this) …"
    assert [said in each.err for each in (audit, baselines, neither)] == [False, True, False]
    assert reports["audit"]["audit"]["scored"] and reports["neither"]["audit"] is None
    assert [set(report["baselines"]) for report in reports.values()] == [set(), {"es", "ua"}, set()]
    assert ["with the baselines at the same budget" in page for page in pages] == [False, True, False]


@pytest.mark.parametrize(("part", "asked"), [("auditing", ()), ("searching", ("--no-audit", "--baselines"))])
def test_what_is_cut_short_leaves_a_release(
    monkeypatch: pytest.MonkeyPatch, part: str, asked: tuple[str, ...]
) -> None:
    """With exit code 130, and a report without it, which says how to get an audit."""

    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"netveil.release.gather.{part}", interrupted)
    said = netveil("anonymize", "people.csv", *SEARCH[:-1], *asked, "--out", "release")
    report = record("release/private/run.json")["report"]
    page = Path("release/private/report.html").read_text(encoding="utf-8")

    assert (said.code, report["audit"], report["baselines"]) == (130, None, {})
    assert "netveil audit ORIGINAL RELEASE" in page
