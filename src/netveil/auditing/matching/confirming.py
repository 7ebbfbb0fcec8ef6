"""Which claims an attacker stands by: those that ties confirm.

A tie is confirmed if she knows it and the release has it between the two nodes that its ends are claimed to
be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Situation

LEAST_CONFIRMED = 0.5  # of the ties that should be there
LEAST_IN_ALL = 0.75  # of the ties that should be there between all claims: fewer, and the match went wrong
LARGE = 20  # people who hang together by confirmed ties: by chance there are seldom ten
DENSE = 1.25  # confirmed ties a person: by chance there is about one, even among forty people


def confirmed(situation: Situation, claimed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The claims that are confirmed, and NOBODY in place of others.

    Half of a person's claimed contacts must confirm the claim, and it must hang together by confirmed ties
    with somebody recognised beforehand, with people who have several such ties each, or, where most ties
    between claims are confirmed, with a cycle or with many people: matches of two networks that have nothing
    to do with each other make chains, and now and then a cycle, which a small share of all ties confirms.
    """
    ends = situation.known.edges.astype(np.int64)
    published = situation.released.are_edges(claimed[ends])
    expected = LEAST_CONFIRMED * situation.released_share
    is_seed = np.zeros(len(claimed), dtype=bool)
    is_seed[situation.seeds] = True
    claims = claimed.copy()
    should_be = situation.released_share * (claims[ends] != NOBODY).all(axis=1).sum()
    went_well = published.sum() >= LEAST_IN_ALL * should_be
    while True:
        open_ties = (claims[ends] != NOBODY).all(axis=1)
        should = _count(ends[open_ties], len(claims))
        does = _count(ends[open_ties & published], len(claims))
        doubtful = (claims != NOBODY) & ~is_seed & ((does < 1) | (does < expected * should))
        if not doubtful.any():
            break
        claims[doubtful] = NOBODY
    together = _in_company(ends[open_ties & published], is_seed, bool(went_well))
    return np.where(together, claims, NOBODY)


def _count(ends: NDArray[np.int64], people: int) -> NDArray[np.int64]:
    """How many of these ties each person has."""
    return np.bincount(ends.ravel(), minlength=people)


def _in_company(ties: NDArray[np.int64], is_seed: NDArray[np.bool_], went_well: bool) -> NDArray[np.bool_]:
    """Who hangs together by these ties with a seed, or with enough others for how the match went."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    people = len(is_seed)
    matrix = coo_array((np.ones(len(ties)), (ties[:, 0], ties[:, 1])), shape=(people, people))
    _, part = connected_components(matrix, directed=False)
    size = np.bincount(part)
    confirming = np.bincount(part[ties[:, 0]], minlength=len(size))
    has_seed = np.bincount(part[is_seed], minlength=len(size)) > 0
    has_cycle = confirming >= size
    enough = (has_cycle | (size >= LARGE)) if went_well else confirming >= DENSE * size
    return np.asarray((enough | has_seed)[part])
