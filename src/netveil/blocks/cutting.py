"""Networks in blocks of nodes on disk: a folder with `blocks.json` and arrays of edges, degrees and nodes.

Nodes are ranked by falling degree and cut into blocks of ranks. Each edge is kept once, from its end of
higher rank to the other, in the file of the pair of blocks that these are in. All numbers in a file count
from the first rank of its block, so that 32 bits are enough.

A file is not held while it is cut, if its reader can do without: the ties of plain tables, Parquet and Arrow
files go into arrays on disk, where they are numbered, sorted and freed of repeats
(`files.storage.ties_on_disk`).
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from netveil._version import __version__
from netveil.errors import FileError, SettingError, is_whole, option
from netveil.files import ReadAs
from netveil.files.staging import OutputFolder
from netveil.files.storage import is_on_disk, telling_reading, ties_on_disk
from netveil.kernels.arrays import IntVector
from netveil.network import Dropped, Network, Reading
from netveil.opening import open_network

if TYPE_CHECKING:
    from netveil.kernels.triangles import Rows
    from netveil.opening import AnyNetwork


MANIFEST = "blocks.json"
DEGREES = "degrees.npy"  # (n): by rank
NODES = "nodes.npy"  # (n): the node of each rank

Pair = tuple[int, int]
"""A block of rows and one of targets, which is the same or an earlier one."""

Triple = tuple[int, int, int]
"""The blocks of the three corners of a triangle, by falling rank."""


@dataclass(frozen=True)
class Blocks:
    """Manifest of a network in blocks, and its folder."""

    folder: Path
    cutting: str  # tells one cutting from another, though they are in the same place
    given: str  # how the user called the network
    name: str
    node_count: int
    # (blocks + 1): block b has the ranks first_ranks[b]:first_ranks[b + 1]
    first_ranks: tuple[int, ...]
    pairs: dict[Pair, int]  # edges of each pair of blocks that has any
    dropped: Dropped
    notes: tuple[str, ...]
    reading: Reading | None  # private: it holds the first ties
    sha256: str  # of the network's file, if it has one
    fingerprint: str  # of the network
    is_streamed: bool  # whether its file was streamed, or else read whole

    @property
    def edge_count(self) -> int:
        """m, the number of edges."""
        return sum(self.pairs.values())

    @property
    def block_count(self) -> int:
        """Number of blocks of nodes."""
        return len(self.first_ranks) - 1

    def size(self, block: int) -> int:
        """Number of nodes in a block."""
        return self.first_ranks[block + 1] - self.first_ranks[block]

    def ranks(self, block: int) -> slice:
        """Ranks of the nodes in a block."""
        return slice(self.first_ranks[block], self.first_ranks[block + 1])

    def file(self, pair: Pair) -> Path:
        """File with the edges of a pair."""
        return self.folder / f"edges-{pair[0]:03}-{pair[1]:03}.npy"

    def triples(self) -> list[Triple]:
        """Triples of blocks that may have triangles, each once."""
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
        """Edges of a pair of blocks, read from its file."""
        from netveil.kernels.triangles import Rows

        size = self.size(pair[0])
        stored = _array(self.file(pair), size + self.pairs[pair])
        offsets = np.zeros(size + 1, np.int64)
        np.cumsum(stored[:size], out=offsets[1:])
        return Rows(offsets, stored[size:])

    def degrees(self) -> NDArray[np.int32]:
        """Degrees of all nodes (n), by rank."""
        return _array(self.folder / DEGREES, self.node_count)

    def nodes(self) -> NDArray[np.int32]:
        """Node of each rank (n), by its number in the network that was cut."""
        return _array(self.folder / NODES, self.node_count)

    def check_network(self, network: Network) -> None:
        """Raise unless these are the blocks of a network."""
        self._check_same(network.fingerprint, self.fingerprint, network.name)

    def check_file(self, file: Path) -> None:
        """Raise unless these are the blocks of the network in a file, which is not read as one."""
        with telling_reading(str(file)), file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        self._check_same(found, self.sha256, str(file))

    def _check_same(self, found: str, own: str, network: str) -> None:
        if found != own:
            raise FileError(
                f"{self.folder} holds blocks of another network than {network}; cut that one with "
                f"`netveil blocks`, or leave it out."
            )

    def to_json(self) -> str:
        """Text of the manifest."""
        record = {name: value for name, value in asdict(self).items() if name != "folder"}
        record["pairs"] = [[*pair, edges] for pair, edges in self.pairs.items()]
        return json.dumps({"netveil": __version__, **record}, indent=1) + "\n"


def open_blocks(folder: str | Path) -> Blocks:
    """Open the blocks in a folder; FileError if it holds none, or those of another version of netveil."""
    file = Path(folder) / MANIFEST
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        made_by = record["netveil"]
        if made_by != __version__:
            raise FileError(
                f"{folder} holds blocks of netveil {made_by}, and this is netveil {__version__}; cut the "
                f"network again with `netveil blocks`."
            )
        record["pairs"] = {(u, v): edges for u, v, edges in record["pairs"]}
        return msgspec.convert({**record, "folder": Path(folder)}, Blocks)
    except (OSError, ValueError, LookupError, TypeError):
        raise FileError(
            f"{folder} is no folder of blocks: it has no {MANIFEST} that can be read. Give the folder that "
            f"`netveil blocks` wrote ({option('blocks', 'DIR')})."
        ) from None


def _array(file: Path, length: int) -> NDArray[np.int32]:
    """Numbers in a file; FileError unless there are so many."""
    try:
        stored: NDArray[np.int32] = np.load(file, allow_pickle=False)
    except FileNotFoundError:
        raise FileError(
            f"{file} is missing: machines that count must see the folder of blocks in the same place, such "
            f"as on a shared disk. If it is gone, cut the network again with `netveil blocks`."
        ) from None
    except (OSError, ValueError, EOFError):
        stored = np.empty(0, np.int32)
    if stored.dtype != np.int32 or stored.shape != (length,):
        raise FileError(f"{file} is damaged; cut the network again with `netveil blocks`.")
    return stored


# Cutting a network.


EDGES_AT_ONCE = 1 << 18
LEAST_BLOCKS, MOST_BLOCKS = 4, 200
BYTES_OF_A_TASK = 256 << 20  # of edges that a task holds, about, where nobody says how many blocks to make


class BlocksFolder(OutputFolder):
    """Folder of blocks to come."""

    kind = "folder of blocks"
    is_private = True

    def is_result(self, entries: set[str]) -> bool:
        """Whether the folder holds blocks, or is empty."""
        return MANIFEST in entries or not entries


def cut_network(
    network: AnyNetwork,
    out: str | os.PathLike[str],
    blocks: int | None = None,
    *,
    read_as: ReadAs | None = None,
    overwrite: bool = False,
    listener: Callable[[float], None] | None = None,
) -> Blocks:
    """Write the blocks of a network to a new private folder, which appears whole or not at all.

    Parquet and Arrow files and plain tables are streamed: their ties are on disk, 8 bytes each and 4 for each
    cell of a table, and memory is for people only, about 150 bytes each. All else is read whole; beside it
    cutting takes 28 bytes a node, about 30 MB for some edges at once, and 30 bytes for each edge of a pair of
    blocks. `listener` hears the share that is done.
    """
    if blocks is not None and not (is_whole(blocks) and 1 <= blocks <= MOST_BLOCKS):
        raise SettingError(f"{option('number', blocks)}: give a whole number of blocks, 1 to {MOST_BLOCKS}.")
    folder = BlocksFolder(out, overwrite=overwrite)  # before anything is read
    with folder.filled() as staging, ties_on_disk(staging.parent):
        found = open_network(network, read_as)
        given = os.fspath(network) if isinstance(network, str | os.PathLike) else found.name
        return _cut_into(staging, found, blocks, given, listener)


def _cut_into(
    staging: Path, network: Network, blocks: int | None, given: str, listener: Callable[[float], None] | None
) -> Blocks:
    """Write the blocks of a network into a folder."""
    from netveil.kernels.triangles import rank_of, ranked

    node_of_rank = ranked(network.degrees)
    degrees = network.degrees[node_of_rank].astype(np.int32)
    first_ranks = cut_ranks(degrees, blocks or usual_blocks(network.edge_count))
    np.save(staging / DEGREES, degrees)
    np.save(staging / NODES, node_of_rank.astype(np.int32))
    pairs, fingerprint = _sort_into_pairs(network, rank_of(node_of_rank), first_ranks, staging, listener)
    made = Blocks(
        folder=staging,
        cutting=secrets.token_hex(8),
        given=given,
        name=network.name,
        node_count=network.node_count,
        first_ranks=tuple(first_ranks.tolist()),
        pairs=pairs,
        dropped=network.dropped,
        notes=network.notes,
        reading=network.reading,
        sha256=network.sha256,
        fingerprint=fingerprint,
        is_streamed=is_on_disk(network.edges),
    )
    for pair in pairs:
        _write_rows(made, pair)
    (staging / MANIFEST).write_text(made.to_json(), encoding="utf-8")
    return made


def usual_blocks(edges: int) -> int:
    """Number of blocks by which three pairs, some twice as large as others, take about `BYTES_OF_A_TASK`."""
    return min(max(LEAST_BLOCKS, ceil(sqrt(48 * edges / BYTES_OF_A_TASK))), MOST_BLOCKS)


def cut_ranks(degrees: IntVector, blocks: int) -> NDArray[np.int64]:
    """First ranks (blocks + 1) of blocks with about as many ends of edges, given falling degrees (n)."""
    ends = np.cumsum(degrees.astype(np.int64) + 1)  # 1: a node takes room though it has no edge
    total = int(ends[-1]) if len(ends) else 0
    # A block ends with the node that fills it: a hub that has more than a share is alone in one.
    first_ranks = 1 + np.searchsorted(ends, np.linspace(0, total, blocks + 1))
    first_ranks[0], first_ranks[-1] = 0, len(degrees)
    return np.minimum(first_ranks, len(degrees))


def _sort_into_pairs(
    network: Network,
    rank: IntVector,
    first_ranks: NDArray[np.int64],
    folder: Path,
    listener: Callable[[float], None] | None,
) -> tuple[dict[Pair, int], str]:
    """Write each edge to the unsorted file of its pair of blocks; return counts and the fingerprint."""
    blocks = len(first_ranks) - 1
    edges_of = np.zeros(blocks * blocks, np.int64)
    digest = hashlib.sha256(str(network.node_count).encode())
    for first in range(0, network.edge_count, EDGES_AT_ONCE):
        edges = network.edges[first : first + EDGES_AT_ONCE]
        digest.update(np.ascontiguousarray(edges, dtype="<i8").tobytes())
        ends = np.sort(rank[edges], axis=1)[:, ::-1]  # the row, then the target
        block = np.searchsorted(first_ranks, ends, side="right") - 1
        pair_of = (block[:, 0] * blocks + block[:, 1]).astype(np.uint16)
        entries = (ends - first_ranks[block]).astype(np.int32)[np.argsort(pair_of, kind="stable")]
        counts = np.bincount(pair_of, minlength=blocks * blocks)
        edges_of += counts
        bounds = np.concatenate(([0], np.cumsum(counts)))
        for pair in np.flatnonzero(counts).tolist():
            with _unsorted(folder, divmod(pair, blocks)).open("ab") as file:
                file.write(entries[bounds[pair] : bounds[pair + 1]].tobytes())
        if listener is not None:
            listener(min(1.0, (first + EDGES_AT_ONCE) / network.edge_count))
    pairs = {divmod(pair, blocks): int(edges_of[pair]) for pair in np.flatnonzero(edges_of).tolist()}
    return pairs, digest.hexdigest()


def _unsorted(folder: Path, pair: Pair) -> Path:
    return folder / f"unsorted-{pair[0]:03}-{pair[1]:03}"


def _write_rows(blocks: Blocks, pair: Pair) -> None:
    """Write the lengths of all rows of a pair, then their targets, row after row, from the unsorted file."""
    unsorted = _unsorted(blocks.folder, pair)
    rows, targets = np.fromfile(unsorted, dtype=np.int32).reshape(-1, 2).T
    lengths = np.bincount(rows, minlength=blocks.size(pair[0])).astype(np.int32)
    np.save(blocks.file(pair), np.concatenate((lengths, targets[np.argsort(rows, kind="stable")])))
    unsorted.unlink()
