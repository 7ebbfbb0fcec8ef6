"""Which attackers are tried with which knowledge: the most telling first, as far as people would wait.

What an attempt costs is counted in marks, not in seconds, so the same network has the same plan everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from netveil.auditing.matching.knowledge import Knowledge
from netveil.auditing.matching.matchers import MATCHERS
from netveil.errors import SettingError, option, unknown_name
from netveil.network import Network

Extent = Literal["none", "brief", "usual", "all"]
EXTENTS = ("none", "brief", "usual", "all")
MOST_MARKS = {"brief": 1_500_000_000, "usual": 6_000_000_000}
"""About so many in 4 and in 15 seconds of two cores."""

KNOWN = (1.0, 0.9, 0.75, 0.5, 0.25)  # shares of the ties
IN_ONE_COMMUNITY = (0.5, 0.25)
SEEDS = (5, 10, 20, 50)
SHARE_OF_SEEDS = 0.01
REPEATS = 3
MARKS_TO_SET_UP = 20_000_000  # an attempt costs this in any case
ROUNDS_WEIGHING, ROUNDS_SEEDED = 32, 16  # marks of an attempt, in squared degrees


@dataclass(frozen=True)
class Attempt:
    """An attacker with what she knows."""

    attack: str  # name of the matcher
    knowledge: Knowledge
    repeats: int  # on the release, with other random numbers
    repeats_beside: int  # on the original and after random deletions

    def marks(self, original: Network) -> int:
        """About what it costs."""
        squares = int((original.degrees.astype(float) ** 2).sum() * self.knowledge.known)
        rounds = ROUNDS_SEEDED if MATCHERS[self.attack].needs_seeds else ROUNDS_WEIGHING
        return (self.repeats + 2 * self.repeats_beside) * (MARKS_TO_SET_UP + rounds * squares)


def attempts_for(original: Network, extent: str) -> tuple[list[Attempt], list[str]]:
    """What is tried for this network, and a note on what is left out for its cost."""
    if extent not in EXTENTS:
        raise SettingError(f"{option('matching', extent)}: {unknown_name('extent', extent, EXTENTS)}")
    if extent == "none" or original.edge_count == 0:
        return [], []
    if extent == "all":
        return list(_every(original)), []
    wished, room = list(_usual(original)), MOST_MARKS[extent]
    taken: list[Attempt] = []
    for attempt in wished:
        room -= attempt.marks(original)
        if taken and room < 0:
            break
        taken.append(attempt)
    left = len(wished) - len(taken)
    if not left:
        return taken, []
    return taken, [
        f"{left:,} of {len(wished):,} cases of attackers who match the whole network are left out, because "
        f"they would take long; an audit with {option('matching', 'all')} tries them all."
    ]


def seeds_for(original: Network) -> Sequence[int]:
    """How many people may be recognised beforehand: some numbers, and 1%."""
    share = max(1, round(SHARE_OF_SEEDS * original.node_count))
    return [seeds for seeds in sorted({*SEEDS, share}) if seeds < original.node_count]


def _usual(original: Network) -> Iterator[Attempt]:
    """Without seeds by what she knows; with seeds by whom she recognises: the most telling first."""
    strongest = next(iter(MATCHERS))
    for known in sorted(KNOWN, key=lambda share: (share < 1, share != 0.5, share)):
        yield Attempt(strongest, Knowledge(known), REPEATS, 1)
    for known in IN_ONE_COMMUNITY:
        yield Attempt(strongest, Knowledge(known, "community"), REPEATS, 1)
    needing_seeds = [name for name, matcher in MATCHERS.items() if matcher.needs_seeds]
    for name in MATCHERS:
        if name != strongest and name not in needing_seeds:
            yield Attempt(name, Knowledge(), REPEATS, 1)
    for seeds in sorted(seeds_for(original), key=lambda number: (number != 10, number != 50, number)):
        for name in needing_seeds:
            yield Attempt(name, Knowledge(seeds=seeds), REPEATS, 1)
        yield Attempt(strongest, Knowledge(min(KNOWN), seeds=seeds), REPEATS, 1)
    for name in needing_seeds:
        for seeds in seeds_for(original):
            yield Attempt(name, Knowledge(seeds=seeds, chosen="best-connected"), REPEATS, 1)


def _every(original: Network) -> Iterator[Attempt]:
    """All that is varied, crossed with each other."""
    ties = [Knowledge(known) for known in KNOWN]
    ties += [Knowledge(known, "community") for known in KNOWN if known < 1]
    seeds = [(0, "random"), *((n, chosen) for n in seeds_for(original) for chosen in _CHOSEN)]
    for name, matcher in MATCHERS.items():
        for knows in ties:
            for number, chosen in seeds:
                if number or not matcher.needs_seeds:
                    knowledge = Knowledge(knows.known, knows.ties, number, chosen)  # type: ignore[arg-type]
                    yield Attempt(name, knowledge, REPEATS, REPEATS)


_CHOSEN = ("random", "best-connected")
