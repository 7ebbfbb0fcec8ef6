"""Cut a network into blocks of nodes on disk."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable
from math import ceil, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.edges_on_disk import EdgesOnDisk
from netveil.blocks.manifest import DEGREES, MANIFEST, Blocks, Pair
from netveil.errors import FileError, SettingError, is_whole, option
from netveil.files.staging import OutputFolder
from netveil.kernels.arrays import IntVector
from netveil.network import Network

EDGES_AT_ONCE = 1 << 20
LEAST_BLOCKS, MOST_BLOCKS = 4, 200
BYTES_OF_A_TASK = 256 << 20  # of edges that a task holds, about, where nobody says how many blocks to make
BYTES_ON_DISK = 12  # an edge, while blocks are made; a third of that in the end


class BlocksFolder(OutputFolder):
    """Where blocks are going to be."""

    kind = "folder of blocks"

    def is_result(self, entries: set[str]) -> bool:
        """An older one, or an empty folder."""
        return MANIFEST in entries or not entries


def cut_network(
    network: Network | EdgesOnDisk,
    out: str | os.PathLike[str],
    blocks: int | None = None,
    *,
    given: str | None = None,
    overwrite: bool = False,
    listener: Callable[[float], None] | None = None,
) -> Blocks:
    """Write the blocks of a network to a new private folder, which appears whole or not at all.

    Beside the network it takes 28 bytes a node, about 100 MB for a million edges at once, and 30 bytes for
    each edge of a pair of blocks. `given` is how the user called the network; `listener` hears the share that
    is done.
    """
    from netveil.kernels.counting.orienting import rank_of, ranked

    folder = BlocksFolder(out, overwrite=overwrite)
    blocks = usual_blocks(network.edge_count) if blocks is None else checked_blocks(blocks)
    _check_room(folder.path, network.edge_count)
    node_of_rank = ranked(network.degrees)
    degrees = network.degrees[node_of_rank].astype(np.int32)
    first_ranks = cut_ranks(degrees, blocks)
    with folder.filled() as staging:
        staging.chmod(0o700)
        np.save(staging / DEGREES, degrees)
        pairs, fingerprint = _sort_into_pairs(network, rank_of(node_of_rank), first_ranks, staging, listener)
        made = Blocks(
            folder=staging,
            cutting=secrets.token_hex(8),
            given=network.name if given is None else given,
            name=network.name,
            node_count=network.node_count,
            first_ranks=tuple(first_ranks.tolist()),
            pairs=pairs,
            dropped=network.dropped,
            notes=network.notes,
            reading=network.reading,
            sha256=network.sha256,
            fingerprint=fingerprint,
        )
        for pair in pairs:
            _write_rows(made, pair)
        (staging / MANIFEST).write_text(made.to_json(), encoding="utf-8")
    return made


def usual_blocks(edges: int) -> int:
    """So many that the edges of three pairs, some twice as large as others, are about `BYTES_OF_A_TASK`."""
    return min(max(LEAST_BLOCKS, ceil(sqrt(48 * edges / BYTES_OF_A_TASK))), MOST_BLOCKS)


def checked_blocks(blocks: int) -> int:
    """The number of blocks itself, if it makes sense."""
    if not is_whole(blocks) or not 1 <= blocks <= MOST_BLOCKS:
        raise SettingError(f"{option('number', blocks)}: give a whole number of blocks, 1 to {MOST_BLOCKS}.")
    return int(blocks)


def cut_ranks(degrees: IntVector, blocks: int) -> NDArray[np.int64]:
    """First ranks (blocks + 1) of blocks with about as many ends of edges, given falling degrees (n)."""
    ends = np.cumsum(degrees.astype(np.int64) + 1)  # 1: a node takes room though it has no edge
    total = int(ends[-1]) if len(ends) else 0
    # A block ends with the node that fills it: a hub that has more than a share is alone in one.
    first_ranks = 1 + np.searchsorted(ends, np.linspace(0, total, blocks + 1))
    first_ranks[0], first_ranks[-1] = 0, len(degrees)
    return np.minimum(first_ranks, len(degrees))


def _check_room(path: Path, edges: int) -> None:
    """Raise if the disk has no room for the blocks."""
    place = next(each for each in [path.absolute(), *path.absolute().parents] if each.exists())
    free, needed = shutil.disk_usage(place).free, BYTES_ON_DISK * edges
    if free < needed:
        raise FileError(
            f"{path}: blocks of {edges:,} edges need {needed:,} bytes while they are made, and the disk has "
            f"{free:,} free. Choose a folder on another disk ({option('out')})."
        )


def _sort_into_pairs(
    network: Network | EdgesOnDisk,
    rank: IntVector,
    first_ranks: NDArray[np.int64],
    folder: Path,
    listener: Callable[[float], None] | None,
) -> tuple[dict[Pair, int], str]:
    """Write each edge to the unsorted file of its pair of blocks; how many each has, and the fingerprint."""
    blocks = len(first_ranks) - 1
    edges_of = np.zeros(blocks * blocks, np.int64)
    digest = hashlib.sha256(str(network.node_count).encode())
    for first in range(0, network.edge_count, EDGES_AT_ONCE):
        if isinstance(network, Network):
            edges = network.edges[first : first + EDGES_AT_ONCE]
        else:
            edges = network.edges_between(first, first + EDGES_AT_ONCE)
        digest.update(np.ascontiguousarray(edges, dtype="<i8").tobytes())
        ends = np.sort(rank[edges], axis=1)[:, ::-1]  # the row, then the target
        block = np.searchsorted(first_ranks, ends, side="right") - 1
        pair_of = (block[:, 0] * blocks + block[:, 1]).astype(np.uint16)
        entries = (ends - first_ranks[block]).astype(np.int32)[np.argsort(pair_of, kind="stable")]
        here = np.bincount(pair_of, minlength=blocks * blocks)
        edges_of += here
        bounds = np.concatenate(([0], np.cumsum(here)))
        for pair in np.flatnonzero(here).tolist():
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
