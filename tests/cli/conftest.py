"""Commands in the process of the tests: what they print is captured; and a folder to work in."""

from __future__ import annotations

from pathlib import Path

import command_line
import pytest

from releases import leave_out_report


@pytest.fixture(autouse=True)
def _captured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `netveil` tell what a command printed."""
    monkeypatch.setattr(command_line, "CAPTURED", [capsys])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the people in a file; releases get no report, which takes longest."""
    command_line.write(tmp_path / "people.csv", command_line.PEOPLE)
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path
