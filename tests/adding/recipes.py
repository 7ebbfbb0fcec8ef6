"""The recipes of docs/extending.md, followed from outside the package: a module each in a folder."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil import extensions
from netveil.cli import main
from netveil.registries import KINDS
from pages import blocks_of

RECIPES = {
    "measure": "triangles:Triangles",
    "algorithm": "draws:RANDOM_DRAWS",
    "limit": "contacts:KeepContacts",
    "metric": "one_contact:OneContact",
    "format": "pairs:PAIRS",
    "generator": "cliques:CLIQUES",
    "attack": "ranks:RanksAttack",
    "matcher": "own_degree:OwnDegree",
}
"""Places of what the page makes, by kind."""

FILES = {
    block.file: block.text for block in blocks_of("extending.md") if block.file and block.file.endswith("py")
}
PLAN = """\
networks = ["karate"]
algorithms = ["es"]
seeds = 1
"""


def recipe(kind: str) -> Any:
    """What the page makes of this kind."""
    module, _, name = RECIPES[kind].partition(":")
    return getattr(import_module(module), name)


def added(kind: str) -> str:
    """Add what the page makes; returns its name."""
    before = set(KINDS[kind])
    nv.add(kind, recipe(kind))
    (name,) = set(KINDS[kind]) - before
    return name


def install(points: dict[str, str]) -> None:
    """Let the current folder look like one where a package with these entry points is installed."""
    info = Path("ours-1.0.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"{name} = {place}\n" for name, place in points.items()]
    (info / "entry_points.txt").write_text("".join(["[netveil]\n", *lines]), encoding="utf-8")
    look_again()


def look_again() -> None:
    """Forget which packages are installed."""
    extensions.installed.cache_clear()
    extensions._points.cache_clear()


def said(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """What a command prints that must succeed."""
    capsys.readouterr()
    code = main(command.split())
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def mistake(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """What a command says about a mistake, and nothing else."""
    capsys.readouterr()
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def document(file: str) -> Any:
    """A JSON file that a command has written."""
    return json.loads(Path(file).read_text(encoding="utf-8"))
