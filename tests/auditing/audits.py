"""Releases to audit, and the slow twin of the attack: what the tests of the audit share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import netveil as nv
from naive import count_states
from netveil.auditing import Tally
from netveil.network import Network

State = tuple[int, ...]
FIGURES = ("found", "among_few", "among_many", "misled", "not_found", "success")


def shuffled(network: Network, seed: int = 1, deleted: int = 0) -> tuple[Network, dict[int, int]]:
    """The network less some edges under fresh numbers in random order, and the table of labels."""
    rng = np.random.default_rng(seed)
    new_number = rng.permutation(network.node_count)
    remaining = network.without_edges(rng.choice(network.edge_count, deleted, replace=False))
    table = dict(zip(network.labels, new_number.tolist(), strict=True))
    return remaining.relabelled(new_number), table  # type: ignore[return-value]


def published(network: Network, folder: Path, name: str = "network.txt") -> Path:
    """A release folder with the network in it and nothing else; returns the file."""
    (folder / "public").mkdir(parents=True)
    file = folder / "public" / name
    nv.write(network, file)
    return file


def states(network: Network, measure: str) -> list[State]:
    """(degree) or (degree, triangles) of each node, by networkx."""
    return [state[:1] if measure == "degree" else state for state in count_states(network)]


def similar(known: State, other: State, fuzzy: Fraction | None) -> bool:
    """Whether `other` may be meant by an attacker who knows `known`."""
    return all(abs(a - b) <= (fuzzy or 0) * a for a, b in zip(known, other, strict=True))


def fallen(known: State, other: State, share: Fraction) -> bool:
    """Whether deletions that lower numbers by that share at most may have made `other` of `known`."""
    return all((1 - share) * a <= b <= a for a, b in zip(known, other, strict=True))


def slow_attack(
    original: Network,
    released: Network,
    table: Mapping[int, int],
    measure: str,
    fuzzy: Fraction | None,
    alike: Callable[[State, State, Any], bool] = similar,
) -> dict[str, float]:
    """Figures of an attack, person by person; `table` is from node to node, `alike` says who is meant."""
    known, there = states(original, measure), states(released, measure)
    figures = dict.fromkeys(FIGURES, 0.0)
    for person, state in enumerate(known):
        candidates = {node for node, other in enumerate(there) if alike(state, other, fuzzy)}
        if not candidates:
            figures["not_found"] += 1
        elif table[person] not in candidates:
            figures["misled"] += 1
        else:
            count = len(candidates)
            figures["found" if count == 1 else "among_few" if count < 10 else "among_many"] += 1
            figures["success"] += 1 / count / original.node_count
    return figures


def figures_of(tally: Tally) -> dict[str, float]:
    """The same figures of an attack by netveil."""
    document = tally.to_dict()
    return {name: document[name] for name in FIGURES}
