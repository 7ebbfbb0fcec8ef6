"""How compiled code asks a Python function for the states of a user-defined measure.

A function cannot be handed to compiled code without losing the disk cache, so the code knows a number, and
the function waits under it in `FOLLOWERS`.
"""

from __future__ import annotations

from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import internal, objmode


class Follower(Protocol):
    """Tells the states of a network while edges are deleted and restored."""

    def follow(self, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector) -> IntVector:
        """Bring signatures (n) up to date after these edges were flipped; returns the nodes looked at."""
        ...


FOLLOWERS: WeakValueDictionary[int, Follower] = WeakValueDictionary()
"""By number. Whoever makes a follower keeps it alive as long as compiled code may ask for it."""


def ask(number: int, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector) -> IntVector:
    """What the follower of this number says."""
    return FOLLOWERS[number].follow(present, flipped, signatures)


@internal
def follow_given(
    number: int, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector
) -> NDArray[np.int64]:
    """Ask Python for the signatures (n), which are written, of the network with these edges flipped."""
    with objmode(nodes="int64[::1]"):
        nodes = ask(number, present, flipped, signatures)
    return nodes
