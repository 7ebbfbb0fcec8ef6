"""The order of labels: who sees nodes and edges in it learns nothing of the order that they had in a file."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netveil.network import Network

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


def label_order(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    """Nodes in the order of their labels: by number where all of them are whole numbers, else as text.

    >>> label_order(["10", "9", "-1"]).tolist(), label_order(["10", "9", "b"]).tolist()
    ([2, 1, 0], [0, 1, 2])
    """
    texts = list(map(str, labels))
    by_number = all(map(_WHOLE_NUMBER.fullmatch, texts))
    keys = [(int(text) if by_number else 0, text) for text in texts]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def in_label_order(network: Network) -> Network:
    """The same network with its nodes numbered by label, and so its edges and their ends.

    >>> in_label_order(Network.from_edges([("carol", "bob"), ("bob", "ann")])).to_edges()
    [('ann', 'bob'), ('bob', 'carol')]
    """
    if isinstance(network.labels, range):
        return network
    labels = list(network.labels)
    order = label_order(labels)
    if (np.diff(order) == 1).all():
        return network
    sorted_labels = tuple(labels[node] for node in order.tolist())
    numbered = network.relabelled(np.argsort(order))
    is_range = sorted_labels == tuple(numbered.labels)
    return numbered if is_range else replace(numbered, labels=sorted_labels)
