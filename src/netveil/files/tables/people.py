"""Which two columns of a table are the people: said by the user, by the header, or clear; else a question.

Without a header, the first two columns are taken only where nothing speaks against it: they hold the same
kind of labels, somebody stands in both, no other two columns have more in common, and whatever is behind them
is about ties: numbers, dates, or a text beside numbered people.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import replace
from itertools import combinations, filterfalse, islice, pairwise
from typing import NamedTuple
from unicodedata import normalize

import numpy as np

from netveil.errors import FileError, SettingError, option, plain
from netveil.files.encodings import WORDS
from netveil.files.format import Columns
from netveil.files.labels import CompactLabels
from netveil.files.tables.cells import (
    LOOKED_AT_FIRST,
    NO_CELLS,
    NUMBERS,
    VALUES,
    Column,
    each_row_comes_again,
    is_missing,
    kind_of,
    question,
    shared_cells,
)
from netveil.formatting import counted
from netveil.network import Network, Reading

# Header lines: whether the first line of a table names its columns, and what names tell.
#
# A first line is compared with the columns below it. It is no header if one of its people comes again below.
# It is one if it has well-known names, or is a text above numbers or dates, or does not look like what is
# below, or is the only one of many lines that has nothing in common with others. Where nothing tells, netveil
# asks.


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
"""Words that begin a last line with totals of the lines above it."""

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


def holding_zero(names: Sequence[str], columns: Sequence[Column]) -> tuple[str, ...]:
    """Warning of weights of 0, which may mean that there is no tie."""
    return tuple(
        f"column {name} holds 0, and lines with it were taken for ties too"
        for name, column in zip(names, columns, strict=True)
        if normalized(name) in _WEIGHTS and any(cell and not cell.strip("0.,") for cell in column.distinct)
    )


def header_apart_from(labels: Iterable[str]) -> tuple[str, ...] | None:
    """Well-known names of columns that are not among these labels; None if all of them are."""
    taken = set(labels)
    return next((pair for pair in HEADERS if taken.isdisjoint(pair)), None)


# Which two columns are the people.


MOST_COLUMNS_COMPARED = 100
LONGEST_NUMBER = 18  # digits of numbers that count or tell times
FIRST_SECOND_OF_TIMES = 100_000_000  # whole numbers from here on may be times in seconds: 1973
FEWEST_NUMBERS = 10  # different ones, for a column of whole numbers to hold people beside two others
MOST_OF_NUMBERS = 0.9  # of its different numbers that must be labels then
MOST_APART = 0.1  # shares of numbers and of labels below any number, beside what chance does
CELLS_LOOKED_AT = 10_000  # of a column, to tell how large its numbers are
COLUMNS_NAMED = 5
NAMES_OF_PEOPLE = frozenset(name for pair in HEADERS for name in pair if len(name) > 2)


def parsed_columns(given: Columns) -> tuple[str, str]:
    """The two columns as a user gives them: 'A,B', or a pair of names and numbers."""
    pair = listed_columns(given)
    if len(pair) != 2 or not all(pair):
        more = f"; with {option('nominations', True)}, any number" if len(pair) > 2 else ""
        raise SettingError(
            f"columns {given!r}: give two, by name or number, such as sender,receiver or 2,3{more}."
        )
    return pair[0], pair[1]


def listed_columns(given: Columns) -> list[str]:
    """Columns as a user gives them, in a list."""
    if not isinstance(given, Iterable):
        raise SettingError(f"columns {given!r}: give two, by name or number, such as sender,receiver or 2,3.")
    listed = next(csv.reader([given], skipinitialspace=True), []) if isinstance(given, str) else list(given)
    return [str(each).strip() for each in listed]


def asked_places(columns: tuple[str, str], names: Sequence[str] | None, width: int) -> tuple[int, int]:
    """The places of the columns that a user asked for, counted from 0."""
    places = [place_of_column(column, names, width) for column in columns]
    if places[0] == places[1]:
        raise SettingError(f"columns {','.join(columns)}: these are the same; give two different ones.")
    return places[0], places[1]


def place_of_column(column: str, names: Sequence[str] | None, width: int) -> int:
    """Place of one column that a user named, counted from 0."""
    if column.isascii() and column.isdigit():
        if not 1 <= int(column[:9]) <= width:
            raise SettingError(f"columns: there is no column {column}; the table has columns 1 to {width}.")
        return int(column) - 1
    if names is None:
        raise SettingError(
            f"columns: '{column}' is a name, but the table has no header; give numbers from 1."
        )
    for same in (str, str.casefold, normalized):
        found = [place for place, name in enumerate(names) if same(name) == same(column)]
        if len(found) == 1:
            return found[0]
        if found:
            raise SettingError(f"columns: {len(found)} columns are called '{column}'; give numbers from 1.")
    missing = SettingError(
        f"columns: there is no column '{column}'; give the names of two, or numbers from 1."
    )
    missing.add_note(f"  the columns: {', '.join(names)}")
    raise missing


def people_columns(names: Sequence[str] | None, columns: Sequence[Column], file: str) -> tuple[int, int]:
    """The places of the two columns of people, counted from 0; a question where they are not clear.

    `names` are those of the header, if there is one; `columns` the cells below it, column by column.
    """
    used = [place for place, column in enumerate(columns) if any(column)]
    if len(used) < 2:  # a column of people is empty, which the labels tell
        used = list(range(len(columns)))
    if names is not None:
        return _by_names(names, columns, used, file)
    if len(used) == 2:
        return used[0], used[1]
    if used[:2] == [0, 1] and _first_two_are_clear([columns[place] for place in used]):
        return 0, 1
    raise _which(names, columns, file)


def further_people(
    people: Sequence[int], names: Sequence[str] | None, columns: Sequence[Column]
) -> list[int]:
    """The places of further columns that hold the same people, whose ties would be lost.

    Most of their cells are labels; of columns without cells, names decide: friend3 beside friend1, friend2.
    """
    known = ["" if names is None else normalized(names[place]) for place in range(len(columns))]
    stems = [name.rstrip("0123456789") for name in known]
    found = []
    for place, column in enumerate(columns):
        if place in people or stems[place] in ABOUT_TIES:
            continue
        goes_on = stems[place] != known[place] and stems[place] in {stems[end] for end in people} - {""}
        by_name, ends = goes_on or known[place] in NAMES_OF_PEOPLE, [columns[end] for end in people]
        is_named = (
            goes_on
            and column.kind == "text"
            and (stems[place] in CONTACTS or shared_cells(column, ends)[1] > 0)
        )
        if (is_named or are_people(column, ends, by_name)) if column else goes_on:
            found.append(place)
    return found


def are_people(column: Column, ends: Sequence[Column], by_name: bool) -> bool:
    """Whether the cells of a column are people, who stand in the two columns of ends of ties.

    Whole numbers may be labels by chance: without a name that says so, they must be as many as labels, be
    spread as labels are, and not ascend line by line.
    """
    different, shared = shared_cells(column, ends)
    if shared < 2 or 2 * shared < different:
        return False
    kind = column.kind
    if by_name or kind != "whole number":
        return kind in ("text", "whole number")
    fewest = min(shared_cells(end, ())[0] for end in ends)
    if shared < FEWEST_NUMBERS or shared < MOST_OF_NUMBERS * different or 2 * different < fewest:
        return False
    if any(end.kind != "whole number" for end in ends):
        return False
    numbers, one, two = (_numbers(each[:CELLS_LOOKED_AT]) for each in (column, *ends))
    if not (numbers and one and two) or all(before <= after for before, after in pairwise(numbers)):
        return False
    labels = np.unique([*one, *two])
    below = np.searchsorted(np.sort(numbers), labels, side="right") / len(numbers)
    apart = np.abs(below - np.arange(1, len(labels) + 1) / len(labels)).max()  # as Kolmogorov and Smirnov do
    return bool(apart <= max(MOST_APART, 1.36 / len(numbers) ** 0.5))


def several_ties(
    further: Sequence[int], people: tuple[int, int], file: str, lines: Sequence[Sequence[str]]
) -> FileError:
    """Question about a table whose lines name more than two people."""
    one, two = sorted((*people, *further))[:2]
    return question(
        file,
        f"{_holding(further)} the same people as columns {people[0] + 1} and {people[1] + 1}, so that a line "
        f"is several ties, of which only one would be read",
        f"Give {option('nominations', True)} if the first names the others; or name the two columns to read, "
        f"such as {option('columns', f'{one + 1},{two + 1}')}, and the others are left out.",
        lines,
    )


def left_out(further: Sequence[int], names: Sequence[str] | None) -> tuple[str, ...]:
    """Warning of further columns with the same people, where a user named two; empty without any."""
    told = f"{_holding(further, names)} the same people as those that are read: ties there are left out"
    return (told,) if further else ()


def _holding(further: Sequence[int], names: Sequence[str] | None = None) -> str:
    """Clause 'columns … hold', with names or, without any, numbers from 1."""
    called = [str(place + 1) if names is None else names[place] for place in further[:COLUMNS_NAMED]]
    listed = ", ".join([*called, *["…"] * (len(further) > COLUMNS_NAMED)])
    return f"column {listed} holds" if len(further) == 1 else f"columns {listed} hold"


class Chosen(NamedTuple):
    """Two columns of a table whose columns all have names, such as those of Parquet."""

    places: tuple[int, int]  # from 0
    names: tuple[str, str]
    oddities: tuple[str, ...] = ()


def chosen_columns(
    names: Sequence[str], file: str, asked: Columns | None, candidates: Sequence[int]
) -> Chosen:
    """The two columns of people by names alone; `candidates` are the places of those that may be meant."""
    no_cells = [NO_CELLS] * len(names)
    if asked is not None:
        first, second = asked_places(parsed_columns(asked), names, len(names))
    elif len(candidates) < 2:
        found = f"the table has {len(candidates)}"
        raise FileError(f"{file}: a tie needs two columns with people, but {found}. Add the other.")
    else:
        first, second = _by_names(names, no_cells, candidates, file)
    further = further_people((first, second), names, no_cells)
    if further and asked is None:
        raise several_ties(further, (first, second), file, [names])
    return Chosen((first, second), (names[first], names[second]), left_out(further, names))


def _by_names(
    names: Sequence[str], columns: Sequence[Column], used: Sequence[int], file: str
) -> tuple[int, int]:
    known = [normalized(name) for name in names]
    pairs = [pair for pair in named_pairs(names) if set(pair) <= set(used) and not _tell_times(pair, columns)]
    if len(pairs) > 1:  # start and end of a tie, say, beside the people
        pairs = [pair for pair in pairs if not ABOUT_TIES.intersection(known[place] for place in pair)]
    if len(pairs) == 1 and all(known.count(known[place]) == 1 for place in pairs[0]):
        return pairs[0]
    if not pairs:
        if len(used) == 2:
            return used[0], used[1]
        others = [place for place in used if known[place] not in ABOUT_TIES]
        cells = [columns[place] for place in others]
        if len(others) == 2 and shared_cells(cells[0], cells[1:])[1] and not _is_table_of_nodes(*cells):
            return others[0], others[1]
    raise _which(names, columns, file)


def _is_table_of_nodes(one: Column, two: Column) -> bool:
    """Whether a column of two may number the lines, as the Id of nodes beside their group does."""
    return one.kind == two.kind == "whole number" and any(
        _may_count(column, one.distinct, two.distinct) for column in (one, two)
    )


def _tell_times(pair: tuple[int, int], columns: Sequence[Column]) -> bool:
    """Whether columns called from and to, or start and end, hold dates, or years beside two of texts."""
    kinds = [columns[place].kind for place in pair]
    if set(kinds) == {"date"}:
        return True
    if set(kinds) != {"whole number"} or not all(_are_years(columns[place]) for place in pair):
        return False
    others = [column for place, column in enumerate(columns) if place not in pair]
    return sum(column.kind == "text" for column in others) > 1


def _are_years(column: Column) -> bool:
    first = column[:LOOKED_AT_FIRST]  # which settle most columns at once
    return all(len(cell) == 4 for cell in first) and all(len(cell) == 4 for cell in column.distinct)


def _first_two_are_clear(columns: Sequence[Column]) -> bool:
    """Whether the first two of several columns without names can only be the people."""
    kinds = [column.kind for column in columns]
    if kinds[0] != kinds[1] or kinds[0] not in ("text", "whole number"):
        return False
    texts = kinds[2:].count("text")
    if (texts and kinds[0] == "text") or texts > 1:  # people as well, perhaps: contacts who name nobody
        return False
    first, second = columns[0].distinct, columns[1].distinct
    if texts and first.isdisjoint(second):
        return False
    if kinds[0] == "text":
        # Two further columns of whole numbers could be the people, and what stands in both by chance a place.
        needed = 2 if kinds[2:].count("whole number") > 1 else 1
        return len(first & second) >= needed
    return not (
        first | second <= {"0", "1"}  # a matrix
        or _others_share_more(columns, kinds)  # people behind a time, a year or a number
        or _may_tell_times(columns[0], first, second)
        or (kinds[2] == "whole number" and _may_count(columns[0], first, second))
    )


def _others_share_more(columns: Sequence[Column], kinds: Sequence[str]) -> bool:
    """Whether two other columns of whole numbers have more labels in common than the first two.

    Every column is compared with every other, so that of very many it is not told.
    """
    whole = [column.distinct for column, kind in zip(columns, kinds, strict=True) if kind == "whole number"]
    if len(whole) > MOST_COLUMNS_COMPARED:
        return True
    shared = [len(one & other) for one, other in combinations(whole, 2)]
    return max(shared) > shared[0]


def _may_count(column: Column, first: Set[str], second: Set[str]) -> bool:
    """Whether a first column of whole numbers may number the lines rather than people."""
    if len(column) < 3 or (first & second and len(first) < len(column)):
        return False
    numbers = _numbers(column)
    return bool(numbers) and all(after - before == 1 for before, after in pairwise(numbers))


def _may_tell_times(column: Column, first: Set[str], second: Set[str]) -> bool:
    """Whether a first column of whole numbers may tell times in seconds: large, and hardly a person."""
    if len(first & second) > 1 and len(first) < len(column):
        return False
    return min(_numbers(column), default=0) >= FIRST_SECOND_OF_TIMES


def _numbers(column: Column) -> list[int]:
    """The numbers in a column; none if one of them is longer than those that count or tell times."""
    if max(map(len, column)) > LONGEST_NUMBER:
        return []
    return [int(cell) for cell in column if not is_missing(cell)]


def _which(names: Sequence[str] | None, columns: Sequence[Column], file: str) -> FileError:
    below = list(zip(*(column[:3] for column in columns), strict=True))
    says = "it is not clear" if names is None else "its header does not say"
    by = "by their numbers" if names is None else "by their names or numbers"
    wide = len(columns) > 3 and all(column.kind in NUMBERS for column in columns[1:])
    matrix = f", or {option('format', 'matrix')} if it is one" if wide else ""
    kinds = [column.kind for column in columns]
    several = contact_columns(names)[1] if names else kinds.count("text") > 2 and kinds[0] == "text"
    survey = f", or {option('nominations', True)} if a line is a person and contacts" if several else ""
    return question(
        file,
        f"{says} which two of its {len(columns)} columns are the people",
        f"Give both {by}, such as {option('columns', '1,2')}{matrix}{survey}.",
        [*([names] if names else []), *below],
    )


# What makes one doubt that a file was read as it was meant: said as warnings, never a reason to refuse.


FEWEST_LINES = 20  # of a network in which these are odd at all
MANY_TIES = 1000  # for one person, where everybody else has one
MOST_REPEATS = 0.9  # of all lines
SHORTEST_TIME = len(str(FIRST_SECOND_OF_TIMES))
MOST_COMPARED = 1_000_000  # labels that are not ASCII, for whether they look the same
SHOWN = 3  # labels that look the same, and spellings of each
LONGEST_SHOWN = 60  # characters of a spelling

_SPANS = [[int(end, 16) for end in span.split("-")] for span in WORDS["looks"]["unseen"].split()]
_LOOKS = str.maketrans(WORDS["looks"]["letters"], WORDS["looks"]["like"]) | {
    code: None for span in _SPANS for code in range(span[0], span[-1] + 1)
}
"""Look of a character, by its code: another character, or None for an invisible one."""


def odd_columns(columns: Sequence[Column], names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Doubts about columns that were taken for people; `labels` are all labels in them, each once."""
    kinds = [column.kind for column in columns]
    unnamed = any(any(map(is_missing, column.distinct)) for column in columns if not column.holds_digits)
    odd = [
        f"column {name} holds {kind}s, which were taken for people"
        for name, kind in zip(names, kinds, strict=True)
        if kind in ("date", "number")
    ]
    apart = len(labels) > FEWEST_LINES and not shared_cells(columns[0], columns[1:])[1]
    if not odd and apart and kinds[0] == kinds[1]:
        odd.append(
            f"nobody stands in both columns, {names[0]} and {names[1]}: it may be a network of two modes, "
            f"such as people and events, and both were taken for people"
        )
    if not odd and len(set(kinds)) > 1:
        told = " and ".join(f"column {name} {kind}s" for name, kind in zip(names, kinds, strict=True))
        odd.append(f"{told} hold different things, and both were taken for people")
    odd += [
        f"column {name} may hold times: nearly all its numbers are large and different"
        for name, column, kind in zip(names, columns, kinds, strict=True)
        if kind == "whole number" and _may_be_times(column)
    ]
    return [*odd, "some labels are NA, - or the like, and were taken for people"] if unnamed else odd


