"""A search of an excerpt, told in the numbers of the network that it was taken from."""

from __future__ import annotations

from dataclasses import replace

from netveil.iterate import retold
from netveil.search.excerpt import Excerpt
from netveil.search.progress import Checkpoint, Step, Steps


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
