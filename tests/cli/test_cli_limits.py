"""`netveil anonymize` with --keep and --protect, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import PEOPLE, netveil, write

import netveil as nv
from netveil.release.folder import ReleaseFolder
from netveil.search import LIMITS
from releases import leave_out_report

ONE_EDGE = ("anonymize", "people.csv", "--algorithm", "ga", "--budget", "1", "--seed", "5")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the people in a file."""
    write(tmp_path / "people.csv", PEOPLE)
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path


def test_what_was_kept_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Dan may not be cut off, so he and others stay unique."""
    said = netveil(capsys, *ONE_EDGE, "--keep", "lcc=0%", "--keep", "degree=50%")

    line = next(line for line in said.out.splitlines() if line.startswith("Kept: "))
    assert said.code == 0
    assert line.startswith("Kept: lcc 0.8000 → 0.8000 (at most 0%), degree 0.0000 → ")
    assert line.endswith(" (at most 50%).")
    assert "Protected: " not in said.out


def test_limits_are_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    """With the share, and what it is about before and after; an empty list where there are none."""
    kept = netveil(capsys, *ONE_EDGE, "--keep", "lcc = 0.25", "--json").json
    free = netveil(capsys, *ONE_EDGE, "--out", "free", "--json").json

    assert kept["keep"] == [{"name": "lcc", "share": "25%", "before": 0.8, "after": 0.6}]
    assert (kept["protected"], free["protected"], free["keep"]) == (0, 0, [])


def test_a_limit_that_is_given_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the edge from Cleo to Dan nobody is at risk; it cuts Dan off."""
    free = netveil(capsys, *ONE_EDGE, "--out", "free", "--json").json
    kept = netveil(capsys, *ONE_EDGE, "--keep", "lcc=0%", "--json").json

    assert free["at_risk_after"] == 0 < kept["at_risk_after"]


def test_protected_edges_are_told_and_stay(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Dan with all his edges, which is one, and the edge from Anna to Bob."""
    write(folder / "stay.csv", "# staff\ndan\nbob,anna\n")
    said = netveil(capsys, *ONE_EDGE, "--protect", "stay.csv")
    document = netveil(capsys, *ONE_EDGE, "--protect", "stay.csv", "--overwrite", "--json").json

    assert said.code == 0
    assert "Protected: 2 edges, none of them deleted." in said.out
    assert document["protected"] == 2
    assert nv.read("people-release/public/network.csv").edge_count == 4 - document["deleted"]
    assert "dan" not in (folder / "people-release" / "private" / "deleted_edges.csv").read_text()


def test_the_help_tells_every_limit(capsys: pytest.CaptureFixture[str]) -> None:
    """With what it means, from the one list of them."""
    said = " ".join(netveil(capsys, "anonymize", "--help").out.split())

    for name in LIMITS:
        assert f"{name}: {LIMITS.descriptions[name]}" in said


def test_to_resume_takes_limits_that_the_solution_keeps(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """What was kept before a crash was found without them."""
    network = nv.read("people.csv")
    cut_off = ReleaseFolder("release")
    cut_off.claim()
    cut_off.keep_best(network, np.array([network.to_edges().index(("cleo", "dan"))]), at_risk=0)
    cut_off.abandon()  # as the end of its process would: nobody holds it any more
    command = (*ONE_EDGE, "--out", "release", "--resume")

    assert "the limit lcc=0% is broken" in netveil(capsys, *command, "--keep", "lcc=0%").err
    write(folder / "stay.csv", "dan\n")
    assert "deletes 1 protected edge;" in netveil(capsys, *command, "--protect", "stay.csv").err
    assert netveil(capsys, *command).code == 0
