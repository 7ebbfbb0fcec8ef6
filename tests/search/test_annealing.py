"""The annealing as a whole, its schedule and legs, and its chains side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from clocks import Clock, Ticking, on_a_machine_of, watcher_of
from graphs import clustered, limits, networks
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.walk_state import Walk
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control, Outcome, Problem
from netveil.search.annealing import chains as legs_module, walk as module
from netveil.search.annealing.annealing import Annealing, chains_of as number_of_chains
from netveil.search.annealing.chains import (
    EXCHANGES,
    EXCHANGES_IF_SHORT,
    SHORTEST_LEG,
    Allowance,
    Chain,
    Chains,
    Legs,
)
from netveil.search.annealing.walk import Schedule
from searches import at_risk_without, needless_deletions, outcome_of
from walks import check_walk


@pytest.mark.parametrize("change", [{"effort": 0.03}, {"chains": 3}, {"chains": 1}], ids=str)
def test_every_setting_changes_the_run(change: dict[str, Any]) -> None:
    """The history is another one, and so is the number of proposals."""
    basis = outcome_of(clustered(), budget=8)
    other = outcome_of(clustered(), budget=8, settings=change)

    assert basis.evaluations != other.evaluations
    assert [(row.evaluations, row.at_risk) for row in basis.history] != [
        (row.evaluations, row.at_risk) for row in other.history
    ]


@pytest.mark.parametrize(("speed", "effort"), [(20_000, 1000), (100_000, 1000), (20_000, 1e-6)])
def test_time_is_kept_whatever_the_effort(speed: int, effort: float) -> None:
    network = clustered(500, 3_000)
    control = on_a_machine_of(speed, time_limit=1.0)
    outcome = outcome_of(network, budget=5, settings={"effort": effort}, control=control)

    assert outcome.stopped_by == "time"
    assert 1.0 <= outcome.seconds < 1.1
    assert speed <= outcome.evaluations < 1.1 * speed
    assert len(outcome.deleted_edges) <= outcome.budget
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert outcome.at_risk_after < outcome.at_risk_before


@pytest.mark.quick(1)
@pytest.mark.parametrize("step", [0, 1, 5])
def test_an_interrupted_search_returns_its_best(step: int) -> None:
    def stop(progress: Any) -> None:
        if progress.step == step:
            thread = threading.Thread(target=control.interrupt)
            thread.start()
            thread.join()

    control = Control(watcher=watcher_of(step=stop))
    outcome = outcome_of(clustered(), budget=8, settings={"effort": 1000}, control=control)

    assert outcome.stopped_by == "interrupted"
    assert outcome.history[-1].step == max(step, 1)
    assert outcome.at_risk_after == at_risk_without(clustered(), outcome.deleted_edges.tolist())
    assert outcome.at_risk_after <= outcome.at_risk_before
    assert not needless_deletions(clustered(), outcome)


@pytest.mark.parametrize(("algorithm", "target"), [("annealing", None), ("annealing", "90%"), ("ga", None)])
def test_the_best_is_kept_now_and_then(
    algorithm: str, target: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keeper hears of allowed solutions only, none worse than the one before."""
    monkeypatch.setattr("netveil.search.control.SECONDS_BETWEEN_KEEPS", 0.0)
    network = clustered()
    kept: list[tuple[list[int], int]] = []
    control = Control(keeper=lambda edges, at_risk: kept.append((edges.tolist(), at_risk)))
    outcome = outcome_of(network, algorithm, budget=12, target=target, control=control)

    assert kept
    for edges, at_risk in kept:
        assert len(set(edges)) == len(edges) <= outcome.budget
        assert max(at_risk_without(network, edges), outcome.enough) == at_risk
    counts = [at_risk for _, at_risk in kept]
    assert counts == sorted(set(counts), reverse=True)
    assert counts[-1] >= outcome.at_risk_after


@given(
    network=networks(min_nodes=4, min_edges=3),
    keep=limits(),
    share=st.floats(0.1, 1),
    target=st.none() | st.integers(1, 10).map(lambda tenths: Fraction(tenths, 10)),
    k=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_no_deletion_is_needless(
    network: Network, keep: dict[str, Fraction], share: float, target: Fraction | None, k: int, seed: int
) -> None:
    """Every single return would put somebody too many at risk or break a limit."""
    asked: dict[str, Any] = {"budget": round(share, 2), "target": target, "keep": keep}
    outcome = outcome_of(network, settings={"effort": 0.005}, k=k, seed=seed, **asked)

    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist(), k)
    assert outcome.at_risk_after <= max(outcome.at_risk_before, outcome.enough)
    assert not needless_deletions(network, outcome, keep)


