"""Blocks of a network on disk: a folder with `blocks.json` and arrays of edges, degrees and nodes.

Nodes are ranked by falling degree and cut into blocks of ranks. Each edge is kept once, from its end of
higher rank to the other, in the file of the pair of blocks that these are in. All numbers in a file count
from the first rank of its block, so that 32 bits are enough.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from netveil._version import __version__
from netveil.errors import FileError, option
from netveil.network import Dropped, Network
from netveil.reading import Reading

if TYPE_CHECKING:
    from netveil.kernels.triangles import Rows


MANIFEST = "blocks.json"
DEGREES = "degrees.npy"  # (n): by rank
NODES = "nodes.npy"  # (n): the node of each rank
KIND = "netveil blocks"
LAYOUT = 2  # of the files; another number is another layout

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
    first_ranks: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)]
    pairs: dict[Pair, int]  # edges of each pair of blocks that has any
    dropped: Dropped
    notes: tuple[str, ...]
    reading: Reading | None  # private: it holds the first ties
    sha256: str  # of the network's file, if it has one
    fingerprint: str  # of the network

    @property
    def is_sound(self) -> bool:
        """Whether blocks follow each other and cover all nodes, and pairs are of blocks that exist."""
        within = all(0 <= v <= u < self.block_count and edges > 0 for (u, v), edges in self.pairs.items())
        ends = (0, self.node_count) == (self.first_ranks[0], self.first_ranks[-1])
        return ends and within and all(self.size(block) >= 0 for block in range(self.block_count))

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
        """Edges of a pair of blocks, read from its file; FileError unless they are what was written."""
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

    def degrees(self) -> NDArray[np.int32]:
        """Degrees of all nodes (n), by rank."""
        degrees = _array(self.folder / DEGREES, self.node_count)
        if degrees.min(initial=0) < 0 or int(degrees.sum(dtype=np.int64)) != 2 * self.edge_count:
            raise _damaged(self.folder / DEGREES)
        return degrees

    def nodes(self) -> NDArray[np.int32]:
        """Node of each rank (n), by its number in the network that was cut."""
        nodes = _array(self.folder / NODES, self.node_count)
        if not np.array_equal(np.sort(nodes), np.arange(self.node_count)):
            raise _damaged(self.folder / NODES)
        return nodes

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
        """Text of the manifest."""
        record = {name: value for name, value in asdict(self).items() if name != "folder"}
        record["pairs"] = [[*pair, edges] for pair, edges in self.pairs.items()]
        return json.dumps({"kind": KIND, "layout": LAYOUT, "netveil": __version__, **record}, indent=1) + "\n"


def open_blocks(folder: str | Path) -> Blocks:
    """Open the blocks in a folder; FileError if it holds none, or those of another version of netveil."""
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
        pairs = {(u, v): edges for u, v, edges in record["pairs"]}
        blocks = msgspec.convert({**record, "folder": Path(folder), "pairs": pairs}, Blocks)
    except (KeyError, TypeError, ValueError):  # msgspec's is a ValueError
        raise _damaged(file) from None
    if not blocks.is_sound or json.loads(blocks.to_json()) != record:  # a key too many, or one too few
        raise _damaged(file)
    return blocks


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
        raise _damaged(file) from None
    if stored.dtype != np.int32 or stored.shape != (length,):
        raise _damaged(file)
    return stored


def _damaged(file: Path) -> FileError:
    return FileError(f"{file} is damaged; cut the network again with `netveil blocks`.")
