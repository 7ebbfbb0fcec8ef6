"""Adjacency lists: everybody in a line, followed by their contacts.

`anna: bob, carl` has a colon and a blank after the first label, and the contacts separated by commas,
semicolons, tabs or blanks, one of them throughout a file. What `networkx.write_adjlist` writes has blanks
only: `anna bob carl`. A line without contacts is a person without ties, unless others name her. A label in
double quotes may hold anything, and a quote if it is written twice. These are read only.

Those of nauty, as ANO-NET uses them, have one line `node: neighbours;` per node. `!n=` gives the number of
nodes. `!m=` counts each edge twice, because it is in the lines of both its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from netveil.errors import FileError, option
from netveil.files.encodings import announced_nodes, at_line, comments_in, decoded, text_and_encoding
from netveil.files.format import Format, ReadAs
from netveil.files.labels import as_lines, first_ties, network_of_labels, one_sided, require_numbers
from netveil.files.tables.lines import BLANKS, SEPARATORS, cells_at, lines_of
from netveil.formatting import counted
from netveil.network import Network, Reading

_QUOTED = r'"(?:[^"]++|"")*+"'
_EGO = re.compile(rf'[ \t]*+(?:({_QUOTED})[ \t]*+|([^":]*+)):(?:[ \t]++|$)')
"""The first label of a line and its colon. `12:30` and `http://…` have something else right after theirs."""

_BY_COLON = (",", ";", "\t", " ")


def _first_label(line: str) -> tuple[str, str] | None:
    """First label of a line, in its quotes if it has any, and its contacts; None where no colon tells."""
    ego = _EGO.match(line)
    label = ego and (ego.group(1) or ego.group(2).strip(BLANKS))
    return (label, line[ego.end() :].strip(" \t")) if ego and label else None


def _read(content: bytes, file: str, **options: Any) -> Network:
    """Network from adjacency lists; a tie may be in the line of one of its people, or of both."""
    asked = ReadAs(**options)
    text, encoding = text_and_encoding(content, file, asked.encoding)
    rows, mark = _lists(text, file, asked.mark)
    if not rows:
        raise FileError(f"{file} holds no lists of contacts. Write a line such as `anna: bob, carl`.")
    ends = [label for ego, *contacts in rows for contact in contacts for label in (ego, contact)]
    network = network_of_labels(ends, [label for row in rows for label in row], each_way=True)
    note = f"adjacency list: {counted(len(rows), 'line')}, {counted(len(ends) // 2, 'contact')}"
    reading = Reading(
        "adjacency-list",
        SEPARATORS.get(mark, mark),
        encoding=encoding,
        first=first_ties(ends),
        dropped=comments_in(text),
    )
    return replace(network, notes=(note, *one_sided(network, len(ends) // 2)), reading=reading)


def _lists(text: str, file: str, separator: str | None) -> tuple[list[list[str]], str]:
    """Labels of each person and their contacts, and what separates these."""
    lines = lines_of(text)
    numbered = list(zip(lines.numbers.tolist(), lines.texts, strict=True))
    if not any(map(_EGO.match, lines.texts)):
        mark = separator or " "
        return [_without_colon(line, mark, file, number) for number, line in numbered], mark
    split: list[tuple[int, str, str]] = []
    for number, line in numbered:
        found = _first_label(line)
        if found is None:
            rule = "expected `label:` with a blank behind the colon, as in other lines"
            raise at_line(file, number, f"{rule}. Put a label with a colon into double quotes.")
        label, contacts = found
        if contacts.startswith("[") and contacts.endswith("]"):  # as some programs write
            contacts = contacts[1:-1]
        label = label[1:-1].replace('""', '"') if label.startswith('"') else label
        split.append((number, label, contacts.rstrip(" \t,;")))
    mark = separator or _separator_of([contacts for *_, contacts in split], file)
    return [[label, *_labels(contacts, mark, file, number)] for number, label, contacts in split], mark


def _without_colon(line: str, separator: str, file: str, number: int) -> list[str]:
    """Labels of a line of which nothing but their order tells who names the others."""
    bare = re.sub(_QUOTED, "", line)
    marks = [mark for mark in ",;" if mark in bare and mark != separator]
    if marks or re.search(r":(?!//)", bare.lstrip(" \t").split(separator)[0]):
        found = "a comma or semicolon" if marks else "a colon"
        rule = f"{found} in a list whose labels are separated by {SEPARATORS.get(separator, separator)}s"
        remedy = f"Write `anna: bob, carl`, name the {option('separator')}, or put labels into quotes"
        raise at_line(file, number, f"{rule}. {remedy}.")
    return _labels(line.strip(" \t"), separator, file, number)


def _separator_of(contacts: list[str], file: str) -> str:
    """Separator of contacts in all lines; a question where it may be two."""
    bare = re.sub(_QUOTED, "", "\n".join(contacts))
    met = [mark for mark in _BY_COLON if mark in bare]
    if met[:2] == [",", ";"]:
        rule = "contacts may be separated by commas or by semicolons: there are both"
        raise FileError(f"{file}: {rule}. Say which with {option('separator')}.")
    return met[0] if met else " "


def _labels(text: str, separator: str, file: str, number: int) -> list[str]:
    """Labels in a part of a line."""
    found = cells_at(text, separator) if text else []
    if found is None or not all(found):
        raise at_line(file, number, "a label is empty, or a quote in it is never closed. Correct the line.")
    return found


def looks_like_adjacency_list(lines: Sequence[str]) -> bool:
    """Whether every line, comments and empty ones aside, is a label, a colon and contacts or nothing.

    A time such as 12:30 is no such label, nor is a URL, nor what holds a separator of cells.
    """
    found = list(map(_first_label, lines_of("\n".join(lines)).texts))
    return any(each and each[1] for each in found) and all(
        each and (each[0].startswith('"') or not set(each[0]) & set(",;|\t{}")) for each in found
    )


_SIZE = re.compile(r"\s*+!\s*+([nm])\s*+=\s*+(\d{1,18})\s*+", re.ASCII)
_ROW = re.compile(r"\s*+(\d++)\s*+:([\d\s]*+)[;.]?\s*+", re.ASCII)


def _read_nauty(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from lists of numbers; an edge may be in the line of one of its nodes, or in both."""
    node_count, entry_count = None, None
    rows: list[list[int]] = []
    for number, line in enumerate(decoded(content, file, encoding).split("\n"), start=1):
        size = _SIZE.fullmatch(line)
        if size and size.group(1) == "n":
            if node_count is not None:
                raise at_line(file, number, "a second line `!n=`. Keep the right one.")
            node_count = announced_nodes(size.group(2), file, number, len(content))
        elif size:
            entry_count = int(size.group(2))
        elif line.strip() and not line.lstrip().startswith("!"):
            rows.append(_numbers(line, node_count, file, number))
    if node_count is None:
        raise FileError(f"{file} holds no network: a line `!n=` with the number of nodes is missing. Add it.")
    pairs = [(node, other) for node, *others in rows for other in others]
    if entry_count is not None and len(pairs) not in (entry_count, 2 * entry_count):
        rule = f"expected {counted(entry_count, 'neighbour')}, as `!m=` says, found {len(pairs):,}"
        raise FileError(f"{file}: {rule}. Fetch the file again, or correct that line.")
    network = Network.from_numbered_edges(np.array(pairs, np.int64), node_count, each_way=True)
    note = f"nauty: {counted(len(rows), 'adjacency line')}, {counted(len(pairs), 'neighbour')}"
    return replace(network, notes=(note, *one_sided(network, len(pairs), "edge")))


