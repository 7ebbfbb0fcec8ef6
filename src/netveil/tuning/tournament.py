"""A tournament: configurations of a grid run side by side, and again and again the worse half leaves."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.anonymity import DEFAULT_MEASURE, AnyMeasure, Attackers
from netveil.cores import available_cores
from netveil.errors import NetworkError, SettingError, is_whole
from netveil.given import original_from
from netveil.search import ALGORITHMS, Control, Problem
from netveil.search.budget import edges_allowed, tell_if_ambiguous
from netveil.search.edge_order import edge_order
from netveil.tuning import FINALISTS
from netveil.tuning.contender import Contender
from netveil.tuning.grid import grid_for
from netveil.tuning.halving import RoundListener, Together, halve
from netveil.tuning.result import Curve, TuningResult

if TYPE_CHECKING:
    from netveil.given import AnyNetwork

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