def _may_be_times(column: Column) -> bool:
    if any(len(label) < SHORTEST_TIME for label in column[:LOOKED_AT_FIRST]):
        return False
    labels = column.distinct
    if len(labels) <= FEWEST_LINES or len(labels) < MOST_REPEATS * len(column):
        return False
    return all(
        len(label) < 19 and not is_missing(label) and int(label) >= FIRST_SECOND_OF_TIMES for label in labels
    )


def odd_network(network: Network) -> list[str]:
    """Doubts about a network, whatever it was read from."""
    dropped = network.dropped
    lines = network.edge_count + dropped.self_loops + dropped.duplicates
    if lines < FEWEST_LINES:
        return []
    odd = []
    if network.node_count > lines:
        people = counted(network.node_count, "person", "people")
        odd.append(f"there are more people than ties: {people} in {counted(lines, 'line')}")
    if dropped.duplicates >= MOST_REPEATS * lines:
        odd.append(f"{counted(dropped.duplicates, 'tie')} of {lines:,} are repeats of others")
    ties = network.edge_count
    # Degrees take long to count, and a star has fewer ties than people.
    if MANY_TIES <= ties < network.node_count and int(network.degrees.max()) == ties:
        odd.append(f"one person has {ties:,} ties, and everybody else one or none")
    return odd


