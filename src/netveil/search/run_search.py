"""A search from beginning to end: check what is asked, run an algorithm, recount what it found."""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attacker, Attackers, checked_k
from netveil.anonymity.own import OwnMeasure
from netveil.errors import NetworkError
from netveil.files import Protect, protected_edges
from netveil.formatting import duration, percent
from netveil.job import Anonymization, in_option
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.progress import finished, heard_by, retold
from netveil.registries import ALGORITHMS, DEFAULT_ALGORITHM
from netveil.search.algorithm import Algorithm, Search, Settings, Work
from netveil.search.budget import asked_share, edges_allowed, parsed_target
from netveil.search.control import (
    Control,
    CurvePoint,
    Found,
    Progress,
    Step,
    StopReason,
    Underway,
    undominated,
)
from netveil.search.finishing import MOST_SETS, can_be_looked_through, looked_through
from netveil.search.limits.limit import LimitKept, kept_limits, parsed_limits
from netveil.search.problem import Problem, edge_order
from netveil.search.recount import check_allowed, check_count, check_followed, check_start
from netveil.threads import available_cores

# Whether a search fits into memory, told before it starts: later, only the system could tell, by a kill.
#
# What is estimated is the least that a search takes: measured with annealing on networks of 100 and of
# 300,000 edges, with few and with many triangles, and around people at risk on one of 9.3 million. A search
# that passes may still be too large.


BYTES_TO_START = 300_000_000  # of addresses, for compiled code and libraries
BYTES_AN_EDGE = 300
BYTES_AN_EDGE_AROUND = 70  # where a search keeps to the surroundings of people at risk
MEGABYTE = 1_000_000

_started = threading.Event()


def check_memory(
    network: Network, room: Callable[[], int | None] | None = None, *, in_part: bool = False
) -> None:
    """Raise if a search in this network, or in part of it, cannot fit into the memory of this process."""
    left = (room_for_addresses if room is None else room)()
    # After the first search of a process, what all of them need is there already.
    an_edge = BYTES_AN_EDGE_AROUND if in_part else BYTES_AN_EDGE
    needed = (0 if _started.is_set() else BYTES_TO_START) + an_edge * network.edge_count
    if left is not None and needed > left:
        raise NetworkError(
            f"{network.name}: a search takes at least {needed // MEGABYTE:,} MB of memory, and "
            f"{left // MEGABYTE:,} MB are left to this process. Raise its limit (ulimit -v), or search on a "
            f"larger machine."
        )
    _started.set()


