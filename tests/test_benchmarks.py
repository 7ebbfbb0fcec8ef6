"""Benchmarks are listed, and each is called in one way; what they print is not judged here."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
NAMES = sorted(file.stem for file in (HOME / "benchmarks").glob("[!_]*.py"))


def benchmarks(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m benchmarks` with these words."""
    command = [sys.executable, "-m", "benchmarks", *words]
    return subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)


def test_the_list_has_a_line_for_each_and_other_names_are_refused() -> None:
    """The list needs no name; a name that is not there ends with 2, and says which there are."""
    listed, refused = benchmarks(), benchmarks("sped")
    assert [line.split()[0] for line in listed.stdout.splitlines()[2:]] == NAMES
    assert listed.returncode == 0 and all(len(line.split()) > 4 for line in listed.stdout.splitlines()[2:])
    assert refused.returncode == 2 and "'sped'" in refused.stderr and "speed" in refused.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_each_has_options_of_its_own(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`main(argv)`, which tells its options and ends where help is asked for."""
    monkeypatch.syspath_prepend(str(HOME))
    module = import_module(f"benchmarks.{name}")
    assert list(signature(module.main).parameters) == ["argv"]
    with pytest.raises(SystemExit) as end:
        module.main(["--help"])
    assert end.value.code == 0 and "usage" in capsys.readouterr().out
