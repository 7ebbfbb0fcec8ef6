"""Who is who in the two networks. The attack does not need to know; only its score does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from netveil.errors import NetworkError
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.matching import matched, people_of

NO_SCORE = "no score, because it is not known who is who"


@dataclass(frozen=True, eq=False)
class Identity:
    """The released network, and which of its nodes is which of the original as far as that is known."""

    released: Network  # with the node numbers of the original where it is known who is who
    people: IntVector | None = None  # the number in the original of each published node, where known
    notes: tuple[str, ...] = ()  # why it is not known


def identify(original: Network, released: Network, labels: Mapping[Any, Hashable] | None) -> Identity:
    """Match the nodes through a table of labels, or else by label.

    Fresh numbers 0..n-1 also match the labels of an original whose labels are numbers, though they are other
    people. So if the original lacks most of the released edges, the labels are taken to be fresh numbers.
    """
    try:
        people = people_of(original, released, labels)
    except NetworkError as error:
        return Identity(released, notes=(f"{NO_SCORE}: {error}",))
    shared = original.shared_edges(people[released.edges])
    if 2 * shared < released.edge_count:
        guess = (
            "the labels seem to be fresh" if labels is None else "the table seems to be of another release"
        )
        reason = (
            f"{NO_SCORE}: by label, the original lacks {released.edge_count - shared:,} of the "
            f"{released.edge_count:,} released edges, so {guess}. Give the release folder, or its table of "
            f"labels (private/labels.csv)."
        )
        return Identity(released, notes=(reason,))
    return Identity(matched(original, released, labels), people)
