"""A copy of netveil to which a test adds something, as a page tells contributors to: a file and a line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netveil
from pages import blocks_of

_RUN = """\
import contextlib, io, json, shlex, sys
from netveil.cli import main
said = []
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(shlex.split(command))
    said.append((code, out.getvalue()))
print(json.dumps(said))
"""


def recipe(page: str, section: str) -> tuple[str, str]:
    """The file and the line of a registry that a page shows in a section."""
    file, line = (
        block.text for block in blocks_of(page) if (block.section, block.language) == (section, "python")
    )
    return file, line


@dataclass(frozen=True)
class Copy:
    """netveil in a folder of its own, which is also where its commands run."""

    folder: Path

    @classmethod
    def made_in(cls, folder: Path) -> Copy:
        """Copy the package that is being tested."""
        package = Path(netveil.__file__).parent
        shutil.copytree(package, folder / "netveil", ignore=shutil.ignore_patterns("__pycache__"))
        return cls(folder)

    def add(self, file: str, source: str, registry: str, line: str) -> None:
        """Write a new file, and add a line to the end of the registry, by their paths below netveil/."""
        new, listing = self.folder / "netveil" / file, self.folder / "netveil" / registry
        assert not new.exists()
        new.write_text(source, encoding="utf-8")
        entries, end, rest = listing.read_text(encoding="utf-8").partition("\n    },\n)\n")
        assert end, f"{registry} has no Registry"
        listing.write_text(f"{entries}\n{line.rstrip()}{end}{rest}", encoding="utf-8")

    def netveil(self, *commands: str) -> list[str]:
        """What commands print that must succeed, run one after another in a process with this copy."""
        arguments = [sys.executable, "-c", _RUN, *commands]
        done = subprocess.run(arguments, cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True)
        said: list[tuple[int, str]] = json.loads(done.stdout)
        assert [code for code, _ in said] == [0] * len(commands)
        return [out for _, out in said]

    def document(self, file: str) -> Any:
        """A JSON file that a command has written."""
        return json.loads((self.folder / file).read_text(encoding="utf-8"))
