"""`netveil anonymize` and attributes: left out or carried, and never without a word."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest
from command_line import mistake, netveil

import netveil as nv
from graphs import with_attributes
from releases import leave_out_report


def test_the_command_line_carries_what_is_named_after_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the option it says what is left out, in its own words; --quiet does not silence it."""
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    networkx.write_graphml(with_attributes(), tmp_path / "people.graphml")
    brief = ("--quiet", "--no-utility", "--no-audit", "--no-baselines")
    command = ("anonymize", "people.graphml", "--budget", "2", "--seed", "1", *brief)

    silent = netveil(capsys, *command, "--out", "without")
    asked = netveil(capsys, *command, "--out", "with", "--keep-attributes", "age, weight", "--curve")
    point = ("anonymize", "people.graphml", "--from-curve", "with", "--budget", "1", *brief)
    again = netveil(capsys, *point, "--out", "point", "--keep-attributes", "age")

    assert silent.err.startswith(
        "warning: the release does not carry the attributes age, town, weight, work. "
    )
    assert silent.err.endswith(": --keep-attributes age,town,weight,work.\n")
    assert asked.err.startswith(
        "warning: the release carries the attributes age, weight (--keep-attributes): "
    )
    # Of the attributes, and of the two releases beside it: no second word on attributes that are not carried.
    assert again.err.count("warning") == 2 and again.err.count("holds another release") == 1
    kept = [
        nv.read(f"{folder}/public/network.graphml").attributes.names
        for folder in ("without", "with", "point")
    ]
    assert kept == [(), ("age", "weight"), ("age",)]


def test_further_columns_of_a_file_cannot_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says so, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("a,b,3\nb,c,4\n", encoding="utf-8")

    said = mistake(capsys, tmp_path, "anonymize", "people.csv", "--keep-attributes", "weight")

    assert "netveil: --keep-attributes weight: this network has no attributes." in said
    assert "further columns of other files cannot" in said
