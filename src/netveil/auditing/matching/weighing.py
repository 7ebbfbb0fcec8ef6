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

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.confirming import confirmed
from netveil.auditing.matching.exact import exact_claims
from netveil.auditing.matching.features import feature_space, windows_of
from netveil.auditing.matching.matcher import NOBODY, Claims, Situation
from netveil.kernels.matching.features import FeatureSpace, Floats, nearest_by_features
from netveil.kernels.matching.weighing import FEATURES_COUNT, Beliefs, weigh_candidates

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

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Weigh candidates until nobody becomes surer; if that leads nowhere, again from more candidates."""
        exact = exact_claims(situation)
        if exact is not None:
            return exact
        space = feature_space(situation, rng)
        found = _claims(situation, _weighed_out(situation, space, 0, go_on))
        if found.claimed.sum() < FEW * (situation.known.degrees > 0).sum():
            again = _claims(situation, _weighed_out(situation, space, ROUNDS_WITH_MANY, go_on))
            found = max(found, again, key=lambda claims: int(claims.claimed.sum()))
        return found


def _weighed_out(
    situation: Situation, space: FeatureSpace, with_many: int, go_on: Callable[[], None]
) -> Beliefs:
    """Candidates after as many rounds as bring anything; the first rounds with many candidates each."""
    beliefs = _by_features(situation, space, MANY_CANDIDATES if with_many else CANDIDATES)
    enough = LEAST_GAIN * len(beliefs.nodes)
    surest, waited = 0.0, 0
    for round_number in range(MOST_ROUNDS):
        go_on()
        before = beliefs.nodes[:, 0]
        room = MANY_CANDIDATES if round_number < with_many else CANDIDATES
        beliefs = _by_contacts(situation, space, beliefs, room)
        sure = float(beliefs.weights.max(axis=1, initial=0).sum())
        waited = 0 if sure > surest + enough else waited + 1
        surest = max(surest, sure)
        is_settled = waited > 0 and (beliefs.nodes[:, 0] != before).sum() <= enough
        if (is_settled or waited >= PATIENCE) and round_number >= with_many:
            break
    return beliefs


def _by_features(situation: Situation, space: FeatureSpace, room: int) -> Beliefs:
    """Candidates before anything is known of contacts."""
    nodes, scores = _room(situation, room)
    nearest_by_features(space, windows_of(situation), nodes, scores)
    return _weighed(situation, nodes, FEATURES_COUNT * scores)


def _by_contacts(situation: Situation, space: FeatureSpace, beliefs: Beliefs, room: int) -> Beliefs:
    """Candidates after one more round."""
    nodes, scores = _room(situation, room)
    weigh_candidates(
        situation.known.csr,
        situation.released.csr,
        beliefs,
        space,
        situation.only_deleted,
        nodes,
        scores,
    )
    return _weighed(situation, nodes, scores)


def _room(situation: Situation, candidates: int) -> tuple[NDArray[np.int64], Floats]:
    """For so many candidates of each person: none yet."""
    shape = (situation.known.node_count, candidates)
    return np.full(shape, NOBODY, dtype=np.int64), np.full(shape, -np.inf)


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
    """What she says in the end: the best candidate, where it is likely, wanted by one alone and confirmed."""
    people = np.arange(len(beliefs.nodes))
    best = beliefs.weights.argmax(axis=1)
    certainty = beliefs.weights[people, best]
    guesses = np.where(certainty > 0, beliefs.nodes[people, best], NOBODY)
    sure = confirmed(situation, np.where(certainty > SURE, guesses, NOBODY)) != NOBODY
    return Claims(guesses, certainty + sure, sure)
