"""Adjacency lists: everybody in a line, followed by their contacts.

`anna: bob, carl` has a colon and a blank after the first label, and the contacts separated by commas,
semicolons, tabs or blanks, one of them throughout a file. What `networkx.write_adjlist` writes has blanks
only: `anna bob carl`. A line without contacts is a person without ties, unless others name her. A label in
double quotes may hold anything, and a quote if it is written twice. With `# nodes: N`, labels are 0 to N-1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from netveil.errors import FileError, option
from netveil.files.encodings import at_line, declared_nodes, decoded, remarks_in, text_and_encoding
from netveil.files.format import Extras, Format, ReadAs
from netveil.files.labels import (
    as_lines,
    first_ties,
    fit_labels,
    is_numbered,
    is_one_of,
    network_of_labels,
    one_sided,
    quoted,
)
from netveil.files.tables.lines import BLANKS, SEPARATORS, cells_at, lines_of
from netveil.formatting import counted
from netveil.network import Network
from netveil.reading import Reading

_QUOTED = r'"(?:[^"]++|"")*+"'
_EGO = re.compile(rf'[ \t]*+(?:({_QUOTED})[ \t]*+|([^":]*+)):(?:[ \t]++|$)')
"""The first label of a line and its colon. `12:30` and `http://…` have something else right after theirs."""

_NEEDS_QUOTES = re.compile('[ \t,;|:"\\[\\]]|^[#%\ufeff\xa0]|\xa0$')
_BY_COLON = (",", ";", "\t", " ")


def read(content: bytes, file: str, **options: Any) -> Network:
    """Network from adjacency lists; a tie may be in the line of one of its people, or of both."""
    asked = ReadAs(**options)
    text, encoding = text_and_encoding(content, file, asked.encoding)
    rows, mark = _lists(text, file, asked.mark)
    ends = [label for _, ego, contacts in rows for contact in contacts for label in (ego, contact)]
    met = [label for _, ego, contacts in rows for label in (ego, *contacts)]
    node_count = declared_nodes(text, file)
    if node_count is not None:
        network = _numbered(rows, node_count, ends, file)
    elif rows:
        network = network_of_labels(ends, met, each_way=True)
    else:
        raise FileError(f"{file} holds no lists of contacts. Write a line such as `anna: bob, carl`.")
    note = f"adjacency list: {counted(len(rows), 'line')}, {counted(len(ends) // 2, 'contact')}"
    reading = Reading("adjacency-list", SEPARATORS.get(mark, mark), encoding=encoding, first=first_ties(ends))
    return replace(network, notes=(note, *one_sided(network, len(ends) // 2)), reading=reading)


_Rows = list[tuple[int, str, list[str]]]
"""For each person the number of the line, the label and the contacts."""


def _lists(text: str, file: str, separator: str | None) -> tuple[_Rows, str]:
    found = lines_of(text)
    lines = list(zip(found.numbers.tolist(), found.texts, strict=True))
    with_colon = [_EGO.match(line) for _, line in lines]
    if not any(with_colon):
        return _without_colons(lines, file, separator or " ")
    split: list[tuple[int, str, str]] = []
    for (number, line), ego in zip(lines, with_colon, strict=True):
        if ego is None or not _label(ego):
            rule = "expected `label:` with a blank behind the colon, as in other lines"
            raise at_line(file, number, f"{rule}. Put a label with a colon into double quotes.")
        label, contacts = _label(ego), line[ego.end() :].strip(" \t")
        if contacts.startswith("[") and contacts.endswith("]"):  # as some programs write
            contacts = contacts[1:-1]
        label = label[1:-1].replace('""', '"') if label.startswith('"') else label
        split.append((number, label, contacts.rstrip(" \t,;")))
    mark = separator or _separator_of([contacts for _, _, contacts in split], file)
    return [(number, ego, _labels(rest, mark, file, number)) for number, ego, rest in split], mark


def _without_colons(lines: list[tuple[int, str]], file: str, separator: str) -> tuple[_Rows, str]:
    rows: _Rows = []
    for number, line in lines:
        first, *others = _labels(line.strip(" \t"), separator, file, number)
        bare = re.sub(_QUOTED, "", line)
        marks = [mark for mark in ",;" if mark in bare and mark != separator]
        if marks or re.search(r":(?!//)", bare.lstrip(" \t").split(separator)[0]):
            found = "a comma or semicolon" if marks else "a colon"
            rule = f"{found} in a list whose labels are separated by {SEPARATORS.get(separator, separator)}s"
            remedy = f"Write `anna: bob, carl`, name the {option('separator')}, or put labels into quotes"
            raise at_line(file, number, f"{rule}. {remedy}.")
        rows.append((number, first, others))
    return rows, separator


def _separator_of(contacts: list[str], file: str) -> str:
    """Separator of contacts in all lines; a question where it may be two."""
    bare = [re.sub(_QUOTED, "", each) for each in contacts]
    met = [mark for mark in _BY_COLON if any(mark in each for each in bare)]
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


def _label(ego: re.Match[str]) -> str:
    """First label of a line, in its quotes if it has any."""
    return ego.group(1) or ego.group(2).strip(BLANKS)


def _numbered(rows: _Rows, node_count: int, ends: list[str], file: str) -> Network:
    for number, ego, contacts in rows:
        if not all(is_one_of(range(node_count), label) for label in (ego, *contacts)):
            rule = f"the comment `# nodes: {node_count}` asks for labels from 0 to {node_count - 1}"
            raise at_line(file, number, f"{rule}. Correct either of the two.")
    return Network.from_numbered_edges(list(map(int, ends)), node_count, each_way=True)


def write(network: Network, file: str) -> bytes:
    """A line `label: contacts` for each person who has no line before; each tie once."""
    if is_numbered(network):
        lines, fields = [f"# nodes: {network.node_count}"], [str(node) for node in range(network.node_count)]
    else:
        texts = fit_labels(network, file)
        lines, fields = [], [quoted(text, _NEEDS_QUOTES) for text in texts]
    for node in range(network.node_count):
        contacts = network.neighbours(node)
        later = contacts[contacts > node].tolist()
        if later:
            lines.append(f"{fields[node]}: {', '.join(fields[contact] for contact in later)}")
        elif not len(contacts):
            lines.append(f"{fields[node]}:")
    return as_lines(lines)


def looks_like_adjacency_list(lines: Sequence[str]) -> bool:
    """Whether every line, comments and empty ones aside, is a label, a colon and contacts or nothing.

    A time such as 12:30 is no such label, nor is a URL, nor what holds a separator of cells.
    """
    content = lines_of("\n".join(lines)).texts
    egos = [_EGO.match(line) for line in content]
    labels = [_label(ego) for ego in egos if ego is not None]
    return (
        len(labels) == len(content) > 0
        and all(label and (label.startswith('"') or not set(label) & set(",;|\t{}")) for label in labels)
        and any(line[ego.end() :].strip(" \t") for line, ego in zip(content, egos, strict=True) if ego)
    )


def extras(content: bytes, file: str) -> Extras:
    """Comments, without the one on the number of nodes."""
    return Extras(0, remarks_in(decoded(content, file)))


FORMAT = Format(
    name="adjacency-list",
    suffixes=(".adj", ".adjlist"),
    description="everybody with their contacts: `anna: bob, carl`",
    read=read,
    write=write,
    extras=extras,
    options=frozenset({"separator", "encoding"}),
)
