"""What `make` tells whoever has just cloned netveil."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str, folder: Path = ROOT) -> str:
    """What make prints in a folder with this Makefile."""
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout


def test_make_alone_lists_every_target() -> None:
    """Each with a line on what it does, and nothing else is done."""
    (targets,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
    listed = re.findall(r"^make (\S+) +\S.*$", make(), flags=re.MULTILINE)

    assert make().count("\n") == len(listed)
    assert sorted(listed) == sorted(targets.split()) and {"demo", "test"} <= set(listed)


@pytest.mark.parametrize("name", ["netveil", "my netveil"], ids=["plain", "with a blank"])
def test_the_demo_ends_with_what_to_do_next(tmp_path: Path, name: str) -> None:
    """Which file to open, and a command that works in any folder, whatever the clone is called."""
    clone = tmp_path / name
    clone.mkdir()
    (clone / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (clone / "pyproject.toml").touch()
    for done in ("created", "installed", "bin/netveil"):
        (clone / ".venv" / done).parent.mkdir(parents=True, exist_ok=True)
        (clone / ".venv" / done).write_text("#!/bin/sh\n", encoding="utf-8")
    (clone / ".venv" / "bin" / "netveil").chmod(0o755)

    said = make("demo", folder=clone).split("What to do next\n")[1]

    commands = re.findall(
        r"^    (.*) (?:measure contacts\.csv|anonymize contacts\.csv --out \S+|web)$", said, re.M
    )
    assert f"{clone}/demo-release/private/report.html\n" in said
    assert len(commands) == 3
    for command in commands:
        subprocess.run(f"{command} --help", shell=True, check=True, cwd=tmp_path)


@pytest.mark.parametrize("broken", [None, "ruff", "mypy", "pytest", "compile_kernels"])
def test_all_is_checked_and_what_fails_fails_the_run(tmp_path: Path, broken: str | None) -> None:
    """Format, lint, types, then tests, which are not begun if one of the others fails.

    What only saves time may fail: a test tells why.
    """
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, folder in (("Makefile", tmp_path), ("pyproject.toml", tmp_path)):
        (folder / name).write_text(MAKEFILE if name == "Makefile" else "", encoding="utf-8")
    for done in ("created", "installed-dev"):
        (tmp_path / ".venv" / done).touch()
    for name in ("ruff", "mypy", "python"):
        script = f'#!/bin/sh\necho "{name} $*" >> done\ncase "{name} $*" in *{broken}*) exit 1;; esac\n'
        (programs / name).write_text(script, encoding="utf-8")
        (programs / name).chmod(0o755)

    ended = subprocess.run(["make", "test"], cwd=tmp_path, capture_output=True, text=True)
    done_by = [line.split(" -n ")[0] for line in (tmp_path / "done").read_text().splitlines()]

    assert (ended.returncode == 0) == (broken in (None, "compile_kernels"))
    assert ("python -m pytest" in done_by) == (broken in (None, "compile_kernels", "pytest"))
    if "python -m pytest" in done_by:
        assert done_by[-1] == "python -m pytest"
        assert {line.split(" src")[0] for line in done_by[:-1]} == {
            "ruff format --check",
            "ruff check",
            "mypy ",
            "python tests/compile_kernels.py",
        }


def test_what_the_demo_names_is_installed() -> None:
    """The page needs an extra; whoever has just cloned netveil and types the command gets it."""
    (installed,) = re.findall(r"^\.venv/installed:.*\n\t(.*)$", MAKEFILE, flags=re.MULTILINE)

    assert installed.endswith('--editable ".[web]"')
