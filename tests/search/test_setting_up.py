"""What comes before the clock of a search starts: the order of labels, setting up and compiling."""

from __future__ import annotations

import pkgutil
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from clocks import watcher_of
from graphs import clustered, networks
from netveil import kernels
from netveil.anonymity import attackers_of
from netveil.attributes import Attributes
from netveil.errors import NetworkError
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Problem, problem
from netveil.search.annealing import around_risk
from netveil.search.run_search import by_labels
from searches import at_risk_without, contacts, outcome_of

NAMED = replace(clustered(), labels=[f"person {node}" for node in range(60)])


def reordered(network: Network, order: np.ndarray[Any, Any]) -> Network:
    """The network with its nodes, and so its edges, in another order; everybody keeps the label."""
    labels = [network.labels[node] for node in order.tolist()]
    number = {label: node for node, label in enumerate(labels)}
    pairs = [(number[a], number[b]) for a, b in network.edge_labels(np.arange(network.edge_count))]
    attributes = network.attributes.of_nodes(order)
    return Network.from_numbered_edges(pairs, network.node_count, labels, attributes=attributes)


def ties(network: Network, edges: np.ndarray[Any, Any]) -> set[frozenset[Hashable]]:
    """Edges by the labels at their ends."""
    return {frozenset(pair) for pair in network.edge_labels(edges)}


@given(networks(), st.data())
def test_a_network_in_label_order_is_the_same_whatever_the_order_was(
    network: Network, data: st.DataObject
) -> None:
    labels = [f"p{node:02}" for node in range(network.node_count)]
    colours = Attributes({"colour": [node % 3 for node in range(network.node_count)]})
    network = replace(network, labels=labels, attributes=colours)
    order = np.array(data.draw(st.permutations(range(network.node_count))), dtype=int)
    other = reordered(network, order)
    one, had = by_labels(network)
    two, had_there = by_labels(other)
    same = np.arange(network.edge_count)
    had, had_there = (same if numbers is None else numbers for numbers in (had, had_there))

    assert list(one.labels) == list(two.labels) == sorted(labels)
    assert one.edges.tolist() == two.edges.tolist()
    assert list(one.attributes.node["colour"]) == list(two.attributes.node["colour"])
    for edge in range(network.edge_count):
        assert ties(one, np.array([edge])) == ties(network, had[[edge]]) == ties(other, had_there[[edge]])


def edges_at(network: Network, last: str) -> np.ndarray[Any, Any]:
    """The edges at people whose names end so."""
    pairs = network.edge_labels(range(network.edge_count))
    return np.flatnonzero([any(str(name).endswith(last) for name in pair) for pair in pairs])


