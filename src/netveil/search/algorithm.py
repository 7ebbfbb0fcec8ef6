"""What an algorithm is: a search, its settings, and what tuning, forecasts and reports must know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from netveil.search.settings import Settings, changed, from_file

if TYPE_CHECKING:
    import numpy as np

    from netveil.search.control import Control
    from netveil.search.problem import Problem
    from netveil.search.progress import Steps

Search: TypeAlias = "Callable[[Problem, Any, np.random.Generator, Control, int], Steps]"
"""Searches: given the problem, settings, random numbers, the control and the number of threads.

Starts the control's clock as soon as everything of the size of the network is set up.
"""


class Work(NamedTuple):
    """How much a search does in all, to say beforehand how long it takes."""

    solutions: int  # that it tries
    edges: int  # in which two of them differ
    is_least: bool  # whether more may come


class Tenfold(NamedTuple):
    """What a search that takes ten times as long leaves of those at risk, as it was measured."""

    deletions: float  # in the budget for each node at risk at first: from so many on
    low: float  # shares that it leaves: in one pair of searches of ten less,
    likely: float  # in half of them,
    high: float  # and in one of ten more


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A way to search, as its file declares it; `ALGORITHMS` lists all of them."""

    name: str
    search: Search
    default: Settings
    work: Callable[[Problem, Any], Work]
    grid: Mapping[str, Sequence[Any]]  # values of settings that `tune` tries
    steps_between_halvings: Callable[[Sequence[Any]], int]  # of `tune`, for the settings that it tries
    unit: str = "step"  # what a step is called
    presets: Mapping[str, Settings] = field(default_factory=dict)
    curve: Search | None = None  # finds solutions for parts of the budget on the way, where the algorithm can
    shown_beside: Literal["every release", "curves"] | None = None  # in reports, for comparison
    takes_excerpt: Callable[[Problem, Any], bool] = lambda problem, settings: False
    """Whether a search, of the whole budget or for a curve, has no use for arrays of the whole network."""
    tenfold: Sequence[Tenfold] = ()  # by deletions; empty where nobody measured it, or time does not matter

    @property
    def counts_generations(self) -> bool:
        """Whether its steps are what the paper calls generations."""
        return self.unit == "generation"

    def settings(self, config: str | Path | None, changes: Mapping[str, Any]) -> Settings:
        """The default settings, or a preset's, or a file's; then with single values changed."""
        chosen = self.default
        if config is not None:
            preset = self.presets.get(str(config))
            chosen = from_file(chosen, Path(config), self.presets) if preset is None else preset
        return changed(chosen, changes, "settings")
