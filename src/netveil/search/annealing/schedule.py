"""How temperature and smoothing fall while a chain walks: nobody has to tune them."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.leg import Leg

COLD = 0.15  # temperature at last, in nodes at risk
SMOOTH_UNTIL = 0.9  # share of the walk after which only exact states count
EAGERNESS = 0.3  # what a deleted edge is worth while too many are at risk, in multiples of the temperature
PRICE = 1.0  # what it costs once few enough are, in the same units
TIGHT, AMPLE = 0.25, 0.75  # edges that may be deleted for each node at risk
HOTTEST_IF_PLAIN = (
    0.3  # temperature at first, without coarser levels to lead the way back from worse solutions
)
FROM_TIGHT, FROM_AMPLE, WARM = (1.0, 2.0), (4.0, 14.0), (0.8, 2.0)  # temperature at first, smoothing


@dataclass(frozen=True)
class Schedule:
    """Temperatures in nodes at risk: at T, a proposal that puts T nodes more at risk is accepted in 37%."""

    budget: int
    enough: int  # nodes at risk that are few enough
    hot: float  # temperature at first
    smoothing: float  # what being alone at all coarser levels counts at first, in nodes at risk
    cold: float  # temperature at last; it falls by the same factor in equal times
    price: float  # what a deleted edge costs once few enough are at risk, in multiples of the temperature

    @classmethod
    def fit_for(cls, problem: Problem, budget: int) -> Schedule:
        """The schedule for a budget, that of the problem or less.

        With one deletion for every four nodes at risk there is nothing to rearrange: lookalikes must be found
        nearby. With three for every four, hubs can be brought together from further away, which takes heat
        and coarser views.
        """
        from netveil.kernels.following.state import Total

        at_risk = int(problem.original.totals[Total.AT_RISK])
        plenty = min(max((budget / max(at_risk, 1) - TIGHT) / (AMPLE - TIGHT), 0.0), 1.0)
        hot, smoothing = (
            exp(log(tight) + plenty * (log(ample) - log(tight)))
            for tight, ample in zip(FROM_TIGHT, FROM_AMPLE, strict=True)
        )
        price = 0.0 if problem.target is None else PRICE
        return cls(budget, problem.enough, _bounded(problem, hot), smoothing, COLD, price)

    @classmethod
    def warmed_up(cls, problem: Problem) -> Schedule:
        """The schedule to go on from a good solution."""
        hot, smoothing = WARM
        return cls(problem.budget, problem.enough, _bounded(problem, hot), smoothing, COLD, 0.0)

    def temperature(self, share: float) -> float:
        """The temperature when this share of the walk is done."""
        return float(self.hot * (self.cold / self.hot) ** share)

    def smoothing_at(self, share: float) -> float:
        """The weight of the coarser levels when this share of the walk is done."""
        return self.smoothing * max(0.0, 1.0 - share / SMOOTH_UNTIL)

    def leg(self, proposals: int, since: float, until: float, picky: bool) -> Leg:
        """So many proposals from one share of the walk to another."""
        from netveil.kernels.annealing.leg import Leg

        temperatures = self.temperature(since), self.temperature(until)
        return Leg(
            proposals=proposals,
            budget=self.budget,
            enough=self.enough,
            worth=EAGERNESS * temperatures[0],
            price=self.price * temperatures[0],
            temperature=temperatures,
            picky=picky,
            smoothing=(self.smoothing_at(since), self.smoothing_at(until)),
        )


def _bounded(problem: Problem, hot: float) -> float:
    """The temperature at first, lower for chains that look at nothing but who is at risk."""
    return hot if problem.linear_weights is not None else min(hot, HOTTEST_IF_PLAIN)
