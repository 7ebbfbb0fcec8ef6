"""Which edges can help people at risk, and which of these people are searched for apart from each other.

Two candidate edges touch each other if deleting both would change the state of one person who has few
lookalikes. People at risk whose candidates do not touch, directly or by others in between, are in different
groups. Whoever is in a crowd finds lookalikes wherever a deletion takes them, nearly always: it does not
count that two edges touch the same such person.

In most networks nearly all people at risk are in one group, as hubs know hubs (docs/scale.md). Such a group
can be cut by state, those with few contacts from those with many: who may become lookalikes of each other
stays together. Edges that touch people on both sides of a cut wait until the sides are put together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from netveil.errors import NetworkError
from netveil.formatting import counted, percentage
from netveil.kernels.arrays import IntVector
from netveil.progress import retold
from netveil.search.annealing.chains import Allowance, Chains
from netveil.search.annealing.targets import Annealing, everything_deleted, proposals_of, walk_and_trim
from netveil.search.annealing.walk import WARM, nearest, numbers_of
from netveil.search.control import Checkpoint, Control, Found, Step, Steps, StopReason
from netveil.search.excerpt import NOTHING, Excerpt, excerpt_of
from netveil.search.problem import AtFirst, Counts, Problem, edge_order
from netveil.search.run_search import check_memory
from netveil.threads import threads_for

# A search of an excerpt, told in the numbers of the network that it was taken from.


def steps_of_network(
    steps: Steps, around: Excerpt, part: tuple[float, float] = (0.0, 1.0), before: int = 0
) -> Steps:
    """The same as that part of a search of the network, after so many evaluations."""

    def of_network(step: Step) -> Step:
        best, share = step.best, step.share
        if best is not None:
            deleted_edges = best.deleted_edges
            best = Checkpoint(lambda: around.edges_there(deleted_edges()), best.at_risk)
        if share is not None:
            share = part[0] + (part[1] - part[0]) * share
        return step._replace(evaluations=before + step.evaluations, best=best, share=share)

    found = yield from retold(steps, of_network)
    return replace(
        found,
        deleted_edges=around.edges_there(found.deleted_edges),
        evaluations=before + found.evaluations,
        curve=tuple(
            replace(point, deleted_edges=around.edges_there(point.deleted_edges)) for point in found.curve
        ),
    )


CROWD = 5  # times k: so many lookalikes are a crowd
MOST_TOGETHER = 0.5  # share of those at risk: where a group has more of them, groups are cut by state


@dataclass(frozen=True, eq=False)
class Division:
    """People at risk in groups."""

    excerpts: list[Excerpt]  # of each group, taken from the excerpt around all people at risk
    at_risk: list[int]  # people in each
    found: int  # groups that do not touch
    largest: int  # people at risk in the largest of them
    cut: bool  # whether groups that touch were cut by state
    frozen: int  # candidate edges between groups, where they are cut


def excerpt_around_risk(problem: Problem, control: Control | None = None) -> Excerpt:
    """The excerpt in which edges may be deleted that can help somebody at risk; the control hears how far.

    These are the edges at people at risk, those over against them, which close a triangle with two of theirs,
    and those at the people whose states are nearest to theirs. Where there is a solution to go on from, also
    the edges that it deletes, and those around people who are at risk without them.
    """
    from netveil.kernels.balls import mark_around

    def preparing(doing: str, share: float) -> None:
        if control is not None:
            control.preparing(doing, share)

    preparing("finding whose states are near", 0.5)
    counts = problem.at_first.counts
    at_risk, nearby = _at_risk_and_nearest(problem, problem.at_first)
    if problem.known is not None:
        network = problem.network.without_edges(problem.known)
        later = _at_risk_and_nearest(problem, replace(problem, network=network).at_first)
        at_risk, nearby = np.union1d(at_risk, later[0]), np.union1d(nearby, later[1])
    preparing("listing who knows whom", 0.6)
    csr = problem.network.csr
    preparing("finding what is around people at risk", 0.9)
    marks = np.zeros(problem.edge_count, dtype=np.uint8)
    counted = problem.rule.count_triangles
    mark_around(csr, at_risk, counted, marks)
    mark_around(csr, nearby, False, marks)
    if problem.known is not None:
        marks[problem.known] = 1
    candidates = marks.astype(bool)
    if problem.protected_edges is not None:
        candidates[problem.protected_edges] = False
    return excerpt_of(problem, counts, candidates, problem.budget)


def _at_risk_and_nearest(problem: Problem, at_first: AtFirst) -> tuple[IntVector, IntVector]:
    """Who is at risk, and whose states are nearest to theirs."""
    counts, at_risk = at_first.counts, np.flatnonzero(at_first.lookalikes < problem.k)
    return at_risk, nearest(numbers_of(problem), counts.degrees, counts.triangles, problem.k)[at_risk]


def divided(around: Excerpt, number: int, may_cut: bool) -> Division:
    """The excerpt around all people at risk in so many groups, or fewer; the budget in proportion.

    Where most are in one group that must not be cut, or nothing could be done in the others, it is `around`
    itself. In each group, people at risk in other groups are left out: nobody shall count on them. Everybody
    else whom no candidate of the group touches stands where they stood at first.
    """
    counts = around.counts()
    lookalikes = around.lookalikes(counts)
    at_risk = lookalikes < around.k
    edges, nodes = _touched(around, lookalikes < CROWD * around.k)
    group_of, found, largest = _groups(around, edges, nodes, at_risk)
    cut = largest > MOST_TOGETHER * at_risk.sum()
    in_one = Division([around], [int(at_risk.sum())], found, largest, cut=False, frozen=0)
    if cut and not may_cut:
        return in_one
    part_of = _by_state(around, counts, at_risk, number) if cut else _packed(group_of, at_risk, number)
    # An edge belongs to the part that all belong to whom it touches, or to none.
    lowest = np.full(around.edge_count, number)
    highest = np.full(around.edge_count, -1)
    np.minimum.at(lowest, edges, part_of[nodes])
    np.maximum.at(highest, edges, part_of[nodes])
    movable = ~around.protected
    division = Division(
        [], [], found, largest, bool(cut), int(np.count_nonzero(movable & (lowest < highest)))
    )
    for part in range(number):
        own, candidates = at_risk & (part_of == part), movable & (lowest == part) & (highest == part)
        budget = int(own.sum() / max(at_risk.sum(), 1) * around.budget)
        if own.any() and candidates.any() and budget > 0:
            division.excerpts.append(excerpt_of(around, counts, candidates, budget, at_risk & ~own))
            division.at_risk.append(int(own.sum()))
    return division if len(division.excerpts) > 1 else in_one


def in_words(division: Division) -> str:
    """How people at risk are searched for apart, for whoever waits."""
    number, everybody = len(division.excerpts), sum(division.at_risk)
    together = percentage(division.largest / max(everybody, 1))
    if number == 1:
        return f"{together} of the people at risk hang together, so they are not searched for in groups."
    if not division.cut:
        found = counted(division.found, "group")
        return f"The {everybody:,} people at risk are in {found} that do not touch: searched as {number}."
    waiting = f"{counted(division.frozen, 'edge')} between them wait until they are put together"
    return f"{together} of the people at risk hang together: cut by state into {number} groups; {waiting}."


def _touched(around: Excerpt, few: NDArray[np.bool_]) -> tuple[IntVector, IntVector]:
    """Pairs of a movable edge and somebody with few lookalikes whom it touches."""
    topology = around.topology
    movable = np.flatnonzero(topology.movable)
    ends = topology.ends[movable]
    edges, nodes = [np.repeat(movable, 2)], [ends.ravel()]
    if around.rule.count_triangles:
        owner = np.repeat(np.arange(around.edge_count), np.diff(topology.first_row))
        rows = topology.movable[owner] == 1
        edges.append(owner[rows])
        nodes.append(topology.triangles[rows, 2])
    edge, node = np.concatenate(edges), np.concatenate(nodes)
    kept = few[node]
    return edge[kept], node[kept]


def _groups(
    around: Excerpt, edges: IntVector, nodes: IntVector, at_risk: NDArray[np.bool_]
) -> tuple[IntVector, int, int]:
    """The group of each node (n); how many groups have people at risk, and how many of them the largest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, m = around.network.node_count, around.edge_count
    ones = np.ones(len(edges), dtype=np.int8)
    graph = coo_array((ones, (nodes, n + edges)), shape=(n + m, n + m))
    group_of = connected_components(graph, directed=False)[1][:n]
    sizes = np.unique(group_of[at_risk], return_counts=True)[1]
    return group_of, len(sizes), int(sizes.max(initial=0))