def _numbers(line: str, node_count: int | None, file: str, number: int) -> list[int]:
    row = _ROW.fullmatch(line)
    if row is None:
        raise at_line(file, number, "expected `node: neighbours;`, with numbers. Correct the line.")
    if node_count is None:
        raise at_line(file, number, "a line `!n=` with the number of nodes must come first. Add it.")
    # Longer numbers are too large anyway, and Python refuses to read thousands of digits.
    texts = [row.group(1), *row.group(2).split()]
    found = [int(text) if len(text) < 19 else node_count for text in texts]
    if max(found) >= node_count:
        rule = f"a node number is too large, as `!n=` announces {counted(node_count, 'node')}, from 0 on"
        raise at_line(file, number, f"{rule}. Correct either of the two.")
    return found


def _write_nauty(network: Network, file: str) -> bytes:
    """Adjacency lists in numbers, a line for every node."""
    require_numbers(network, file)
    lines = [f"!n={network.node_count}", f"!m={2 * network.edge_count}"]
    for node in range(network.node_count):
        lines.append(f"{node}: {' '.join(map(str, network.neighbours(node).tolist()))};")
    return as_lines(lines)


FORMAT = Format(
    name="adjacency-list",
    suffixes=(".adj", ".adjlist"),
    description="everybody with their contacts: `anna: bob, carl`; read only",
    read=_read,
    options=frozenset({"separator", "encoding"}),
)

NAUTY = Format(
    name="nauty",
    suffixes=(".nauty",),
    description="adjacency lists of ANO-NET; nodes are numbered",
    read=_read_nauty,
    options=frozenset({"encoding"}),
    write=_write_nauty,
    opening=re.compile(r"\s*+!n="),
)
