"""A tournament: configurations of a grid run side by side, and again and again the worse half leaves."""

from __future__ import annotations

import secrets
import time
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.anonymity import DEFAULT_MEASURE, AnyMeasure, Attackers
from netveil.errors import FileError, NetworkError, SettingError, is_whole, unknown_name
from netveil.files.storage import bounded_bytes
from netveil.opening import original_from
from netveil.search import ALGORITHMS, Algorithm, Control, Problem
from netveil.search.algorithm import Settings, changed
from netveil.search.budget import edges_allowed, tell_if_ambiguous
from netveil.search.control import Found, Step
from netveil.search.problem import edge_order
from netveil.threads import available_cores
from netveil.tuning import FINALISTS
from netveil.tuning.result import Curve, TuningResult

if TYPE_CHECKING:
    from netveil.opening import AnyNetwork


# Which configurations to try: all combinations of some values of some settings, or a few drawn of them.


MOST_COMBINATIONS = 10**12


@dataclass(frozen=True)
class Grid:
    """Values of settings, each already checked; a configuration is one of each."""

    default: Settings  # where the settings come from that are not varied
    values: Mapping[str, tuple[Any, ...]]

    @property
    def size(self) -> int:
        """How many configurations there are."""
        return prod(len(each) for each in self.values.values())

    def configuration(self, number: int) -> Settings:
        """The configuration of this number, from 1; the value of the last setting changes fastest."""
        left, chosen = number - 1, {}
        for name, each in reversed(list(self.values.items())):
            left, place = divmod(left, len(each))
            chosen[name] = each[place]
        return changed(self.default, chosen, "grid")

    def drawn(self, count: int, seed: int) -> list[int]:
        """Numbers of `count` configurations drawn at random without replacement, ascending; all if fewer."""
        if count >= self.size:
            return list(range(1, self.size + 1))
        chosen = np.random.default_rng(seed).choice(self.size, count, replace=False)
        return sorted((chosen + 1).tolist())


