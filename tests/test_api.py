"""The Python interface: what is exported, and which graphs `measure` and `anonymize` take and give back."""

from __future__ import annotations

import ast
import threading
from pathlib import Path
from statistics import stdev
from typing import Any

import igraph
import networkx
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from clocks import on_a_machine_of, watcher_of
from netveil.registries import ALGORITHMS, FORMATS, GENERATORS, LIMITS, MEASURES, METRICS
from netveil.release.release import ParetoFront
from netveil.search import Control, Progress

KARATE = nv.load("karate")
NAMES: list[str] = vars(nv)["__all__"]  # which type checkers do not see: they see the imports


def test_all_is_what_the_package_imports() -> None:
    """Every public name is in `__all__`, sorted, and nothing else; every mistake is a NetveilError."""
    tree = ast.parse(Path(nv.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("netveil.")
        for alias in node.names
    }

    assert set(NAMES) == imported - {"lazy_names"}
    assert sorted(NAMES) == NAMES
    assert all(hasattr(nv, name) for name in NAMES)
    assert {"read", "write", "Network", "measure", "anonymize", "compare"} <= set(NAMES)
    for library in ("networkx", "igraph", "edges", "scipy", "pandas"):
        assert callable(getattr(nv.Network, f"from_{library}"))
        assert callable(getattr(nv.Network, f"to_{library}"))
    for error in (nv.FileError, nv.NetworkError, nv.SettingError):
        assert issubclass(error, nv.NetveilError)


@pytest.mark.parametrize(
    ("graph", "kind"),
    [
        (KARATE, nv.Network),
        (networkx.karate_club_graph(), networkx.Graph),
        pytest.param(
            networkx.karate_club_graph().to_directed(),
            networkx.Graph,
            marks=pytest.mark.filterwarnings("ignore::netveil.errors.DirectionsWarning"),
        ),
        (igraph.Graph.Famous("Zachary"), igraph.Graph),
    ],
    ids=["netveil", "networkx", "directed networkx", "igraph"],
)
def test_every_kind_of_graph_is_measured_alike_and_given_back(graph: Any, kind: type) -> None:
    """The same club of 34; a release has fresh labels, and as many people at risk as it says."""
    before = nv.measure(graph)
    release = nv.anonymize(graph, budget=4, seed=1, algorithm="ua", keep_attributes=[])
    again = nv.measure(release.graph)

    assert (before.nodes, before.edges, before.unique, before.at_risk) == (34, 78, 15, 15)
    assert nv.measure(graph, "count", k=3).at_risk == 17
    assert type(release.graph) is kind and type(release.network) is nv.Network
    assert (again.nodes, again.edges) == (34, 78 - len(release.deleted_edges))
    assert again.at_risk == release.outcome.at_risk_after < 15


@pytest.mark.parametrize("thing", [None, [(0, 1)], {0: [1]}, 5, nv.Network])
def test_anything_else_is_refused(thing: Any) -> None:
    """The message names its type and what would do."""
    for call in (nv.measure, nv.anonymize):
        with pytest.raises(nv.NetworkError, match=f"^a {type(thing).__name__} is not a network; give a "):
            call(thing)


def test_labels_lead_from_the_original_to_the_release() -> None:
    """An edge that was not deleted is found in the published graph under its published labels."""
    graph = networkx.les_miserables_graph()

    release = nv.anonymize(graph, budget="10%", seed=3, effort=0.05, keep_attributes=[])

    deleted = {frozenset(edge) for edge in release.deleted_edges}
    expected = {
        frozenset((release.labels[u], release.labels[v]))
        for u, v in graph.edges
        if frozenset((u, v)) not in deleted
    }
    assert {frozenset(edge) for edge in release.graph.edges} == expected
    assert set(release.labels.values()) == set(range(77))


def test_a_search_can_be_watched_and_stopped_from_another_thread() -> None:
    seen: list[Progress] = []
    has_found_something = threading.Event()

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if progress.at_risk < seen[0].at_risk:
            has_found_something.set()

    def stop() -> None:
        has_found_something.wait()
        control.interrupt()

    control = Control(watcher=watcher_of(step=watch))
    stopping = threading.Thread(target=stop, daemon=True)
    stopping.start()

    release = nv.anonymize(nv.load("demo"), effort=1e4, seed=1, threads=1, control=control)

    stopping.join()
    assert release.outcome.stopped_by == "interrupted"
    assert [Progress(*list(vars(each).values())[:6]) for each in seen] == list(release.outcome.history)
    assert release.outcome.at_risk_after < release.outcome.at_risk_before


def test_a_search_stops_in_time() -> None:
    control = on_a_machine_of(1_000_000)
    release = nv.anonymize(nv.load("demo"), seed=1, time=0.25, control=control)

    assert release.outcome.stopped_by == "time"
    assert 0.25 <= release.outcome.seconds < 0.3


@pytest.mark.parametrize(
    ("label", "rule"),
    [("1", "two labels are the same as text, like 1 and '1'"), ("", "empty"), ("\ud800", "hold")],
)
def test_labels_that_no_file_can_tell_apart_are_refused_before_the_search(label: str, rule: str) -> None:
    """In the words of `write`: the table of labels in the release folder could not be read back."""
    graph: networkx.Graph[Any] = networkx.relabel_nodes(networkx.path_graph(5), {0: label})
    steps: list[Progress] = []

    with pytest.raises(nv.NetworkError, match=rule) as refused:
        nv.anonymize(graph, budget=2, control=Control(watcher=watcher_of(step=steps.append)))
    with pytest.raises(nv.FileError) as unwritten:
        nv.write(nv.Network.from_networkx(graph), "never-written.gml")

    assert steps == []
    assert str(refused.value).removeprefix("network: ") == str(unwritten.value).removeprefix(
        "never-written.gml: "
    )


def test_the_seed_says_what_is_deleted_and_is_drawn_where_none_is_given() -> None:
    """It is recorded, so that a run can be repeated; published numbers are other ones each time."""
    one, again, other = (nv.anonymize(KARATE, budget=4, seed=seed, algorithm="es") for seed in (1, 1, 2))
    first, second = (nv.anonymize(KARATE, budget=4, algorithm="es") for _ in range(2))
    repeated = nv.anonymize(KARATE, budget=4, seed=first.outcome.seed, algorithm="es")

    assert one.remaining == again.remaining != other.remaining
    assert len({tuple(release.labels.items()) for release in (one, again, other)}) == 3
    assert first.outcome.seed != second.outcome.seed
    assert repeated.deleted_edges == first.deleted_edges


def test_settings_config_and_effort_reach_the_search() -> None:
    """`settings` win over `config`; twice the effort, twice the proposals; by default 5% may go."""
    ga = nv.anonymize(KARATE, algorithm="ga", config="conf3", settings={"patience": 3}, seed=1).outcome
    by_name = nv.anonymize(KARATE, 4, effort=0.02, seed=1).outcome
    by_setting = nv.anonymize(KARATE, 4, settings={"effort": 0.04}, seed=1).outcome

    assert (ga.settings["crossover"], ga.settings["patience"]) == ("uniform", 3)
    assert (by_name.settings["effort"], by_setting.settings["effort"]) == (0.02, 0.04)
    assert by_setting.evaluations == pytest.approx(2 * by_name.evaluations, abs=4)  # walks are rounded
    assert nv.anonymize(KARATE, effort=0.01, seed=1).outcome.budget == 3


def test_a_known_solution_is_where_the_search_begins() -> None:
    """What comes out is never worse, also of an algorithm that cannot go on from it; figures tell of it."""
    fresh = nv.anonymize(KARATE, budget=7, algorithm="ga", seed=1)
    good, deleted = fresh.outcome, fresh.outcome.deleted_edges
    alone = nv.anonymize(KARATE, budget=7, algorithm="es", seed=2).outcome
    assert good.at_risk_after < alone.at_risk_after and not fresh.figures()["resumed"]

    for algorithm in ("ga", "es"):
        again = nv.anonymize(KARATE, budget=7, algorithm=algorithm, seed=2, start=deleted)
        assert again.outcome.at_risk_after <= good.at_risk_after and again.figures()["resumed"]
    assert len(deleted) > 1
    with pytest.raises(nv.SettingError, match=f"{len(deleted)} edges, more than the budget of 1"):
        nv.anonymize(KARATE, budget=1, seed=2, start=deleted)


def test_the_record_tells_what_was_asked() -> None:
    """Attributes and edges to stay as they were given, in whatever kind of collection; sets in one order."""
    graph: networkx.Graph[Any] = networkx.path_graph(5)
    networkx.set_node_attributes(graph, dict.fromkeys(range(5), 30), "age")
    asked: dict[str, Any] = {"algorithm": "es", "budget": 1, "seed": 1}
    with pytest.warns(nv.AttributesWarning):
        kept = nv.anonymize(graph, keep_attributes="age", protect={2, (1, 0)}, **asked).outcome.asked
    with pytest.warns(nv.AttributesWarning):
        left_out = nv.anonymize(graph, protect=iter([2]), **asked).outcome.asked
    none = nv.anonymize(graph, keep_attributes=[], **asked).outcome.asked

    assert (kept["keep_attributes"], kept["protect"]) == (["age"], [[1, 0], 2])
    assert (left_out["keep_attributes"], left_out["protect"]) == (None, [2])
    assert (none["keep_attributes"], none["protect"]) == ([], None)


def test_several_runs_give_the_best_and_their_spread() -> None:
    """The first is that of the seed alone; same seed, same runs; each can be repeated by its own seed."""
    asked: dict[str, Any] = {"budget": 6, "algorithm": "ua"}
    release, again = (nv.anonymize(KARATE, **asked, seed=1, runs=6) for _ in range(2))
    runs = release.runs
    assert runs is not None and again.runs is not None
    table, found = runs.to_pandas(), [each.at_risk_after for each in runs.outcomes]

    assert table["seed"].tolist()[0] == 1 and table["seed"].is_unique and len(runs) == 6
    assert [each.seed for each in again.runs.outcomes] == table["seed"].tolist()
    assert [each.deleted_edges.tolist() for each in again.runs.outcomes] == [
        each.deleted_edges.tolist() for each in runs.outcomes
    ]
    for each in runs.outcomes[::5]:
        alone = nv.anonymize(KARATE, **asked, seed=each.seed)
        assert alone.outcome.deleted_edges.tolist() == each.deleted_edges.tolist() and alone.runs is None
    assert release.outcome.at_risk_after == min(found) < max(found)
    assert runs.mean == pytest.approx(sum(found) / 6) and runs.deviation == pytest.approx(stdev(found))
    assert repr(runs).startswith(f"SearchRuns(6 runs, {min(found)} to {max(found)} at risk, ")
    assert nv.anonymize(KARATE, **asked, seed=2, runs=2).outcome.seed != release.outcome.seed


def test_with_a_target_the_best_run_is_the_one_with_the_fewest_deletions() -> None:
    release = nv.anonymize(KARATE, target="80%", algorithm="ua", seed=1, runs=5)
    assert release.runs is not None
    reaching = [each for each in release.runs.outcomes if each.at_risk_after <= each.enough]

    assert len(release.outcome.deleted_edges) == min(len(each.deleted_edges) for each in reaching)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12))
