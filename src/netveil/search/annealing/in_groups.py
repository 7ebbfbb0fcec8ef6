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

from dataclasses import replace

import numpy as np

from netveil.iterate import retold
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.group_search import GroupSearches
from netveil.search.annealing.groups import divided, excerpt_around_risk, in_words
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.settings import Annealing, proposals_of
from netveil.search.annealing.walk_and_trim import walk_and_trim
from netveil.search.control import Control
from netveil.search.excerpt import Excerpt
from netveil.search.problem import Problem
from netveil.search.progress import Checkpoint, Step, Steps

LARGE = 500_000  # edges: from here on a search keeps to the surroundings of people at risk
AT_RISK_A_GROUP = 100  # people, where nobody says how many groups there are to be
MOST_IF_AUTO = 64  # groups
TOGETHER = 0.6  # share of the work that is done after groups are put together
COLD_FROM = 0.6  # share of the schedule that is left out then


def is_searched_around(problem: Problem, settings: Annealing) -> bool:
    """Whether a search keeps to the surroundings of people at risk.

    Limits are about the whole network, a target may ask for all edges, and a solution to go on from may
    delete edges anywhere: then it does not.
    """
    wanted = problem.edge_count >= LARGE if settings.groups == "auto" else settings.groups != 0
    anywhere = bool(problem.keep) or problem.target is not None or problem.known is not None
    return wanted and not anywhere and problem.linear_weights is not None


def annealing_in_groups(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal the surroundings of people at risk, in groups if there are to be several."""
    around = excerpt_around_risk(problem, control)
    proposals = proposals_of(settings, problem)
    number = _number_of_groups(settings, around)
    division = divided(around, number, may_cut=settings.groups != "auto") if number > 1 else None
    if division is not None:
        control.announce(in_words(division))
    if division is None or len(division.excerpts) == 1:
        chains = Chains(around, settings.chains, rng, threads, None)
        control.start()
        yield chains.step()
        steps = walk_and_trim(around, chains, Allowance(proposals, control, slow=False), control)
        return (yield from _told(steps, around))
    of_groups = int((1 - TOGETHER) * settings.chains * proposals)
    groups = GroupSearches(division, rng, of_groups, 1 - TOGETHER, control, threads)
    control.start()
    found = yield from _told(groups.walk(), around, (0.0, 1 - TOGETHER))
    known = around.edges_here(found.deleted_edges)
    chains = Chains(around, settings.chains, rng, threads, known)
    work = Allowance(max(1, int(TOGETHER * proposals)), control, slow=False)
    # By the clock, shares are those of the whole time already.
    part = (1 - TOGETHER, 1.0) if control.time_limit is None else (0.0, 1.0)
    steps = walk_and_trim(around, chains, work, control, COLD_FROM)
    return (yield from _told(steps, around, part, found.evaluations))


def _number_of_groups(settings: Annealing, around: Excerpt) -> int:
    """As many as are asked for; else by how many are at risk, whatever the number of threads."""
    from netveil.kernels.following.state import Total

    if settings.groups != "auto":
        return settings.groups
    return min(max(1, int(around.original.totals[Total.AT_RISK]) // AT_RISK_A_GROUP), MOST_IF_AUTO)


def _told(steps: Steps, around: Excerpt, part: tuple[float, float] = (0.0, 1.0), before: int = 0) -> Steps:
    """A search of the excerpt as that part of a search of the network, with the network's numbers."""

    def of_network(step: Step) -> Step:
        best, share = step.best, step.share
        if best is not None:
            deleted_edges = best.deleted_edges
            best = Checkpoint(lambda: around.edges_there(deleted_edges()), best.at_risk)
        if share is not None:
            share = part[0] + (part[1] - part[0]) * share
        return step._replace(evaluations=before + step.evaluations, best=best, share=share)

    found = yield from retold(steps, of_network)
    deleted = around.edges_there(found.deleted_edges)
    return replace(found, deleted_edges=deleted, evaluations=before + found.evaluations)
