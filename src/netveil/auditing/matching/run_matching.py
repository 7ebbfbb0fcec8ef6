"""Runs attackers who match whole networks: on the release, on the original, after random deletions."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from netveil.auditing.matching.knowledge import MOST_COMPARED, Chosen, Knowledge, draw_known
from netveil.auditing.matching.matcher import NOBODY, Matcher, Situation
from netveil.auditing.matching.score import Matching, Score, Trial, precision_curve
from netveil.errors import unknown_name
from netveil.network import Network
from netveil.registries import MATCHERS, STRONGEST
from netveil.threads import available_cores, threads_for

# Which attackers are tried with which knowledge: the most telling first, as far as people would wait.
#
# What a case costs is counted in marks, not in seconds, so the same network has the same plan everywhere.


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
    """Attacker with her knowledge, and how often she is tried."""

    attack: str  # name of the matcher
    knowledge: Knowledge
    repeats: int  # on the release, with other random numbers
    repeats_beside: int  # on the original and after random deletions

    def marks(self, original: Network) -> int:
        """Estimated cost of a case, in marks."""
        squares = int((original.degrees.astype(float) ** 2).sum() * self.knowledge.known)
        compared = original.node_count * min(original.node_count, MOST_COMPARED)
        if MATCHERS[self.attack].needs_seeds:
            marks = ROUNDS_SEEDED * squares
        else:
            marks = ROUNDS_WEIGHING * squares + MARKS_A_COMPARISON * compared
        times = MORE_ROUNDS if self.knowledge.known <= HALF else 1
        return (self.repeats + 2 * self.repeats_beside) * (MARKS_TO_SET_UP + times * marks)


def cases_for(original: Network, extent: str) -> tuple[list[Case], int]:
    """Cases to try for a network, and how many more would take too long."""
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
    """Cases with one thing varied at a time, the most telling first."""
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
    """All cases: everything varied, crossed with each other."""
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


RELEASE, ORIGINAL, RANDOM_DELETION = range(3)
"""What an attack is made on."""


class _StoppedError(Exception):
    """Nobody waits for the result any more."""


def match_all(
    original: Network, released: Network, cases: Sequence[Case], *, seed: int = 0, threads: int | None = None
) -> Generator[Matching, None, list[Matching]]:
    """Try these attackers; yields what each achieves, and returns all.

    Node v of `released` must be node v of the original: the score is kept by it, and the attackers are given
    the nodes in random order. Each trial draws random numbers of its own from the seed and from what is
    tried, so it comes out the same whatever else is tried, and on however many threads.
    """
    stopped = threading.Event()

    def go_on() -> None:
        if stopped.is_set():
            raise _StoppedError

    stage = _Stage(original, released, seed, go_on)
    try:
        with threads_for(available_cores() if threads is None else max(1, threads)) as pool:
            waiting = [
                [
                    [pool.submit(stage.trial, case, target, repeat) for repeat in range(times)]
                    for target, times in enumerate((case.repeats, case.repeats_beside, case.repeats_beside))
                ]
                for case in cases
            ]
            done = []
            for case, trials in zip(cases, waiting, strict=True):
                done.append(_result(case, [[trial.result() for trial in of_one] for of_one in trials]))
                yield done[-1]
            return done
    finally:
        stopped.set()


def _result(case: Case, trials: Sequence[Sequence[Trial]]) -> Matching:
    """The scores of a case on the three networks."""
    scores = [Score.of(of_one) for of_one in trials]
    return Matching(
        case.attack,
        MATCHERS[case.attack].title,
        case.knowledge,
        release=scores[RELEASE],
        original=scores[ORIGINAL],
        random_deletion=scores[RANDOM_DELETION],
        curve=precision_curve(trials[RELEASE]),
    )


class _Stage:
    """Original and release, on which trials are run."""

    def __init__(self, original: Network, released: Network, seed: int, go_on: Callable[[], None]) -> None:
        self.original, self.released, self.seed, self.go_on = original, released, seed, go_on
        shared = int(original.are_edges(released.edges).sum())
        self.subset = shared == released.edge_count
        self.deleted = original.edge_count - shared

    def trial(self, case: Case, target: int, repeat: int) -> Trial:
        """Run one trial; the knowledge is the same whichever network is attacked."""
        self.go_on()
        knowledge = case.knowledge
        of_knowledge = [self.seed, repeat, zlib.crc32(str(knowledge).encode())]
        known = draw_known(self.original, knowledge, np.random.default_rng(of_knowledge))
        rng = np.random.default_rng([*of_knowledge, target, zlib.crc32(case.attack.encode())])
        network = self._target(target, rng)
        number = rng.permutation(network.node_count)  # an attacker must not gain from the order of nodes
        truth = number[known.people]
        situation = Situation(
            known.network,
            network.relabelled(number),
            known_share=known.share,
            released_share=min(1.0, network.edge_count / max(1, self.original.edge_count)),
            only_deleted=knowledge.known == 1 and (target != RELEASE or self.subset),
            seeds=known.seeds,
            seed_nodes=truth[known.seeds],
        )
        return score_claims(MATCHERS[case.attack], situation, truth, rng, self.go_on)

    def _target(self, target: int, rng: np.random.Generator) -> Network:
        """The network that is attacked."""
        if target == RELEASE:
            return self.released
        if target == ORIGINAL:
            return self.original
        drawn = rng.choice(self.original.edge_count, self.deleted, replace=False)
        return self.original.without_edges(drawn)


def score_claims(
    matcher: Matcher,
    situation: Situation,
    truth: np.ndarray,
    rng: np.random.Generator,
    go_on: Callable[[], None],
) -> Trial:
    """Score a matcher's claims against the truth: the released node that each of her people is."""
    claims = matcher.claims(situation, rng, go_on)
    looked_for = np.ones(len(truth), dtype=bool)
    looked_for[situation.seeds] = False
    return Trial(
        right=((claims.nodes == truth) & (claims.nodes != NOBODY))[looked_for],
        claimed=claims.claimed[looked_for],
        certainty=np.where(claims.nodes == NOBODY, 0.0, claims.certainty)[looked_for],
    )
