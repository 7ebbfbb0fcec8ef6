"""Weighing: everybody keeps several candidates, weighed by features and by the candidates of contacts.

Ours; it needs nobody to be recognised beforehand. It starts from all candidates with similar features, wrong
ones included, and weighs them again in rounds, like the belief propagation of Pearl (1982) on a network of
contacts: candidates that are contacts of each other's candidates support each other, and errors wash out.

    candidates(u) ← the released nodes whose features are nearest to those expected of u, weighed by distance
    repeat until nothing becomes surer:
        each contact of u gives marks to the contacts of its candidates, by their weight
        score(u, v)   ← marks beyond chance in standard errors − distance of features
        candidates(u) ← the nodes with the best scores, weighed by exp(score)
        weights of a node that more than one person wants are shared out
    u claims its best candidate where that has more than half of the weight, and enough contacts confirm it
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Claims, GoOn, Situation
from netveil.auditing.matching.noise import feature_space, simulated, windows_of
from netveil.kernels.arrays import components
from netveil.kernels.matching import (
    FEATURES_COUNT,
    Beliefs,
    FeatureSpace,
    Floats,
    nearest_by_features,
    room_for_marks,
    weigh_candidates,
)
from netveil.network import Network

# Which claims an attacker stands by: those that ties confirm.
#
# A tie is confirmed if she knows it and the release has it between the two nodes that its ends are claimed
# to be.


LEAST_CONFIRMED = 0.5  # of the ties that should be there
LEAST_IN_ALL = 0.75  # of the ties that should be there between all claims: fewer, and the match went wrong
MANY_SURE = 1 / 3  # of the people, where ties were added: hubs alone are sure in networks that are unrelated
LARGE = 20  # people who hang together by confirmed ties: by chance there are seldom ten
DENSE = 1.25  # confirmed ties a person: by chance there is about one, even among forty people


def confirmed(situation: Situation, claimed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The claims that are confirmed, and NOBODY in place of others.

    Half of a person's claimed contacts must confirm the claim, and it must hang together by confirmed ties
    with somebody recognised beforehand, with people who have several such ties each, or, where most ties
    between claims are confirmed, with a cycle or with many people: matches of two networks that have nothing
    to do with each other make chains, and now and then a cycle, which a small share of all ties confirms.
    Where ties were added, those that chance confirms do not count.
    """
    is_seed = np.zeros(len(claimed), dtype=bool)
    is_seed[situation.seeds] = True
    few_are_sure = (claimed != NOBODY).sum() < MANY_SURE * (situation.known.degrees > 0).sum()
    if situation.added_share and few_are_sure and not is_seed.any():
        return np.full_like(claimed, NOBODY)
    ends = situation.known.edges.astype(np.int64)
    published = situation.released.are_edges(claimed[ends])
    kept = situation.released_share * (1 - situation.added_share)
    by_chance = _by_chance(situation, claimed[ends])
    claims = claimed.copy()
    between = (claims[ends] != NOBODY).all(axis=1).sum()
    beyond_chance = published.sum() - by_chance.sum()
    went_well = beyond_chance >= LEAST_IN_ALL * kept * between
    if situation.added_share:  # a guess, which the match itself mends
        kept = min(kept, beyond_chance / max(between, 1))
    while True:
        open_ties = (claims[ends] != NOBODY).all(axis=1)
        should, does = (
            np.bincount(ends[some].ravel(), minlength=len(claims))
            for some in (open_ties, open_ties & published)
        )
        chance = np.bincount(ends[open_ties].ravel(), np.repeat(by_chance[open_ties], 2), len(claims))
        few = (does < 1) | (does - chance < LEAST_CONFIRMED * kept * should)
        doubtful = (claims != NOBODY) & ~is_seed & few
        if not doubtful.any():
            break
        claims[doubtful] = NOBODY
    together = _in_company(ends[open_ties & published], is_seed, bool(went_well))
    return np.where(together, claims, NOBODY)