def _packed(group_of: IntVector, at_risk: NDArray[np.bool_], number: int) -> IntVector:
    """The part of each node (n): groups, the largest first, each into the part with the fewest at risk."""
    groups, sizes = np.unique(group_of[at_risk], return_counts=True)
    part_of_group = np.zeros(int(group_of.max(initial=0)) + 1, dtype=np.int64)
    filled = [0] * number
    for place in np.argsort(-sizes, kind="stable").tolist():
        part = filled.index(min(filled))
        part_of_group[groups[place]] = part
        filled[part] += int(sizes[place])
    return part_of_group[group_of]


def _by_state(around: Excerpt, counts: Counts, at_risk: NDArray[np.bool_], number: int) -> IntVector:
    """The part of each node (n): cut where the same number of people at risk have lower states."""
    numbers = numbers_of(around)
    first, second = (
        per_degree * counts.degrees + per_triangle * counts.triangles
        for per_degree, per_triangle in (numbers[:2], numbers[2:4])
    )
    states = first * (int(second.max(initial=0)) + 1) + second
    ordered = np.sort(states[at_risk])
    cuts = ordered[np.arange(1, number) * len(ordered) // number] if len(ordered) else ordered
    return np.searchsorted(cuts, states, side="right")


# Groups of people at risk, each annealed by itself: side by side in threads, in rounds of one leg each.


class Stopwatch:
    """Tells the seconds that it has run: a group's time passes only while it is its turn."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.passed = 0.0  # until it was stopped last
        self.since: float | None = None  # when it was started, if it runs

    def __call__(self) -> float:
        """Seconds."""
        return self.passed if self.since is None else self.passed + self.clock() - self.since

    def start(self) -> None:
        """Let it run."""
        self.since = self.clock()

    def stop(self) -> None:
        """Let it stand still."""
        self.passed, self.since = self(), None


class GroupSearch:
    """One group on its way: a chain of its own, on its part of the time or of the proposals."""

    def __init__(self, excerpt: Excerpt, seed: np.random.Generator, proposals: int, control: Control) -> None:
        self.excerpt, self.control = excerpt, control
        self.watch = Stopwatch(control.clock)
        control.clock = self.watch
        chains = Chains(excerpt, 1, seed, 1, None)
        self.last = chains.step()
        self.at_risk_at_first = self.last.at_risk
        self.best: Checkpoint | None = None
        self.found: Found | None = None
        self.steps: Steps = walk_and_trim(excerpt, chains, Allowance(proposals, control, slow=False), control)
        control.start()

    def advance(self) -> None:
        """Walk one leg, if there is any left."""
        if self.found is not None:
            return
        self.watch.start()
        try:
            self.last = next(self.steps)
            self.best = self.last.best or self.best
        except StopIteration as end:
            self.found = end.value
        finally:
            self.watch.stop()

    def deleted_edges(self) -> IntVector:
        """What it would delete as things are, in numbers of the excerpt around all people at risk."""
        if self.found is not None:
            return self.excerpt.edges_there(self.found.deleted_edges)
        return self.excerpt.edges_there(self.best.deleted_edges() if self.best else np.empty(0, np.int64))


class GroupSearches:
    """All groups. The order in which threads take them makes no difference."""

    def __init__(
        self,
        division: Division,
        rng: np.random.Generator,
        proposals: int,
        share: float,
        control: Control,
        threads: int,
    ) -> None:
        """Proposals of all groups together, or that share of the time, are shared out by people at risk."""
        number, everybody = len(division.excerpts), sum(division.at_risk)
        self.threads = min(threads, number)
        self.at_risk = everybody
        self.groups = []
        at_once = number / ceil(number / self.threads)  # groups that walk at the same time, on average
        for excerpt, seed, at_risk in zip(
            division.excerpts, rng.spawn(number), division.at_risk, strict=True
        ):
            part, own = at_risk / everybody, Control(clock=control.clock, whole=control)
            if control.time_limit is not None:
                own.time_limit = share * control.time_limit * min(1.0, part * at_once)
            self.groups.append(GroupSearch(excerpt, seed, max(1, int(part * proposals)), own))

    def walk(self) -> Steps:
        """Walk all groups to their ends; what they delete together, and about how many that leaves."""
        rounds = 0
        yield self.step(rounds)
        with threads_for(self.threads) as threads:
            while any(group.found is None for group in self.groups):
                list(threads.map(methodcaller("advance"), self.groups))
                rounds += 1
                yield self.step(rounds)
        last = self.step(rounds)
        reasons = {group.found.stopped_by for group in self.groups if group.found is not None}
        stopped_by: StopReason = "interrupted" if "interrupted" in reasons else "converged"
        return Found(self.deleted_edges(), last.at_risk, stopped_by, last.evaluations)

    def deleted_edges(self) -> IntVector:
        """What all groups delete, ascending."""
        return np.sort(np.concatenate([group.deleted_edges() for group in self.groups]))

    def step(self, rounds: int) -> Step:
        """How far all have come. Who is at risk is told as if none took lookalikes from another."""
        lasts = [group.last for group in self.groups]
        saved = sum(group.at_risk_at_first - group.last.at_risk for group in self.groups)
        at_risk = max(0, self.at_risk - saved)
        weights = [group.at_risk_at_first for group in self.groups]
        share = float(np.average([last.share or 0.0 for last in lasts], weights=weights))
        evaluations, deleted = (
            sum(last.evaluations for last in lasts),
            sum(last.deleted for last in lasts),
        )
        checkpoint = Checkpoint(self.deleted_edges, at_risk)
        return Step(rounds, evaluations, at_risk, at_risk, deleted, checkpoint, share)


# Through the whole network, where a target cannot be reached around people at risk.
#
# That is seldom: whoever is around them finds lookalikes when edges enough go. Without any edges all nodes
# look alike, so that a budget of all edges reaches every target. Of a smaller budget, or under limits,
# nobody knows that, and all work is done where it helps most.


def through_all(
    problem: Problem,
    found: Found,
    settings: Annealing,
    rng: np.random.Generator,
    work: Allowance,
    control: Control,
    threads: int,
) -> Steps:
    """Go on from what was found around people at risk, if every edge may be deleted that is not protected.

    Nothing more is done where there is no target, or where it is reached; nor where the whole network does
    not fit into memory: what was found is not lost for that.
    """
    if problem.target is None or found.at_risk <= problem.enough:
        return found
    all_may_go = problem.budget >= np.count_nonzero(~problem.protected) and not problem.keep
    if found.stopped_by == "interrupted" or not all_may_go:
        return found
    try:
        check_memory(problem.network)
    except NetworkError as error:
        control.announce(f"Around people at risk the target is not reached. In the whole network, {error}")
        return found
    control.announce("Around people at risk the target is not reached: now through the whole network.")
    whole = replace(problem, edge_order=edge_order(problem.network), known=found.deleted_edges)
    before = found.evaluations
    if work.is_left:
        chains = Chains(whole, settings.chains, rng, threads, whole.known)
        steps = walk_and_trim(whole, chains, work, control)
        reached = yield from retold(steps, lambda step: step._replace(evaluations=before + step.evaluations))
        reached = replace(reached, evaluations=before + reached.evaluations)
    else:
        words, at_risk = everything_deleted(whole, control)
        reached = replace(found, deleted_edges=whole.edges_deleted_by(words), at_risk=at_risk)
        yield Step(0, before, at_risk, at_risk, len(reached.deleted_edges), share=1.0)
    return min(reached, found, key=lambda each: problem.rank(each.at_risk, each.deleted_edges))


# Annealing of a large network: around the people at risk only, in groups side by side, then put together.
#
#     take the excerpt around all people at risk
#     divide them into groups, and budget and work in proportion
#     anneal each group as if everybody else stayed, and those at risk elsewhere were not there
#     put the deletions of all groups together, and count who is at risk then
#     anneal all together, cold, from there: whom other groups put at risk is helped
#     restore what need not be deleted
#
# Groups have their own random numbers, and none sees another's deletions: which thread walks which, and how
# many threads there are, makes no difference to the result.


LARGE = 500_000  # edges: from here on a search keeps to the surroundings of people at risk
AT_RISK_A_GROUP = 100  # people, where nobody says how many groups there are to be
MOST_IF_AUTO = 64  # groups
TOGETHER = 0.6  # share of the work that is done after groups are put together
COLD_FROM = 0.6  # share of the schedule that is left out then


def is_searched_around(problem: Problem, settings: Annealing) -> bool:
    """Whether a search keeps to the surroundings of people at risk.

    Clustering and components are about the whole network: where they are limited, it does not.
    """
    wanted = problem.edge_count >= LARGE if settings.groups == "auto" else settings.groups != 0
    return (
        wanted and problem.linear_weights is not None and (not problem.keep or problem.most_lost is not None)
    )


def annealing_in_groups(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal the surroundings of people at risk, in groups if there are to be several.

    All together where there is a target, a limit, or a solution to go on from: none can be shared out.
    """
    around = excerpt_around_risk(problem, control)
    proposals = proposals_of(settings, problem)
    if around.protected.all():
        found = nothing_found(problem)
        yield only_step(found)
        work = Allowance(proposals, control, slow=False)
        return (yield from through_all(problem, found, settings, rng, work, control, threads))
    in_one = problem.target is not None or bool(problem.keep) or problem.known is not None
    number = 1 if in_one else _number_of_groups(settings, around)
    division = divided(around, number, may_cut=settings.groups != "auto") if number > 1 else None
    if division is not None:
        control.announce(in_words(division))
    if division is None or len(division.excerpts) == 1:
        known = None if problem.known is None else around.edges_here(problem.known)
        chains = Chains(around, settings.chains, rng, threads, known)
        control.start()
        yield chains.step()
        work = Allowance(proposals, control, slow=False)
        steps = walk_and_trim(around, chains, work, control, 0.0 if known is None else WARM)
        found = yield from steps_of_network(steps, around)
        return (yield from through_all(problem, found, settings, rng, work, control, threads))
    of_groups = int((1 - TOGETHER) * settings.chains * proposals)
    groups = GroupSearches(division, rng, of_groups, 1 - TOGETHER, control, threads)
    control.start()
    found = yield from steps_of_network(groups.walk(), around, (0.0, 1 - TOGETHER))
    known = around.edges_here(found.deleted_edges)
    chains = Chains(around, settings.chains, rng, threads, known)
    work = Allowance(max(1, int(TOGETHER * proposals)), control, slow=False)
    # By the clock, shares are those of the whole time already.
    part = (1 - TOGETHER, 1.0) if control.time_limit is None else (0.0, 1.0)
    steps = walk_and_trim(around, chains, work, control, COLD_FROM)
    return (yield from steps_of_network(steps, around, part, found.evaluations))


def nothing_found(problem: Problem) -> Found:
    """What is found where every edge around people at risk is protected."""
    return Found(NOTHING, problem.at_first.below(problem.k), "budget", evaluations=1)


def only_step(found: Found) -> Step:
    """The one step of such a search."""
    return Step(0, found.evaluations, found.at_risk, found.at_risk, deleted=0, share=1.0)


def _number_of_groups(settings: Annealing, around: Excerpt) -> int:
    """As many as are asked for; else by how many are at risk, whatever the number of threads."""
    from netveil.kernels.states import Total

    if settings.groups != "auto":
        return settings.groups
    return min(max(1, int(around.original.totals[Total.AT_RISK]) // AT_RISK_A_GROUP), MOST_IF_AUTO)
