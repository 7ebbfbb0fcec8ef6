"""A walk to the end of its schedule, then fewer deletions: for a whole problem, or an excerpt of one."""

from __future__ import annotations

from netveil.search.annealing.chains import Chains
from netveil.search.annealing.fewer_deletions import cut_down
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.schedule import Schedule
from netveil.search.annealing.target_budget import find_budget
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Found, Step, Steps
from netveil.search.repair_and_prune import without_needless

TRIMMING = 0.03  # share of the work that is kept for finding as few at risk with fewer deletions
TRIMMING_IF_SMALL, SMALL = 0.5, 5_000  # the same where there are hardly any edges; so many are not few


def walk_and_trim(
    problem: Problem, chains: Chains, work: Allowance, control: Control, first: float = 0.0
) -> Steps:
    """Walk from that share of the schedule, look for fewer deletions, restore what need not be deleted."""
    if problem.target is not None:
        stopped_by = yield from find_budget(problem, chains, work, control, trimming_of(problem))
    else:
        legs = work.walk(1.0 - trimming_of(problem))
        schedule = Schedule.fit_for(problem, problem.budget, problem.enough, first, legs.about)
        stopped_by = yield from chains.walk(schedule, legs, control, is_short=first > 0)
    is_reached = problem.target is None or chains.best.at_risk <= problem.enough
    if is_reached and stopped_by in (None, "solved"):
        cut_off = yield from cut_down(problem, chains, work, control)
        stopped_by = cut_off or stopped_by
    solution, at_risk = without_needless(problem, chains.best_solution(), control)
    deleted_edges = problem.edges_deleted_by(solution)
    yield Step(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges), share=1.0)
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)


def trimming_of(problem: Problem) -> float:
    """Share of the work that is kept for fewer deletions: a small network is soon searched."""
    smallness = max(0.0, 1.0 - problem.edge_count / SMALL)
    return TRIMMING + (TRIMMING_IF_SMALL - TRIMMING) * smallness
