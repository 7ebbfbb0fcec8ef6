"""Searches to compare with: the very steps of their slow twins, scores that are never stale, settings."""

from __future__ import annotations

from itertools import accumulate
from math import cos, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import clustered, networks
from naive import greedy_order, objective
from netveil.errors import SettingError
from netveil.kernels.search_steps import score_sums
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control, Problem, problem as problem_module
from netveil.search.greedy import Descent, Worth
from netveil.search.sana import Sana, sana
from netveil.studies.tuning import grid_for
from searches import outcome_of, problem_of

GREEDY, TARGETED = Worth(1, 0), Worth(100, 4)
each_worth = pytest.mark.parametrize("worth", [GREEDY, TARGETED], ids=["greedy", "class-targeted"])


def order_of(problem: Problem, worth: Worth) -> list[int]:
    """Edges in the order in which they are deleted, until nobody is at risk or the budget is spent."""
    descent = Descent(problem, worth, Control(), 0)
    deleted: list[int] = []
    while descent.prefix().at_risk and len(deleted) < problem.budget and descent.score():
        if not descent.delete():
            break
        now = problem.edges_deleted_by(descent.state.words).tolist()
        deleted += sorted(set(now) - set(deleted))
    return deleted


@each_worth
@given(network=networks(min_nodes=3, max_nodes=6), k=st.integers(2, 3))
def test_edges_go_in_the_order_of_the_slow_twin(worth: Worth, network: Network, k: int) -> None:
    budget = network.edge_count
    assert order_of(problem_of(network, budget, k), worth) == greedy_order(network, k, budget, *worth)


