"""Header lines: whether the first line of a table names its columns, and what names tell.

A first line is compared with the columns below it. It is no header if one of its people comes again below. It
is one if it has well-known names, or is a text above numbers or dates, or does not look like what is below,
or is the only one of many lines that has nothing in common with others. Where nothing tells, netveil asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from netveil.files.encodings import WORDS
from netveil.files.tables.cells import VALUES, Column, each_row_comes_again, is_missing, kind_of

_COLUMNS = WORDS["columns"]
HEADERS = [
    *(tuple(pair.split()) for pair in _COLUMNS["people"].split(",")),
    *(
        (noun + one, noun + two)
        for noun in _COLUMNS["numbered"].split()
        for one, two in ("12", "ab", "xy", "ij")
    ),
    *((f"first{noun}", f"second{noun}") for noun in _COLUMNS["first_and_second"].split()),
]
"""Well-known names of the two columns of people, in lower case and without blanks or marks such as _."""

ABOUT_TIES = frozenset(_COLUMNS["about_ties"].split())
"""Well-known names of columns about ties: none of them holds people."""

CONTACTS = frozenset(_COLUMNS["contacts"].split())
"""Names of columns of contacts, less the number at their end."""

TOTALS = frozenset(_COLUMNS["totals"].split())
"""What a last line begins with that sums up the lines above it."""

_WEIGHTS, _DIRECTIONS = (frozenset(_COLUMNS[name].split()) for name in ("weights", "directions"))
_DIRECTED = frozenset(("directed", "true", "1"))

ENOUGH_LABELS = 6  # that look like each other, for a first line to look unlike them
ENOUGH_LINES = 100  # for a first line that is unlike all others to be so by chance in 1 of 100 files at most

_DIGITS = re.compile(r"\d++")


def normalized(name: str) -> str:
    """A column's name as the lists above have it.

    >>> normalized("From_Node ID"), normalized("Person A")
    ('fromnodeid', 'persona')
    """
    return re.sub(r"\W|_", "", name).casefold()


def named_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Places of two columns whose names say that they are people."""
    known = [normalized(name) for name in names]
    pairs = {
        (min(places), max(places))
        for places in (
            (known.index(one), known.index(two)) for one, two in HEADERS if one in known and two in known
        )
        if places[0] != places[1]
    }
    return sorted(pairs)


