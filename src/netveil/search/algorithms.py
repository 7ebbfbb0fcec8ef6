"""The one list of algorithms, each in a module of its own that is imported when it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.lazy import function_of
from netveil.search.settings import (
    GENETIC_PRESETS,
    Annealing,
    Genetic,
    Settings,
    Stepwise,
    changed,
    from_file,
)

if TYPE_CHECKING:
    import numpy as np

    from netveil.search.control import Control
    from netveil.search.outcome import Found
    from netveil.search.problem import Problem
    from netveil.search.warm_up import Run


@dataclass(frozen=True)
class Algorithm:
    """A way to search, as the registry lists it."""

    name: str
    description: str
    run: Run
    default: Settings
    presets: Mapping[str, Settings] = field(default_factory=dict)
    curve: Run | None = None  # finds solutions for parts of the budget on the way, where the algorithm can

    @property
    def generations_at_start(self) -> int | None:
        """Generations of a search that took no step: 0, or nothing to tell where it has no generations."""
        return 0 if isinstance(self.default, Genetic) else None

    def settings(self, config: str | Path | None, changes: Mapping[str, Any]) -> Settings:
        """The default settings, or a preset's, or a file's; then with single values changed."""
        chosen = self.default
        if config is not None:
            preset = self.presets.get(str(config))
            chosen = from_file(chosen, Path(config), self.presets) if preset is None else preset
        return changed(chosen, changes, "settings")


def _on_one_thread(run: Callable[[Problem, Any, np.random.Generator, Control], Found]) -> Any:
    def search(
        problem: Problem, settings: Any, rng: np.random.Generator, control: Control, threads: int
    ) -> Found:
        return run(problem, settings, rng, control)

    return search


_GENETIC_SEARCH = function_of("netveil.search.genetic.genetic", "genetic_search")

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "annealing",
            "beyond the paper: simulated annealing on exact and coarser states",
            function_of("netveil.search.annealing.annealing", "annealing"),
            Annealing(),
            curve=function_of("netveil.search.annealing.curve", "annealing_curve"),
        ),
        Algorithm(
            "ga",
            "the paper's genetic algorithm",
            partial(_GENETIC_SEARCH, unique_aware=False),
            GENETIC_PRESETS["conf2"],
            GENETIC_PRESETS,
        ),
        Algorithm(
            "uga",
            "the paper's uniqueness-aware genetic algorithm: mutates edges of nodes at risk",
            partial(_GENETIC_SEARCH, unique_aware=True),
            GENETIC_PRESETS["conf2"],
            GENETIC_PRESETS,
        ),
        Algorithm(
            "es",
            "baseline: deletes random edges",
            _on_one_thread(function_of("netveil.search.baselines.edge_sampling", "edge_sampling")),
            Stepwise(),
        ),
        Algorithm(
            "ua",
            "baseline: deletes random edges, preferring those that touch many nodes at risk",
            _on_one_thread(function_of("netveil.search.baselines.affected_unique", "affected_unique")),
            Stepwise(),
        ),
    )
}
DEFAULT_ALGORITHM = "annealing"
