"""Pictures of reports, drawn once: whoever renders a page again gets what the same figures gave before.

Most tests of pages change a word or a figure of a record and render it again, and matplotlib takes nearly all
of that time. A picture is drawn anew as soon as anything differs that drawing it looked at. The processes of
a test run keep what they have drawn in a folder, for each other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import netveil

if TYPE_CHECKING:
    from netveil.plotting import Picture

Entry = tuple[str, ...]  # of a record, such as ("report", "states")
Draw = Callable[["Picture", dict[str, Any]], str | None]


class Watched:
    """A record, or its part `report`, that notes which entries are looked at; there is no other way."""

    def __init__(self, record: dict[str, Any], seen: dict[Entry, None], place: Entry = ()) -> None:
        self._record, self._seen, self._place = record, seen, place

    def __getitem__(self, name: str) -> Any:
        entry = (*self._place, name)
        if entry == ("report",):
            return Watched(self._record[name], self._seen, entry)
        self._seen[entry] = None
        return self._record[name]


def drawn_once(draw: Draw, kept_in: str | None = None) -> Draw:
    """`Picture.svg`, which remembers; with a folder, what other processes have drawn, too."""
    looked_at: dict[Picture, set[tuple[Entry, ...]]] = {}
    drawn: dict[tuple[Picture, tuple[Entry, ...], bytes], str | None] = {}
    folder = Path(kept_in) if kept_in else None

    def svg(picture: Picture, run: dict[str, Any]) -> str | None:
        for entries in looked_at.setdefault(picture, set()):
            before = (picture, entries, _values(run, entries))
            if before in drawn:
                return drawn[before]
        for entries in _looked_at_by_others(picture, folder):
            values = _values(run, entries)
            kept = _kept(picture, entries, values, folder)
            if kept is not None:
                looked_at[picture].add(entries)
                drawn[picture, entries, values] = kept[0]
                return kept[0]
        seen: dict[Entry, None] = {}
        new = draw(picture, cast(dict[str, Any], Watched(run, seen)))
        entries = tuple(seen)
        looked_at[picture].add(entries)
        drawn[picture, entries, _values(run, entries)] = new
        _keep(picture, entries, _values(run, entries), new, folder)
        return new

    return svg


def _values(run: dict[str, Any], entries: tuple[Entry, ...]) -> bytes:
    """What a record says in these entries."""
    return pickle.dumps([run[name] if not place else run[place[0]].get(name) for *place, name in entries])


# In the folder: PICTURE/ENTRIES.entries tells what drawing looked at, PICTURE/VALUES.svg is what came of it.
# A copy of netveil, to which a test has added something, has pictures of its own.


def _place(picture: Picture, folder: Path) -> Path:
    code = sha256(f"{netveil.__file__} {picture.draw.__module__}".encode()).hexdigest()[:16]
    return folder / f"{picture.draw.__name__}-{picture.height}-{picture.columns}-{code}"


def _file(picture: Picture, entries: tuple[Entry, ...], values: bytes, folder: Path) -> Path:
    return _place(picture, folder) / f"{sha256(repr(entries).encode() + values).hexdigest()}.svg"


def _looked_at_by_others(picture: Picture, folder: Path | None) -> Iterator[tuple[Entry, ...]]:
    for file in _place(picture, folder).glob("*.entries") if folder else ():
        yield pickle.loads(file.read_bytes())


def _kept(
    picture: Picture, entries: tuple[Entry, ...], values: bytes, folder: Path | None
) -> tuple[str | None] | None:
    file = _file(picture, entries, values, folder) if folder else None
    return (pickle.loads(file.read_bytes()),) if file and file.exists() else None


def _keep(
    picture: Picture, entries: tuple[Entry, ...], values: bytes, svg: str | None, folder: Path | None
) -> None:
    if folder is None:
        return
    svg_file = _file(picture, entries, values, folder)
    entries_file = svg_file.with_name(f"{sha256(repr(entries).encode()).hexdigest()}.entries")
    svg_file.parent.mkdir(parents=True, exist_ok=True)
    for file, content in ((svg_file, svg), (entries_file, entries)):
        unfinished = file.with_suffix(f".{uuid4().hex}")
        unfinished.write_bytes(pickle.dumps(content))
        unfinished.replace(file)
