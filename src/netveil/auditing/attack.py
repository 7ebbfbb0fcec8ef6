"""Attacks: somebody who knows the original looks for its people in the release.

By surroundings: her candidates for person v are the nodes of the release whose state is v's in the original;
for a fuzzy attacker those that are φ-similar to it, and for one who allows for deletions those that have no
number above v's besides. She needs no table of labels for that; only the score does, which says whether the
right person is among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker
from netveil.anonymity.attackers import bounds, similar_counts
from netveil.anonymity.measure import OwnMeasure
from netveil.attributes import Attributes
from netveil.errors import SettingError, option
from netveil.formatting import Share, parsed_share, percent
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network

# An attacker who knows that a release is made by deleting edges: numbers fall, and never rise.
#
# Who only knows that her numbers may be off looks for numbers around hers. But where edges are deleted and
# none are added, no number of `degree`, `count` or `edge-count` rises. So she looks between (1 - φ) of each
# number and the number itself. In such a release she misses nobody whom the other one has among her
# candidates for the same φ, and has fewer wrong ones.


def parsed_deletions(value: Share) -> Fraction:
    """Parse a share of deletions into an exact fraction."""
    return parsed_share(value, "deletions", "give a share from 0% to 100%, such as 5% or 0.05.")


@dataclass(frozen=True)
class DeletionsAttacker(Attacker):
    """Attacker who knows that edges were deleted: `fuzzy` is the most that each number has fallen by."""

    def __post_init__(self) -> None:
        if self.fuzzy is None or not self.measure.only_falls:
            raise SettingError(
                f"measure {self.measure.name} cannot allow for deletions: its states are not known to be "
                f"numbers that only fall by them; leave {option('deletions')} out, or choose degree, count "
                f"or edge-count."
            )
        super().__post_init__()

    @property
    def name(self) -> str:
        """Name with the share that deletions may have taken."""
        return super().name.replace(", fuzzy ", ", deletions ")

    @property
    def _how_far_and_how_exact(self) -> str:
        assert self.fuzzy is not None
        farther = "" if self.distance == 1 else f", up to distance {self.distance}"
        return f"{farther}, and allows for deletions that lower each number by up to {percent(self.fuzzy)}"


MANY = 10  # candidates or more are many; 2 to 9 are few
Z_OF_95_PERCENT = 1.959963984540054  # a normal variable is farther than this from its mean 1 time in 20


@dataclass(frozen=True)
class Tally:
    """Result of one attack on everybody, in people; no score where it is not known who is who."""

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
        names = ("found", "among_few", "among_many", "misled", "not_found", "success")
        return {
            **{name: getattr(self, name) for name in names},
            "interval": None if self.interval is None else list(self.interval),
            "candidates": {"one": self.one, "few": self.few, "many": self.many, "none": self.not_found},
        }


@dataclass(frozen=True)
class Attack:
    """Result of one attacker in the release, beside the original and a random guess."""

    name: str  # of the attacker
    knowledge: str  # what she knows, as the end of "an attacker who …"
    release: Tally
    original: Tally
    guessing: float  # success of a random guess
    at_risk: Mapping[int, int] = field(default_factory=dict)  # k → people at risk in the release
    attacker: Attacker | None = None  # where she knows states

    @property
    def title(self) -> str:
        """A name that people understand, as the end of "somebody who …"."""
        return self.knowledge if self.attacker is None else self.attacker.title

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        by = self.attacker
        measure, distance, fuzzy = (by.measure.name, by.distance, by.fuzzy) if by else (None, None, None)
        return {
            "attacker": self.name,
            "title": self.title,
            "knowledge": self.knowledge,
            "measure": measure,
            "distance": distance,
            "fuzzy": None if fuzzy is None else float(fuzzy),
            "deletions": isinstance(by, DeletionsAttacker),
            "release": self.release.to_dict(),
            "original": self.original.to_dict(),
            "guessing": self.guessing,
            "at_risk": {str(k): nodes for k, nodes in self.at_risk.items()},
        }


@dataclass(frozen=True, eq=False)
class Scene:
    """Input of every attack."""

    original: Network
    released: Network  # node v is node v of the original where `scored`
    attackers: tuple[Attacker, ...]  # whose states are to be tried
    scored: bool  # whether it is known who is who, to keep the score; attackers do not know


class AttackKind(Protocol):
    """Protocol of a way to look for people, an entry of the registry."""

    name: str  # what the registry calls it

    def attempts(self, scene: Scene) -> Iterator[Attack]:
        """Yield an attack for each attacker of the scene."""


def tally_of(candidates: IntVector, right: NDArray[np.bool_] | None) -> Tally:
    """Count an attack: candidates of each person, and whether the right one is among them."""
    kinds = (candidates == 1, (candidates > 1) & (candidates < MANY), candidates >= MANY)
    one, few, many, not_found = map(count_people, (*kinds, candidates == 0))
    if right is None:
        return Tally(one, few, many, not_found)
    found, among_few, among_many = (count_people(right & kind) for kind in kinds)
    misled = count_people(~right & (candidates > 0))
    success = float(np.mean(np.divide(right, candidates, out=np.zeros(len(right)), where=right)))
    interval = score_interval(success, len(candidates))
    return Tally(one, few, many, not_found, found, among_few, among_many, misled, success, interval)


def count_people(people: NDArray[np.bool_]) -> int:
    """Number of people in a mask."""
    return int(np.count_nonzero(people))


def score_interval(mean: float, people: int) -> tuple[float, float]:
    """The 95% interval of Wilson (1927) for a mean over people, each of whom counts from 0 to 1.

    The people are taken for a sample of those whom such a network could hold. The interval holds every mean m
    from which the observed one is at most 1.96 standard errors away, with the variance m (1 - m). That is the
    variance of hits and misses, and the largest that numbers between 0 and 1 with the mean m can have: people
    who count as 1/candidates vary less, so the interval errs towards being too wide. It never leaves 0 to 1,
    and has a width where everybody or nobody is found, unlike mean ± 1.96 standard errors. Nothing is random.

    >>> score_interval(0.0, 100)  # doctest: +ELLIPSIS
    (0.0, 0.0369...)
    """
    square = Z_OF_95_PERCENT**2
    centre = (mean + square / (2 * people)) / (1 + square / people)
    reach = sqrt(mean * (1 - mean) / people + square / (4 * people**2)) * Z_OF_95_PERCENT
    reach /= 1 + square / people
    low = 0.0 if mean == 0 else max(0.0, centre - reach)
    high = 1.0 if mean == 1 else min(1.0, centre + reach)
    return low, high


# Attack by surroundings: look for nodes of the release with the state of somebody in the original.


CLASS_SIZES = (2, 3, 5, 10)  # the values of k for which nodes at risk inside the release are counted


class SurroundingsAttack:
    """Looks for everybody by the states of each attacker's measure."""

    name = "surroundings"

    def attempts(self, scene: Scene) -> Iterator[Attack]:
        """An attack for each attacker.

        Attackers who differ in `fuzzy` alone should follow each other: their states are computed once.
        """
        people = scene.original.node_count
        both = side_by_side(scene.original, scene.released)
        for _, group in groupby(scene.attackers, lambda each: (each.measure, each.distance)):
            attackers = list(group)
            states = _states(attackers[0], scene, both)
            yield from (self._attempt(each, scene, states[:people], states[people:]) for each in attackers)

    def _attempt(self, attacker: Attacker, scene: Scene, known: IntMatrix, published: IntMatrix) -> Attack:
        """The attack of one attacker, by the states in both networks."""
        fuzzy, fallen = attacker.fuzzy, isinstance(attacker, DeletionsAttacker)
        # Inside the release nothing has fallen from one node to another.
        lookalikes = None if fallen else similar_counts(published, published, fuzzy)
        right = is_candidate(known, published, fuzzy, fallen=fallen) if scene.scored else None
        in_original = similar_counts(known, known, fuzzy, fallen=fallen)
        return Attack(
            attacker.name,
            attacker.knowledge,
            release=tally_of(similar_counts(known, published, fuzzy, fallen=fallen), right),
            original=tally_of(in_original, np.ones(len(known), dtype=bool)),
            guessing=1 / scene.released.node_count,
            at_risk={} if lookalikes is None else {k: count_people(lookalikes < k) for k in CLASS_SIZES},
            attacker=attacker,
        )


def _states(attacker: Attacker, scene: Scene, both: Network) -> IntMatrix:
    """The states in both networks, the original's people first.

    A user's own measure may look at the whole network, so it is called for each of the two by itself; and
    without labels, which would tell it who is who.
    """
    measure = attacker.measure
    if isinstance(measure, OwnMeasure) and attacker.distance == 1:
        sides = (scene.original, scene.released)
        alone = [Network.from_numbered_edges(each.edges, each.node_count) for each in sides]
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