def room_for_addresses() -> int | None:
    """Bytes that this process may still take by its limit; None where it has none, or nobody tells."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return limit
    return max(0, limit - pages * resource.getpagesize())


# How long a search will take, said beforehand where each solution takes long to judge.


SECONDS_OF_TRIAL = 0.2
MOST_TRIALS = 50
FEW = 100  # solutions in all the time there is: too few to find much
LARGE = 1_000_000  # edges: so many take seconds to set up
SECONDS_TO_SET_UP, BYTES_TO_SET_UP = 7e-7, 100  # an edge, of one core: docs/scale.md, rounded up
WORTH_TELLING = 5.0  # seconds of a search: whoever has to wait longer wants to know


def announce_cost(problem: Problem, work: Work, threads: int, control: Control) -> None:
    """Say how long the search will take, unless that is short or states are sums that follow at once."""
    if problem.linear_weights is not None:
        return
    solutions, edges, is_least = work
    each = seconds_a_solution(problem, edges, control.clock)
    at_once = 1 if problem.followers else min(threads, solutions)
    total = each * solutions / at_once
    limit = control.time_limit
    few = limit is not None and limit < FEW * each
    if not few and min(total, np.inf if limit is None else limit) < WORTH_TELLING:
        return
    measures = " + ".join(attacker.name for attacker in problem.attackers)
    told = f"{measures}: about {duration(each)} for each solution tried"
    if limit is not None and limit < total:
        control.announce(
            f"{told}, so about {int(limit / each * at_once):,} within the time of {duration(limit)}."
        )
    else:
        least = "at least " if is_least else ""
        control.announce(
            f"{told}; {least}{solutions:,} take about {duration(total)}. A time limit ends it earlier."
        )


def announce_setting_up(network: Network, control: Control) -> None:
    """Say about how long a search of a large network is set up, and how much memory that takes."""
    edges = network.edge_count
    if edges >= LARGE:
        seconds = SECONDS_TO_SET_UP * edges
        memory = round(BYTES_TO_SET_UP * edges / 1e6, -2)
        control.announce(f"Setting up the search: about {duration(seconds)} and {memory:,.0f} MB …")


def seconds_a_solution(problem: Problem, edges: int, clock: Callable[[], float]) -> float:
    """How long it takes to judge a solution that differs from the last in so many edges, by trying."""
    from netveil.kernels.flips import flip_edges

    state, rng = problem.fresh_state(), np.random.default_rng(0)
    edges = min(max(edges, 1), problem.edge_count)
    times: list[float] = []
    while sum(times) < SECONDS_OF_TRIAL and len(times) < MOST_TRIALS:
        some = rng.choice(problem.edge_count, edges, replace=False)
        began = clock()
        flip_edges(problem.topology, problem.rule, state, some)
        times.append(clock() - began)
    return float(np.mean(times))


# A whole search on a tiny network, so that nothing is left to compile when the clock starts.


LEAVES = 8  # of the star: with its budget a curve has two points
BUDGET = 2


def warm_up(
    search: Search,
    settings: Settings,
    attackers: tuple[Attacker, ...],
    keep: Mapping[str, Fraction],
    looks: bool = False,
) -> None:
    """Search briefly on a star, whose hub is always unique: compiles all that the real search needs.

    And, if it `looks` through other deletions afterwards, what that needs.

    A user's own measure may know the people of its own network only, so another stands in for it.
    """
    star = Network.from_numbered_edges([(0, leaf) for leaf in range(1, LEAVES + 1)], LEAVES + 1)
    attackers = tuple(
        replace(each, measure=OwnMeasure(_hub_and_leaves, "hub and leaves"))
        if isinstance(each.measure, OwnMeasure)
        else each
        for each in attackers
    )
    problem = Problem(star, attackers, k=2, budget=BUDGET, edge_order=edge_order(star), keep=keep)
    found = finished(search(problem, settings.brief(), np.random.default_rng(0), Control(), 1))
    if looks:
        looked_through(problem, found.deleted_edges, found.at_risk, Control())


def _hub_and_leaves(network: Network) -> list[int]:
    """The hub is unique and the leaves are alike, whatever is deleted."""
    return [1] + [0] * (network.node_count - 1)


# What a search returns.


@dataclass(frozen=True, eq=False)
class Outcome:
    """A solution of the anonymization problem, recounted from scratch, with all that led to it."""

    algorithm: str
    settings: dict[str, Any]
    attackers: Attackers
    seed: int
    budget: int  # in edges
    budget_asked: str | None  # the share that it stands for, '5%'; None if a number of edges was given
    deleted_edges: IntVector
    at_risk_before: int
    at_risk_after: int
    unique_before: int
    unique_after: int
    objective: int
    evaluations: int
    generations: int | None
    seconds: float
    stopped_by: StopReason
    resumed: bool  # whether it went on from a solution known beforehand
    limits: tuple[LimitKept, ...]  # what was to be kept, measured from scratch
    protected_edges: IntVector  # numbers of the edges that were to stay
    target: str | None  # the share of k-anonymous nodes that was to be reached, if any: '95%'
    enough: int  # nodes at risk that were few enough: 0 without a target
    curve: tuple[CurvePoint, ...]  # solutions for parts of the budget, recounted, if they were asked for
    history: tuple[Progress, ...]
    asked: Mapping[str, Any]  # the job, as a document
    whole_budget: int | None = None  # of a point of a curve: the budget of the search, in edges
    least: bool = False  # whether fewer deletions, or fewer at risk within the budget, were shown impossible

    @property
    def k(self) -> int:
        """How many must look alike."""
        return self.attackers.k


NOTHING: IntVector = np.empty(0, dtype=np.int64)
COUNTED = 0.3  # share of setting up that is done when those at risk are counted, about


def check_fits(job: Anonymization, nodes: int, edges: int) -> None:
    """Raise OptionError for an option that cannot be, or does not fit a network of this size."""
    job.check()
    with in_option("k"):
        checked_k(job.attackers.k, nodes)
    with in_option("budget"):
        edges_allowed(job.budget, job.target is not None, edges)


def searching(
    network: Network, job: Anonymization, control: Control, start: IntVector | None = None
) -> Generator[Underway, None, Outcome]:
    """Search with one algorithm, and recount what it found from scratch before anybody sees it.

    Never worse than deleting nothing, nor than deleting the edges to start from, if given and allowed. What
    is returned keeps every limit and all protected edges. With a target share of k-anonymous nodes, reaching
    it comes first and deleting few edges next; without one, as few nodes as possible are to be at risk.
    """
    job.check()
    if job.time is not None:
        control.time_limit = float(job.time)
    chosen, run, settings = _chosen(job)
    seed = secrets.randbits(32) if job.seed is None else job.seed
    threads = available_cores() if job.threads is None else job.threads
    share = None if job.target is None else parsed_target(job.target)
    to_stay = _numbers(network, job.protect)
    problem = Problem(
        network,
        job.attackers.each,
        job.attackers.k,
        edges_allowed(job.budget, share is not None, network.edge_count),
        np.arange(network.edge_count, dtype=network.edges.dtype),
        known=start,
        keep=parsed_limits(job.keep),
        protected_edges=to_stay,
        target=share,
    )
    if start is not None:
        check_start(problem, start)
    in_part = chosen.takes_excerpt(problem, settings)
    check_memory(network, in_part=in_part)
    announce_setting_up(network, control)
    counting = "counting who is at risk"
    with heard_by(lambda share: control.preparing(counting, COUNTED * share)):
        if in_part:
            at_risk_before, unique_before = (problem.at_first.below(least) for least in (problem.k, 2))
        else:
            at_risk_before, unique_before = problem.recount(NOTHING)
    control.preparing("arranging what the search looks at", COUNTED)
    if not in_part:
        problem = replace(problem, edge_order=edge_order(network))
        problem.prepare()
    # What the paper's algorithms find is left as they found it, for comparison. The points of a curve are as
    # they were found too, but a target is reached with as few deletions as without one.
    is_left_as_found = job.algorithm != DEFAULT_ALGORITHM or (job.curve and share is None)
    looks = not is_left_as_found and can_be_looked_through(problem)
    warm_up(run, settings, job.attackers.each, problem.keep, looks)
    check_followed(problem)
    announce_cost(problem, chosen.work(problem, settings), threads, control)

    control.start()
    history: list[Progress] = []
    if at_risk_before <= problem.enough:
        found = Found(NOTHING, at_risk_before, "solved", evaluations=1)
    elif problem.budget == 0 or len(to_stay) == network.edge_count:
        found = Found(NOTHING, at_risk_before, "budget", evaluations=1)
    else:
        steps = run(problem, settings, np.random.default_rng(seed), control, threads)
        found = yield from retold(steps, partial(_noted, control, history, at_risk_before, problem.enough))
    looked = looked_through(problem, found.deleted_edges, found.at_risk, control, MOST_SETS if looks else 0)
    seconds = control.seconds

    # The points of a curve first: of equals the first is released, and the release is to be one of them.
    solutions = [*found.curve, CurvePoint(problem.budget, found.deleted_edges, found.at_risk)]
    if looked.deleted_edges is not found.deleted_edges:
        solutions.append(CurvePoint(problem.budget, looked.deleted_edges, looked.at_risk))
    recounted = []
    for solution in solutions:
        recounted.append((*problem.recount(solution.deleted_edges), solution.deleted_edges))
        check_count(job.algorithm, problem, solution.at_risk, recounted[-1][0])
        check_allowed(job.algorithm, problem, solution.deleted_edges, solution.budget)
    if start is not None:
        recounted.append((*problem.recount(start), start))
    recounted.append((at_risk_before, unique_before, NOTHING))
    at_risk, unique, deleted_edges = min(recounted, key=lambda row: problem.rank(row[0], row[2]))
    curve = [replace(point, at_risk=row[0]) for point, row in zip(found.curve, recounted, strict=False)]
    if curve and all(point.deleted_edges is not deleted_edges for point in curve):
        curve.append(CurvePoint(max(1, len(deleted_edges)), deleted_edges, at_risk))
    # Surroundings that are hard to tell apart may look alike to a search: then nothing was shown.
    as_looked = problem.rank(at_risk, deleted_edges) == problem.rank(looked.at_risk, looked.deleted_edges)
    return Outcome(
        algorithm=job.algorithm,
        settings=asdict(settings),
        attackers=replace(job.attackers, k=problem.k),
        seed=int(seed),
        budget=problem.budget,
        budget_asked=asked_share(job.budget, share is not None),
        deleted_edges=deleted_edges,
        at_risk_before=at_risk_before,
        at_risk_after=at_risk,
        unique_before=unique_before,
        unique_after=unique,
        objective=problem.objective(at_risk, len(deleted_edges)),
        evaluations=found.evaluations,
        generations=(history[-1].step if history else 0) if chosen.counts_generations else None,
        seconds=seconds,
        stopped_by=found.stopped_by,
        resumed=start is not None,
        limits=kept_limits(problem.keep, network, network.without_edges(deleted_edges)),
        protected_edges=to_stay,
        target=None if share is None else percent(share),
        enough=problem.enough,
        curve=undominated(curve),
        history=tuple(history),
        asked={**job.to_document(), "seed": int(seed)},
        least=looked.least and as_looked,
    )


def _chosen(job: Anonymization) -> tuple[Algorithm, Search, Settings]:
    """The algorithm of a job, its search for the whole budget or for a curve, and its settings."""
    chosen, changes = ALGORITHMS[job.algorithm], dict(job.settings)
    if job.effort is not None:
        changes["effort"] = job.effort
    search = chosen.curve if job.curve else chosen.search
    assert search is not None, "the job was checked"
    return chosen, search, chosen.settings(job.config, changes)


def _numbers(network: Network, protect: Protect | IntVector | None) -> IntVector:
    """The numbers of the edges that must stay, ascending."""
    if protect is None:
        return NOTHING
    return np.unique(protect if isinstance(protect, np.ndarray) else protected_edges(network, protect))


def _noted(control: Control, history: list[Progress], at_first: int, enough: int, step: Step) -> Underway:
    """A step of an algorithm with its time, added to the history; its best is kept now and then."""
    progress = Progress(
        control.seconds, step.number, step.evaluations, step.objective, step.at_risk, step.deleted
    )
    history.append(progress)
    if step.best is not None:
        control.keep(step.best)
    return Underway(**vars(progress), at_first=at_first, enough=enough, share=step.share)