def grid_for(algorithm: str, given: Mapping[str, Any] | str | Path | None = None) -> Grid:
    """The grid of an algorithm: its own, or one given as a TOML file or by name of a setting.

    >>> grid_for("uga").size
    432
    >>> grid_for("ga", {"crossover": [25, "uniform"], "patience": 80}).size
    2
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    default = ALGORITHMS[algorithm].default
    if given is None:
        given = ALGORITHMS[algorithm].grid
    if isinstance(given, Mapping):
        return _checked(default, given, "grid")
    return _checked(default, _read(Path(given)), str(given))


def _read(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(bounded_bytes(path).decode("utf-8-sig"))  # some editors begin with a mark
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        )
        raise FileError(f"{path}: {reason}; give a TOML file with the values of each setting.") from None
    except (ValueError, RecursionError) as error:  # brackets in brackets, or thousands of digits
        raise FileError(
            f"{path}: not a TOML file: {error}. Write lines such as: crossover = [25, 'uniform']"
        ) from None


def _checked(default: Settings, given: Mapping[str, Any], source: str) -> Grid:
    """The grid of these values, each judged by the rules of its setting."""
    values: dict[str, tuple[Any, ...]] = {}
    for name, wished in given.items():
        listed = list(wished) if isinstance(wished, list | tuple) else [wished]
        key = name.replace("-", "_")
        if not listed:
            raise SettingError(f"{source}: {name} has no values; give one at least, or leave it out.")
        found = tuple(_checked_value(default, key, value, source) for value in listed)
        if key in values or len(set(found)) < len(found):
            raise SettingError(f"{source}: {name} has a value twice; give each once.")
        values[key] = found
    if not values:
        raise SettingError(f"{source}: nothing to vary; give values, such as crossover = [25, 'uniform'].")
    grid = Grid(default, values)
    if grid.size > MOST_COMBINATIONS:
        raise SettingError(
            f"{source}: {grid.size:,} combinations are too many; give values for at most "
            f"{MOST_COMBINATIONS:,}."
        )
    return grid


def _checked_value(default: Settings, name: str, value: Any, source: str) -> Any:
    """The value in the type of its setting; an error names the source."""
    try:
        return getattr(changed(default, {name: value}, source), name)
    except SettingError as error:
        message = str(error)
        raise SettingError(message if message.startswith(source) else f"{source}: {message}") from None


# One configuration's run in a tournament: a search that pauses, and goes on as if it never had.
#
# A search is a generator: to pause it is not to ask for its next step, to eliminate it is to close it.


class Contender:
    """A run of one configuration."""

    def __init__(
        self,
        number: int,
        problem: Problem,
        algorithm: Algorithm,
        settings: Settings,
        seed: int,
        tournament: Control,
        at_risk_before: int,
    ) -> None:
        self.number, self.settings = number, settings
        self.problem, self.at_risk_before = problem, at_risk_before
        self.control = Control(whole=tournament)
        rng = np.random.default_rng(seed)
        self.search: Generator[Step, None, Found] = algorithm.search(problem, settings, rng, self.control, 1)
        self.steps: list[Step] = []
        self.seconds = 0.0  # of computing, without pauses
        self.is_over = False  # whether it came to its end, or never began because all was to stop
        self.found: Found | None = None  # once it has come to its end
        self.at_risk: int | None = None  # of what it found, recounted
        self.eliminated_at: int | None = None

    @property
    def objectives(self) -> tuple[int, ...]:
        """The best objective so far, by step from 0.

        What a search yields after its last step is about the solution that it hands back: it comes too, in
        the place of that step, unless it is worse because it was made to keep the budget.
        """
        best: dict[int, int] = {}
        for step in self.steps:
            best[step.number] = min(step.objective, best.get(step.number, step.objective))
        return tuple(best.values())

    def advance(self, until: int | None) -> None:
        """Run until it has come to this step, or to its end; any thread may call this, one at a time."""
        if self.is_over or (not self.steps and self.control.asked_to_stop() is not None):
            self.is_over = True
            return
        began = time.perf_counter()
        while not self.is_over and (until is None or not self.steps or self.steps[-1].number < until):
            self._next_step()
        self.seconds += time.perf_counter() - began

    def _next_step(self) -> None:
        try:
            self.steps.append(next(self.search))
        except StopIteration as end:
            self.is_over = True
            found: Found = end.value
            # As in `anonymize`, nothing is deleted where that would be better.
            self.at_risk = min(self.problem.recount(found.deleted_edges)[0], self.at_risk_before)
            self.found = found

    def eliminate(self, step: int) -> None:
        """End it where it has paused."""
        self.eliminated_at = step
        self.close()

    def close(self) -> None:
        """Give it up; frees what its search holds."""
        self.is_over = True
        self.search.close()


# Successive halving: all configurations run some generations, the better half goes on, and so forth.
#
#     while more are left than shall run to the end:
#         let all that are left run `every` generations more
#         eliminate the worse half; the others go on from where they are
#     let the finalists run to their end
#
# Whether a run pauses, and beside which others it computes, makes no difference to what it finds.


SECONDS_BETWEEN_LOOKS = 0.5  # at whether a run has paused: signals are heard in between


@dataclass(frozen=True)
class RoundStatus:
    """How far a tournament has come."""

    until: int | None  # the generation to which all run now; None: to their end
    running: int  # runs of this round
    arrived: int  # of which have come so far
    best: int | None  # the lowest objective, once there is one


RoundListener = Callable[[RoundStatus], None]


def left_after_halving(count: int, finalists: int) -> int:
    """How many of so many go on: the better half, but no fewer than shall run to the end.

    >>> [left_after_halving(count, 4) for count in (50, 25, 13, 7, 5, 3)]
    [25, 13, 7, 4, 4, 3]
    """
    return max((count + 1) // 2, min(count, finalists))


def halve(
    contenders: Sequence[Contender], every: int, finalists: int, together: Together, tournament: Control
) -> list[Contender]:
    """Run the tournament; the contenders that ran to their end, or were left when it was stopped."""
    left = list(contenders)
    step = 0
    while len(left) > finalists and tournament.asked_to_stop() is None:
        step += every
        together.advance(left, step)
        if tournament.asked_to_stop() is not None or all(contender.is_over for contender in left):
            break
        # Equally good ones are told apart by their place in the grid, never by who was first to arrive.
        left.sort(key=lambda contender: (contender.objectives[-1], contender.number))
        going_on = left_after_halving(len(left), finalists)
        for contender in left[going_on:]:
            contender.eliminate(step)
        left = sorted(left[:going_on], key=lambda contender: contender.number)
    together.advance(left, None)
    return left


class Together:
    """Lets several runs compute at once, on as many threads as there are workers."""

    def __init__(self, workers: int, listener: RoundListener | None = None) -> None:
        self.pool = ThreadPoolExecutor(workers)
        self.listener = listener

    def advance(self, contenders: Sequence[Contender], until: int | None) -> None:
        """Let all of them run until this step, or to their end, and wait for them."""
        running = [self.pool.submit(contender.advance, until) for contender in contenders]
        for arrived, run in enumerate(running, start=1):
            while not run.done():
                wait([run], SECONDS_BETWEEN_LOOKS)
            run.result()  # raises what went wrong in it
            if self.listener is not None:
                self.listener(RoundStatus(until, len(contenders), arrived, _best(contenders)))

    def end(self, contenders: Sequence[Contender]) -> None:
        """Stop what runs, begin nothing more, and give all of them up."""
        for contender in contenders:
            contender.control.interrupt()
        self.pool.shutdown(cancel_futures=True)
        for contender in contenders:
            contender.close()


def _best(contenders: Sequence[Contender]) -> int | None:
    """The lowest objective that any of them has met."""
    return min((step.objective for each in contenders for step in list(each.steps)), default=None)


MOST_AT_ONCE = 2_000  # runs: each has some 100 bytes an edge


def tune(
    network: AnyNetwork,
    *,
    algorithm: str = "ga",
    grid: Mapping[str, Any] | str | Path | None = None,
    configurations: int = 50,
    every: int | None = None,
    finalists: int = FINALISTS,
    runs: int = 1,
    seed: int | None = None,
    measure: AnyMeasure | Sequence[AnyMeasure] | Attackers = DEFAULT_MEASURE,
    distance: int = 1,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
    k: int = 2,
    budget: str | int | float = "5%",
    workers: int | None = None,
    control: Control | None = None,
    listener: RoundListener | None = None,
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
    runs
        With more than 1, each finalist is run so many times more, with other seeds, and their mean ranks it.
        The run in which it became a finalist does not count then: luck helped to choose it.
    seed
        Draws the configurations and starts every run; drawn and recorded if not given.
    measure, distance, fuzzy, twins, k, budget
        The problem: see `netveil.anonymize`.
    workers
        How many runs compute at once, all cores by default; the result does not depend on it.
    control
        Stops the tournament from outside: what is best by then is returned.
    listener
        Hears how far it has come.

    >>> import netveil as nv
    >>> result = tune(nv.load("karate"), grid={"crossover": [5, "uniform"], "patience": [1, 40]}, seed=1)
    >>> [curve.at_risk for curve in result.best_first]
    [7, 7, 10, 10]
    """
    stop = Control() if control is None else control
    chosen = grid_for(algorithm, grid)
    workers = available_cores() if workers is None else workers
    seed = secrets.randbits(32) if seed is None else seed
    _check_numbers(configurations, every, finalists, runs, seed, workers)
    given = original_from(network)
    attackers = Attackers.of(measure, distance, fuzzy, twins, k)
    allowed = edges_allowed(budget, False, given.edge_count)
    tell_if_ambiguous(budget, given.edge_count)
    problem = Problem(given, attackers.each, attackers.k, allowed, edge_order(given))
    at_risk_before = _check_worthwhile(problem, budget)
    problem.prepare()

    searched = ALGORITHMS[algorithm]
    drawn = {number: chosen.configuration(number) for number in chosen.drawn(configurations, seed)}
    pause = searched.steps_between_halvings(list(drawn.values())) if every is None else every

    def contender(number: int, its_seed: int) -> Contender:
        return Contender(number, problem, searched, drawn[number], its_seed, stop, at_risk_before)

    contenders = [contender(number, seed) for number in drawn]
    further: dict[int, list[Contender]] = {}
    together = Together(workers, listener)
    began = time.perf_counter()
    try:
        left = halve(contenders, pause, finalists, together, stop)
        if runs > 1 and stop.asked_to_stop() is None:
            seeds = range(seed + 1, seed + 1 + runs)
            further = {each.number: [contender(each.number, other) for other in seeds] for each in left}
            together.advance([each for several in further.values() for each in several], None)
    finally:
        together.end([*contenders, *(one for several in further.values() for one in several)])
    interrupted = stop.asked_to_stop() is not None
    if interrupted:
        further = {}  # some have few runs, or halves of runs: no fair means
    curves = tuple(_curve(each, further.get(each.number, [])) for each in contenders if each.steps)
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
        every=pause,
        finalists=finalists,
        runs=runs,
        interrupted=interrupted,
        curves=curves,
        seconds=round(time.perf_counter() - began, 3),
    )


