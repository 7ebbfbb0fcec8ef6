"""Triangles on each edge between blocks of nodes: what `triangles` counts on nodes, counted on edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.compiled import compiled
from netveil.kernels.counting.orienting import Rows


@compiled
def count_on_edges(
    uv: Rows,
    uw: Rows,
    vw: Rows,
    on_uv: NDArray[np.int32],
    on_uw: NDArray[np.int32],
    on_vw: NDArray[np.int32],
    place_of: NDArray[np.int64],
) -> None:
    """Add each triangle u, v, w to its three edges. Writes the counts, which are as long as the targets.

    The rows are those of `count_triangles`: where two of the three are the same, so are their counts.
    `place_of` has room for each node that w may be, and is 0 between calls.
    """
    for u in range(uv.offsets.shape[0] - 1):
        if uv.offsets[u] == uv.offsets[u + 1]:
            continue
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            place_of[uw.targets[place]] = place + 1
        for place in range(uv.offsets[u], uv.offsets[u + 1]):
            v = uv.targets[place]
            for further in range(vw.offsets[v], vw.offsets[v + 1]):
                closing = place_of[vw.targets[further]]
                if closing > 0:
                    on_uv[place] += 1
                    on_uw[closing - 1] += 1
                    on_vw[further] += 1
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            place_of[uw.targets[place]] = 0
