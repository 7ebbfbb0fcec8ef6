"""Count in blocks: one task for each triple of blocks, which holds the edges of three pairs at most.

A triangle has its corners in one triple of blocks, so it is found by one task. What tasks have found on nodes
is added up by a task for each block, what they have found on edges by a task for each pair of blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import Blocks, Pair, Triple
from netveil.blocks.tasks import Place, Stages


def count_on_nodes(place: Place, triple: Triple, threads: int = 1) -> None:
    """Find the triangles with a corner in each of three blocks: how many each of their nodes is in."""
    from netveil.kernels.counting.triangles import Found, counted_in_threads

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}

    def room() -> Found:
        of_u, of_v, of_w = (np.zeros(blocks.size(block), np.int64) for block in triple)
        return Found(of_u, of_v, of_w, np.zeros(len(of_w), np.uint8))

    counts = {block: np.zeros(blocks.size(block), np.int64) for block in triple}
    for found in counted_in_threads(held[u, v], held[u, w], held[v, w], room, threads):
        for block, more in zip(triple, found[:3], strict=True):
            counts[block] += more
    place.put(_name("nodes", triple), np.concatenate(list(counts.values())))


def sum_on_nodes(place: Place, block: int, threads: int = 1) -> None:
    """Add up what was found on the nodes of a block; one thread is enough."""
    blocks = place.blocks()
    triangles = np.zeros(blocks.size(block), np.int64)
    for triple in blocks.triples():
        if block in triple:
            sizes = {each: blocks.size(each) for each in triple}
            triangles += _slice_of(place.get(_name("nodes", triple)), sizes, block)
    place.put(f"triangles-{block}", triangles)


def count_on_ties(place: Place, triple: Triple, threads: int = 1) -> None:
    """Find the triangles with a corner in each of three blocks: how many each of their edges is in."""
    from netveil.kernels.counting.tie_triangles import count_on_edges

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}
    counts = {pair: np.zeros(blocks.pairs[pair], np.int32) for pair in held}
    on = (counts[u, v], counts[u, w], counts[v, w])
    count_on_edges(held[u, v], held[u, w], held[v, w], *on, np.zeros(blocks.size(w), np.int64))
    place.put(_name("ties", triple), np.concatenate(list(counts.values())))


def sum_on_ties(place: Place, pair: Pair, threads: int = 1) -> None:
    """Add up what was found on the edges of a pair of blocks; one thread is enough."""
    blocks = place.blocks()
    triangles = np.zeros(blocks.pairs[pair], np.int32)
    for triple in blocks.triples():
        if pair in pairs_of(triple):
            sizes = {each: blocks.pairs[each] for each in pairs_of(triple)}
            triangles += _slice_of(place.get(_name("ties", triple)), sizes, pair)
    place.put(f"triangles-{pair[0]}-{pair[1]}", triangles)


def count_triangles_on_nodes(blocks: Blocks, place: Place, run: Stages) -> None:
    """Put the triangles of each node into `triangles-BLOCK` (nodes of the block)."""
    run([(count_on_nodes, (place, triple)) for triple in blocks.triples()])
    run([(sum_on_nodes, (place, block)) for block in range(blocks.block_count)])
    place.forget("nodes-*")


def count_triangles_on_ties(blocks: Blocks, place: Place, run: Stages) -> None:
    """Put the triangles of each edge into `triangles-BLOCK-BLOCK` (edges of the pair)."""
    run([(count_on_ties, (place, triple)) for triple in blocks.triples()])
    run([(sum_on_ties, (place, pair)) for pair in blocks.pairs])
    place.forget("ties-*")


def pairs_of(triple: Triple) -> tuple[Pair, ...]:
    """The pairs of blocks that the edges of a triple's triangles are in, each once."""
    u, v, w = triple
    return tuple(dict.fromkeys(((u, v), (u, w), (v, w))))


def _name(kind: str, triple: Triple) -> str:
    return "-".join([kind, *map(str, triple)])


def _slice_of(found: NDArray[Any], sizes: dict[Any, int], wanted: Any) -> NDArray[Any]:
    """Of numbers for several blocks or pairs, one after the other, those for the wanted one."""
    first = 0
    for each, size in sizes.items():
        if each == wanted:
            return found[first : first + size]
        first += size
    raise KeyError(wanted)
