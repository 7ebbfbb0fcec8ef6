"""The edges of a network that is being cut, on disk: each once and sorted, whatever order they come in.

Ties are written as they come, then spread over files by their smaller node, so that each file has about as
many; all ties of a pair of nodes are in one file, where they are sorted and repeats are dropped. What is held
in memory are the ties of one file and a few numbers a node.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.kernels.arrays import IntMatrix
from netveil.network import Dropped
from netveil.reading import Reading

TIES_AT_ONCE = 1 << 20
BYTES_OF_A_TIE = 24  # on disk, at most, while ties are sorted and blocks are made of them

_AS_THEY_COME, _SORTED = "as-they-come", "sorted"


@dataclass(frozen=True)
class EdgesOnDisk:
    """A network whose edges are in a file: what is needed of a `Network` to cut it into blocks."""

    file: Path
    node_count: int
    edge_count: int
    degrees: NDArray[np.int64]  # (n)
    dropped: Dropped
    fingerprint: str  # that of the network
    name: str = "network"
    notes: tuple[str, ...] = ()
    reading: Reading | None = None
    sha256: str = ""

    def edges_between(self, first: int, last: int) -> IntMatrix:
        """The edges first..last-1, read from the file."""
        count = 2 * max(0, min(last, self.edge_count) - first)
        return np.fromfile(self.file, np.int32, count, offset=8 * first).reshape(-1, 2)


class TiesOnDisk:
    """Ties as they come, by numbers of nodes that are given as nodes are first met."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._from: NDArray[np.int64] = np.zeros(1024, np.int64)  # ties whose smaller node this is
        self._nodes = 0
        self.ties = 0
        self.self_loops = 0

    def add(self, pairs: IntMatrix) -> None:
        """Write further ties (ties, 2)."""
        if not len(pairs):
            return
        self._nodes = max(self._nodes, int(pairs.max()) + 1)
        proper = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
        self.self_loops += len(pairs) - len(proper)
        self.ties += len(proper)
        if self._nodes > len(self._from):
            grown = np.zeros(max(self._nodes, 2 * len(self._from)), np.int64)
            grown[: len(self._from)] = self._from
            self._from = grown
        counts = np.bincount(proper[:, 0]) if len(proper) else np.zeros(0, np.int64)
        self._from[: len(counts)] += counts
        with (self._folder / _AS_THEY_COME).open("ab") as file:
            file.write(np.ascontiguousarray(proper, np.int32).tobytes())

    def sorted(self, node_count: int | None = None) -> EdgesOnDisk:
        """The edges, each once, in ascending order; `node_count` says how many nodes there are, if known."""
        nodes = self._nodes if node_count is None else node_count
        firsts = self._spread(nodes)
        degrees = np.zeros(nodes, np.int64)
        digest = hashlib.sha256(str(nodes).encode())
        edges = 0
        with (self._folder / _SORTED).open("wb") as file:
            for number in range(len(firsts)):
                keys = self._different(number, nodes)
                pairs = np.empty((len(keys), 2), np.int64)
                np.divmod(keys, max(nodes, 1), pairs[:, 0], pairs[:, 1])
                del keys
                edges += len(pairs)
                for column in pairs.T:
                    degrees += np.bincount(column, minlength=nodes)
                digest.update(pairs.astype("<i8", copy=False).tobytes())
                file.write(pairs.astype(np.int32).tobytes())
        dropped = Dropped(self_loops=self.self_loops, duplicates=self.ties - edges)
        return EdgesOnDisk(self._folder / _SORTED, nodes, edges, degrees, dropped, digest.hexdigest())

    def _spread(self, nodes: int) -> list[int]:
        """Write ties to files by their smaller node; the first node of each file."""
        before = np.concatenate(([0], np.cumsum(self._from[: max(self._nodes, 1)])))
        file_of = before[:-1] // TIES_AT_ONCE
        firsts = np.flatnonzero(np.diff(file_of, prepend=-1))
        source = self._folder / _AS_THEY_COME
        for start in range(0, self.ties, TIES_AT_ONCE):
            pairs = np.fromfile(source, np.int32, 2 * TIES_AT_ONCE, offset=8 * start).reshape(-1, 2)
            where = np.searchsorted(firsts, pairs[:, 0], side="right") - 1
            pairs = pairs[np.argsort(where, kind="stable")]
            bounds = np.concatenate(([0], np.cumsum(np.bincount(where, minlength=len(firsts)))))
            for number in np.flatnonzero(np.diff(bounds)).tolist():
                with self._file(number).open("ab") as file:
                    file.write(pairs[bounds[number] : bounds[number + 1]].tobytes())
        source.unlink(missing_ok=True)
        return [int(first) for first in firsts]

    def _different(self, number: int, nodes: int) -> NDArray[np.int64]:
        """The different edges of a file as numbers that ascend as edges do; the file is removed."""
        file, keys = self._file(number), np.zeros(0, np.int64)
        ties = file.stat().st_size // 8 if file.exists() else 0
        for start in range(0, ties, TIES_AT_ONCE):  # more than once where nearly all are repeats of a few
            pairs = np.fromfile(file, np.int32, 2 * TIES_AT_ONCE, offset=8 * start).reshape(-1, 2)
            keys = np.unique(np.concatenate((keys, pairs[:, 0].astype(np.int64) * nodes + pairs[:, 1])))
        file.unlink(missing_ok=True)
        return keys

    def _file(self, number: int) -> Path:
        return self._folder / f"ties-{number}"


class Numbering:
    """Numbers of nodes, given to whole numbers as these are first met row by row."""

    def __init__(self) -> None:
        self._known: NDArray[np.int64] = np.zeros(0, np.int64)  # ascending
        self._number: NDArray[np.int32] = np.zeros(0, np.int32)  # of each

    def __len__(self) -> int:
        return len(self._known)

    def of(self, pairs: IntMatrix) -> IntMatrix:
        """The numbers of the nodes in pairs of whole numbers (ties, 2)."""
        values, first_at, places = np.unique(pairs.ravel(), return_index=True, return_inverse=True)
        at = np.searchsorted(self._known, values)
        is_new = np.ones(len(values), bool)
        within = at < len(self._known)
        is_new[within] = self._known[at[within]] != values[within]
        numbers = np.empty(len(values), np.int32)
        numbers[~is_new] = self._number[at[~is_new]]
        new = np.flatnonzero(is_new)
        as_met = new[np.argsort(first_at[new])]
        numbers[as_met] = np.arange(len(self), len(self) + len(new))
        self._number = np.insert(self._number, at[new], numbers[new])
        self._known = np.insert(self._known, at[new], values[new])
        return numbers[places].reshape(-1, 2)


def check_room(folder: Path, ties: int) -> None:
    """Raise if the disk of a folder has no room for ties to be sorted and cut."""
    free, needed = shutil.disk_usage(folder).free, BYTES_OF_A_TIE * ties
    if free < needed:
        raise FileError(
            f"{folder.parent}: to cut {ties:,} ties needs {needed:,} bytes meanwhile, and the disk has "
            f"{free:,} free. Choose a folder on another disk ({option('out')})."
        )


def sha256_of(file: str | os.PathLike[str]) -> str:
    """Of a file, read part by part."""
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