def _by_chance(situation: Situation, nodes: NDArray[np.int64]) -> Floats:
    """How likely pairs of nodes (t, 2) are tied if the claims are wrong; told only where ties were added.

    Where ties were deleted alone, so many are confirmed that chance does not count.
    """
    if not situation.added_share:
        return np.zeros(len(nodes))
    degrees = situation.released.degrees.astype(np.float64)
    likely = degrees[nodes].prod(axis=1) / max(2 * situation.released.edge_count, 1)
    return np.where((nodes != NOBODY).all(axis=1), np.minimum(likely, 1.0), 0.0)


def _in_company(ties: NDArray[np.int64], is_seed: NDArray[np.bool_], went_well: bool) -> NDArray[np.bool_]:
    """Whether each person is connected by these ties to a seed, or to enough others."""
    part = components(ties, len(is_seed))
    size = np.bincount(part)
    confirming = np.bincount(part[ties[:, 0]], minlength=len(size))
    has_seed = np.bincount(part[is_seed], minlength=len(size)) > 0
    has_cycle = confirming >= size
    enough = (has_cycle | (size >= LARGE)) if went_well else confirming >= DENSE * size
    return np.asarray((enough | has_seed)[part])


# Where nothing was deleted: an isomorphism tells who is who, but for people who mirror each other.


MOST_NODES = 2_000  # of more, the automorphisms take too much room


def exact_claims(situation: Situation) -> Claims | None:
    """Claims by isomorphism, sure where no automorphism moves a node; None unless small and isomorphic.

    Found by canonical forms: Junttila and Kaski (2007), in igraph.
    """
    known, released = situation.known, situation.released
    same_size = known.node_count == released.node_count and known.edge_count == released.edge_count
    if not same_size or not 0 < known.node_count <= MOST_NODES:
        return None
    import igraph

    graphs = [igraph.Graph(n=each.node_count, edges=each.edges) for each in (known, released)]
    colours = np.zeros((2, known.node_count), dtype=np.int64)  # seeds stay apart from all others
    for colour, seeds in zip(colours, (situation.seeds, situation.seed_nodes), strict=True):
        colour[seeds] = np.arange(1, len(seeds) + 1)
    hers, theirs = colours.tolist()
    are_the_same, match, _ = graphs[0].isomorphic_bliss(
        graphs[1], return_mapping_12=True, color1=hers, color2=theirs
    )
    if not are_the_same:
        return None
    nodes = np.array(match, dtype=np.int64)
    if not released.are_edges(nodes[known.edges]).all():  # versions of igraph differ in the direction
        nodes = np.argsort(nodes)
    alone = np.ones(known.node_count, dtype=bool)
    for generator in graphs[0].automorphism_group(color=hers):
        alone &= np.asarray(generator) == np.arange(known.node_count)
    return Claims(nodes, 1.0 + alone.astype(np.float64), alone)


CANDIDATES = 8  # that everybody keeps
MANY_CANDIDATES, ROUNDS_WITH_MANY = 24, 12  # of a second attempt, at its start
FEW = 0.1  # of the people: whoever stands by fewer claims tries again
MOST_ROUNDS = 60
PATIENCE = 6  # rounds without gain before it stops
LEAST_GAIN = 0.001  # of the people: what counts as one, and as a change of candidates
SURE = 0.505  # of the weight: more is a claim; each of two mirror images has half of it, but for rounding
DECIMALS = 4  # of scores: rounds would make more and more of what mirror images differ by in the last bit


class Weighing:
    """Weighs candidates by features and contacts, round after round."""

    name = "weighing"
    title = "weighs who could be whom, by features and by contacts, in rounds"
    paper = "netveil"
    needs_seeds = False

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        """Weigh candidates until nobody becomes surer; if that leads nowhere, again from more candidates."""
        if (exact := exact_claims(situation)) is not None:
            return exact
        return weighed_claims(*simulated(situation, rng), go_on)