@given(network=networks(min_nodes=4, min_edges=4), data=st.data())
def test_a_known_solution_is_never_lost(network: Network, data: st.DataObject) -> None:
    start = sorted(data.draw(st.sets(st.integers(0, network.edge_count - 1), max_size=4)))
    target = data.draw(st.none() | st.just("70%"))
    options: dict[str, Any] = {"budget": network.edge_count, "target": target, "settings": {"effort": 1e-6}}
    outcome = outcome_of(network, start=np.array(start, dtype=np.int64), **options)
    found = max(outcome.at_risk_after, outcome.enough), len(outcome.deleted_edges)

    assert outcome.resumed
    assert found <= (max(at_risk_without(network, start), outcome.enough), len(start))
    assert found <= (max(outcome.at_risk_before, outcome.enough), 0)


KINDS: dict[str, dict[str, Any]] = {
    "count": {"attackers": attackers_of("count")},
    "degree, k = 3": {"attackers": attackers_of("degree"), "k": 3},
    "count with limits": {
        "attackers": attackers_of("count"),
        "keep": {"lcc": Fraction(1, 5), "clustering": Fraction(1, 5)},
    },
    "count, hashed": {"attackers": attackers_of("count"), "hashed": True},
    "plain": {"attackers": attackers_of("vertex-refinement")},
    "plain, fuzzy": {"attackers": attackers_of("count", fuzzy="28%")},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def chains_of(kind: str, count: int = 3, budget: int = 20, threads: int = 1, seed: int = 1) -> Chains:
    """Chains that have not moved yet."""
    options = {"k": 2, "hashed": False, **KINDS[kind]}
    hashed = options.pop("hashed")
    network = clustered()
    problem = Problem(network, budget=budget, edge_order=np.arange(network.edge_count), **options)
    with pytest.MonkeyPatch.context() as patch:
        if hashed:
            patch.setattr("netveil.search.annealing.walk.MOST_CELLS", 0)
        return Chains(problem, count, np.random.default_rng(seed), threads, known=None)


def schedule_of(chains: Chains, budget: int = 20, enough: int = 0) -> Schedule:
    """A schedule for the chains."""
    return Schedule.fit_for(chains.problem, budget, enough)


def arrays_in(item: Any) -> Iterator[NDArray[Any]]:
    """All arrays of records in records."""
    if isinstance(item, np.ndarray):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from arrays_in(part)


def standing(chain: Chain) -> list[tuple[Any, bytes]]:
    """All that a chain knows of where it stands and of its best."""
    return [(array.shape, array.tobytes()) for array in arrays_in((chain.walk, chain.limit_state))]


def present_in(chain: Chain) -> list[int]:
    """The edges that are there, as 1s and 0s."""
    present: list[int] = (chain.walk if isinstance(chain.walk, Walk) else chain.walk.state).present.tolist()
    return present


@each_kind
def test_a_chain_that_goes_on_from_another_walks_as_that_would(kind: str) -> None:
    one, other, _ = chains_of(kind).chains
    schedule = schedule_of(chains_of(kind))
    one.walk_along(schedule.leg(700, 0.3, 0.5))
    other.walk_along(schedule.leg(300, 0.1, 0.2))
    other.go_back_to(one.saved())
    other.random[:] = one.random
    for chain in (one, other):
        chain.walk_along(schedule.leg(700, 0.5, 0.7))

    assert standing(one) == standing(other)


@each_kind
def test_chains_go_back_with_the_best_that_they_have_met_since(kind: str) -> None:
    """All walk as the one would that stood there; the best met meanwhile is not forgotten."""
    chains = chains_of(kind)
    schedule = schedule_of(chains)
    for number, chain in enumerate(chains.chains):
        chain.walk_along(schedule.leg(200 + 400 * number, 0.3, 0.5))
    there = min(chains.chains, key=lambda chain: (max(chain.walk.at_risk, 3), chain.walk.deletions))
    saved, where = chains.saved_best(3), present_in(there)
    assert there.walk.deletions == where.count(0)
    for chain in chains.chains:
        chain.walk_along(schedule.leg(2_000, 0.5, 1.0))
    best = (chains.best.at_risk, chains.best.deleted, chains.best.walk.best.tolist())
    chains.go_back_to(saved)

    for chain in chains.chains:
        assert present_in(chain) == where
        assert (chain.at_risk, chain.deleted, chain.walk.best.tolist()) == best
        chain.walk_along(schedule.leg(300, 0.3, 0.4))
        if isinstance(chain.walk, Walk):
            check_walk(chains.problem, chain.walk)
    chains.go_back_to(saved)  # walking on has not changed what was saved
    assert all(present_in(chain) == where for chain in chains.chains)


@pytest.mark.parametrize("is_short", [False, True])
@pytest.mark.parametrize("planned", [60_000, 501, 1])
def test_chains_exchange_now_and_then(planned: int, is_short: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    chains, legs = chains_of("count"), Legs(planned, Control())
    at: list[float] = []
    monkeypatch.setattr(chains, "go_back_to", lambda saved: at.append(legs.share))
    walk = chains.walk(schedule_of(chains, budget=3), legs, Control(), is_short=is_short)

    assert finished(walk) is None
    for share, due in zip(at, EXCHANGES_IF_SHORT if is_short else EXCHANGES, strict=True):
        assert due <= share <= min(1.0, due + SHORTEST_LEG / planned)


@pytest.mark.quick(1)
@pytest.mark.parametrize("measure", ["count", "vertex-refinement"])
@pytest.mark.parametrize("target", [None, "90%"])
def test_threads_make_no_difference(measure: str, target: str | None) -> None:
    """Neither to what is found nor to the way there; with exchange, with a target, for plain walks."""
    courses = []
    for threads in (1, 2, 3):
        outcome = outcome_of(
            clustered(),
            budget=12,
            threads=threads,
            target=target,
            settings={"chains": 3, "effort": 0.05},
            attacker={"measures": measure},
        )
        history = [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]
        courses.append((outcome.deleted_edges.tolist(), history))

    assert courses[0] == courses[1] == courses[2]


@pytest.mark.parametrize(
    ("time", "threads", "chains"), [(None, 1, 3), (None, 8, 3), (5.0, 1, 1), (5.0, 2, 2), (5.0, 8, 3)]
)
def test_no_more_chains_than_threads_walk_where_time_is_limited(
    time: float | None, threads: int, chains: int
) -> None:
    """One walk that is twice as long beats two; where work is counted, threads change nothing."""
    settings = Annealing(chains=3)

    assert number_of_chains(settings, Control(time_limit=time), threads) == chains


MANY = clustered(400, 1_600)
SHARES = np.linspace(0, 1, 41).tolist()
PLAIN = "vertex-refinement"  # states that are no two numbers, so that nobody knows of gaps


@pytest.mark.parametrize("options", [{}, {"curve": True}, {"time": 1.0}])
def test_a_search_knows_how_long_its_walks_are(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[float] = []
    walk = Chains.walk

    def noted(self: Chains, schedule: Schedule, *more: Any, **settings: Any) -> Any:
        if self.problem.edge_count > 100:  # not that of the tiny network by which all is compiled
            met.append(schedule.steep[0])
        return walk(self, schedule, *more, **settings)

    def steepest() -> float:
        met.clear()
        short_run(**options, control=Control(clock=Ticking(0.01)))
        return max(met)

    monkeypatch.setattr(Chains, "walk", noted)
    monkeypatch.setattr(module, "FEWEST_EDGES", 1_000)
    monkeypatch.setattr(module, "SHORT", 0.001)
    monkeypatch.setattr(legs_module, "ABOUT_A_SECOND", 100_000)
    found = [steepest()]
    for name, value in (("FEWEST_EDGES", 2_000), ("SHORT", 0.002), ("LONG", 10_000), ("STEEP_IF_LONG", 0.9)):
        monkeypatch.setattr(module, name, value)
        found.append(steepest())
    if "time" in options:
        monkeypatch.setattr(legs_module, "ABOUT_A_SECOND", 50_000)
        found.append(steepest())

    assert len(set(found)) == len(found)


def short_run(measure: str = "count", **options: Any) -> Outcome:
    """A short search with a small budget, which cannot bring all risk to an end."""
    return outcome_of(clustered(100, 500), budget=12, attacker={"measures": measure}, **options)


def traced(outcome: Outcome) -> tuple[list[tuple[int, int, int]], list[int]]:
    """What a search found when, and in the end."""
    history = [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]
    return history, outcome.deleted_edges.tolist()


FEWEST_GUIDED = "netveil.search.problem.FEWEST_GUIDED"
IF_PLAIN: dict[str, Any] = {"measure": PLAIN, "settings": {"effort": 0.1}}
FROM_KNOWN: dict[str, Any] = {"start": np.arange(1, 13), "settings": {"effort": 1.0}}
OTHERWISE: dict[str, tuple[float | tuple[float, ...], dict[str, Any]]] = {
    **{f"walk.{name}": (value, {}) for name, value in {
        "HOT": 3.0, "COLD": 0.15, "COOLED": 0.5, "COLDEST": 0.2, "STEEP": 0.9, "FLAT": 0.3,
        "MORE_FOR_HUBS": 0.4, "GROWTH": 0.6, "GROWN": 0.9, "MARGIN": 0.5, "NO_MARGIN": 0.1,
        "GUIDED": 0.5, "UNGUIDED": 0.9, "PROPOSED_A_NODE": 200,
        "ACCEPTED_A_NODE": 30, "MOST_GAPS": 10, "FIRST_UNIT": 1, "FIRST_REWARD": -2.0, "HUBS": 0.9,
        "TRIANGLE_EXPONENT": 2.0, "QUANTILES": 4,
    }.items()},
    **{f"walk.{name}": (value, IF_PLAIN) for name, value in {
        "HOT_IF_PLAIN": 1.0, "COLD_IF_PLAIN": 2.0, "WORTH": -5.0
    }.items()},
    "chains.GUIDED_SLACK": (0.0, {}),
    "chains.EXCHANGES_IF_SHORT": (tuple(np.linspace(0.1, 0.9, 9)), FROM_KNOWN),
    "annealing.SMALL": (1, FROM_KNOWN),
    "annealing.TRIMMING_IF_SMALL": (0.1, FROM_KNOWN),
    "annealing.WARM": (0.95, FROM_KNOWN),
}  # fmt: skip
"""Another value for each number, and the search that it changes."""


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if options is FROM_KNOWN else [])
        for name, (_, options) in OTHERWISE.items()
    ],
)
def test_every_number_changes_the_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, options = OTHERWISE[name]
    if name == "walk.NO_MARGIN":
        monkeypatch.setattr(module, "MARGIN", 0.5)
    if "GUIDED" in name:
        monkeypatch.setattr(FEWEST_GUIDED, 1)
    before = traced(short_run(**options))
    monkeypatch.setattr(f"netveil.search.annealing.{name}", value)

    assert traced(short_run(**options)) != before


