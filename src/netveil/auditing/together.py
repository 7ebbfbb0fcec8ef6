"""Two releases of one network, laid on each other: what one hides the other may show.

Each release lacks other edges, so the edges of both together lack only those that were deleted twice. Whoever
has both, and neither the original nor a label, must find out who in one release is who in the other: by equal
labels, if they were kept, or by structure. Knowing who is who, the audit keeps the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from netveil.anonymity import Attacker, anonymity_of
from netveil.auditing.identity import Identity
from netveil.auditing.leak import Leak
from netveil.auditing.links import linked_by_structure
from netveil.auditing.matching.matcher import reversed_match
from netveil.kernels.arrays import IntVector
from netveil.network import Network

K = 2  # people whom fewer than two look like, themselves included, are at risk
BY_CHANCE = 10  # people with the same number in both: random numbers give so many one time in a million
SAME_LABELS = 0.5  # share of edges with the same labels in both that no two random orders have
ONE_SEED = 0  # the order in which nodes are looked at must not follow the files


@dataclass(frozen=True, eq=False)
class PublishedRelease:
    """A release to be laid on another."""

    name: str
    network: Network  # as published
    identity: Identity  # who is who in it, where known


@dataclass(frozen=True)
class ReleaseOfPair:
    """One of two releases: what it hides by itself, and what the other one undoes. None without a score."""

    released: str
    at_risk: int  # people at risk in it alone
    deleted: int | None = None  # edges of the original that it lacks
    shown_by_other: int | None = None  # of these, edges that the other release has
    put_back: int | None = None  # of these, edges found without labels, by linking people by structure
    put_back_wrongly: int | None = None  # edges found in this way that the original does not have


@dataclass(frozen=True)
class Pair:
    """What two releases of one network give away together that neither does alone. Figures only."""

    releases: tuple[ReleaseOfPair, ReleaseOfPair]
    nodes: int  # of the original
    attackers: str  # to whom people are at risk, by name
    at_risk_original: int
    claimed: int  # people of the first for whom somebody is found in the second by structure, right or wrong
    scored: bool = False  # whether it is known who is who in both; if not, what follows is None
    deleted_in_both: int | None = None  # edges of the original that neither shows
    at_risk_together: int | None = None  # people at risk in the edges of both
    same_labels: int | None = None  # people who have the same label in both
    linked: int | None = None  # people of the first who are rightly found in the second by structure
    linked_wrongly: int | None = None
    leaks: tuple[Leak, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and None."""
        return asdict(self) | {
            "releases": [asdict(each) for each in self.releases],
            "leaks": [asdict(leak) for leak in self.leaks],
        }


def laid_together(
    original: Network, first: PublishedRelease, second: PublishedRelease, attackers: Sequence[Attacker]
) -> Pair:
    """What somebody learns who has both releases; `attackers` are those to whom people are at risk."""
    sides = (first, second)
    rng = np.random.default_rng(ONE_SEED)
    claimed = linked_by_structure(first.network, second.network, original.edge_count, rng)
    alone = [ReleaseOfPair(side.name, _at_risk(side.identity.released, attackers)) for side in sides]
    pair = Pair(
        (alone[0], alone[1]),
        nodes=original.node_count,
        attackers=" + ".join(attacker.name for attacker in attackers),
        at_risk_original=_at_risk(original, attackers),
        claimed=int(np.count_nonzero(claimed >= 0)),
    )
    if first.identity.people is None or second.identity.people is None:
        return replace(pair, leaks=_leaks_of_edges(first.network, second.network))
    people = (first.identity.people, second.identity.people)
    right, same = _right(claimed, *people), _same_labels(sides, people)
    missing = [np.setdiff1d(original.edge_keys, side.identity.released.edge_keys) for side in sides]
    in_both = len(np.intersect1d(missing[0], missing[1]))
    back = _put_back(original, sides, people, claimed)
    rows = [
        replace(
            row,
            deleted=len(lacks),
            shown_by_other=len(lacks) - in_both,
            put_back=rightly,
            put_back_wrongly=wrongly,
        )
        for row, lacks, (rightly, wrongly) in zip(alone, missing, back, strict=True)
    ]
    return replace(
        pair,
        releases=(rows[0], rows[1]),
        scored=True,
        deleted_in_both=in_both,
        at_risk_together=_at_risk(union(first.identity.released, second.identity.released), attackers),
        same_labels=same,
        linked=right,
        linked_wrongly=pair.claimed - right,
        leaks=_leaks_of_labels(same, original.node_count),
    )


def union(first: Network, second: Network) -> Network:
    """The edges of both, whose nodes have the same numbers."""
    edges = np.unique(np.concatenate((first.edges, second.edges)), axis=0)
    return Network.from_numbered_edges(edges, first.node_count)


def _at_risk(network: Network, attackers: Sequence[Attacker]) -> int:
    """How many people are at risk to any of these attackers."""
    return anonymity_of(network, tuple(attackers), K).at_risk


def _right(claimed: IntVector, first: IntVector, second: IntVector) -> int:
    """How many claims are right, given who each node of both releases is."""
    who = np.flatnonzero(claimed >= 0)
    return int(np.count_nonzero(first[who] == second[claimed[who]]))


def _put_back(
    original: Network,
    sides: tuple[PublishedRelease, PublishedRelease],
    people: tuple[IntVector, IntVector],
    claimed: IntVector,
) -> list[tuple[int, int]]:
    """For each release, the deleted edges that claims put back into it from the other, and wrong ones."""
    back = reversed_match(claimed, sides[1].network.node_count)
    found = []
    for here, other, translated in ((0, 1, back), (1, 0, claimed)):
        brought = translated[sides[other].network.edges]
        brought = brought[(brought >= 0).all(axis=1)]
        new = brought[~sides[here].network.are_edges(brought)]
        rightly = int(np.count_nonzero(original.are_edges(people[here][new])))
        found.append((rightly, len(new) - rightly))
    return found


def _same_labels(
    sides: tuple[PublishedRelease, PublishedRelease], people: tuple[IntVector, IntVector]
) -> int:
    """How many people have the same label in both."""
    of_person = []
    for side, who in zip(sides, people, strict=True):
        labels = np.empty(len(who), dtype=object)
        labels[who] = [str(label) for label in side.network.labels]
        of_person.append(labels)
    return int(np.count_nonzero(of_person[0] == of_person[1]))


def _leaks_of_labels(same: int, nodes: int) -> tuple[Leak, ...]:
    if same < min(BY_CHANCE, nodes):
        return ()
    return (_leak(f"{same:,} of {nodes:,} people have the same label in both releases."),)


def _leaks_of_edges(first: Network, second: Network) -> tuple[Leak, ...]:
    """Without knowing who is who: labels for which most edges coincide are those of the same people."""
    both = [
        {tuple(sorted((str(one), str(other)))) for one, other in each.to_edges()} for each in (first, second)
    ]
    shared, fewest = len(both[0] & both[1]), min(map(len, both))
    if not fewest or shared < SAME_LABELS * fewest:
        return ()
    return (_leak(f"{shared:,} edges have the same two labels in both releases."),)


def _leak(finding: str) -> Leak:
    return Leak(
        "leak",
        "labels",
        f"{finding} Nothing need be matched to lay one on the other.",
        "Publish one release only, with fresh numbers in random order.",
    )