def _check_numbers(
    configurations: int, every: int | None, finalists: int, runs: int, seed: int, workers: int
) -> None:
    """Raise if one of them is outside its rule."""
    for name, value, least in (
        ("configurations", configurations, 1),
        ("every", 1 if every is None else every, 1),
        ("finalists", finalists, 1),
        ("runs", runs, 1),
        ("seed", seed, 0),
        ("workers", workers, 1),
    ):
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    at_once = max(configurations, min(finalists, configurations) * runs)
    if at_once > MOST_AT_ONCE:
        raise SettingError(
            f"configurations {configurations:,} and runs {runs:,} need {at_once:,} runs side by side, more "
            f"than {MOST_AT_ONCE:,}; give fewer."
        )


def _check_worthwhile(problem: Problem, budget: str | int | float) -> int:
    """Raise if all configurations are bound to find the same: nothing. Nodes at risk at first."""
    at_risk, _ = problem.recount(np.empty(0, dtype=np.int64))
    if at_risk == 0:
        raise NetworkError(
            f"{problem.network.name}: nobody is at risk, so there is nothing to tune. Give a stronger "
            f"attacker (measure, distance, k) or another network."
        )
    if problem.budget == 0:
        raise SettingError(f"budget {budget} is less than one edge, so there is nothing to tune; give more.")
    return at_risk


def _curve(contender: Contender, further: Sequence[Contender]) -> Curve:
    """What is to be told of a contender, and of the same configuration with other seeds."""
    found = contender.found
    stopped_by = "eliminated" if contender.eliminated_at is not None or found is None else found.stopped_by
    return Curve(
        number=contender.number,
        settings=asdict(contender.settings),
        objectives=contender.objectives,
        eliminated_at=contender.eliminated_at,
        at_risk=contender.at_risk,
        stopped_by=stopped_by,
        evaluations=contender.steps[-1].evaluations,
        further_at_risk=tuple(each.at_risk for each in further if each.at_risk is not None),
        seconds=round(contender.seconds, 3),
    )
