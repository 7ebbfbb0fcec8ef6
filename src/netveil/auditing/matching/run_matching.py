"""Runs attackers who match whole networks: on the release, on the original, after random deletions."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future

import numpy as np

from netveil.auditing.matching.knowledge import draw_known
from netveil.auditing.matching.matcher import NOBODY, Matcher, Situation
from netveil.auditing.matching.matchers import MATCHERS
from netveil.auditing.matching.plan import Case
from netveil.auditing.matching.score import Matching, Score, Trial, precision_curve
from netveil.cores import available_cores
from netveil.network import Network
from netveil.threads import Threads, threads_for

RELEASE, ORIGINAL, RANDOM_DELETION = range(3)
"""What an attack is made on."""


class _StoppedError(Exception):
    """Nobody waits for the result any more."""


def match_all(
    original: Network,
    released: Network,
    cases: Sequence[Case],
    *,
    seed: int = 0,
    threads: int | None = None,
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
            waiting = [_submitted(pool, stage, case) for case in cases]
            done = []
            for case, trials in zip(cases, waiting, strict=True):
                done.append(_result(case, [[trial.result() for trial in of_one] for of_one in trials]))
                yield done[-1]
            return done
    finally:
        stopped.set()


def _submitted(pool: Threads, stage: _Stage, case: Case) -> list[list[Future[Trial]]]:
    """The trials of a case on each of the three networks, begun when there is a thread for them."""
    repeats = {
        RELEASE: case.repeats,
        ORIGINAL: case.repeats_beside,
        RANDOM_DELETION: case.repeats_beside,
    }
    return [
        [pool.submit(stage.trial, case, target, repeat) for repeat in range(times)]
        for target, times in repeats.items()
    ]


def _result(case: Case, trials: Sequence[Sequence[Trial]]) -> Matching:
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
    """The two networks, on which any trial can be made."""

    def __init__(self, original: Network, released: Network, seed: int, go_on: Callable[[], None]) -> None:
        self.original, self.released, self.seed, self.go_on = original, released, seed, go_on
        shared = int(original.are_edges(released.edges).sum())
        self.subset = shared == released.edge_count
        self.deleted = original.edge_count - shared

    def trial(self, case: Case, target: int, repeat: int) -> Trial:
        """One trial. What she knows is the same whichever network it is made on."""
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
    """What a matcher claims, laid beside the truth: the released node that each of her people is."""
    claims = matcher.claims(situation, rng, go_on)
    looked_for = np.ones(len(truth), dtype=bool)
    looked_for[situation.seeds] = False
    return Trial(
        right=((claims.nodes == truth) & (claims.nodes != NOBODY))[looked_for],
        claimed=claims.claimed[looked_for],
        certainty=np.where(claims.nodes == NOBODY, 0.0, claims.certainty)[looked_for],
    )
