"""Who can be singled out in a network that is in blocks: what `anonymity_of` says of it in one memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Anonymity, Attacker, Attackers, Weights, checked_k
from netveil.anonymity.partition import anonymity_from_states
from netveil.blocks.counting import edges_with_an_end, here, triangles_by_rank
from netveil.blocks.manifest import Blocks
from netveil.errors import SettingError, option
from netveil.kernels.arrays import IntMatrix


class BlockAnonymity(NamedTuple):
    """What is known of a network in blocks."""

    anonymity: Anonymity  # nodes by rank
    edges_at_risk: int  # edges with an end at risk


def measure_blocks(
    blocks: Blocks,
    attackers: Attackers,
    *,
    dask: str | None = None,
    listener: Callable[[float], None] | None = None,
) -> BlockAnonymity:
    """Who is at risk, counted block by block: on this machine, or by the workers of a Dask scheduler.

    Only for attackers who count a person's contacts, and the ties among them; others need the network. This
    process takes about 90 bytes a node; a task what `Blocks.bytes_of` says.
    """
    weights = [_weights(attacker) for attacker in attackers.each]
    checked_k(attackers.k, blocks.node_count)
    if dask is not None:
        from netveil.blocks.on_dask import on_cluster
    with nullcontext(here) if dask is None else on_cluster(dask) as run:
        degrees = blocks.degrees()
        triangles = np.zeros(0, np.int64)
        if any(per_triangle for each in weights for _, per_triangle in each.numbers):
            triangles = triangles_by_rank(blocks, run, listener)
        states = (_states(each, degrees, triangles) for each in weights)
        anonymity = anonymity_from_states(blocks, attackers.each, states, attackers.k)
        return BlockAnonymity(anonymity, edges_with_an_end(blocks, anonymity.nodes_at_risk, run))


def _weights(attacker: Attacker) -> Weights:
    """How an attacker's states follow from degrees and triangles; SettingError if they do not."""
    parts = attacker.measure.parts(attacker.distance)
    if len(parts) != 1 or parts[0].weights is None:
        raise SettingError(
            f"{attacker.name} cannot be measured in blocks, only degree, count and edge-count at distance 1; "
            f"choose one of them, or leave {option('blocks')} out on a machine that has room for the network."
        )
    if attacker.twins:
        raise SettingError(
            f"twins cannot be told in blocks; leave {option('twins', True)} out, or {option('blocks')}."
        )
    return parts[0].weights


def _states(weights: Weights, degrees: NDArray[np.int32], triangles: NDArray[np.int64]) -> IntMatrix:
    """One row a node: the numbers that the attacker knows."""
    columns = [
        per_degree * degrees.astype(np.int64) + (per_triangle * triangles if per_triangle else 0)
        for per_degree, per_triangle in weights.numbers
        if (per_degree, per_triangle) != (0, 0)
    ]
    return np.column_stack(columns)
