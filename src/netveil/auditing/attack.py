"""The attack: somebody who knows a person's surroundings in the original looks for them in the release.

Her candidates for person v are the nodes of the release whose state is v's in the original; for a fuzzy
attacker those that are φ-similar to it. She needs no table of labels for that; only the score does, which
says whether the right person is among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, classes_of
from netveil.anonymity.own import OwnMeasure
from netveil.auditing.interval import score_interval
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network

MANY = 10  # candidates or more are many; 2 to 9 are few
CLASS_SIZES = (2, 3, 5, 10)  # the values of k for which nodes at risk inside the release are counted


@dataclass(frozen=True)
class Tally:
    """How an attack on everybody went, in people. There is no score if it is not known who is who."""

    one: int  # people with a single candidate, right or wrong
    few: int  # with 2 to 9
    many: int  # with 10 or more
    not_found: int  # with none: nobody in the network has their surroundings
    found: int | None = None  # people who are their only candidate
    among_few: int | None = None
    among_many: int | None = None
    misled: int | None = None  # people who have candidates and are none of them
    success: float | None = None  # how often a guess among the candidates is right, on average over people
    interval: tuple[float, float] | None = None  # of success, 95%

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; None where there is no score."""
        return {
            "found": self.found,
            "among_few": self.among_few,
            "among_many": self.among_many,
            "misled": self.misled,
            "not_found": self.not_found,
            "success": self.success,
            "interval": None if self.interval is None else list(self.interval),
            "candidates": {"one": self.one, "few": self.few, "many": self.many, "none": self.not_found},
        }


@dataclass(frozen=True)
class Attack:
    """What one attacker achieves in the release, compared with the original and with a random guess."""

    attacker: Attacker
    release: Tally
    original: Tally
    guessing: float  # success of a random guess
    at_risk: Mapping[int, int]  # k → nodes of the release with fewer than k lookalikes in it

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        fuzzy = self.attacker.fuzzy
        return {
            "attacker": self.attacker.name,
            "knowledge": self.attacker.knowledge,
            "measure": self.attacker.measure.name,
            "distance": self.attacker.distance,
            "fuzzy": None if fuzzy is None else float(fuzzy),
            "release": self.release.to_dict(),
            "original": self.original.to_dict(),
            "guessing": self.guessing,
            "at_risk": {str(k): nodes for k, nodes in self.at_risk.items()},
        }


def attacks_on(
    original: Network, released: Network, attackers: Iterable[Attacker], *, scored: bool
) -> Iterator[Attack]:
    """Each attacker's attack; `scored` if node v of the release is known to be node v of the original.

    Attackers who differ in `fuzzy` alone should follow each other: their states are computed once.
    """
    both = side_by_side(original, released)
    people = original.node_count
    before: Attacker | None = None
    for attacker in attackers:
        if before is None or (before.measure, before.distance) != (attacker.measure, attacker.distance):
            states = _states(attacker, original, released, both)
        before = attacker
        known, published = states[:people], states[people:]
        in_release = candidate_counts(known, published, attacker.fuzzy)
        right = is_candidate(known, published, attacker.fuzzy) if scored else None
        in_original = candidate_counts(known, known, attacker.fuzzy)
        lookalikes = candidate_counts(published, published, attacker.fuzzy)
        yield Attack(
            attacker,
            release=tally_of(in_release, right),
            original=tally_of(in_original, np.ones(people, dtype=bool)),
            guessing=1 / released.node_count,
            at_risk={k: _count(lookalikes < k) for k in CLASS_SIZES},
        )


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
    """Both as one network without an edge between them: nodes of the original first, then the release's.

    States tell what is around a node, so they are the same as in each network alone; and in one network a
    measure gives equal rows to equal states, whichever of the two a node is from.
    """
    people = original.node_count
    edges = np.concatenate((original.edges.astype(np.int64), released.edges.astype(np.int64) + people))
    return Network.from_numbered_edges(edges, people + released.node_count)


def candidate_counts(known: IntMatrix, published: IntMatrix, fuzzy: Fraction | None) -> IntVector:
    """For each row that is known, the number of published rows that equal it or are φ-similar to it."""
    if fuzzy is not None:
        from netveil.anonymity.fuzzy import similar_counts

        return similar_counts(known, published, fuzzy)
    class_of, sizes = classes_of(np.concatenate((known, published)))
    return np.bincount(class_of[len(known) :], minlength=len(sizes))[class_of[: len(known)]]


def is_candidate(known: IntMatrix, published: IntMatrix, fuzzy: Fraction | None) -> NDArray[np.bool_]:
    """For each row that is known, whether the published row beside it equals it or is φ-similar to it."""
    off = np.abs(known - published)
    if fuzzy is None:
        return np.asarray((off == 0).all(axis=1))
    values, place = np.unique(known, return_inverse=True)
    # In Python's integers, which are exact however many digits the share has.
    allowed = [value * fuzzy.numerator // fuzzy.denominator for value in values.tolist()]
    return np.asarray((off <= np.array(allowed, dtype=np.int64)[place].reshape(off.shape)).all(axis=1))


def tally_of(candidates: IntVector, right: NDArray[np.bool_] | None) -> Tally:
    """An attack in figures: how many candidates each person has, and whether the right one is among them."""
    one, few = candidates == 1, (candidates > 1) & (candidates < MANY)
    many, none = candidates >= MANY, candidates == 0
    counts = Tally(one=_count(one), few=_count(few), many=_count(many), not_found=_count(none))
    if right is None:
        return counts
    success = float(np.mean(np.divide(right, candidates, out=np.zeros(len(right)), where=right)))
    return replace(
        counts,
        found=_count(right & one),
        among_few=_count(right & few),
        among_many=_count(right & many),
        misled=_count(~right & ~none),
        success=success,
        interval=score_interval(success, len(candidates)),
    )


def _count(people: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(people))