@pytest.mark.thorough
@given(network=networks(min_nodes=3, max_nodes=8), k=st.integers(2, 3))
def test_edges_go_in_the_same_order_by_flips(network: Network, k: int) -> None:
    """Two attackers, of whom one knows all that the other does: nobody else is at risk."""
    attacker = {"measures": ["degree", "count"]}
    by_flips = problem_of(network, network.edge_count, k, attacker=attacker)
    assert order_of(by_flips, TARGETED) == order_of(problem_of(network, network.edge_count, k), TARGETED)


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("measure", ["count", "degree"])
def test_scores_that_are_kept_equal_scores_from_scratch(
    measure: str, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not listed:
        monkeypatch.setattr(problem_module, "LISTED_ROWS_LIMIT", 0)
    leaves = [(node, 60 + 3 * node + leaf) for node in range(60) for leaf in range(3)]
    network = Network.from_numbered_edges([*clustered().edges.tolist(), *leaves], 240)
    problem = problem_of(network, 80, attacker={"measures": measure})
    descent, scratch = (Descent(problem, TARGETED, Control(), 0) for _ in range(2))
    for _ in range(80):
        assert descent.score() and descent.delete() and descent.score()
        there = np.flatnonzero(descent.state.present)
        score_sums(problem.topology, problem.rule, descent.state, scratch.scores, there)
        for kept, anew in zip(descent.scores[:3], scratch.scores[:3], strict=True):
            assert (kept[there] == anew[there]).all()
    assert descent.evaluations < 80 * network.edge_count / 1.5


@pytest.mark.parametrize("worth", [GREEDY, TARGETED])
def test_the_best_prefix_is_returned(worth: Worth) -> None:
    """Deletions go on where things become worse, and the fewest at risk with the fewest deletions count."""
    network = clustered(nodes=14, edges=30, seed=2)
    name, settings = ("greedy", {}) if worth == GREEDY else ("class-targeted", {"rounds": 0})
    prefixes = list(accumulate(([edge] for edge in greedy_order(network, 2, 8, *worth)), initial=[]))
    best = min(prefixes, key=lambda deleted: (objective(network, deleted, 2, 8), len(deleted)))
    outcome = outcome_of(network, name, settings, budget=8)

    assert outcome.deleted_edges.tolist() == sorted(best)
    assert outcome.history[-1].deleted == 8 > len(best)


def test_more_rounds_find_more_and_none_loses_what_was_found() -> None:
    """Best met after 0, 1 and 16 rounds, and the seed decides only where there are rounds."""
    network = clustered()
    left = [outcome_of(network, "class-targeted", {"rounds": rounds}) for rounds in (0, 1, 16)]
    ranks = [(outcome.at_risk_after, len(outcome.deleted_edges)) for outcome in left]
    other = [outcome_of(network, "class-targeted", {"rounds": rounds}, seed=2) for rounds in (0, 16)]

    assert ranks == sorted(ranks, reverse=True) and ranks[0] > ranks[-1]
    assert other[0].deleted_edges.tolist() == left[0].deleted_edges.tolist()
    assert other[1].deleted_edges.tolist() != left[2].deleted_edges.tolist()


def test_a_round_keeps_a_fifth_of_the_deletions_unless_that_breaks_a_limit() -> None:
    """Where nobody may lose a contact, all deletions are restored."""
    problem = problem_of(clustered(), 30)
    descent = Descent(problem, TARGETED, Control(), 1)
    while descent.prefix().deleted < 30:
        assert descent.score() and descent.delete()
    kept = problem.bits_set_in(descent.state.words)[::5]
    descent.restore_all_but(kept)

    assert problem.bits_set_in(descent.state.words).tolist() == kept.tolist()
    assert descent.scores.stale.all()
    strict = problem_of(clustered(), 30, keep={"degree": 0})
    limited = Descent(strict, TARGETED, Control(), 1)
    limited.restore_all_but(kept)
    assert limited.prefix().deleted == 0


def test_greedy_has_nothing_to_tune() -> None:
    """One line says so."""
    with pytest.raises(SettingError, match="greedy has no settings to tune; choose another"):
        grid_for("greedy")


MASK = 2**64 - 1


class SplitMix:
    """Random numbers as kernels draw them (Steele, Lea & Flood 2014)."""

    def __init__(self, state: int) -> None:
        self.state = state

    def unit(self) -> float:
        """A number in [0, 1)."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        return ((bits ^ (bits >> 31)) >> 11) / 2**53


def slow_sana(network: Network, order: list[int], budget: int, settings: Sana, seed: int) -> tuple[int, int]:
    """Fewest at risk, and steps: every deletion counted from scratch; `order` has the numbers of bits."""
    draw = SplitMix(int(np.random.default_rng(seed).integers(2**64, size=1, dtype=np.uint64)[0]))
    most, deleted = 100 * network.edge_count, set[int]()
    fewest = now = objective(network, [], 2, budget)
    steps = without_gain = 0
    temperature = settings.temperature
    while fewest and steps < most and without_gain < min(settings.patience, int(0.3 * most)):
        steps, without_gain, temperature = steps + 1, without_gain + 1, temperature * settings.cooling
        changed = deleted ^ {order[int(draw.unit() * network.edge_count)]}
        if len(changed) > budget:
            continue
        after = objective(network, list(changed), 2, budget)
        change = (after - now) / network.node_count
        if change >= 0:
            noise = settings.noise * sqrt(-2 * log(1 - draw.unit())) * cos(2 * pi * draw.unit())
            if change + noise >= -temperature * log(1 - draw.unit()):
                continue
        deleted, now = changed, after
        if now < fewest:
            fewest, without_gain = now, 0
    return fewest, steps


@given(network=networks(min_nodes=4, max_nodes=7, min_edges=3), seed=st.integers(0, 99), warm=st.booleans())
def test_steps_are_those_of_the_slow_twin(network: Network, seed: int, warm: bool) -> None:
    settings = Sana(patience=30, cooling=0.99 if warm else 0.75)
    problem = problem_of(network, max(1, network.edge_count // 3))
    found = finished(sana(problem, settings, np.random.default_rng(seed), Control(), 1))
    fewest, steps = slow_sana(network, problem.edge_order.tolist(), problem.budget, settings, seed)

    assert (found.at_risk, found.evaluations) == (fewest, steps + 1)
    assert found.stopped_by == ("solved" if fewest == 0 else "converged")


def test_every_setting_of_sana_changes_the_run() -> None:
    changes: dict[str, Any] = {"temperature": 1e-9, "cooling": 0.999, "noise": 0.1, "patience": 200}
    several: list[dict[str, Any]] = [{}, *({name: value} for name, value in changes.items())]
    histories = {
        tuple((row.at_risk, row.deleted) for row in outcome_of(clustered(), "sana", each).history)
        for each in several
    }

    assert changes.keys() == Sana.__dataclass_fields__.keys()
    assert len(histories) == len(several)
