"""Annealing of a large network: around the people at risk only, in groups side by side, then put together.

    take the excerpt around all people at risk
    divide them into groups, and budget and work in proportion
    anneal each group as if everybody else stayed, and those at risk elsewhere were not there
    put the deletions of all groups together, and count who is at risk then
    anneal all together, cold, from there: whom other groups put at risk is helped
    restore what need not be deleted

Groups have their own random numbers, and none sees another's deletions: which thread walks which, and how
many threads there are, makes no difference to the result.
"""

from __future__ import annotations

import numpy as np

from netveil.search.annealing.chains import Chains
from netveil.search.annealing.group_search import GroupSearches
from netveil.search.annealing.groups import divided, excerpt_around_risk, in_words
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.schedule import WARM
from netveil.search.annealing.settings import Annealing, proposals_of
from netveil.search.annealing.steps_of_network import steps_of_network
from netveil.search.annealing.through_all import through_all
from netveil.search.annealing.walk_and_trim import walk_and_trim
from netveil.search.control import Control
from netveil.search.excerpt import NOTHING, Excerpt
from netveil.search.problem import Problem
from netveil.search.progress import Found, Step, Steps

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
    from netveil.kernels.following.state import Total

    if settings.groups != "auto":
        return settings.groups
    return min(max(1, int(around.original.totals[Total.AT_RISK]) // AT_RISK_A_GROUP), MOST_IF_AUTO)