def test_guided_chains_are_made_where_the_budget_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """From as many deletions on, and else no number of theirs changes anything."""
    found = []
    for fewest, share in ((12, 0.03), (12, 0.5), (13, 0.03), (13, 0.5)):
        monkeypatch.setattr(FEWEST_GUIDED, fewest)
        monkeypatch.setattr(module, "GUIDED", share)
        found.append(traced(short_run()))

    assert found[0] != found[1] and found[0] != found[2]
    assert found[2] == found[3]


@pytest.mark.parametrize("fewest", [12, 13])
def test_what_is_compiled_beforehand_is_what_the_search_needs(
    fewest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guided chains are in the kernel of the tiny network if they are in that of the real one."""
    made = []
    new = Chain.__init__

    def noted(self: Chain, problem: Problem, *more: Any, **settings: Any) -> None:
        made.append((problem.edge_count, problem.guided))
        new(self, problem, *more, **settings)

    monkeypatch.setattr(FEWEST_GUIDED, fewest)
    monkeypatch.setattr(Chain, "__init__", noted)
    short_run()
    edges, guided = map(set, zip(*made, strict=True))

    assert len(edges) == 2
    assert guided == {fewest == 12}


def test_legs_by_the_clock_share_out_the_time() -> None:
    clock = Clock()
    walk = Legs(1, Control(time_limit=10.0, clock=clock), part=(0.5, 1.0))
    shares = [0.0]
    clock.spend(5.0)
    while not walk.at_the_end:
        proposals, since, until = walk.next_leg()
        assert proposals >= 1
        assert since == shares[-1] <= until <= 1.0
        shares.append(until)
        clock.spend(0.1)

    assert shares[-1] == pytest.approx(1.0)
    assert clock.now >= 10.0


def walk_through(legs: Legs, clock: Clock | None = None) -> None:
    """Make all legs of a walk; each takes a tenth of a second."""
    while not legs.at_the_end:
        legs.next_leg()
        if clock is not None:
            clock.spend(0.1)


def test_walks_share_out_the_time() -> None:
    """By the clock: what one does not use, the next ones have."""
    clock = Clock()
    control = Control(time_limit=20.0, clock=clock)
    work = Allowance(10**9, control, slow=False)
    first = work.walk(0.25)
    walk_through(first, clock)
    assert first.part == (0.0, 0.25)
    assert clock.now == pytest.approx(5.0, abs=0.11)

    second = work.walk(0.7)
    second.next_leg()
    clock.spend(3.0)
    assert work.done == clock.now / 20.0
    third = work.walk(1.0)
    assert third.part == (work.done, 1.0)
    walk_through(third, clock)
    assert not work.is_left
    assert clock.now == pytest.approx(20.0, abs=0.11)
