"""The recipes of CONTRIBUTING.md and docs, followed: a file is added to netveil, and a line to a registry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import netveil
from netveil.registries import Registry
from pages import blocks_of

PAGE = "CONTRIBUTING.md"


def added(kind: str, registry: Registry[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add what the section `kind` of the page adds, for one test; returns its name in the registry."""
    source, line = (block for block in blocks_of(PAGE) if block.section == kind)
    assert source.file is not None and line.file is not None
    package = package_of(source.file)
    assert line.file == "src/netveil/registries.py"
    (folder / Path(source.file).name).write_text(source.text, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    one: Registry[Any] = Registry(package.__name__, eval(f"{{{line.text.strip()}}}"))
    ((name, entry),) = one.items()
    monkeypatch.setitem(registry.descriptions, name, one.descriptions[name])  # first, so that it goes again
    monkeypatch.setitem(registry, name, entry)
    monkeypatch.delitem(sys.modules, f"{package.__name__}.{Path(source.file).stem}")
    return name


def package_of(file: str) -> ModuleType:
    """The package to which a source file belongs."""
    return import_module(".".join(Path(file).parent.parts[1:]))


def help_of(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `netveil COMMAND --help` says now, in one line: registries are read when a command is imported."""
    for name in (f"cli.{command}", "cli.options", "job"):
        monkeypatch.delitem(sys.modules, f"netveil.{name}", raising=False)
    module = import_module(f"netveil.cli.{command}")
    said: str = CliRunner().invoke(getattr(module, command), ["--help"]).output
    return " ".join(said.split())


_RUN = """\
import contextlib, io, json, os, shlex, sys
from netveil.cli import main
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    command, environment = json.loads(line)
    os.environ.clear()
    os.environ.update(environment)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(shlex.split(command))
    print(json.dumps((code, out.getvalue(), err.getvalue())), file=answers, flush=True)
"""


class Copy:
    """netveil in a folder of its own, which is also where its commands run, all in one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[str] | None = None

    @classmethod
    @contextmanager
    def made_in(cls, folder: Path) -> Iterator[Copy]:
        """Copy the package that is being tested; the process of its commands ends with this."""
        package = Path(netveil.__file__).parent
        # With its bytecode, which is of files of the same time; not what another process is writing of that.
        shutil.copytree(package, folder / "netveil", ignore=shutil.ignore_patterns("*.pyc.*"))
        copy = cls(folder)
        try:
            yield copy
        finally:
            if copy._process is not None:
                copy._process.communicate()

    def add(self, file: str, page: str, section: str, registry: str) -> None:
        """Write the file, by its path below netveil/, and the line of a registry that a page shows."""
        assert self._process is None, "it has read its registries"
        new, listing = self.folder / "netveil" / file, self.folder / "netveil" / "registries.py"
        assert not new.exists()
        shown = [
            block.text for block in blocks_of(page) if (block.section, block.language) == (section, "python")
        ]
        source, line = shown
        new.write_text(source, encoding="utf-8")
        before, name, rest = listing.read_text(encoding="utf-8").partition(f"{registry}: Registry[")
        entries, end, after = rest.partition("\n    },\n)\n")
        assert name and end, f"there is no registry {registry}"
        listing.write_text(f"{before}{name}{entries}\n{line.rstrip()}{end}{after}", encoding="utf-8")

    def netveil(self, *commands: str) -> list[str]:
        """What commands print that must succeed."""
        said = []
        for command in commands:
            code, out, err = self._said(command)
            assert code == 0, err
            said.append(out)
        return said

    def mistake(self, command: str) -> str:
        """What a command says about a mistake, and nothing else."""
        code, out, err = self._said(command)
        assert (code, out) == (2, "")
        return err

    def _said(self, command: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a command."""
        if self._process is None:
            arguments = [sys.executable, "-c", _RUN]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                arguments, cwd=self.folder, stdin=pipe, stdout=pipe, text=True, encoding="utf-8"
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        print(json.dumps((command, dict(os.environ))), file=process.stdin, flush=True)
        code, out, err = json.loads(process.stdout.readline())
        return code, out, err

    def document(self, file: str) -> Any:
        """A JSON file that a command has written."""
        return json.loads((self.folder / file).read_text(encoding="utf-8"))