def weighed_claims(situation: Situation, pairs: Iterable[tuple[Network, Network]], go_on: GoOn) -> Claims:
    """Weigh candidates until nobody becomes surer; if few are claimed, again from more candidates.

    The noise is learnt from simulated pairs: see `feature_space`.
    """
    space = feature_space(situation, pairs)
    found = _claims(situation, _weighed_out(situation, space, 0, go_on))
    if found.claimed.sum() < FEW * (situation.known.degrees > 0).sum():
        again = _claims(situation, _weighed_out(situation, space, ROUNDS_WITH_MANY, go_on))
        found = max(found, again, key=lambda claims: int(claims.claimed.sum()))
    return found


def _weighed_out(situation: Situation, space: FeatureSpace, with_many: int, go_on: GoOn) -> Beliefs:
    """Candidates after as many rounds as bring anything; the first rounds with many candidates each."""
    beliefs = _candidates(situation, space, MANY_CANDIDATES if with_many else CANDIDATES)
    enough = LEAST_GAIN * len(beliefs.nodes)
    surest, waited = 0.0, 0
    for round_number in range(MOST_ROUNDS):
        go_on()
        before = beliefs.nodes[:, 0]
        room = MANY_CANDIDATES if round_number < with_many else CANDIDATES
        beliefs = _candidates(situation, space, room, beliefs)
        sure = float(beliefs.weights.max(axis=1, initial=0).sum())
        waited = 0 if sure > surest + enough else waited + 1
        surest = max(surest, sure)
        is_settled = waited > 0 and (beliefs.nodes[:, 0] != before).sum() <= enough
        if (is_settled or waited >= PATIENCE) and round_number >= with_many:
            break
    return beliefs


def _candidates(
    situation: Situation, space: FeatureSpace, room: int, beliefs: Beliefs | None = None
) -> Beliefs:
    """Candidates before anything is known of contacts, or after one more round."""
    shape = (situation.known.node_count, room)
    nodes, scores = np.full(shape, NOBODY, dtype=np.int64), np.full(shape, -np.inf)
    if beliefs is None:
        nearest_by_features(space, windows_of(situation), nodes, scores)
        return _weighed(situation, nodes, FEATURES_COUNT * scores)
    hers, theirs = situation.known.csr, situation.released.csr
    marks = room_for_marks(situation.released.node_count)
    weigh_candidates(hers, theirs, beliefs, space, situation.only_deleted, marks, nodes, scores)
    return _weighed(situation, nodes, scores)


def _weighed(situation: Situation, nodes: NDArray[np.int64], scores: Floats) -> Beliefs:
    """Candidates with weights: likely by their scores, shared where several want one; seeds are certain."""
    rounded = scores.round(DECIMALS)
    likely = np.exp(rounded - np.maximum(rounded[:, :1], np.finfo(float).min))
    weights = np.where(nodes == NOBODY, 0.0, likely)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    wanted = np.bincount(nodes[nodes != NOBODY], weights[nodes != NOBODY], situation.released.node_count)
    weights = np.where(nodes == NOBODY, 0.0, weights / np.maximum(wanted[nodes], 1.0))
    weights[np.isin(nodes, situation.seed_nodes)] = 0.0
    nodes[situation.seeds], weights[situation.seeds] = NOBODY, 0.0
    nodes[situation.seeds, 0], weights[situation.seeds, 0] = situation.seed_nodes, 1.0
    return Beliefs(nodes, weights)


def _claims(situation: Situation, beliefs: Beliefs) -> Claims:
    """Final claims: the best candidate, where it is likely, wanted by one alone and confirmed."""
    people = np.arange(len(beliefs.nodes))
    best = beliefs.weights.argmax(axis=1)
    certainty = beliefs.weights[people, best]
    guesses = np.where(certainty > 0, beliefs.nodes[people, best], NOBODY)
    sure = confirmed(situation, np.where(certainty > SURE, guesses, NOBODY)) != NOBODY
    return Claims(guesses, certainty + sure, sure)