def note(kept: list[np.ndarray[Any, Any]], edges: np.ndarray[Any, Any], at_risk: int) -> None:
    """Note what a search has stored on its way."""
    kept.append(edges)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("algorithm", "curve", "large"),
    [
        *(("annealing", False, 1), ("annealing", True, 10**6), ("annealing", True, 1)),
        *((name, False, 10**6) for name in ALGORITHMS),
    ],
)
def test_same_seed_same_ties_whatever_the_order_of_the_input(
    algorithm: str, curve: bool, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of what must stay, where to start and what is kept on the way, all in the input's own numbers."""
    monkeypatch.setattr(around_risk, "LARGE", large)
    found = []
    for network in (NAMED, reordered(NAMED, np.random.default_rng(1).permutation(60))):
        kept: list[np.ndarray[Any, Any]] = []
        control = Control(keeper=partial(note, kept))
        control._kept = -1e9  # so long ago that the first is kept at once
        stay = edges_at(network, "7")
        start = np.setdiff1d(edges_at(network, "55"), stay)
        outcome = outcome_of(network, algorithm, protect=stay, start=start, control=control, curve=curve)
        assert outcome.protected_edges.tolist() == stay.tolist()
        assert not set(stay.tolist()) & set(outcome.deleted_edges.tolist())
        assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
        points = [outcome.deleted_edges, *(point.deleted_edges for point in outcome.curve), *kept[:1]]
        found.append([ties(network, edges) for edges in points])

    assert found[0] == found[1] and found[0][0]


@pytest.mark.parametrize(("large", "parts"), [(10**6, 3), (1, 5)])
def test_whoever_waits_hears_what_is_set_up(large: int, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares rise from 0 to 1, before the first step of the search."""
    heard: list[tuple[str, float]] = []
    control = Control(
        watcher=watcher_of(
            prepare=lambda doing, share: heard.append((doing, share)),
            step=lambda progress: heard.append(("searching", 1.0)),
        )
    )
    monkeypatch.setattr(around_risk, "LARGE", large)
    outcome_of(clustered(), control=control)
    doing, shares = zip(*heard, strict=True)
    before = shares[: doing.index("searching")]

    assert len(set(doing)) >= parts
    assert list(before) == sorted(before) and before[0] >= 0 and before[-1] < 1
    assert "searching" not in doing[: len(before)] and set(doing[len(before) :]) == {"searching"}


@given(
    networks(min_nodes=3, max_nodes=14), st.integers(2, 3), st.sampled_from(["count", "degree", "edge-count"])
)
def test_who_is_at_risk_at_first_is_what_a_recount_says(network: Network, k: int, measure: str) -> None:
    """Though triangles are counted once for both, and no class is looked at twice."""
    problem = Problem(network, attackers_of(measure), k, 1, np.arange(network.edge_count))

    assert (problem.at_first.below(k), problem.at_first.below(2)) == problem.recount(np.empty(0, np.int64))


@pytest.mark.parametrize("in_part", [False, True])
def test_a_search_around_people_at_risk_needs_less_memory(in_part: bool) -> None:
    """By edge, once a process has searched: with so much it may begin, with a byte less it may not."""
    network = clustered(2_000, 9_000)
    needed = network.edge_count * (problem.BYTES_AN_EDGE_AROUND if in_part else problem.BYTES_AN_EDGE)
    outcome_of(clustered())
    problem.check_memory(network, lambda: needed, in_part=in_part)

    with pytest.raises(NetworkError, match="a search takes at least"):
        problem.check_memory(network, lambda: needed - 1, in_part=in_part)
    assert problem.BYTES_AN_EDGE_AROUND < problem.BYTES_AN_EDGE


KEEP = {"clustering": "20%", "lcc": "5%", "degree": "50%"}
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in ALGORITHMS},
    **{f"{name}, limits": (name, {"keep": KEEP}) for name in ALGORITHMS},
    **{
        f"{name}, vertex-refinement": (name, {"attacker": {"measures": "vertex-refinement"}})
        for name in ALGORITHMS
    },
    "annealing, target": ("annealing", {"target": "90%", "budget": None}),
    "annealing, curve": ("annealing", {"curve": True}),
    "annealing, curve and limits": ("annealing", {"curve": True, "keep": KEEP}),
    "annealing, curve of ego": ("annealing", {"curve": True, "attacker": {"measures": "ego"}}),
    "annealing, start": ("annealing", {"start": np.arange(3)}),
    "annealing, start and limits": ("annealing", {"start": np.arange(1), "keep": KEEP}),
    "annealing, two attackers": ("annealing", {"attacker": {"measures": ["count", "degree-distribution"]}}),
    "annealing, curve of an own measure": ("annealing", {"curve": True, "attacker": {"measures": contacts}}),
    "ga, start": ("ga", {"start": np.arange(3)}),
}


KEPT: list[Any] = []
"""Forgotten code: numba remembers by its address what it asks of Python, and another would take its place."""


def dispatchers() -> Iterator[Any]:
    """All kernels that Python can call, each once."""
    for module in pkgutil.walk_packages(kernels.__path__, "netveil.kernels."):
        for value in vars(import_module(module.name)).values():
            if hasattr(value, "overloads") and value.py_func.__module__ == module.name:
                yield value


def forget_all() -> None:
    """As if the process had just begun: kernels are compiled, or read from disk, before they are called."""
    for kernel in dispatchers():
        KEPT.extend(kernel.overloads.values())
        kernel._reset_overloads()
        kernel.overloads.clear()


def versions_ready() -> dict[str, int]:
    """How many versions of each kernel are ready to be called."""
    return {kernel.py_func.__qualname__: len(kernel.overloads) for kernel in dispatchers()}


QUICK_RUNS = {
    *ALGORITHMS,
    "annealing, limits",
    "annealing, curve and limits",
    "annealing, target",
    "es, limits",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK_RUNS else pytest.mark.thorough) for name in RUNS]
)
def test_nothing_is_compiled_while_the_clock_runs(name: str) -> None:
    algorithm, options = RUNS[name]
    forget_all()
    ready: dict[str, int] = {}

    class Watching(Control):
        def start(self) -> None:
            super().start()
            ready.update(versions_ready())

    outcome_of(nv.load("karate"), algorithm, control=Watching(), **options)

    assert versions_ready() == ready
    assert sum(ready.values()) > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_a_search_sets_up_is_set_up_before_its_clock_starts(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies of the whole state for chains, threads or steps: none from the start to the first progress."""
    events: list[str] = []

    class Watching(Control):
        def start(self) -> None:
            super().start()
            events.append("start")

    copy = Problem.fresh_state

    def watched(problem: Problem, *deleted: Any) -> Any:
        events.append("copy")
        return copy(problem, *deleted)

    monkeypatch.setattr(Problem, "fresh_state", watched)
    control = Watching(watcher=watcher_of(step=lambda progress: events.append("progress")))
    outcome_of(nv.load("karate"), algorithm, threads=2, control=control)
    started = len(events) - events[::-1].index("start")

    assert events[started] == "progress"
