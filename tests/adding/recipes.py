"""The recipes of CONTRIBUTING.md, followed: a file is added to a package, and a line to its registry."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from netveil.registries import Registry
from pages import blocks_of

PAGE = "CONTRIBUTING.md"


def added(kind: str, registry: Registry[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add what the section `kind` of the page adds, for one test; returns its name in the registry."""
    source, line = (block for block in blocks_of(PAGE) if block.section == kind)
    assert source.file is not None and line.file is not None
    package = package_of(source.file)
    assert line.file.startswith(str(Path(source.file).parent)), "the registry is in the same folder"
    (folder / Path(source.file).name).write_text(source.text, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    one: Registry[Any] = Registry(package.__name__, eval(f"{{{line.text.strip()}}}"))
    ((name, entry),) = one.items()
    monkeypatch.setitem(registry, name, entry)
    monkeypatch.setitem(registry.descriptions, name, one.descriptions[name])
    monkeypatch.delitem(sys.modules, f"{package.__name__}.{Path(source.file).stem}")
    return name


def package_of(file: str) -> ModuleType:
    """The package to which a source file belongs."""
    return import_module(".".join(Path(file).parent.parts[1:]))


def help_of(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `netveil COMMAND --help` says now, in one line: registries are read when a command is imported."""
    monkeypatch.delitem(sys.modules, f"netveil.cli.{command}", raising=False)
    monkeypatch.delitem(sys.modules, "netveil.cli.options", raising=False)
    module = import_module(f"netveil.cli.{command}")
    said: str = CliRunner().invoke(getattr(module, command), ["--help"]).output
    return " ".join(said.split())
