"""What an annealing walk is to do next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Leg(NamedTuple):
    """What to do until the caller looks again. The temperature goes from one value to another."""

    proposals: int
    begun: int  # proposals of the leg that are made already
    partners_hold: tuple[int, int]  # proposals made, and accepted, until partners are to be found anew
    budget: int  # edges that may be deleted in the end: the best never deletes more
    allowed: int  # edges that may be deleted now
    wanted: int  # edges that had better be deleted now: a controller sees to it
    enough: int  # nodes at risk that are few enough: the walk is over when no more are
    temperature: tuple[float, float]
    worth: float  # what a deletion is worth to a walk without a controller, in nodes at risk
    guided: float  # share of the proposals that are guided chains
    costs: NDArray[np.float64]  # (2, gaps): what a node at risk costs by its gap, for most nodes and for hubs
