"""The pages of the documentation as tests meet them: their fenced blocks, what is run, and what is shown.

What a fence says is what happens to its block:

| fence | |
|---|---|
| `console` | each line after `$ ` is run; what follows it is what it prints |
| `python` | run; the blocks of a page share their names, as in one session |
| `pycon` | a session with its answers, of the same names |
| `text`, `toml`, `bash` | read only |

A comment in the line before a block changes that: `<!-- file: NAME -->` saves the block as a file (adds it
to one that is there), and `<!-- not run: WHY -->` leaves it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = {file.name: file for file in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
RUN = {"console", "python", "pycon"}
READ = {"text", "toml", "bash"}

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>file|not run): (?P<marked>.*?) -->\n)?```(?P<language>.*)\n(?P<text>(?:.*\n)*?)```$",
    flags=re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int  # of its fence
    section: str  # the heading above it
    language: str
    text: str
    file: str | None = None  # to save it as
    not_run: str | None = None  # why

    @property
    def place(self) -> str:
        """Page and line, as an editor takes them."""
        return f"{self.page}:{self.line}"

    @property
    def is_run(self) -> bool:
        """Whether it is more than read or saved."""
        return self.language in RUN and self.file is None and self.not_run is None


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what the page shows of its output."""

    place: str
    line: str
    shown: str


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    return list(_blocks_in(page, PAGES.get(page, ROOT / page).read_text(encoding="utf-8")))


def _blocks_in(page: str, text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        headings = re.findall(r"^#+ (.*)$", text[: found.start()], flags=re.MULTILINE)
        yield Block(
            page,
            text.count("\n", 0, found.start("language")) + 1,
            headings[-1],
            found["language"],
            found["text"],
            found["marked"] if found["mark"] == "file" else None,
            found["marked"] if found["mark"] == "not run" else None,
        )


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block, each with the lines up to the next."""
    commands: list[Command] = []
    for number, line in enumerate(block.text.splitlines(keepends=True), start=block.line + 1):
        if line.startswith("$ "):
            commands.append(Command(f"{block.page}:{number}", line[2:].strip(), ""))
        else:
            last = commands.pop()
            commands.append(Command(last.place, last.line, last.shown + line))
    return commands


def is_as_shown(said: str, shown: str) -> bool:
    """Whether an output is what a page shows.

    `…` stands for anything within a line, and alone on its line for any lines. Where a page breaks a long
    line, the output may have a blank.
    """
    pattern = "".join(
        r"(?:.*\n)*" if line == "…\n" else re.escape(line).replace("…", ".*")
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern.replace("\\\n", r"[\n ]"), said) is not None
