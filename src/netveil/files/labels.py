"""Labels as they are written to files: numbers as they are, others as text that reads back the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from netveil.errors import FileError, NetworkError
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix
from netveil.network import FIRST_TIES, Network

# Labels of many people, as texts that are made when somebody looks at them.
#
# A Python text takes 50 bytes and more, and a network may have many millions of people of whom few are
# named.


_AT_ONCE = 100_000


class CompactLabels(Sequence[str]):
    """Labels in an array of whole numbers or different texts, of numpy or Arrow. Equal to a tuple of texts.

    >>> labels = CompactLabels(np.array([30, -7, 500]))
    >>> labels[1], labels == ("30", "-7", "500"), labels[1:]
    ('-7', True, ('-7', '500'))
    """

    def __init__(self, values: Any) -> None:
        self.values = values

    @property
    def are_numbers(self) -> bool:
        """Whether labels are whole numbers, each as its digits."""
        return isinstance(self.values, np.ndarray) and self.values.dtype.kind == "i"

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(map(str, self.values[place].tolist()))
        at = range(len(self))[place]
        return self[at : at + 1][0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self[start : start + _AT_ONCE]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | CompactLabels):
            return NotImplemented
        return len(self) == len(other) and all(
            one == another for one, another in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<labels of {len(self):,} nodes>"


NUMBERED_IN_ORDER = "numbered from 0 in the order of the file"
"""Where labels come from in a file that has none."""

NO_TEXT = re.compile("[\0\ud800-\udfff]")
_LINE_BREAK = re.compile(r"[\r\n]")


def label_text(value: Any) -> str:
    """Value as a label: 7.0 is 7."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_numbered(network: Network) -> bool:
    """Whether the label of each node is its number."""
    return all(label == place for place, label in enumerate(network.labels))  # mostly settled by the first


def is_one_of(allowed: range, label: str) -> bool:
    """Whether a label is one of these numbers: 01 and +1 are labels of their own."""
    is_number = label.isascii() and label.isdecimal() and len(label) < 19
    return is_number and int(label) in allowed and str(int(label)) == label


def require_numbers(network: Network, file: str) -> None:
    """Raise unless the label of each node is its number: some formats have no place for others."""
    if not is_numbered(network):
        rule = "this format has no place for labels, but the network has some"
        remedy = "Write an edge list, GraphML, GML or Pajek file, or label the nodes 0 to n-1"
        raise FileError(f"{file}: {rule}. {remedy}.")


def label_texts(
    network: Network, file: str, unfit: re.Pattern[str] | None = None, what: str = ""
) -> list[str]:
    """The label of each node as text. `unfit` finds what the format cannot hold, `what` says what that is."""
    texts = [str(label) for label in network.labels]
    if problem := _problem(texts):
        raise FileError(f"{file}: {problem}")
    if unfit and any(map(unfit.search, texts)):
        remedy = "Rename that node, or write another format"
        raise FileError(f"{file}: a label holds {what}, which this format cannot hold. {remedy}.")
    return texts


def fit_labels(network: Network, file: str) -> list[str]:
    """Label of each node as text that fits into a line."""
    return label_texts(network, file, _LINE_BREAK, "a line break")


def quoted(text: str, needs_quotes: re.Pattern[str]) -> str:
    """Label as it stands in a line: in quotes where it would mean something else."""
    return '"' + text.replace('"', '""') + '"' if needs_quotes.search(text) else text


def as_lines(lines: Iterable[str]) -> bytes:
    """Bytes of a file with these lines."""
    return "".join(f"{line}\n" for line in lines).encode()


def check_labels(network: Network) -> None:
    """Raise NetworkError for labels that no text file can hold: a release could not be read back."""
    if isinstance(network.labels, range | CompactLabels):  # of which each is another text
        return
    if problem := _problem([str(label) for label in network.labels]):
        raise NetworkError(f"{network.name}: {problem}")


def _problem(texts: Sequence[str]) -> str:
    """Problem with labels in any text file, with the remedy; empty if there is none."""
    if not all(texts):
        return "a label is empty. Rename that node."
    if len(set(texts)) < len(texts):
        return "two labels are the same as text, like 1 and '1'. Rename one of these nodes."
    if any(map(NO_TEXT.search, texts)):
        return "a label holds a character that no text file can hold. Rename that node."
    return ""


# Labels in the order of a file: nodes are numbered as they are first met, and written in that order.


LOOKED_AT = 10_000
"""Rows among which the first ties are looked for: all others may be the same."""

_BLOCK = 1 << 16


def network_of_labels(
    ends: Sequence[str], nodes: Sequence[str] = (), notes: tuple[str, ...] = (), *, each_way: bool = False
) -> Network:
    """Network of ties given as labels, two each, after `nodes`, which may have none."""
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return replace(Network.from_edges(pairs, nodes, each_way=each_way), notes=notes)


def first_ties(ends: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """First ties of a file, each once, from labels that come two each."""
    return each_once((ends[place], ends[place + 1]) for place in range(0, min(len(ends), LOOKED_AT), 2))


def first_numbered(network: Network, pairs: IntMatrix) -> tuple[tuple[str, str], ...]:
    """First ties of a file, each once, from pairs of node numbers in its order."""
    labels = network.labels
    return each_once((str(labels[u]), str(labels[v])) for u, v in pairs[:LOOKED_AT].tolist())


def each_once(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """First few ties, each once, whichever end comes first, without loops."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for pair in pairs:
        if len(found) == FIRST_TIES:
            break
        if pair[0] != pair[1]:
            found.setdefault(frozenset(pair), pair)
    return tuple(found.values())


def rows_in_order(network: Network, *, isolated: bool) -> IntMatrix:
    """Rows of a table: ends of each edge and, with `isolated`, (v, v) for each node without edges.

    Rows are sorted so that nodes first appear in the order of their numbers, if any order does that: by the
    larger end, and among edges with the same larger end, the largest smaller end first.
    """
    count, edges = network.node_count, network.edges
    alone = np.flatnonzero(network.degrees == 0) if isolated else np.empty(0, dtype=np.int64)
    keys = np.empty(len(edges) + len(alone), np.int64)  # ascending as rows do
    for start in range(0, len(edges), _BLOCK):
        smaller, larger = edges[start : start + _BLOCK].T.astype(np.int64)
        keys[start : start + len(larger)] = larger * count + (count - 1 - smaller)
    keys[len(edges) :] = alone * count + (count - 1 - alone)
    keys.sort()
    rows = np.empty((len(keys), 2), edges.dtype)
    np.divmod(keys, max(count, 1), rows[:, 1], rows[:, 0], casting="unsafe")
    np.subtract(count - 1, rows[:, 0], out=rows[:, 0])
    return rows


def one_sided(network: Network, named: int, noun: str = "tie") -> tuple[str, ...]:
    """Clause on ties that only one of their two people names, among `named` entries of a matrix or list."""
    proper = named - network.dropped.self_loops - network.dropped.duplicates
    missing = 2 * network.edge_count - proper
    return (f"{counted(missing, noun)} named from one side only",) if missing else ()
