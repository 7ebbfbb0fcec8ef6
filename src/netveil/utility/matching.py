"""Which node of the released network is which of the original: by label, or through a table of labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from netveil.errors import NetworkError
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.words import are, counted


def people_of(original: Network, released: Network, labels: Mapping[Any, Hashable] | None) -> IntVector:
    """The number in the original of each released node.

    Labels are compared as text, because a file holds text where a program may hold numbers. `labels` maps
    those of the original to those of the released network.
    """
    if labels is None and original.labels == released.labels:
        return np.arange(original.node_count)
    published = original.labels if labels is None else _translated(original, labels)
    number_of = _numbers(published, "original")
    numbers = [number_of.get(str(label), -1) for label in released.labels]
    _numbers(released.labels, "released network")
    shared = sum(number >= 0 for number in numbers)
    if shared < len(numbers) or shared < original.node_count:
        raise NetworkError(_do_not_match(original, released, shared, labels is not None))
    return np.array(numbers, dtype=np.int64)


def matched(original: Network, released: Network, labels: Mapping[Any, Hashable] | None) -> Network:
    """The released network with the node numbers and labels of the original."""
    edges = people_of(original, released, labels)[released.edges]
    return Network.from_numbered_edges(edges, original.node_count, original.labels, name=released.name)


def _translated(original: Network, labels: Mapping[Any, Hashable]) -> list[Hashable]:
    published = {str(old): new for old, new in labels.items()}
    found = [str(label) for label in original.labels if str(label) in published]
    if len(found) < original.node_count:
        raise NetworkError(
            f"the table of labels has {len(found):,} of the original's {original.node_count:,} nodes; "
            f"give the table (original, published) that belongs to this original."
        )
    return [published[label] for label in found]


def _numbers(labels: Iterable[Hashable], whose: str) -> dict[str, int]:
    texts = [str(label) for label in labels]
    numbers = {text: number for number, text in enumerate(texts)}
    shared = len(texts) - len(numbers)
    if shared:
        raise NetworkError(
            f"{counted(shared, 'label')} of the {whose} {are(shared)} not unique when written as text; "
            f"give each node a label of its own."
        )
    return numbers


def _do_not_match(original: Network, released: Network, shared: int, translated: bool) -> str:
    found = (
        f"the networks do not have the same nodes: {original.node_count:,} in the original, "
        f"{released.node_count:,} in the released network, {shared:,} in both by label."
    )
    if translated:
        return f"{found} Give the table of labels that belongs to this release."
    if shared == released.node_count:
        return f"{found} Nodes without edges must be in the released file too."
    return (
        f"{found} If the release has fresh labels, give its release folder or its table of labels "
        f"(private/labels.csv)."
    )
