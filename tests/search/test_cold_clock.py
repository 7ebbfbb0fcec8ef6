"""While the clock of a search runs nothing is compiled, and nothing of the size of the network is set up."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import netveil as nv
from netveil import kernels
from netveil.search import ALGORITHMS, Control, Problem
from searches import outcome_of


def contacts(network: nv.Network) -> list[int]:
    """A measure of a user's own."""
    numbers: list[int] = network.degrees.tolist()
    return numbers


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
    "annealing, curve and target": ("annealing", {"curve": True, "target": "100%"}),
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


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_compiled_while_the_clock_runs(name: str) -> None:
    """All kernels that a search calls after its clock was last started are ready by then."""
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

    def watched(problem: Problem) -> Any:
        events.append("copy")
        return copy(problem)

    monkeypatch.setattr(Problem, "fresh_state", watched)
    control = Watching(listener=lambda progress: events.append("progress"))
    outcome_of(nv.load("karate"), algorithm, threads=2, control=control)
    started = len(events) - events[::-1].index("start")

    assert events[started] == "progress"