def contact_columns(names: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Stem and places of columns whose names differ by a number at their end; none where two stems do.

    Well-known names of contacts go before others, such as those of questions.

    >>> contact_columns(["respondent", "friend_1", "friend_2", "age"]), contact_columns(["from", "to"])
    (('friend', (1, 2)), ('', ()))
    >>> contact_columns(["q1", "q2", "who", "friend1", "friend2"]), contact_columns(["q1", "q2", "a1", "a2"])
    (('friend', (3, 4)), ('', ()))
    """
    known = [normalized(name) for name in names]
    stems = [name.rstrip("0123456789") for name in known]
    groups: dict[str, list[int]] = {}
    for place, stem in enumerate(stems):
        if stem and stem not in ABOUT_TIES:
            groups.setdefault(stem, []).append(place)
    several = [
        (stem, tuple(places))
        for stem, places in groups.items()
        if len(places) > 1 and len({known[place] for place in places}) == len(places) < len(names)
    ]
    several = [each for each in several if each[0] in CONTACTS] or several
    return several[0] if len(several) == 1 else ("", ())


def is_header(first: Sequence[str], people: tuple[int, int] | None, columns: Sequence[Column]) -> bool | None:
    """Whether the first line names the columns; None where it cannot be told.

    `columns` has the cells below it, column by column. `people` are the places of the people's columns, if
    they are known already; else the first line is compared with all columns that hold no numbers or dates.
    """
    if not columns or not columns[0]:
        return bool(named_pairs(first)) and len(first) > 1
    named = named_pairs(first)
    if not named and any(kind_of(cell) in VALUES for cell in first):
        return False
    kinds = [column.kind for column in columns]
    if people is None:
        people = named[0] if named else None
    looked_at = people or [place for place, kind in enumerate(kinds) if kind == "text"]
    above_them = {first[place] for place in looked_at}
    comes_again = any(columns[place].has_one_of(above_them) for place in looked_at)
    if named:
        return None if comes_again else True
    if comes_again:
        return False
    if len(first) == 2 and first[0] == first[1]:  # two columns of one name, or a tie of somebody to herself
        return False
    above = [kind in VALUES and not is_missing(cell) for cell, kind in zip(first, kinds, strict=True)]
    about_ties = [place for place in range(len(first)) if people is None or place not in people]
    if any(above[place] for place in about_ties) or (people and all(above[place] for place in people)):
        return True
    if len(first) > 2 and any(normalized(cell) in ABOUT_TIES for cell in first):
        return True
    labels = set[str]().union(*(columns[place].distinct for place in looked_at))
    told = _by_looks([first[place] for place in looked_at], labels)
    if told is None and len(looked_at) == 2 and len(columns[0]) >= ENOUGH_LINES:
        # The first line, whose labels come nowhere else, would be the only tie apart from all others.
        return True if each_row_comes_again(*(columns[place] for place in looked_at)) else None
    return told


def _by_looks(first: Sequence[str], below: set[str]) -> bool | None:
    """Whether a first line of labels looks like the labels below it (no header), unlike them, or neither.

    >>> _by_looks(["employee", "boss"], {f"P{n}" for n in range(9)}), _by_looks(["n1", "n2"], {"n3"})
    (True, False)
    >>> _by_looks(["Employee", "Boss"], {"Anna", "Bob", "Carl", "Dora", "Eve", "Finn"}) is None
    True
    """
    if len({_DIGITS.sub("9", label) for label in (*first, *below)}) == 1 and any(map(_DIGITS.search, first)):
        return False  # all labels have one form with a digit in it, such as n1 or P001, which no header has
    if len(below) < ENOUGH_LABELS or any(map(is_missing, first)):
        return None
    looks = (_DIGITS.search, lambda label: "@" in label)
    return True if any(all(map(look, below)) and not any(map(look, first)) for look in looks) else None


def about_ties(names: Sequence[str], columns: Sequence[Column], places: Sequence[int]) -> tuple[int, int]:
    """How many of these columns hold weights, and how many say that ties are directed.

    >>> from netveil.files.tables.cells import columns_of
    >>> about_ties(["Type", "Weight"], columns_of([["Directed"] * 2, ["1", "2.5"]]), [0, 1])
    (1, 1)
    """
    weights = [
        place
        for place in places
        if normalized(names[place]) in _WEIGHTS and columns[place].kind in ("number", "whole number")
    ]
    directions = [
        place
        for place in places
        if normalized(names[place]) in _DIRECTIONS
        and {cell.casefold() for cell in columns[place].distinct} & _DIRECTED
        and columns[place].kind == "text"
    ]
    return len(weights), len(directions)


def weights_of_zero(
    names: Sequence[str], columns: Sequence[Column], places: Sequence[int]
) -> tuple[str, ...]:
    """Warning of weights of 0 among these columns, which may mean that there is no tie.

    >>> from netveil.files.tables.cells import columns_of
    >>> weights_of_zero(["from", "to", "weight"], columns_of([["a"], ["b"], ["0,0"]]), [2])
    ('column weight holds 0, and lines with it were taken for ties too',)
    """
    return tuple(
        f"column {names[place]} holds 0, and lines with it were taken for ties too"
        for place in places
        if normalized(names[place]) in _WEIGHTS
        and any(cell and not cell.strip("0.,") for cell in columns[place].distinct)
    )


def header_apart_from(labels: Iterable[str]) -> tuple[str, ...] | None:
    """Well-known names of columns that are not among these labels; None if all of them are."""
    taken = set(labels)
    return next((pair for pair in HEADERS if taken.isdisjoint(pair)), None)