def odd_labels(labels: Sequence[Hashable]) -> list[str]:
    """Labels that look the same and are not: accents in two codings, invisible characters, other alphabets.

    Only those that are not ASCII are compared, a million at most, and those in ASCII that look like them.
    """
    if isinstance(labels, range) or (isinstance(labels, CompactLabels) and labels.are_numbers):
        return []
    beyond = filterfalse(_is_ascii, labels)
    first: dict[str, str] = {}  # label of each look
    alike: dict[str, list[str]] = {}
    for label in map(str, islice(beyond, MOST_COMPARED)):
        look = _look(label)
        if first.setdefault(look, label) is not label:
            alike.setdefault(look, [first[look]]).append(label)
    plain_looks = set(filter(str.isascii, first))
    for label in map(str, labels) if plain_looks else ():
        if label in plain_looks:
            alike.setdefault(label, [first[label]]).insert(0, label)
    if not alike:
        return []
    shown = "; ".join(
        " and ".join(map(_escaped, spellings[:SHOWN])) for spellings in islice(alike.values(), SHOWN)
    )
    found = counted(len(alike), "label is", "labels are")
    more = "; …" if len(alike) > SHOWN else ""
    return [f"{found} spelled in ways that look the same, each taken for another person: {shown}{more}"]


def _is_ascii(label: Hashable) -> bool:
    return not isinstance(label, str) or label.isascii()


def _look(label: str) -> str:
    r"""Look of a label: equal where two cannot be told apart by eye.

    >>> _look("Jose\u0301") == _look("Jos\xe9"), _look("\u0430n\u200bna")
    (True, 'anna')
    """
    return normalize("NFKD", label).translate(_LOOKS)


def _escaped(label: str) -> str:
    """A label with every letter escaped that is not ASCII, so that spellings can be told apart."""
    return plain(ascii(label), LONGEST_SHOWN)


def accounted(network: Network, reading: Reading, labels: Sequence[Hashable] = ()) -> Reading:
    """A reading with all that was dropped and all that is odd; `labels` are those to look at, if at hand."""
    dropped, both = network.dropped, reading.both_ways
    counts = [
        (dropped.self_loops, "self-loop", "self-loops"),
        (dropped.duplicates - both, "repeated tie", "repeated ties"),
        (both, "tie given from both ends", "ties given from both ends"),
    ]
    return replace(
        reading,
        dropped=(*reading.dropped, *(counted(count, one, many) for count, one, many in counts if count)),
        oddities=(*reading.oddities, *odd_network(network), *odd_labels(labels)),
    )
