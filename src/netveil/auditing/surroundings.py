"""Attack by surroundings: look for nodes of the release with the state of somebody in the original.

Her candidates for person v are the nodes of the release whose state is v's in the original; for a fuzzy
attacker those that are φ-similar to it, and for one who allows for deletions those that have no number above
v's besides. She needs no table of labels for that; only the score does, which
says whether the right person is among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker
from netveil.anonymity.attackers import bounds, similar_counts
from netveil.anonymity.measure import OwnMeasure
from netveil.attributes import Attributes
from netveil.auditing.attack import Attack, DeletionsAttacker, Scene, count_people, tally_of
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network

CLASS_SIZES = (2, 3, 5, 10)  # the values of k for which nodes at risk inside the release are counted


class SurroundingsAttack:
    """Looks for everybody by the states of each attacker's measure."""

    name = "surroundings"

    def attempts(self, scene: Scene) -> Iterator[Attack]:
        """An attack for each attacker.

        Attackers who differ in `fuzzy` alone should follow each other: their states are computed once.
        """
        original, released = scene.original, scene.released
        both = side_by_side(original, released)
        people = original.node_count
        before: Attacker | None = None
        for attacker in scene.attackers:
            if before is None or (before.measure, before.distance) != (attacker.measure, attacker.distance):
                states = _states(attacker, original, released, both)
            before = attacker
            known, published = states[:people], states[people:]
            fuzzy, fallen = attacker.fuzzy, isinstance(attacker, DeletionsAttacker)
            in_release = similar_counts(known, published, fuzzy, fallen=fallen)
            right = is_candidate(known, published, fuzzy, fallen=fallen) if scene.scored else None
            in_original = similar_counts(known, known, fuzzy, fallen=fallen)
            yield Attack(
                attacker.name,
                attacker.knowledge,
                release=tally_of(in_release, right),
                original=tally_of(in_original, np.ones(people, dtype=bool)),
                guessing=1 / released.node_count,
                # Inside the release nothing has fallen from one node to another.
                at_risk={} if fallen else _at_risk(published, fuzzy),
                attacker=attacker,
            )


def _at_risk(published: IntMatrix, fuzzy: Fraction | None) -> dict[int, int]:
    """Number of nodes of the release with fewer than k lookalikes in it, by k."""
    lookalikes = similar_counts(published, published, fuzzy)
    return {k: count_people(lookalikes < k) for k in CLASS_SIZES}


def _states(attacker: Attacker, original: Network, released: Network, both: Network) -> IntMatrix:
    """The states in both networks, the original's people first.

    A user's own measure may look at the whole network, so it is called for each of the two by itself; and
    without labels, which would tell it who is who.
    """
    measure = attacker.measure
    if isinstance(measure, OwnMeasure) and attacker.distance == 1:
        alone = [Network.from_numbered_edges(each.edges, each.node_count) for each in (original, released)]
        return measure.states_of_both(*alone)
    return attacker.states(both)


def side_by_side(original: Network, released: Network) -> Network:
    """Join both into one network without an edge between them: nodes of the original first.

    States tell what is around a node, so they are the same as in each network alone; and in one network a
    measure gives equal rows to equal states, whichever of the two a node is from.
    """
    people = original.node_count
    edges = np.concatenate((original.edges.astype(np.int64), released.edges.astype(np.int64) + people))
    published = released.attributes.node
    both = original.attributes.node.keys() & published.keys()
    values = {name: [*original.attributes.node[name], *published[name]] for name in sorted(both)}
    return Network.from_numbered_edges(edges, people + released.node_count, attributes=Attributes(values))


def is_candidate(
    known: IntMatrix, published: IntMatrix, fuzzy: Fraction | None, *, fallen: bool = False
) -> NDArray[np.bool_]:
    """Whether each published row equals the known row beside it, or is φ-similar to it.

    With `fallen`, it must not have a larger number either.
    """
    lowest, highest = (known, known) if fuzzy is None else bounds(known, fuzzy, fallen=fallen)
    return np.asarray(((lowest <= published) & (published <= highest)).all(axis=1))
