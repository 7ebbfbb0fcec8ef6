"""Which attackers are tried with which knowledge: the most telling first, as far as people would wait.

What a case costs is counted in marks, not in seconds, so the same network has the same plan everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from netveil.auditing.matching.features import MOST_COMPARED
from netveil.auditing.matching.knowledge import Chosen, Knowledge
from netveil.auditing.matching.matchers import MATCHERS, STRONGEST
from netveil.errors import unknown_name
from netveil.network import Network

EXTENTS = ("none", "brief", "usual", "all")
MOST_MARKS = {"brief": 2_500_000_000, "usual": 7_000_000_000}
"""About so many in 7 and in 20 seconds of two cores."""

MOST_MARKS_OF_FIRST = 50_000_000_000  # of the first case, which is tried if it can be: minutes of two cores
BRIEFLY = 9  # cases that a report has at most: a table of more is not read
KNOWN = (1.0, 0.9, 0.75, 0.5, 0.25)  # shares of the ties
SEEDS = (5, 10, 20, 50)
SHARE_OF_SEEDS = 0.01
REPEATS = 3
MARKS_TO_SET_UP = 10_000_000  # a trial costs this, however small the network
ROUNDS_WEIGHING, ROUNDS_SEEDED = 32, 16  # marks of a trial, in squared degrees
MARKS_A_COMPARISON = 3  # of a person's features with those of a node
HALF, MORE_ROUNDS = 0.5, 3  # so many times the rounds if she knows half of the ties or less


@dataclass(frozen=True)
class Case:
    """An attacker with what she knows."""

    attack: str  # name of the matcher
    knowledge: Knowledge
    repeats: int  # on the release, with other random numbers
    repeats_beside: int  # on the original and after random deletions

    def marks(self, original: Network) -> int:
        """About what it costs."""
        squares = int((original.degrees.astype(float) ** 2).sum() * self.knowledge.known)
        compared = original.node_count * min(original.node_count, MOST_COMPARED)
        if MATCHERS[self.attack].needs_seeds:
            marks = ROUNDS_SEEDED * squares
        else:
            marks = ROUNDS_WEIGHING * squares + MARKS_A_COMPARISON * compared
        times = MORE_ROUNDS if self.knowledge.known <= HALF else 1
        return (self.repeats + 2 * self.repeats_beside) * (MARKS_TO_SET_UP + times * marks)


def cases_for(original: Network, extent: str) -> tuple[list[Case], int]:
    """What is tried for this network, and how many more cases would take too long."""
    if extent not in EXTENTS:
        raise unknown_name("extent of matching", extent, EXTENTS)
    if extent == "none" or original.edge_count == 0:
        return [], 0
    if extent == "all":
        return list(_every(original)), 0
    wished, room = list(_usual(original)), MOST_MARKS[extent]
    taken: list[Case] = []
    for case in wished[:BRIEFLY] if extent == "brief" else wished:
        marks = case.marks(original)
        if marks <= room:
            taken.append(case)
            room -= marks
        elif case is wished[0]:  # the attacker to know of is tried in a large network, too, but once
            once = replace(case, repeats=1)
            taken += [once] * (once.marks(original) <= MOST_MARKS_OF_FIRST)
            room = 0
    return taken, len(wished) - len(taken)


def seeds_for(original: Network) -> Sequence[int]:
    """How many people may be recognised beforehand: some numbers, and 1%."""
    share = max(1, round(SHARE_OF_SEEDS * original.node_count))
    return [seeds for seeds in sorted({*SEEDS, share}) if seeds < original.node_count]


def _usual(original: Network) -> Iterator[Case]:
    """One thing varied at a time: which ties she knows, or whom she recognises; the most telling first."""
    needing_seeds = [name for name, matcher in MATCHERS.items() if matcher.needs_seeds]
    others = [name for name, matcher in MATCHERS.items() if name != STRONGEST and not matcher.needs_seeds]
    numbers = sorted(seeds_for(original), key=lambda number: (number != 10, number != 50, number))

    def knows(knowledge: Knowledge, *attacks: str) -> Iterator[Case]:
        return (Case(attack, knowledge, REPEATS, 1) for attack in attacks)

    for known in (1.0, 0.5, 0.25, 0.75, 0.9):
        yield from knows(Knowledge(known), STRONGEST)
    yield from knows(Knowledge(0.5, "community"), STRONGEST)
    for seeds in numbers[:1]:
        yield from knows(Knowledge(seeds=seeds), *needing_seeds)
    yield from knows(Knowledge(0.25, "community"), STRONGEST)
    yield from knows(Knowledge(), *others)
    for seeds in numbers[1:]:
        yield from knows(Knowledge(seeds=seeds), *needing_seeds)
    for seeds in numbers:
        yield from knows(Knowledge(seeds=seeds, chosen="best-connected"), *needing_seeds)
        yield from knows(Knowledge(0.25, seeds=seeds), STRONGEST)


def _every(original: Network) -> Iterator[Case]:
    """All that is varied, crossed with each other."""
    ties = [Knowledge(known) for known in KNOWN]
    ties += [Knowledge(known, "community") for known in KNOWN if known < 1]
    chosen: tuple[Chosen, ...] = ("random", "best-connected")
    seeds = [(0, chosen[0]), *((number, which) for number in seeds_for(original) for which in chosen)]
    for name, matcher in MATCHERS.items():
        for knows in ties:
            for number, which in seeds:
                if number or not matcher.needs_seeds:
                    knowledge = replace(knows, seeds=number, chosen=which)
                    yield Case(name, knowledge, REPEATS, REPEATS)
