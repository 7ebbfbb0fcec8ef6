"""Nodes, edges and attributes of a graph file, whatever its syntax: what GraphML, GEXF and GML share.

A parser adds elements in the order of the file; `network` then picks the labels and makes columns of the
values. Values stay sparse until their number is known to be in proportion to the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from netveil.attributes import DIRECTIONS_IGNORED, LABEL_ATTRIBUTES, Attributes
from netveil.errors import FileError, option
from netveil.files.encodings import at_line
from netveil.files.labels import NO_TEXT, NUMBERED_IN_ORDER, label_text
from netveil.formatting import counted
from netveil.network import Network, Reading

MOST_VALUES_ANYWAY = 1_000_000
MOST_VALUES_PER_BYTE = 4
"""Values of attributes that a file may have: one for each name and each node, be it written or not."""

Owner = Literal["node", "edge"]
"""Kind of element that has an attribute."""


class Elements:
    """Elements of a graph as a parser meets them; `kind` is the name of the format, for messages."""

    kind: str
    label_attributes: Sequence[str] = LABEL_ATTRIBUTES[:-1]  # that may hold labels, best first

    def __init__(self, file: str) -> None:
        self.file = file
        self.directed = False
        self.notes: list[str] = []  # on what was left out
        self.remarks: list[str] = []  # comments and the like
        self.left_out: set[str] = set()  # names of what is no attribute of a node or an edge
        self.number_of: dict[str, int] = {}  # by the identifier of a node
        self.ends: list[tuple[str, str, int]] = []  # identifiers of both ends of each edge, and its place
        # Attributes by owner and identifier: title, how to convert a text, and values by node or edge number.
        self.titles: dict[tuple[Owner, str], str] = {}
        self.converters: dict[tuple[Owner, str], Callable[[str], Any]] = {}
        self.defaults: dict[tuple[Owner, str], str] = {}
        self.values: dict[tuple[Owner, str], dict[int, Any]] = {}

    def line_of(self, place: int) -> int:
        """Number of the line of a place in the file: places are lines, unless a format says otherwise."""
        return place

    def wrong(self, what: str, place: int) -> FileError:
        """Error about something that is not as the format wants it."""
        remedy = f"Write the file again, or name its format with {option('format')}"
        return at_line(self.file, self.line_of(place), f"not valid {self.kind}: {what}. {remedy}.")

    def add_node(self, identifier: str, place: int) -> int:
        """Add a node and return its number."""
        number = len(self.number_of)
        if self.number_of.setdefault(identifier, number) != number:
            raise self.wrong("two nodes have one id", place)
        return number

    def add_edge(self, source: str, target: str, place: int) -> int:
        """Add an edge and return its number."""
        self.ends.append((source, target, place))
        return len(self.ends) - 1

    def add_value(self, owner: Owner, number: int, key: str, value: Any) -> None:
        """Give a node or an edge a value of an attribute, or a text to be converted."""
        self.values.setdefault((owner, key), {})[number] = value

    def network(self, size: int) -> Network:
        """Network of all elements; `size` is that of the file."""
        names, owners = len(self.titles), max(len(self.number_of), len(self.ends))
        if names * owners > max(MOST_VALUES_ANYWAY, MOST_VALUES_PER_BYTE * size):
            rule = f"has {names:,} names of attributes for {owners:,} nodes or edges, far more than values"
            raise FileError(f"{self.file} {rule}. Leave attributes out, or write another format.")
        nodes = self._columns("node", len(self.number_of))
        edges = self._columns("edge", len(self.ends))
        labels, labels_from = self._labels(nodes)
        nodes.pop(labels_from, None)
        origin = f"labels from {labels_from}" if labels_from else NUMBERED_IN_ORDER
        notes = [f"{self.kind}: {counted(len(labels), 'node')}, {origin}"]
        notes += [DIRECTIONS_IGNORED] * self.directed
        for noun, columns in (("vertex attribute", nodes), ("edge attribute", edges)):
            if columns:
                notes.append(f"{counted(len(columns), noun)}, published only if named")
        left_out = self.left_out.union(self.titles.values()) - {*nodes, *edges, *LABEL_ATTRIBUTES}
        counts = {"further attribute": len(left_out), "comment": len(self.remarks)}
        dropped = tuple(counted(count, noun) for noun, count in counts.items() if count)
        network = Network.from_numbered_edges(
            self._pairs(),
            len(labels),
            labels,
            notes=(*notes, *self.notes),
            each_way=self.directed,
            attributes=Attributes(nodes, edges).by_name(),
        )
        return replace(network, reading=Reading(self.kind.lower(), dropped=dropped))

    def _columns(self, owner: Owner, count: int) -> dict[str, list[Any]]:
        """Values by the title of their attribute, None where there is none; empty columns are left out."""
        columns: dict[str, list[Any]] = {}
        for key, title in self.titles.items():
            given, default = self.values.get(key, {}), self.defaults.get(key)
            if key[0] != owner or title in columns or not (given or default):
                continue
            values = [given.get(place, default) for place in range(count)]
            try:
                columns[title] = _converted(values, self.converters.get(key))
            except (ValueError, KeyError):
                rule = f"a value of attribute '{title}' is not of the type that the file declares"
                raise FileError(f"{self.file}: {rule}. Write the file again.") from None
        return columns

    def _pairs(self) -> list[tuple[int, int]]:
        """Ends of edges by node number; FileError for an end that no node is."""
        number_of = self.number_of
        try:
            return [(number_of[one], number_of[other]) for one, other, _ in self.ends]
        except KeyError:
            places = [place for *both, place in self.ends if not all(end in number_of for end in both)]
            raise self.wrong("an edge ends at a node that is not there", places[0]) from None

    def _labels(self, columns: dict[str, list[Any]]) -> tuple[Sequence[Hashable], str]:
        """Labels from the best attribute that tells nodes apart, and its name; else numbers, and no name."""
        for name in self.label_attributes:
            texts = ["" if value is None else label_text(value) for value in columns.get(name, ())]
            if texts and all(texts) and len(set(texts)) == len(texts):
                return tuple(texts), name
        numbers = range(len(self.number_of))
        if all(map(str.__eq__, self.number_of, map(str, numbers))):
            return numbers, ""
        return tuple(self.number_of), "id"


def _converted(values: list[Any], convert: Callable[[str], Any] | None) -> list[Any]:
    """Values of one column, None where there is none; all of them texts where some are."""
    found = [None if value in ("", None) else convert(value) if convert else value for value in values]
    found = [None if has_no_value(value) else value for value in found]
    if any(isinstance(value, str) for value in found):
        return [None if value is None else str(value) for value in found]
    return found


def has_no_value(value: Any) -> bool:
    """Whether a value of an attribute is missing."""
    return value is None or (isinstance(value, Real) and math.isnan(value))


# Values of attributes as they are written to files: truth values, numbers or text, a type a column.


ValueType = Literal["boolean", "int", "double", "string"]


def type_of_values(
    name: str, values: Sequence[Any], file: str, unfit: re.Pattern[str] | None = None
) -> ValueType:
    """Type of the values of an attribute, missing ones apart; FileError if they cannot be written.

    `unfit` finds what the format cannot hold in a text.
    """
    present = [value for value in values if not has_no_value(value)]
    if all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    if all(isinstance(value, str) for value in present):
        if any(NO_TEXT.search(text) or (unfit and unfit.search(text)) for text in present):
            raise FileError(
                f"{file}: attribute '{name}' holds a character that this format cannot hold. Leave it out, "
                f"or write another format."
            )
        return "string"
    are_numbers = all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in present)
    if not are_numbers or not all(map(math.isfinite, present)):
        raise FileError(
            f"{file}: attribute '{name}' holds something else than finite numbers, texts or truth values, or "
            f"several of these. Make them texts, or leave it out."
        )
    return "int" if all(isinstance(value, Integral) for value in present) else "double"


def value_text(value: Any, kind: ValueType) -> str:
    """A value as text that reads back the same."""
    match kind:
        case "boolean":
            return str(bool(value)).lower()
        case "int":
            return str(int(value))
        case "double":
            return repr(float(value))
    return str(value)
