"""A mistake costs nothing that was there before: neither a release nor what an earlier search has kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import PEOPLE, mistake, netveil, write

from releases import leave_out_report


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a network."""
    write(tmp_path / "people.csv", PEOPLE)
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path


def test_a_release_that_exists_stays_as_it_is(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Without --overwrite; and with it, if the mistake is elsewhere."""
    netveil(capsys, "anonymize", "people.csv", "--budget", "1", "--seed", "1", "--out", "release")

    assert "release exists already" in mistake(capsys, folder, "anonymize", "people.csv", "--out", "release")
    mistake(capsys, folder, "anonymize", "people.csv", "--out", "release", "--overwrite", "--budget", "abc")


def test_a_mistake_does_not_cost_what_an_earlier_search_has_kept(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """The hidden folder of a search that was cut off outlives a slip in the next command."""
    (folder / ".release.unfinished").mkdir(mode=0o700)
    write(folder / ".release.unfinished" / "best.json", "{}")

    command = ("anonymize", "people.csv", "--out", "release")
    assert "--resume" in mistake(capsys, folder, *command)
    mistake(capsys, folder, *command, "--overwrite", "--budget", "abc")
    mistake(capsys, folder, *command, "--resume", "--budget", "abc")


def test_to_resume_takes_the_same_network(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """What was kept for another network's release is of no use, and is not touched."""
    (folder / ".release.unfinished").mkdir(mode=0o700)
    record = '{"fingerprint": "another", "at_risk": 1, "deleted_edges": [0]}'
    write(folder / ".release.unfinished" / "best.json", record)

    said = mistake(capsys, folder, "anonymize", "people.csv", "--out", "release", "--resume")

    assert "was about another network" in said
