"""The nodes of a node-link document, and whom the ends of its ties call: by name, or by place in the list."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, is_whole

NAMES = ("id", "name", "label", "key")
"""What may hold the name of a node, best first."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def label_of(value: Any, where: str) -> str:
    """A label as text; FileError, which says `where`, for what is no label."""
    text = text_of(value)
    if text is None:
        raise FileError(f"{where}: a label must be a text or a number, and not empty. Correct it.")
    return text


def text_of(value: Any) -> str | None:
    """A value of JSON as a label; None if it cannot be one. 1 and 1.0 are the same number in JSON."""
    if isinstance(value, str):
        return value if value and not _NO_TEXT.search(value) else None
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else str(value)
    return str(value) if is_whole(value) else None


@dataclass(frozen=True)
class Nodes:
    """The nodes of a document, in its order."""

    labels: Sequence[Hashable]  # texts; range(n) where they have none, or are called 0 to n-1
    attribute: str | None  # of NAMES, where the labels are; None if nodes are plain, or have no names
    is_named: bool

    @classmethod
    def of(cls, nodes: list[Any] | None, ends: list[Any], file: str) -> Nodes:
        """The nodes that a document lists, or, where it has no list, those that its ties name."""
        if nodes is None:
            told = [label_of(_value(end, "id"), f"{file}: tie {at // 2 + 1}") for at, end in enumerate(ends)]
            return cls(tuple(dict.fromkeys(told)), "id", is_named=True)
        if not any(isinstance(node, dict) for node in nodes):
            return cls(_labels(nodes, "label", file), None, is_named=True)
        if not all(isinstance(node, dict) for node in nodes):
            raise FileError(f"{file}: some nodes are objects and some are not. Write all the same way.")
        usable = [name for name in NAMES if any(name in node for node in nodes)]
        # Ties that call nodes by their `name` pass over the `id`; without ties, the best will do.
        for name in usable:
            called = {text_of(_value(end, name)) for end in ends}
            values = [node.get(name) for node in nodes]
            if called <= {text_of(value) for value in values}:
                return cls(_labels(values, name, file), name, is_named=True)
        if usable:
            return cls(_labels([node.get(usable[0]) for node in nodes], usable[0], file), usable[0], True)
        return cls(range(len(nodes)), None, is_named=False)

    @property
    def origin(self) -> str:
        """Where the labels come from, in words."""
        if isinstance(self.labels, range):
            return "numbered from 0 in the order of the file"
        return f"labels from {self.attribute}" if self.attribute else "with labels"

    def numbered(
        self, ends: list[Any], file: str, *, by_id_only: bool
    ) -> tuple[Sequence[Hashable], NDArray[np.int64]]:
        """The labels, and the number of the node at either end of each tie."""
        number = {str(label): at for at, label in enumerate(self.labels)} if self.is_named else {}
        by_name = [number.get(text_of(_value(end, self.attribute or "id")) or "", -1) for end in ends]
        by_place = [_place(end, len(self.labels)) for end in ends]
        if by_id_only and self.is_named:
            by_place = by_name
        whole = [way for way in (by_name, by_place) if -1 not in way]
        if not whole:
            best = by_name if self.is_named else by_place
            rule = f"an end of tie {best.index(-1) // 2 + 1} is none of the nodes"
            raise FileError(f"{file}: {rule}. Correct it, or add the node.")
        if len(whole) == 2 and by_name != by_place:
            rule = "ties may call nodes by their names or by their places in the list, and both would do"
            remedy = 'Add "multigraph": false if they are names; leave the names out if they are places'
            raise FileError(f"{file}: {rule}. {remedy}.")
        return self.labels, np.array(whole[0], dtype=np.int64).reshape(-1, 2)


def _labels(values: list[Any], kind: str, file: str) -> Sequence[Hashable]:
    """The names of all nodes, distinct; as a range where they are the numbers 0 to n-1 in order."""
    if values == list(range(len(values))) and not any(isinstance(value, bool) for value in values):
        return range(len(values))
    labels = [
        label_of(value, f"{file}: node {number}, {kind}") for number, value in enumerate(values, start=1)
    ]
    first: dict[str, int] = {}
    for number, label in enumerate(labels, start=1):
        if first.setdefault(label, number) != number:
            rule = f"nodes {first[label]} and {number} have the same {kind}"
            raise FileError(f"{file}: {rule}. Give each node one of its own.")
    return tuple(labels)


def _value(end: Any, name: str) -> Any:
    """What an end says of its node: d3 puts the node itself there once it has found it."""
    return end.get(name) if isinstance(end, dict) else end


def _place(end: Any, count: int) -> int:
    value = _value(end, "index")
    return int(value) if is_whole(value) and 0 <= value < count else -1
