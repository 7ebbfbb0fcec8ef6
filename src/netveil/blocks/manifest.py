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
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from netveil._version import __version__
from netveil.errors import FileError, option
from netveil.files.storage import telling_reading
from netveil.network import Dropped, Network, Reading

if TYPE_CHECKING:
    from netveil.kernels.triangles import Rows


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
