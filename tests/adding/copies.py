"""A copy of netveil to which a test adds something, as a page tells contributors to: a file and a line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import netveil
from pages import blocks_of

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


def recipe(page: str, section: str) -> tuple[str, str]:
    """The file and the line of a registry that a page shows in a section."""
    file, line = (
        block.text for block in blocks_of(page) if (block.section, block.language) == (section, "python")
    )
    return file, line


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

    def add(self, file: str, source: str, registry: str, line: str) -> None:
        """Write a new file, and add a line to the end of the registry, by their paths below netveil/."""
        assert self._process is None, "it has read its registries"
        new, listing = self.folder / "netveil" / file, self.folder / "netveil" / registry
        assert not new.exists()
        new.write_text(source, encoding="utf-8")
        entries, end, rest = listing.read_text(encoding="utf-8").partition("\n    },\n)\n")
        assert end, f"{registry} has no Registry"
        listing.write_text(f"{entries}\n{line.rstrip()}{end}{rest}", encoding="utf-8")

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
