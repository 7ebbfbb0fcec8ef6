"""Through the whole network, where a target cannot be reached around people at risk.

That is seldom: whoever is around them finds lookalikes when edges enough go. Without any edges all nodes look
alike, so that a budget of all edges reaches every target. Of a smaller budget, or under limits, nobody knows
that, and all work is done where it helps most.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netveil.errors import NetworkError
from netveil.iterate import retold
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.settings import Annealing
from netveil.search.annealing.target_budget import everything_deleted
from netveil.search.annealing.walk_and_trim import walk_and_trim
from netveil.search.control import Control
from netveil.search.edge_order import edge_order
from netveil.search.memory import check_memory
from netveil.search.problem import Problem
from netveil.search.progress import Found, Step, Steps


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
