"""Faults by count: some of those that `make faults` tries, in every test run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios import PRIVATE, PUBLIC, SCENARIOS, release_state
from sweep import open_to_others

from waiting import HANG


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the harness looks into /proc")
@pytest.mark.parametrize("only", ["overwrite", pytest.param(None, marks=pytest.mark.thorough)])
def test_whatever_fails_leaves_the_state_before_or_after(only: str | None) -> None:
    """Operations that fail, kills and full disks, in every command that writes: no promise is broken.

    One operation in 41, always the same ones: another number would make a failure hard to see again.
    """
    command = [sys.executable, str(Path(__file__).with_name("sweep.py")), "--stride", "41"]
    command += [] if only is None else ["--only", only]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG)

    results = json.loads(done.stdout)
    assert [each for result in results.values() for each in result["broken"]] == []
    assert done.returncode == 0
    assert results.keys() == ({each.name for each in SCENARIOS} if only is None else {only})
    for result in results.values():
        assert set(result["faults"]) == {"ENOSPC", "EIO", "kill", "full disk"}


def test_the_harness_sees_what_others_can_open(tmp_path: Path) -> None:
    for name, folder_mode, file_mode in (("open", 0o755, 0o644), ("a", 0o755, 0o600), ("b", 0o700, 0o644)):
        folder = tmp_path / name
        folder.mkdir(mode=folder_mode)
        (folder / "labels.csv").touch(mode=file_mode)
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "about.json").touch()

    assert open_to_others(tmp_path) == ["open/labels.csv"]


def test_the_harness_sees_half_a_release(tmp_path: Path) -> None:
    """And a whole one that is not what it says."""
    release = tmp_path / "release"
    for name in (*(f"public/{name}" for name in PUBLIC), *(f"private/{name}" for name in PRIVATE)):
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_text("one\n")
    (release / "private" / "run.json").write_text('{"deleted": 1, "nodes": 0, "seed": 1}')
    assert release_state(tmp_path) == "a release that does not agree"
    (release / "private" / "labels.csv").unlink()

    assert release_state(tmp_path).startswith("half a release")
