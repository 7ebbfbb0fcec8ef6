"""Tuning of an algorithm's settings on a network, the paper's appendix: successive halving on a grid.

`Grid` (values to try) → `Contender` (a run that can pause) → `halve` (who goes on) → `TuningResult` (curves
and ranks); `tune` calls them all, and `tuning_folder.py` shows and keeps the result.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from netveil._version import __version__
from netveil.anonymity import DEFAULT_MEASURE, AnyMeasure, Attackers
from netveil.errors import FileError, NetworkError, SettingError, check_kinds, is_whole, shown_value
from netveil.formatting import counted, table_of
from netveil.opening import open_network
from netveil.plotting import on_axes
from netveil.progress import AnyProgress, watched_by
from netveil.search import ALGORITHMS, Algorithm, Control, Problem
from netveil.search.algorithm import Settings, changed, toml_values
from netveil.search.budget import edges_allowed
from netveil.search.control import Found, Step, Steps
from netveil.search.problem import edge_order
from netveil.studies import FINALISTS
from netveil.threads import available_cores

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from netveil.opening import AnyNetwork


MOST_COMBINATIONS = 10**12


@dataclass(frozen=True)
class Grid:
    """Values of settings, each already checked; a configuration is one of each."""

    default: Settings  # where the settings come from that are not varied
    values: Mapping[str, tuple[Any, ...]]

    @property
    def size(self) -> int:
        """Number of configurations."""
        return prod(len(each) for each in self.values.values())

    def configuration(self, number: int) -> Settings:
        """The configuration of this number, from 1; the value of the last setting changes fastest."""
        places = np.unravel_index(number - 1, [len(each) for each in self.values.values()])
        chosen = {name: each[place] for (name, each), place in zip(self.values.items(), places, strict=True)}
        return changed(self.default, chosen, "grid")

    def drawn(self, count: int, seed: int) -> list[int]:
        """Numbers of `count` configurations drawn at random without replacement, ascending; all if fewer."""
        chosen = np.random.default_rng(seed).choice(self.size, min(count, self.size), replace=False)
        return sorted((chosen + 1).tolist())


def grid_for(algorithm: str, given: Mapping[str, Any] | str | Path | None = None) -> Grid:
    """The grid of an algorithm: its own, or one given as a TOML file or by name of a setting.

    >>> grid_for("uga").size
    432
    >>> grid_for("ga", {"crossover": [25, "uniform"], "patience": 80}).size
    2
    """
    default = ALGORITHMS[ALGORITHMS.named(algorithm)].default
    if not fields(default):
        raise SettingError(f"algorithm {algorithm} has no settings to tune; choose another.")
    if given is None:
        given = ALGORITHMS[algorithm].grid
    source = "grid" if isinstance(given, Mapping) else str(given)
    if not isinstance(given, Mapping):
        given = toml_values(Path(given), "no such file", "crossover = [25, 'uniform']")
    values: dict[str, tuple[Any, ...]] = {}
    for name, wished in given.items():
        listed = list(wished) if isinstance(wished, list | tuple) else [wished]
        key = str(name).replace("-", "_")
        try:
            found = tuple(getattr(changed(default, {key: value}, source), key) for value in listed)
        except SettingError as error:
            message = str(error)
            raise SettingError(message if message.startswith(source) else f"{source}: {message}") from None
        if not found or key in values or len(set(found)) < len(found):
            raise SettingError(f"{source}: {name} has no value, or a value twice; give each once.")
        values[key] = found
    grid = Grid(default, values)
    if not values or grid.size > MOST_COMBINATIONS:
        raise SettingError(
            f"{source}: nothing to vary, or too many combinations ({grid.size:,}); give values of some "
            f"settings, such as crossover = [25, 'uniform']."
        )
    return grid


# Successive halving: all configurations run some generations, the better half goes on, and so forth.
#
#     while more are left than shall run to the end:
#         let all that are left run `every` generations more
#         eliminate the worse half; the others go on from where they are
#     let the finalists run to their end
#
# A search is a generator: to pause it is not to ask for its next step, to eliminate it is to close it.
# Whether a run pauses, and beside which others it computes, makes no difference to what it finds.


@dataclass(frozen=True)
class RoundStatus:
    """Progress of a tournament."""

    until: int | None  # the generation to which all run now; None: to their end
    running: int  # runs of this round
    arrived: int  # of which have come so far
    best: int | None  # the lowest objective, once there is one

    def on_bar(self, unit: str) -> tuple[int, int, str]:
        """How many runs have come, of how many, and the words for it; `unit` is what a step is called."""
        where = "at the end" if self.until is None else f"at {unit} {self.until:,}"
        best = "" if self.best is None else f" · best objective {self.best:,}"
        return self.arrived, self.running, f"{self.arrived:,} of {counted(self.running, 'run')} {where}{best}"


@dataclass(eq=False)
class Contender:
    """A run of one configuration, which can pause."""

    number: int  # of the configuration in the grid
    settings: Settings
    control: Control
    search: Steps
    steps: list[Step] = field(default_factory=list)
    seconds: float = 0.0  # of computing, without pauses
    found: Found | None = None  # once it has come to its end
    eliminated_at: int | None = None

    @classmethod
    def of(
        cls, number: int, settings: Settings, algorithm: Algorithm, problem: Problem, seed: int, stop: Control
    ) -> Contender:
        """Set up a run, which has not begun; `stop` stops it too."""
        control, rng = Control(whole=stop), np.random.default_rng(seed)
        return cls(number, settings, control, algorithm.search(problem, settings, rng, control, 1))

    def advance(self, until: int | None) -> None:
        """Run until it has come to this step, or to its end; any thread may call this, one at a time."""
        if self.found is not None or (not self.steps and self.control.asked_to_stop() is not None):
            return
        began = time.perf_counter()
        try:
            while until is None or not self.steps or self.steps[-1].number < until:
                self.steps.append(next(self.search))
        except StopIteration as end:
            self.found = end.value
        self.seconds += time.perf_counter() - began

    def objectives(self) -> tuple[int, ...]:
        """Best objective so far, by step from 0.

        A search yields once more after its last step, for the solution that it returns: this counts in the
        place of that step, unless it is worse because it was made to keep the budget.
        """
        best: dict[int, int] = {}
        for step in self.steps:
            best[step.number] = min(step.objective, best.get(step.number, step.objective))
        return tuple(best.values())

    def curve(self, problem: Problem, at_risk_before: int) -> Curve:
        """Record of this run; what it found is counted again."""
        found, at_risk = self.found, None
        if found is not None:  # as in `anonymize`, nothing is deleted where that would be better
            at_risk = min(problem.recount(found.deleted_edges)[0], at_risk_before)
        return Curve(
            number=self.number,
            settings=asdict(self.settings),
            objectives=self.objectives(),
            eliminated_at=self.eliminated_at,
            at_risk=at_risk,
            stopped_by="eliminated" if found is None or self.eliminated_at is not None else found.stopped_by,
            evaluations=self.steps[-1].evaluations,
            seconds=round(self.seconds, 3),
        )


def halve(
    contenders: Sequence[Contender],
    every: int,
    finalists: int,
    workers: int,
    stop: Control,
    listener: Callable[[RoundStatus], None],
) -> None:
    """Run contenders in threads, eliminate the worse half again and again, and let the last run to their end.

    Whoever stops it gets the best so far of all that are left.
    """
    pool = ThreadPoolExecutor(workers)

    def advance(until: int | None) -> None:
        arriving = pool.map(lambda contender: contender.advance(until), left)
        for arrived, _ in enumerate(arriving, start=1):
            best = min((step.objective for each in left for step in list(each.steps)), default=None)
            listener(RoundStatus(until, len(left), arrived, best))

    left, step = list(contenders), 0
    try:
        while len(left) > finalists and stop.asked_to_stop() is None:
            step += every
            advance(step)
            if stop.asked_to_stop() is not None or all(contender.found is not None for contender in left):
                break
            # Equally good ones are told apart by their place in the grid, never by who was first to arrive.
            left.sort(key=lambda contender: (contender.objectives()[-1], contender.number))
            going_on = max((len(left) + 1) // 2, finalists)
            for contender in left[going_on:]:
                contender.eliminated_at = step
                contender.search.close()  # frees what it holds
            left = sorted(left[:going_on], key=lambda contender: contender.number)
        advance(None)
    finally:
        for contender in contenders:
            contender.control.interrupt()
        pool.shutdown(cancel_futures=True)
        for contender in contenders:
            contender.search.close()


# What tuning returns: the curve of every configuration, and their ranking.


@dataclass(frozen=True)
class Curve:
    """Course of one configuration."""

    number: int  # of the configuration in the grid
    settings: dict[str, Any]
    objectives: tuple[int, ...]  # best so far by generation or step
    eliminated_at: int | None  # the generation; None if it ran to its end
    at_risk: int | None  # in the end; None where it was eliminated before: its best may break the budget
    stopped_by: str  # 'eliminated', or what ended the search
    evaluations: int
    seconds: float = field(compare=False)  # of computing, without pauses

    @property
    def objective(self) -> int:
        """Best objective in the end."""
        return self.objectives[-1]

    @property
    def generations(self) -> int:
        """Generations, or steps, that it ran."""
        return len(self.objectives) - 1

    @property
    def score(self) -> int:
        """Nodes at risk; the objective where it was eliminated."""
        return self.objective if self.at_risk is None else self.at_risk

    @property
    def rank_key(self) -> tuple[float, ...]:
        """Key of the ranking: finalists by score, others by how long they stayed, then by objective."""
        if self.eliminated_at is None:
            return 0, self.score, self.objective, self.number
        return 1, -self.eliminated_at, self.objective, self.number


@dataclass(frozen=True)
class TuningResult:
    """The outcome of a tournament of configurations.

    >>> import netveil as nv
    >>> result = nv.tune("karate", grid={"patience": [1, 2]}, seed=1)
    >>> result.winner.number in (1, 2), len(result.curves)
    (True, 2)
    """

    network: str
    nodes: int
    edges: int
    measures: tuple[str, ...]
    distance: int
    fuzzy: str | None
    twins: bool
    k: int
    budget: int  # in edges
    at_risk_before: int
    algorithm: str
    seed: int  # of every run: `anonymize` with it and a finalist's settings repeats that run
    grid_size: int
    every: int  # generations between two halvings
    finalists: int  # at most so many ran to the end
    interrupted: bool
    curves: tuple[Curve, ...]  # in the order of the grid
    seconds: float = field(compare=False)
    version: str = __version__

    @property
    def best_first(self) -> tuple[Curve, ...]:
        """Curves in the order of the ranking, the winner's first."""
        return tuple(sorted(self.curves, key=lambda curve: curve.rank_key))

    @property
    def ranking(self) -> tuple[int, ...]:
        """Numbers of the configurations, the winner's first."""
        return tuple(curve.number for curve in self.best_first)

    @property
    def winner(self) -> Curve:
        """The best configuration."""
        return self.best_first[0]

    @property
    def halvings(self) -> tuple[int, ...]:
        """The generations after which some were eliminated."""
        return tuple(sorted({each.eliminated_at for each in self.curves if each.eliminated_at is not None}))

    @property
    def counts_generations(self) -> bool:
        """Whether what a run takes is called a generation, as the paper has it."""
        return ALGORITHMS[self.algorithm].counts_generations

    def plot(self, ax: Axes | None = None) -> Axes:
        """Course of all configurations, on axes of matplotlib that are returned."""
        from netveil.studies.tuning_folder import draw_halving

        return on_axes(lambda axes: draw_halving(axes, self), ax)[0]

    def to_pandas(self) -> pandas.DataFrame:
        """One row a configuration, the winner first."""
        figures = ("objective", "at_risk", "eliminated_at", "evaluations", "seconds")
        return table_of(
            {"number": each.number, **each.settings, **{name: getattr(each, name) for name in figures}}
            for each in self.best_first
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; `from_dict` reads it again."""
        document: dict[str, Any] = msgspec.to_builtins(self)
        for curve, record in zip(self.curves, document["curves"], strict=True):
            record |= {"objective": curve.objective, "generations": curve.generations}
        return document | {
            "measure": " + ".join(self.measures),
            "ranking": list(self.ranking),
            "winner": {"number": self.winner.number, "settings": self.winner.settings},
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> TuningResult:
        """The result that `to_dict` told."""
        try:
            return msgspec.convert(document, cls)
        except ValueError as error:
            raise FileError(f"this is not the record of a tuning ({error}); give a tuning.json.") from None


MOST_AT_ONCE = 2_000  # runs: each has some 100 bytes an edge


def tune(
    network: AnyNetwork,
    *,
    algorithm: str | Algorithm = "ga",
    grid: Mapping[str, Any] | str | Path | None = None,
    configurations: int = 50,
    every: int | None = None,
    finalists: int = FINALISTS,
    seed: int | None = None,
    measure: AnyMeasure | Sequence[AnyMeasure] | Attackers = DEFAULT_MEASURE,
    distance: int = 1,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
    k: int = 2,
    budget: str | int | float = "5%",
    workers: int | None = None,
    control: Control | None = None,
    progress: AnyProgress = None,
) -> TuningResult:
    """Find good settings of an algorithm for a network, by successive halving.

    Parameters
    ----------
    algorithm
        A name in `netveil.search.ALGORITHMS`.
    grid
        Values to try by name of a setting, or a TOML file with them; without one, those of the algorithm.
    configurations
        How many of the grid to draw at random.
    every
        Generations (or steps) after which the worse half is eliminated. Without it: 10 generations of ga and
        uga, 50 steps of annealing; es and ua run to their end, since their steps mean different things.
    finalists
        How many to leave: they run to their end.
    seed
        Draws the configurations and starts every run; drawn and recorded if not given.
    measure, distance, fuzzy, twins, k, budget
        The problem: see `netveil.anonymize`.
    workers
        How many runs compute at once, all cores by default; the result does not depend on it.
    control
        Stops the tournament from outside: what is best by then is returned.
    progress
        Who watches: see `netveil.anonymize`. A function is told a `RoundStatus` as `state`.

    >>> import netveil as nv
    >>> result = tune(nv.load("karate"), grid={"crossover": [5, "uniform"], "patience": [1, 40]}, seed=1)
    >>> [curve.at_risk for curve in result.best_first]
    [7, 7, 10, 10]
    """
    if not isinstance(grid, Mapping):
        check_kinds(locals(), grid="file?")
    if not isinstance(control, Control | None):
        raise SettingError(f"control {shown_value(control)}: give a netveil.search.Control, or leave it out.")
    algorithm = ALGORITHMS.named(algorithm)
    searched, chosen, stop = ALGORITHMS[algorithm], grid_for(algorithm, grid), control or Control()
    workers = available_cores() if workers is None else workers
    seed = secrets.randbits(32) if seed is None else seed
    numbers = {
        "configurations": configurations,
        "every": 1 if every is None else every,
        "finalists": finalists,
    }
    _check_numbers({**numbers, "workers": workers, "seed": seed})
    given = open_network(network, original=True)
    attackers = Attackers.of(measure, distance, fuzzy, twins, k)
    allowed = edges_allowed(budget, False, given.edge_count)
    problem = Problem(given, attackers.each, attackers.k, allowed, edge_order(given))
    at_risk_before, _ = problem.recount(np.empty(0, dtype=np.int64))
    if at_risk_before == 0 or allowed == 0:
        raise NetworkError(
            f"{given.name}: nobody is at risk, or the budget {budget} is less than one edge, so there is "
            f"nothing to tune. Give a stronger attacker (measure, distance, k), a larger budget or another "
            f"network."
        )
    problem.prepare()
    contenders = [
        Contender.of(number, chosen.configuration(number), searched, problem, seed, stop)
        for number in chosen.drawn(configurations, seed)
    ]
    if every is None:
        every = searched.steps_between_halvings
    began = time.perf_counter()
    with watched_by(progress, partial(RoundStatus.on_bar, unit=searched.unit)) as watcher:
        halve(contenders, every, finalists, workers, stop, watcher.step)
    curves = tuple(each.curve(problem, at_risk_before) for each in contenders if each.steps)
    if not curves:
        raise KeyboardInterrupt
    return TuningResult(
        network=given.name,
        nodes=given.node_count,
        edges=given.edge_count,
        measures=tuple(attacker.measure.name for attacker in attackers.each),
        distance=attackers.distance,
        fuzzy=None if attackers.fuzzy is None else str(attackers.fuzzy),
        twins=attackers.twins,
        k=problem.k,
        budget=problem.budget,
        at_risk_before=at_risk_before,
        algorithm=algorithm,
        seed=seed,
        grid_size=chosen.size,
        every=every,
        finalists=finalists,
        interrupted=stop.asked_to_stop() is not None,
        curves=curves,
        seconds=round(time.perf_counter() - began, 3),
    )


def _check_numbers(numbers: Mapping[str, int]) -> None:
    """Raise if a number is outside its rule."""
    for name, value in numbers.items():
        least = 0 if name == "seed" else 1
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    if numbers["configurations"] > MOST_AT_ONCE:
        raise SettingError(f"configurations {numbers['configurations']:,}: give {MOST_AT_ONCE:,} at most.")
