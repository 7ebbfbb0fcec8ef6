"""Header lines of edge lists: to recognise one, and to write one before an edge that looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterable

is_number = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII).fullmatch
"""Whether a field is a number: a label such as 12, a weight such as 0.5 or 1e-3."""

_PAIRS = """
    source target, source destination, src dst, src dest, src trg, src tgt, from to, sender receiver,
    sender recipient, caller callee, follower followee, follower followed, ego alter, tail head, head tail,
    start end, u v, sourceid targetid, sourcenode targetnode, sourcename targetname, srcid dstid, fromid toid,
    fromnode tonode, fromnodeid tonodeid, startnode endnode, startid endid
"""
_NUMBERED = "node id nodeid person personid user userid name vertex actor individual contact friend entity"

HEADERS = [
    *(tuple(pair.split()) for pair in _PAIRS.split(",")),
    *((f"{noun}{one}", f"{noun}{two}") for noun in _NUMBERED.split() for one, two in ("12", "ab")),
]
"""Well-known names of the two columns, in lower case and without blanks or marks such as _."""


def is_header(labels: list[str], thirds: list[str]) -> bool:
    """Whether the first line names columns. `labels` has two entries a line, `thirds` one or is empty.

    It does if its first two fields are not numbers, and one of these holds: those of every other line are
    numbers; or they are well-known names that are not labels in other lines; or the third field is not a
    number, but that of every other line is.
    """
    if not labels or is_number(labels[0]) or is_number(labels[1]):
        return False
    known = tuple(re.sub(r"\W|_", "", name).lower() for name in labels[:2]) in HEADERS
    if known and labels[0] not in labels[2:] and labels[1] not in labels[2:]:
        return True
    # The second line is looked at first: that settles most files at once.
    if len(labels) > 2 and all(map(is_number, labels[2:4])) and all(map(is_number, set(labels[2:]))):
        return True
    return (
        len(thirds) > 1 and not is_number(thirds[0]) and bool(thirds[0]) and all(map(is_number, thirds[1:]))
    )


def header_apart_from(labels: Iterable[str]) -> tuple[str, ...] | None:
    """Well-known names of columns that are not among these labels; None if all of them are."""
    taken = set(labels)
    return next((pair for pair in HEADERS if taken.isdisjoint(pair)), None)
