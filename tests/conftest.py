"""Shared by all tests."""

from __future__ import annotations

import gc
import importlib
import os
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import netveil
from as_in_all_tests import STANDARD, change_this_process
from browsers import started
from graphs import clustered
from netveil.auditing.matching import run_matching
from netveil.registries import KINDS
from netveil.search.annealing import annealing as annealing_settings
from netveil.utility import communities

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A kernel's first call compiles it: no deadline could tell that from a slow example. Nor does a slow or busy
# machine mean that examples are hard to find. Examples are the same in every run, so that a test fails for
# what was changed and not by lot; `make test-all` draws eight times as many, `make explore` other ones.
for name, examples in {"netveil": 8, "thorough": 60}.items():
    settings.register_profile(
        name,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=True,
        database=None,
    )
settings.register_profile(
    "exploring", deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow]
)
# Kernels as plain Python are hundreds of times slower: see `make kernels-in-python`.
settings.register_profile(
    "in-python", deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("netveil")


def prepare_children() -> None:
    """Have processes that tests start changed as the tests' own; the workers of xdist inherit all of it."""
    # Whoever is started in the background, or by nohup, ignores Ctrl-C or SIGHUP, and all its children do.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    in_children = str(Path(__file__).parent / "in_children")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if in_children not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (in_children, *paths)))


prepare_children()
change_this_process()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Every second process imports the modules of tests from the last to the first, if all are asked for.

    In a fresh clone pytest compiles them for its assertions, which takes as long as to import them all. So
    each of two processes does half, and finds what the other has compiled.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if int(worker.removeprefix("gw")) % 2 and [Path(arg).name for arg in session.config.args] == ["tests"]:
        for file in sorted(Path(__file__).parent.rglob("test_*.py"), reverse=True):
            if str(file.parent) not in sys.path:
                sys.path.insert(0, str(file.parent))
            importlib.import_module(file.stem)


GA_FOLLOWS_NODES = {"test_own_measure_search", "test_every_attacker", "test_adding_searches"}
"""Tests of states that are followed node by node. GA and UGA have kernels of their own for these, which take
ten seconds to compile: quick tests let them search with sums, and other algorithms with such states."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each test marked `quick(NUMBER)`, that many cases are quick, the first among them.

    Places are ordered by the golden ratio, so that few cases of a product have all of its values.
    """
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.stem in GA_FOLLOWS_NODES and re.search(r"\b(ga|uga)\b", item.name.partition("[")[2]):
            item.add_marker("thorough")
        if item.get_closest_marker("quick") and not item.get_closest_marker("thorough"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for found in cases.values():
        quick = found[0].get_closest_marker("quick")
        by_ratio = sorted(range(len(found)), key=lambda place: place * 0.618034 % 1)
        for place in by_ratio[quick.args[0] if quick else 0 :]:
            found[place].add_marker("thorough")


@pytest.fixture(autouse=True)
def _registries_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test adds of its own to registries is gone after it."""
    for registry in KINDS.values():
        for entries in ("_places", "_found", "_sources", "descriptions"):
            monkeypatch.setattr(registry, entries, dict(getattr(registry, entries)))


def pytest_collection_finish() -> None:
    """What was imported and collected stays for the whole run: Python need not look there for garbage.

    No module of tests may search when it is imported: every process of a test run imports them all.
    """
    kernels = sys.modules.get("netveil.kernels.annealing.anneal")
    assert not getattr(getattr(kernels, "anneal", None), "signatures", ()), "a module of tests searches"
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def all_cases_of_matching(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases, in the tests of those attackers."""
    if request.path.name.startswith("test_matching"):
        monkeypatch.setattr(run_matching, "MOST_MARKS", STANDARD["MOST_MARKS"])


@pytest.fixture
def standard_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many proposals as a user's search makes."""
    monkeypatch.setattr(annealing_settings, "FEWEST_PROPOSALS", STANDARD["FEWEST_PROPOSALS"])


@pytest.fixture(scope="session")
def clustered_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of `clustered(200, 1500)` with all that a report has: not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(communities, "RUNS", 10)
        release = netveil.anonymize(clustered(200, 1500), algorithm="uga", seed=1, settings={"patience": 5})
        return netveil.save(release, tmp_path_factory.mktemp("clustered") / "release", baselines=True)


@pytest.fixture(scope="session")
def karate_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the karate club with its curve and all that a report has: not to be changed."""
    release = netveil.anonymize(netveil.load("karate"), "10%", effort=0.02, seed=1, curve=True)
    return netveil.save(release, tmp_path_factory.mktemp("karate") / "karate-release")


# Playwright's loop counts as running for as long as the browser lives, so there is one for each file of tests
# and never two at a time: a test elsewhere may start a loop of its own.
@pytest.fixture(scope="module")
def living_chromium() -> Iterator[Callable[[], Browser]]:
    """Gives the Chromium of a file of tests; one that a test has lost is started anew."""
    with ExitStack() as stack:
        now: list[Browser] = []

        def living() -> Browser:
            if not (now and now[0].is_connected()):
                stack.close()
                now[:] = [stack.enter_context(started("--host-resolver-rules=MAP evil.example 127.0.0.1"))]
            return now[0]

        yield living


@pytest.fixture
def chromium(living_chromium: Callable[[], Browser]) -> Browser:
    """Headless Chromium that calls nobody, to which evil.example is this machine."""
    return living_chromium()
