"""Pictures of reports, drawn once: whoever renders a page again gets what the same figures gave before.

Most tests of pages change a word or a figure of a record and render it again, and matplotlib takes nearly all
of that time. A picture is drawn anew as soon as anything differs that drawing it looked at.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, cast

from netveil.report.figures import Picture

Entry = tuple[str, ...]  # of a record, such as ("report", "states")
Draw = Callable[[Picture, dict[str, Any]], str | None]
DRAWN_ANEW: Draw = Picture.svg


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


def drawn_once(draw: Draw) -> Draw:
    """`Picture.svg`, which remembers."""
    looked_at: dict[Picture, set[tuple[Entry, ...]]] = {}
    drawn: dict[tuple[Picture, tuple[Entry, ...], bytes], str | None] = {}

    def svg(picture: Picture, run: dict[str, Any]) -> str | None:
        for entries in looked_at.setdefault(picture, set()):
            before = (picture, entries, _values(run, entries))
            if before in drawn:
                return drawn[before]
        seen: dict[Entry, None] = {}
        new = draw(picture, cast(dict[str, Any], Watched(run, seen)))
        looked_at[picture].add(tuple(seen))
        drawn[picture, tuple(seen), _values(run, tuple(seen))] = new
        return new

    return svg


def _values(run: dict[str, Any], entries: tuple[Entry, ...]) -> bytes:
    """What a record says in these entries."""
    return pickle.dumps([run[name] if not place else run[place[0]].get(name) for *place, name in entries])
