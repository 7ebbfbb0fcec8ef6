"""Which node of one release is which of another, by structure alone: somebody who has both needs no labels.

Hubs whose numbers are nearest to each other make a first guess, wrong ones included. Then in rounds everybody
is matched anew by the contacts that are matched to each other, which washes the errors out. What most claims
about contacts do not confirm is given up in the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netveil.cores import available_cores
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network

MOST_ROUNDS = 40
FEWEST_HUBS = 50
CLEARLY = 1.02  # the best match must be rated that much better than the second
WITNESSES = 2  # matched contacts that a match needs, after the first guess
CONFIRMED = 0.5  # share of the matched contacts of one that must be matched to contacts of the other


def linked_by_structure(first: Network, second: Network, rng: np.random.Generator) -> IntVector:
    """For each node of the first the node of the second that is claimed to be the same, or -1.

    The order of nodes and their labels are not looked at.
    """
    orders = [rng.permutation(each.node_count) for each in (first, second)]
    mixed = [each.relabelled(order) for each, order in zip((first, second), orders, strict=True)]
    claimed = _confirmed(_in_rounds(mixed[0], mixed[1]), mixed[0], mixed[1])[orders[0]]
    back = np.append(np.argsort(orders[1]), -1)  # -1 stays -1
    return back[claimed]


def _in_rounds(first: Network, second: Network) -> IntVector:
    sides = first.to_scipy().astype(np.float64), second.to_scipy().astype(np.float64)
    degrees = [np.maximum(each.degrees, 1).astype(float) for each in (first, second)]
    claimed, before = _hubs(first, second), None
    for _ in range(MOST_ROUNDS):
        rated = _ratings(claimed, sides, degrees)
        better = _mutual_best(rated)
        if np.array_equal(better, claimed) or (before is not None and np.array_equal(better, before)):
            return better
        before, claimed = claimed, better
    return claimed


def _confirmed(claimed: IntVector, first: Network, second: Network) -> IntVector:
    """The claims that most claims about contacts agree with; of two unrelated networks none are left."""
    claimed = claimed.copy()
    known = np.flatnonzero(claimed >= 0)
    while len(known):
        reverse = np.full(second.node_count, -1, dtype=np.int64)
        reverse[claimed[known]] = known
        here = _between(claimed, first.edges)
        there = _between(reverse, second.edges)
        moved = Network.from_numbered_edges(reverse[there], first.node_count)
        both = here[_are_in(moved.edge_keys, here, first.node_count)]
        counts = [
            np.bincount(edges.ravel(), minlength=first.node_count) for edges in (both, here, moved.edges)
        ]
        enough = counts[0] >= np.maximum(WITNESSES, CONFIRMED * np.minimum(counts[1], counts[2]))
        doubtful = known[~enough[known]]
        if len(doubtful) == 0:
            break
        claimed[doubtful] = -1
        known = np.flatnonzero(claimed >= 0)
    return claimed


def _between(claimed: IntVector, edges: IntMatrix) -> IntMatrix:
    """The edges both of whose ends are claimed."""
    return edges[(claimed[edges] >= 0).all(axis=1)]


def _are_in(keys: IntVector, pairs: IntMatrix, nodes: int) -> Any:
    """Which of the pairs, smaller number first, have one of these keys: see `Network.edge_keys`."""
    return np.isin(pairs[:, 0].astype(np.int64) * nodes + pairs[:, 1], keys)


def _hubs(first: Network, second: Network) -> IntVector:
    """The first guess: of the best-connected of both, those whose numbers are nearest to each other's."""
    claimed = np.full(first.node_count, -1, dtype=np.int64)
    most = max(FEWEST_HUBS, min(first.node_count, second.node_count) // 10)
    hubs = [np.argsort(-each.degrees, kind="stable")[:most] for each in (first, second)]
    numbers = [_features(each)[some] for each, some in zip((first, second), hubs, strict=True)]
    apart = np.abs(numbers[0][:, None, :] - numbers[1][None, :, :]).sum(axis=2)
    nearest, reverse = apart.argmin(axis=1), apart.argmin(axis=0)
    mutual = reverse[nearest] == np.arange(len(hubs[0]))
    claimed[hubs[0][mutual]] = hubs[1][nearest[mutual]]
    return claimed


def _features(network: Network) -> Any:
    """Numbers that deletions change little: contacts, ties among them, and the same of the contacts."""
    from netveil.kernels.counting.triangles import triangles_per_node

    triangles = triangles_per_node(network.edges, network.degrees, available_cores())
    own = np.column_stack((network.degrees, triangles)).astype(float)
    around = network.to_scipy().astype(np.float64) @ own
    return np.log1p(np.column_stack((own, around)))


def _ratings(claimed: IntVector, sides: tuple[Any, Any], degrees: list[Any]) -> Any:
    """How many contacts of each pair are claimed to be the same, by the degrees of both; a sparse array."""
    from scipy.sparse import csr_array, diags_array

    known = np.flatnonzero(claimed >= 0)
    shape = (sides[0].shape[0], sides[1].shape[0])
    claims = csr_array((np.ones(len(known)), (known, claimed[known])), shape=shape)
    common = csr_array(sides[0] @ claims @ sides[1])
    common.data[common.data < WITNESSES] = 0
    common.eliminate_zeros()
    scale = [diags_array(1 / np.sqrt(each)) for each in degrees]
    return csr_array(scale[0] @ common @ scale[1])


def _mutual_best(rated: Any) -> IntVector:
    """The pairs that are each other's best by far."""
    best, clear = _best(rated)
    reverse, _ = _best(rated.T.tocsr())
    rows = np.arange(rated.shape[0])
    mutual = clear & (best >= 0) & (np.append(reverse, -1)[best] == rows)
    return np.where(mutual, best, -1)


def _best(rated: Any) -> tuple[IntVector, Any]:
    """The best column of each row, or -1, and whether it is clearly better than the second."""
    best = np.full(rated.shape[0], -1, dtype=np.int64)
    clear = np.zeros(rated.shape[0], dtype=bool)
    filled = np.flatnonzero(np.diff(rated.indptr))
    if len(filled) == 0:
        return best, clear
    row_of = np.repeat(np.arange(rated.shape[0]), np.diff(rated.indptr))
    order = np.lexsort((rated.indices, -rated.data, row_of))
    first = rated.indptr[filled]
    best[filled] = rated.indices[order[first]]
    highest = rated.data[order[first]]
    has_second = np.diff(rated.indptr)[filled] > 1
    following = rated.data[order[np.minimum(first + 1, len(order) - 1)]]
    clear[filled] = highest >= CLEARLY * np.where(has_second, following, 0)
    return best, clear