def test_a_front_has_no_dominated_point_and_misses_none(aims: list[tuple[int, int, int]]) -> None:
    """Against the definition, pair by pair; of equals the first stays."""
    names = ("deleted", "at_risk", "lcc")
    rows = [dict(zip(names, each, strict=True)) for each in aims]
    numbers: Any = list(range(len(aims)))
    front = ParetoFront.of(rows, numbers)

    def betters(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    best = {each for each in aims if not any(betters(other, each) for other in aims)}
    assert [tuple(row.values()) for row in front.rows] == sorted(best)
    kept: Any = list(front.releases)
    assert kept == [aims.index(each) for each in sorted(best)]


def test_a_front_looks_at_curves_runs_and_metrics() -> None:
    """Its releases have the figures of its rows; releases of two networks are refused."""
    curve = nv.anonymize(KARATE, "10%", effort=0.05, seed=1, curve=True)
    runs = nv.anonymize(KARATE, 6, algorithm="ua", seed=1, runs=4)
    front = nv.pareto_front([curve, runs], ["clustering", "communities"])

    assert len(curve.points()) == 1 + len(curve.curve) and len(runs.points()) == 5
    assert front.to_pandas().columns.tolist() == ["deleted", "at_risk", "clustering", "communities"]
    for row, release in zip(front.rows, front.releases, strict=True):
        metrics = nv.compare(KARATE, release).metrics
        assert (row["deleted"], row["at_risk"]) == (
            len(release.deleted_edges),
            nv.measure(release.network).at_risk,
        )
        assert row["clustering"] == pytest.approx(abs(metrics["clustering"].relative_change or 0.0))
        assert row["communities"] == pytest.approx(1 - (metrics["communities"].score or 0.0))
    assert len(nv.pareto_front([curve, runs])) <= len(front)
    other = nv.anonymize(nv.Network.from_edges([(0, 1), (1, 2)]), 1, algorithm="es", seed=1)
    with pytest.raises(nv.NetworkError, match="of several networks"):
        nv.pareto_front([curve, other])


def test_chosen_metrics_are_those_of_all() -> None:
    """In the order of the table; an unknown one is told, and none at all is a mistake."""
    less = KARATE.without_edges([0, 5, 9])
    every = nv.compare(KARATE, less).metrics
    for names in (["lcc", "clustering"], ["communities"], ["diameter"], "edges"):
        chosen = nv.compare(KARATE, less, metrics=names).metrics
        assert set(chosen) == ({names} if isinstance(names, str) else set(names))
        assert all(every[name] == finding for name, finding in chosen.items())
    with pytest.raises(nv.SettingError, match="unknown metric 'clusterin': did you mean clustering"):
        nv.compare(KARATE, less, metrics=["clusterin"])
    with pytest.raises(nv.SettingError, match="metrics: none is given"):
        nv.compare(KARATE, less, metrics=[])


def test_names_of_all_there_is_are_in_nv_and_no_internals() -> None:
    """Each list is its registry's; `dir` shows what may be used, and modules are found all the same."""
    lists: dict[str, Any] = {"measures": MEASURES, "algorithms": ALGORITHMS, "limits": LIMITS}
    lists |= {"metrics": METRICS, "formats": FORMATS, "generators": GENERATORS}
    for name, registry in lists.items():
        told = getattr(nv, name)()
        assert list(told) == list(registry) and all(told.values())
    assert {"karate", "demo"} <= set(nv.networks())
    shown = [name for name in dir(nv) if not name.startswith("__")]
    assert shown == [name for name in NAMES if not name.startswith("__")]
    settings: dict[str, Any] = {"nodes": 50, "degree": 4}
    drawn = nv.generate("erdos-renyi", **settings, seed=3)
    assert drawn == nv.generate({"kind": "erdos-renyi", **settings, "seed": 3})
    assert drawn != nv.generate("erdos-renyi", **settings, seed=4)
