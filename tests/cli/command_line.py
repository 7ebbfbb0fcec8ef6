"""The command line as its tests meet it: what it says, in this process or a new one, and what it leaves."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from netveil.cli import main

COMMAND = (sys.executable, "-m", "netveil")

# Anna, Bob and Cleo know each other, Cleo also knows Dan, and Eve nobody. Anna and Bob look alike: two
# contacts and a tie among them. Cleo, Dan and Eve are unique. Without the edge from Cleo to Dan nobody is.
PEOPLE = "anna,bob\nbob,cleo\ncleo,anna\ncleo,dan\nbob,anna\neve,eve\n"


@dataclass(frozen=True)
class Said:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on standard output."""
        return json.loads(self.out)


CAPTURED: list[pytest.CaptureFixture[str]] = []  # of the test that runs: see conftest.py


def netveil(*arguments: str | Path) -> Said:
    """Run a command in this process."""
    CAPTURED[0].readouterr()
    code = main([str(argument) for argument in arguments])
    return Said(code, *CAPTURED[0].readouterr())


def listing(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, hidden or not, with what files hold."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def write(path: Path, text: str) -> Path:
    """Write a file; returns its path."""
    path.write_text(text, encoding="utf-8")
    return path


def mistake(folder: Path, *arguments: str) -> str:
    """The one line that a command which must fail says, after checking that this is all it did."""
    before = listing(folder)
    said = netveil(*arguments)

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("netveil: ") and said.err.endswith("\n") and said.err.count("\n") == 1
    assert "Traceback" not in said.err and "defect" not in said.err
    assert listing(folder) == before
    return said.err
