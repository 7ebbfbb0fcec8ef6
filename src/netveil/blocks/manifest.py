"""What is in a folder of blocks: `blocks.json`, beside the files that it names.

Nodes are ranked by falling degree and cut into blocks of ranks. Each edge is kept once, from its end of
higher rank to the other, in the file of the pair of blocks that these are in. All numbers in a file count
from the first rank of its block, so that 32 bits are enough.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil._version import __version__
from netveil.errors import FileError, option
from netveil.kernels.arrays import IntMatrix
from netveil.network import Dropped, Network
from netveil.reading import Reading

if TYPE_CHECKING:
    from netveil.kernels.triangles import Rows


MANIFEST = "blocks.json"
DEGREES = "degrees.npy"  # (n): by rank
KIND = "netveil blocks"
LAYOUT = 1  # of the files; another number is another layout

Pair = tuple[int, int]
"""A block of rows and one of targets, which is the same or an earlier one."""

Triple = tuple[int, int, int]
"""The blocks of the three corners of a triangle, by falling rank."""


@dataclass(frozen=True)
class Blocks:
    """A network in blocks: its manifest, and where it is."""

    folder: Path
    cutting: str  # tells one cutting from another, though they are in the same place
    given: str  # how the user called the network
    name: str
    node_count: int
    first_ranks: tuple[int, ...]  # (blocks + 1): block b has the ranks first_ranks[b]:first_ranks[b + 1]
    pairs: dict[Pair, int]  # edges of each pair of blocks that has any
    dropped: Dropped
    notes: tuple[str, ...]
    reading: Reading | None  # private: it holds the first ties
    sha256: str  # of the network's file, if it has one
    fingerprint: str  # of the network

    @property
    def edge_count(self) -> int:
        """m, the number of edges."""
        return sum(self.pairs.values())

    @property
    def block_count(self) -> int:
        """How many blocks of nodes there are."""
        return len(self.first_ranks) - 1

    def size(self, block: int) -> int:
        """The number of nodes in a block."""
        return self.first_ranks[block + 1] - self.first_ranks[block]

    def ranks(self, block: int) -> slice:
        """The ranks of the nodes in a block."""
        return slice(self.first_ranks[block], self.first_ranks[block + 1])

    def file(self, pair: Pair) -> Path:
        """Where the edges of a pair are."""
        return self.folder / f"edges-{pair[0]:03}-{pair[1]:03}.npy"

    def triples(self) -> list[Triple]:
        """The triples of blocks that may have triangles, none of them twice."""
        return [
            (u, v, w)
            for u in range(self.block_count)
            for v in range(u + 1)
            for w in range(v + 1)
            if {(u, v), (u, w), (v, w)} <= self.pairs.keys()
        ]

    def bytes_of(self, triple: Triple) -> int:
        """Memory that counting in a triple of blocks takes with one thread."""
        u, v, w = triple
        held = {pair: 4 * self.pairs[pair] + 12 * self.size(pair[0]) for pair in ((u, v), (u, w), (v, w))}
        return sum(held.values()) + 8 * sum(map(self.size, triple)) + self.size(w)

    def rows(self, pair: Pair) -> Rows:
        """The edges of a pair of blocks, read from its file; FileError unless they are what was written."""
        from netveil.kernels.triangles import Rows

        file, size, edges = self.file(pair), self.size(pair[0]), self.pairs[pair]
        stored = _array(file, size + edges)
        lengths, targets = stored[:size], stored[size:]
        offsets = np.zeros(size + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        is_sound = lengths.min(initial=0) >= 0 and offsets[-1] == edges and targets.min(initial=0) >= 0
        if not is_sound or targets.max(initial=-1) >= self.size(pair[1]):
            raise _damaged(file)
        return Rows(offsets, targets)

    def offsets(self, pair: Pair) -> NDArray[np.int64]:
        """Where the rows of a pair of blocks begin; its edges are not read."""
        size, edges = self.size(pair[0]), self.pairs[pair]
        offsets = np.zeros(size + 1, np.int64)
        np.cumsum(_array(self.file(pair), size + edges, mapped=True)[:size], out=offsets[1:])
        if offsets[-1] != edges or np.diff(offsets).min(initial=0) < 0:
            raise _damaged(self.file(pair))
        return offsets

    def degrees(self) -> NDArray[np.int32]:
        """The degrees of all nodes (n), by rank."""
        degrees = _array(self.folder / DEGREES, self.node_count)
        if degrees.min(initial=0) < 0 or int(degrees.sum(dtype=np.int64)) != 2 * self.edge_count:
            raise _damaged(self.folder / DEGREES)
        return degrees

    def degrees_between(self, first: int, last: int) -> NDArray[np.int32]:
        """The degrees of the nodes with ranks first..last-1, and no others are read."""
        return np.array(_array(self.folder / DEGREES, self.node_count, mapped=True)[first:last])

    def check_network(self, network: Network) -> None:
        """Raise unless these are the blocks of a network."""
        if network.fingerprint != self.fingerprint:
            raise self._of_another(network.name)

    def check_file(self, file: Path) -> None:
        """Raise unless these are the blocks of the network in a file, which is not read as one."""
        try:
            with file.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise FileError(
                f"{file} cannot be read: {error.strerror}. Give a file that can, or leave it out."
            ) from None
        if found != self.sha256:
            raise self._of_another(str(file))

    def _of_another(self, network: str) -> FileError:
        return FileError(
            f"{self.folder} holds blocks of another network than {network}; cut that one with "
            f"`netveil blocks`, or leave it out."
        )

    def to_json(self) -> str:
        """The text of the manifest."""
        record = asdict(replace(self, folder=Path()))
        del record["folder"]
        record["pairs"] = [[*pair, edges] for pair, edges in self.pairs.items()]
        return json.dumps({"kind": KIND, "layout": LAYOUT, "netveil": __version__, **record}, indent=1) + "\n"


def open_blocks(folder: str | Path) -> Blocks:
    """The blocks in a folder; FileError if it holds none, or those of another version of netveil."""
    file = Path(folder) / MANIFEST
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise FileError(
            f"{folder} is no folder of blocks: it has no {MANIFEST} that can be read. Give the folder that "
            f"`netveil blocks` wrote ({option('blocks', 'DIR')})."
        ) from None
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise _damaged(file)
    made_by, layout = record.get("netveil"), record.get("layout")
    if (made_by, layout) != (__version__, LAYOUT):
        raise FileError(
            f"{folder} holds blocks of netveil {made_by}, and this is netveil {__version__}; cut the network "
            f"again with `netveil blocks`."
        )
    try:
        return _from_record(Path(folder), record)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(file) from None


def _from_record(folder: Path, record: dict[str, Any]) -> Blocks:
    reading = record["reading"]
    blocks = Blocks(
        folder=folder,
        first_ranks=tuple(map(int, record["first_ranks"])),
        pairs={(int(u), int(v)): int(edges) for u, v, edges in record["pairs"]},
        dropped=Dropped(**record["dropped"]),
        notes=tuple(record["notes"]),
        reading=None if reading is None else Reading.of_record(reading),
        **{
            name: record[name] for name in ("cutting", "given", "name", "node_count", "sha256", "fingerprint")
        },
    )
    first, last = blocks.first_ranks[0], blocks.first_ranks[-1]
    rising = all(blocks.size(block) >= 0 for block in range(blocks.block_count))
    within = all(0 <= v <= u < blocks.block_count and edges > 0 for (u, v), edges in blocks.pairs.items())
    if (first, last) != (0, blocks.node_count) or not (rising and within):
        raise ValueError
    return blocks


def _array(file: Path, length: int, *, mapped: bool = False) -> NDArray[np.int32]:
    """The numbers in a file, so many; with `mapped`, only what is looked at is read."""
    try:
        stored: NDArray[np.int32] = np.load(file, "r" if mapped else None, allow_pickle=False)
    except FileNotFoundError:
        raise FileError(
            f"{file} is missing: machines that count must see the folder of blocks in the same place, such "
            f"as on a shared disk. If it is gone, cut the network again with `netveil blocks`."
        ) from None
    except (OSError, ValueError, EOFError):
        raise _damaged(file) from None
    if stored.dtype != np.int32 or stored.shape != (length,):
        raise _damaged(file)
    return stored


def _damaged(file: Path) -> FileError:
    return FileError(f"{file} is damaged; cut the network again with `netveil blocks`.")


# The edges of a network that is being cut, on disk: each once and sorted, whatever order they come in.
#
# Ties are written as they come, then spread over files by their smaller node, so that each file has about
# as many; all ties of a pair of nodes are in one file, where they are sorted and repeats are dropped. What
# is held in memory are the ties of one file and a few numbers a node.


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
