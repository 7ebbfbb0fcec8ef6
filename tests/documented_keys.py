"""The keys that docs/json.md documents, parsed from its tables, and held against documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pages import PAGES

Path = tuple[str, ...]  # names that lead to a value; entries of a list have the path of the list

ROW = re.compile(r"^\| (`.+?`) \| (.*?) ?\| (.*?) ?\|$")
"""A row of a table: keys, what they mean, and when they are there."""

_INCLUDES = re.compile(r"\[keys\]\(#([\w-]+)\)(?: of [^,]*? but `(\w+)`)?")


@dataclass(frozen=True)
class Key:
    """One documented key."""

    path: Path  # `*` stands for any name
    only: str = ""  # when it is there, if not always

    @property
    def _named(self) -> Path:
        """Without a last `*`: an object may be empty, but it is there."""
        return self.path[:-1] if self.path[-1] == "*" else self.path

    @property
    def name(self) -> str:
        """What it is called in its object."""
        return self._named[-1]

    @property
    def parents(self) -> Path:
        """What leads to that object."""
        return self._named[:-1]

    def __str__(self) -> str:
        return ".".join(self.path)


def documented() -> dict[str, list[Key]]:
    """The keys of every section by its heading, with those that it includes from other sections."""
    text = PAGES["json.md"].read_text(encoding="utf-8")
    headings = re.findall(r"^##+ (.*)$", text, flags=re.MULTILINE)
    bodies = re.split(r"^##+ .*$", text, flags=re.MULTILINE)[1:]
    sections = dict(zip(headings, bodies, strict=True))
    by_anchor = {_anchor(heading): body for heading, body in sections.items()}
    return {heading: list(_keys_in(body, by_anchor)) for heading, body in sections.items()}


def _anchor(heading: str) -> str:
    """The name by which a link leads to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _keys_in(body: str, sections: dict[str, str]) -> Iterator[Key]:
    for line in body.splitlines():
        row = ROW.match(line)
        names = re.findall(r"`(.+?)`", row[1]) if row else [""]
        for name in names:
            path = tuple(name.replace("[]", "").split(".")) if name else ()
            if row:
                yield Key(path, row[3])
            for anchor, but in _INCLUDES.findall(row[2] if row else line):
                for key in _keys_in(sections[anchor], sections):
                    if key.path != (but,):
                        yield replace(key, path=path + key.path, only=key.only or (row[3] if row else ""))


def undocumented(document: Any, keys: list[Key]) -> list[str]:
    """The keys of a document that no row is about; what leads to a documented key is documented with it."""
    known = {key.path[:length] for key in keys for length in range(1, len(key.path) + 1)}
    return sorted({".".join(path) for path in _paths(document) if not _is_among(path, known)})


def missing(document: Any, keys: list[Key]) -> list[str]:
    """The documented keys that an object in a document lacks, though nothing says that it may."""
    return [
        str(key)
        for key in keys
        if not key.only and not all(key.name in place for place in _objects(document, key.parents))
    ]


def occurs(document: Any, key: Key) -> bool:
    """Whether a document has that key."""
    return any(key.name in place for place in _objects(document, key.parents))


def _paths(document: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(document, list):
        for entry in document:
            yield from _paths(entry, path)
    elif isinstance(document, dict):
        for name, value in document.items():
            yield (*path, name)
            yield from _paths(value, (*path, name))


def _is_among(path: Path, known: set[Path]) -> bool:
    return path in known or any(
        len(each) == len(path) and all(one in ("*", name) for one, name in zip(each, path, strict=True))
        for each in known
    )


def _objects(document: Any, path: Path) -> Iterator[dict[str, Any]]:
    """The objects to which a path leads, in every entry of lists."""
    if isinstance(document, list):
        for entry in document:
            yield from _objects(entry, path)
    elif isinstance(document, dict) and not path:
        yield document
    elif isinstance(document, dict):
        for name in document if path[0] == "*" else [path[0]]:
            yield from _objects(document.get(name), path[1:])
