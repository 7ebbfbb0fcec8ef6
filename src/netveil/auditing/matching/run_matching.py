"""Runs attackers who match whole networks: on the release, on the original, after random deletions."""

from __future__ import annotations

import math
import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from netveil.auditing.matching.matcher import NOBODY, Chosen, Claims, Knowledge, Situation, draw_known
from netveil.auditing.matching.noise import MOST_COMPARED
from netveil.auditing.matching.score import Matching, Score, Trial, precision_curve
from netveil.errors import unknown_name
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.registries import MATCHERS, STRONGEST
from netveil.threads import available_cores, threads_for

# Which attackers are tried with which knowledge: the most telling first, as far as people would wait.
#
# What a case costs is counted in marks while it runs, not in seconds: the same network and the same seed have
# the same result everywhere. A mark takes up to 0.9 ns of one core.


EXTENTS = ("none", "brief", "usual", "all")
MOST_MARKS = {"brief": 400_000, "usual": 2_500_000}
"""Marks that an audit may take for each edge of the original. A release's audit is brief: with these marks it
takes no longer than the default search, which makes as many proposals an edge within the same bounds."""

FEWEST_EDGES, MOST_EDGES = 16_000, 40_000  # smaller networks have the marks of so many, and larger ones
MOST_MARKS_OF_FIRST = 200_000_000_000  # of the first case, which is tried if it can be: minutes of two cores
BRIEFLY = 9  # cases that a report has at most: a table of more is not read
KNOWN = (1.0, 0.9, 0.75, 0.5, 0.25)  # shares of the ties
SEEDS = (5, 10, 20, 50)
SHARE_OF_SEEDS = 0.01
REPEATS = 3
MARKS_TO_SET_UP = 20_000_000  # a trial costs this, however small the network
MARKS_A_COMPARISON = 3  # of a person's features with those of a node
MARKS_A_PERSON = 4_000  # of a round of weighing
MARKS_A_ROUND = 8  # times the sum of squared degrees
HALF = 0.5
USUAL_ROUNDS, ROUNDS_WITH_HALF, MANY_ROUNDS = 10, 20, 60  # many where she knows less than half of all ties


@dataclass(frozen=True)
class Case:
    """Attacker with her knowledge, and how often she is tried."""

    attack: str  # name of the matcher
    knowledge: Knowledge
    repeats: int  # on the release, with other random numbers
    repeats_beside: int  # on the original and after random deletions

    @property
    def times(self) -> tuple[int, int, int]:
        """Trials on the release, on the original and after random deletions."""
        return self.repeats, self.repeats_beside, self.repeats_beside

    @property
    def usual_rounds(self) -> int:
        """Rounds that a trial usually takes: the more, the fewer ties she knows here and there."""
        if self.knowledge.ties != "random" or self.knowledge.known > HALF:
            return USUAL_ROUNDS
        return ROUNDS_WITH_HALF if self.knowledge.known == HALF else MANY_ROUNDS

    @property
    def leaves_half(self) -> bool:
        """Whether half of the marks stay for cheaper cases: a part of the ties is known, drawn at random."""
        return self.knowledge.known < 1 and self.knowledge.ties == "random"

    def marks_of_trial(self, original: Network) -> tuple[int, int]:
        """Marks of a trial before its first round, and in each round."""
        nodes = original.node_count
        squares = int((original.degrees.astype(float) ** 2).sum() * self.knowledge.known)
        if MATCHERS[self.attack].needs_seeds:
            return MARKS_TO_SET_UP, MARKS_A_ROUND * squares
        compared = MARKS_A_COMPARISON * nodes * min(nodes, MOST_COMPARED)
        return MARKS_TO_SET_UP + compared, MARKS_A_ROUND * squares + MARKS_A_PERSON * nodes

    def usual_marks(self, original: Network) -> int:
        """Marks that a case usually takes, with all its trials."""
        set_up, in_round = self.marks_of_trial(original)
        return sum(self.times) * (set_up + self.usual_rounds * in_round)


def marks_for(original: Network, extent: str) -> float:
    """Marks that the attackers of a network may take together."""
    edges = min(max(original.edge_count, FEWEST_EDGES), MOST_EDGES)
    return MOST_MARKS[extent] * edges if extent in MOST_MARKS else math.inf


def check_extent(extent: str) -> None:
    """Raise SettingError unless this is one of EXTENTS."""
    if not isinstance(extent, str) or extent not in EXTENTS:
        raise unknown_name("extent of matching", extent, EXTENTS)


