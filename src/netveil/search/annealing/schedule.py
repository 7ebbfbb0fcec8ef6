"""How temperature, costs and the budget change while a chain walks: nobody has to tune them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.search.annealing.build_walk import FIRST_UNIT
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.leg import Leg

HOT, COLD = 1.8, 0.27  # temperature at first and after most of the walk, in nodes at risk
COOLED, COLDEST = (
    0.9,
    0.12,
)  # share of the walk until then, and temperature at last: what stirred comes to rest
TIGHT, AMPLE = 0.25, 1.0  # edges that may be deleted for each node at risk
STEEP_IF_TIGHT, STEEP, FLAT = 0.3, 0.6, 0.05  # exponent of the gap at first, and at last
STEEP_IF_LONG = 0.66  # the same at first where the walk is long and the budget ample
SHORT, LONG = 300, 1_250  # proposals an edge of a walk that is not long, and of one that is
FEWEST_EDGES = 16_000  # that count for this: in small networks the same number of proposals is not long
MORE_FOR_HUBS = 0.1  # added to it for hubs where the budget is ample
GROWTH, GROWN = 0.35, 0.6  # share of the budget that is withheld at first, and of the walk until all is given
MARGIN, NO_MARGIN = 0.025, 0.85  # share of it that is kept free for swaps, until this share of the walk
GUIDED, UNGUIDED = 0.03, 0.15  # share of guided proposals, and of the walk that does without
WARM = 0.5  # share of a walk that is left out where it begins at a good solution
HOT_IF_PLAIN, COLD_IF_PLAIN, WORTH = 0.3, 0.15, 0.3  # the same where gaps are unknown; worth of a deletion
PROPOSED_A_NODE, ACCEPTED_A_NODE = 8, 0.5  # proposals, all and accepted, after which partners are found anew
FEWEST_PROPOSED = 2_000  # of them, where there are hardly any nodes
MOST_GAPS = 1 << 14  # larger gaps cost as much as this one


@dataclass(frozen=True)
class Schedule:
    """Temperatures in nodes at risk: at T, a proposal that puts T nodes more at risk is accepted in 37%."""

    budget: int
    enough: int  # nodes at risk that are few enough
    hot: float  # temperature at first
    cold: float  # temperature after most of the walk; it falls by the same factor in equal times
    coldest: float  # temperature at last
    gaps: int  # gaps that a table of costs has; 0 where nobody knows of gaps
    steep: tuple[float, float]  # exponents of the gap at first, for most nodes and for hubs
    partners_hold: tuple[int, int] = (0, 0)  # proposals, all and accepted, until partners are found anew
    first: float = 0.0  # share of the schedule at which the walk begins

    @classmethod
    def fit_for(
        cls, problem: Problem, budget: int, enough: int, first: float = 0.0, proposals: float = 0.0
    ) -> Schedule:
        """The schedule for a budget, that of the problem or less, and for so many nodes at risk.

        With one deletion for every four nodes at risk there is little to rearrange: lookalikes must be found
        nearby, and large gaps must not count for much. In a walk of very many proposals they may count for
        more: there is time to close them.
        """
        from netveil.kernels.following.state import Total

        if problem.linear_weights is None:
            cold = COLD_IF_PLAIN
            return cls(budget, enough, HOT_IF_PLAIN, cold, cold, 0, (0.0, 0.0), first=first)
        at_risk = int(problem.original.totals[Total.AT_RISK])
        plenty = min(max((budget / max(at_risk, 1) - TIGHT) / (AMPLE - TIGHT), 0.0), 1.0)
        ample = STEEP + _longness(proposals, problem.edge_count) * (STEEP_IF_LONG - STEEP)
        steep = STEEP_IF_TIGHT + plenty * (ample - STEEP_IF_TIGHT)
        steeps = (steep, steep + plenty * MORE_FOR_HUBS)
        nodes = problem.network.node_count
        hold = max(FEWEST_PROPOSED, PROPOSED_A_NODE * nodes), int(ACCEPTED_A_NODE * nodes)
        return cls(budget, enough, HOT, COLD, COLDEST, _gaps(problem), steeps, hold, first)

    def temperature(self, share: float) -> float:
        """The temperature when this share of the schedule is done."""
        cooled = 1.0 if self.coldest == self.cold else COOLED
        if share <= cooled:
            return float(self.hot * (self.cold / self.hot) ** (share / cooled))
        return float(self.cold * (self.coldest / self.cold) ** ((share - cooled) / (1 - cooled)))

    def allowed(self, share: float) -> int:
        """Edges that may be deleted when this share of the schedule is done: the budget grows."""
        return int(self.budget * (1 - GROWTH * max(0.0, 1 - share / GROWN)))

    def costs(self, share: float) -> NDArray[np.float64]:
        """What a node at risk costs by its gap, for most nodes and for hubs: gap^p, where p falls.

        A large p draws those together who are far apart; a small one counts who is at risk.
        """
        logs = np.log(np.maximum(np.arange(self.gaps), 1))
        return np.exp([(steep + (FLAT - steep) * share) * logs for steep in self.steep])

    def leg(self, proposals: int, since: float, until: float) -> Leg:
        """So many proposals from one share of the walk to another."""
        from netveil.kernels.annealing.leg import Leg

        since, until = (self.first + (1 - self.first) * share for share in (since, until))
        middle = (since + until) / 2
        allowed = self.allowed(middle) if self.gaps else self.budget
        temperatures = self.temperature(since), self.temperature(until)
        return Leg(
            proposals=proposals,
            begun=0,
            partners_hold=self.partners_hold,
            budget=self.budget,
            allowed=allowed,
            wanted=allowed if middle > NO_MARGIN else allowed - int(MARGIN * allowed),
            enough=self.enough,
            temperature=temperatures,
            worth=WORTH * temperatures[0],
            guided=GUIDED if middle > UNGUIDED else 0.0,
            costs=self.costs(middle),
        )


def _longness(proposals: float, edges: int) -> float:
    """How long a walk of so many proposals is: from 0 at SHORT to 1 at LONG, by the logarithm."""
    an_edge = max(proposals / max(edges, FEWEST_EDGES), SHORT)
    return min(float(np.log(an_edge / SHORT) / np.log(LONG / SHORT)), 1.0)


def _gaps(problem: Problem) -> int:
    """Entries of a table of costs: no gap is larger than that from the first node to one without edges."""
    assert problem.linear_weights is not None
    original = problem.original
    degree, triangles = int(original.degrees.max(initial=0)), int(original.triangles.max(initial=0))
    first, second = (per[0] * degree + per[1] * triangles for per in problem.linear_weights.numbers)
    return min(MOST_GAPS, FIRST_UNIT * first + second + 2)
