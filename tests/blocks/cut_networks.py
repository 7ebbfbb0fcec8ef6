"""Networks to cut into blocks, and what is the same of one that is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers, anonymity_of
from netveil.blocks import measure_blocks, open_blocks
from netveil.network import Network


def with_a_hub(nodes: int = 60, edges: int = 200) -> Network:
    """Somebody knows everybody, and others the fewer the higher their number."""
    rng = np.random.default_rng(3)
    ends = (nodes * rng.random((edges, 2)) ** 2).astype(np.int64)
    hub = np.column_stack((np.full(nodes - 1, nodes - 1), np.arange(nodes - 1)))
    return Network.from_numbered_edges(np.concatenate((hub, ends)), nodes)


def in_memory(network: Network, attackers: Attackers) -> tuple[dict[str, Any], int]:
    """The document of a network that was measured in one memory, and its edges at risk."""
    found = anonymity_of(network, attackers.each, attackers.k)
    return found.to_dict(), len(found.edges_at_risk(network))


def in_blocks(folder: Path, attackers: Attackers, dask: str | None = None) -> tuple[dict[str, Any], int]:
    """The document of blocks, and their edges at risk."""
    anonymity, edges_at_risk = measure_blocks(open_blocks(folder), attackers, dask=dask)
    return anonymity.to_dict(), edges_at_risk