def cases_for(original: Network, extent: str) -> tuple[list[Case], int]:
    """Cases to try for a network while there are marks left, and how many more there would be."""
    check_extent(extent)
    if extent == "none" or original.edge_count == 0:
        return [], 0
    if extent == "all":
        return list(_every(original)), 0
    wished = list(_usual(original))
    if wished[0].usual_marks(original) > marks_for(original, extent):
        # The attacker to know of is tried in a large network, too, but once.
        wished[0] = replace(wished[0], repeats=1)
        if wished[0].usual_marks(original) > MOST_MARKS_OF_FIRST:
            return [], len(wished)
    taken = wished[:BRIEFLY] if extent == "brief" else wished
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

    yield from knows(Knowledge(), STRONGEST)
    yield from knows(Knowledge(0.5, "community"), STRONGEST)  # an insider, whom nobody can keep out
    for known in (0.5, 0.25, 0.75, 0.9):
        yield from knows(Knowledge(known), STRONGEST)
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


class _GivenUpError(Exception):
    """A trial needs more marks than it may take, or nobody waits for it."""


def match_all(
    original: Network,
    released: Network,
    cases: Sequence[Case],
    *,
    marks: float = math.inf,
    seed: int = 0,
    threads: int | None = None,
) -> Generator[Matching, None, list[Matching]]:
    """Try these attackers in order while there are `marks` left; yields what each achieves, and returns all.

    The first is tried to her end. Others are passed over where they usually need more marks than are left,
    and given up where they do. Whoever knows ties here and there may take half of them, so that cheaper ones
    can follow.

    Node v of `released` must be node v of the original: the score is kept by it, and the attackers are given
    the nodes in random order. Each trial draws random numbers of its own from the seed and from what is
    tried, so it comes out the same whatever else is tried, and on however many threads.
    """
    stopped = threading.Event()
    stage = _Stage(original, released, seed, stopped.is_set)
    left, done = marks, list[Matching]()
    try:
        with threads_for(available_cores() if threads is None else max(1, threads)) as pool:

            def room(case: Case) -> float:
                return math.inf if case is cases[0] else left / 2 if case.leaves_half else left

            def begun(case: Case) -> list[list[Future[Trial]]]:
                allowed = room(case) / sum(case.times)
                return [
                    [pool.submit(stage.trial, case, target, repeat, allowed) for repeat in range(times)]
                    for target, times in enumerate(case.times)
                ]

            affordable = (case for case in cases if case.usual_marks(original) <= room(case))
            begun_cases = ((case, begun(case)) for case in affordable)
            # With a bound, a case begins when the one before has told what it took.
            for case, trials in begun_cases if marks < math.inf else list(begun_cases):
                try:
                    of_all = [[trial.result() for trial in of_one] for of_one in trials]
                except _GivenUpError:
                    left -= room(case)
                    continue
                left -= sum(trial.marks for trial in chain.from_iterable(of_all))
                release, beside, random = map(Score.of, of_all)
                title, curve = MATCHERS[case.attack].title, precision_curve(of_all[RELEASE])
                done.append(Matching(case.attack, title, case.knowledge, release, beside, random, curve))
                yield done[-1]
            return done
    finally:
        stopped.set()


class _Stage:
    """Original and release, on which trials are run."""

    def __init__(
        self, original: Network, released: Network, seed: int, is_stopped: Callable[[], bool]
    ) -> None:
        self.original, self.released, self.seed, self.is_stopped = original, released, seed, is_stopped
        shared = int(original.are_edges(released.edges).sum())
        self.subset = shared == released.edge_count
        self.deleted = original.edge_count - shared

    def trial(self, case: Case, target: int, repeat: int, allowed: float = math.inf) -> Trial:
        """Run one trial of at most so many marks; the knowledge is the same whichever network is attacked."""
        marks, in_round = case.marks_of_trial(self.original)

        def go_on(share: float = 1.0) -> None:
            nonlocal marks
            marks += round(share * in_round)
            if self.is_stopped() or marks > allowed:
                raise _GivenUpError

        go_on(0)
        knowledge = case.knowledge
        of_knowledge = [self.seed, repeat, zlib.crc32(str(knowledge).encode())]
        known = draw_known(self.original, knowledge, np.random.default_rng(of_knowledge))
        rng = np.random.default_rng([*of_knowledge, target, zlib.crc32(case.attack.encode())])
        network = self.released if target == RELEASE else self.original
        if target == RANDOM_DELETION:
            drawn = rng.choice(self.original.edge_count, self.deleted, replace=False)
            network = self.original.without_edges(drawn)
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
        claims = MATCHERS[case.attack].claims(situation, rng, go_on)
        return replace(scored(claims, truth, situation.seeds), marks=marks)


def scored(claims: Claims, truth: IntVector, seeds: IntVector) -> Trial:
    """Score claims against the truth: the released node that each of her people is. Seeds do not count."""
    looked_for = np.ones(len(truth), dtype=bool)
    looked_for[seeds] = False
    return Trial(
        right=((claims.nodes == truth) & (claims.nodes != NOBODY))[looked_for],
        claimed=claims.claimed[looked_for],
        certainty=np.where(claims.nodes == NOBODY, 0.0, claims.certainty)[looked_for],
    )
