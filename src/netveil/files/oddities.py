"""What makes one doubt that a file was read as it was meant: said as warnings, never a reason to refuse."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import filterfalse, islice
from unicodedata import normalize

import numpy as np

from netveil.errors import plain
from netveil.files.compact_labels import CompactLabels
from netveil.files.tables.coded_column import are_disjoint, are_known_digits, distinct
from netveil.files.tables.kinds import LOOKED_AT_FIRST, is_missing, kind_of_all
from netveil.files.tables.people import FIRST_SECOND_OF_TIMES
from netveil.network import Network
from netveil.reading import Reading
from netveil.words import counted

FEWEST_LINES = 20  # of a network in which these are odd at all
MANY_TIES = 1000  # for one person, where everybody else has one
MOST_REPEATS = 0.9  # of all lines
SHORTEST_TIME = len(str(FIRST_SECOND_OF_TIMES))
MOST_COMPARED = 1_000_000  # labels that are not ASCII, for whether they look the same
COMPARED_AT_ONCE = 100_000
SHOWN = 3  # labels that look the same, and spellings of each
LONGEST_SHOWN = 60  # characters of a spelling

_CYRILLIC = ("АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјкорсухһԁԛԝ", "ABESIJKMHOPCTYXYGQWaesijkopcyxhdqw")
_GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹαγικνορυχϲϳ", "ABEZHIKMNOPTYXCayikvopuxcj")
_MARKS = ("‘’ʼ′‐‑–−", "''''----")
_UNSEEN = "00AD 034F 061C 180E 200B-200F 202A-202E 2060-2064 2066-2069 FE00-FE0F FEFF"  # joiners and the like
_SPANS = [[int(end, 16) for end in f"{span}-{span}".split("-")] for span in _UNSEEN.split()]
_LOOKS = str.maketrans(*map("".join, zip(_CYRILLIC, _GREEK, _MARKS, strict=True))) | {
    code: None for first, last, *_ in _SPANS for code in range(first, last + 1)
}
"""What each of these characters looks like, by its code: another one, or nothing."""
_NOTHING = sys.maxunicode + 1


def odd_columns(columns: Sequence[Sequence[str]], names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """What is odd about columns that were taken for people; `labels` are those in them, each once."""
    # Labels are fewer than cells, and mostly of one kind.
    all_whole = all(map(are_known_digits, columns)) or kind_of_all(labels) == "whole number"
    kinds = ["whole number"] * 2 if all_whole else [kind_of_all(column) for column in columns]
    odd = [
        f"column {name} holds {kind}s, which were taken for people"
        for name, kind in zip(names, kinds, strict=True)
        if kind in ("date", "number")
    ]
    apart = len(labels) > FEWEST_LINES and are_disjoint(columns[0], columns[1])
    if not odd and apart and kinds[0] == kinds[1]:
        odd.append(
            f"nobody stands in both columns, {names[0]} and {names[1]}, as if they held different things"
        )
    if not odd and len(set(kinds)) > 1:
        told = " and ".join(f"column {name} {kind}s" for name, kind in zip(names, kinds, strict=True))
        odd.append(f"{told} hold different things, and both were taken for people")
    odd += [
        f"column {name} may hold times: nearly all its numbers are large and different"
        for name, column, kind in zip(names, columns, kinds, strict=True)
        if kind == "whole number" and _may_be_times(column)
    ]
    return odd


def _may_be_times(column: Sequence[str]) -> bool:
    if any(len(label) < SHORTEST_TIME for label in column[:LOOKED_AT_FIRST]):
        return False
    labels = distinct(column)
    if len(labels) <= FEWEST_LINES or len(labels) < MOST_REPEATS * len(column):
        return False
    return all(
        len(label) < 19 and not is_missing(label) and int(label) >= FIRST_SECOND_OF_TIMES for label in labels
    )


def odd_network(network: Network) -> list[str]:
    """What is odd about a network, whatever it was read from."""
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
    if isinstance(labels, range):
        return []
    beyond = labels.beyond_ascii() if isinstance(labels, CompactLabels) else filterfalse(_is_ascii, labels)
    first: dict[str, str] = {}  # label of each look
    alike: dict[str, list[str]] = {}
    compared = map(str, islice(beyond, MOST_COMPARED))
    while some := list(islice(compared, COMPARED_AT_ONCE)):
        for label, look in zip(some, _looks(some), strict=True):
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


def _looks(labels: Sequence[str]) -> list[str]:
    r"""What labels look like: equal where they cannot be told apart by eye. All letters in one array: fast.

    >>> _looks(["Jose\u0301", "Jos\xe9", "\u0430n\u200bna"]) == ["Jose\u0301", "Jose\u0301", "anna"]
    True
    """
    text = normalize("NFKD", "\n".join(label.replace("\n", " ") for label in labels))
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    looks = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    looks[list(_LOOKS)] = [_NOTHING if look is None else look for look in _LOOKS.values()]
    seen = looks[letters]
    look: bytes = seen[seen != _NOTHING].tobytes()
    return look.decode("utf-32-le", "surrogatepass").split("\n")


def _escaped(label: str) -> str:
    """A label with every letter escaped that is not ASCII, so that spellings can be told apart."""
    return plain(ascii(label), LONGEST_SHOWN)


def accounted(network: Network, reading: Reading, labels: Sequence[Hashable] = ()) -> Reading:
    """A reading with all that was dropped and all that is odd; `labels` are those to look at, if at hand."""
    dropped = network.dropped
    left_out = {"self-loop": dropped.self_loops, "repeated tie": dropped.duplicates}
    return replace(
        reading,
        dropped=(*reading.dropped, *(counted(count, noun) for noun, count in left_out.items() if count)),
        oddities=(*reading.oddities, *odd_network(network), *odd_labels(labels)),
    )
