"""The Python interface: what is exported, and which graphs `measure` and `anonymize` take and give back."""

from __future__ import annotations

import ast
import threading
from pathlib import Path
from typing import Any

import igraph
import networkx
import pytest

import netveil as nv
from clocks import on_a_machine_of
from netveil.api import from_curve
from netveil.search import ALGORITHMS, Control, Progress

KARATE = nv.load("karate")
NAMES: list[str] = vars(nv)["__all__"]  # which type checkers do not see: they see the imports


def test_all_is_what_the_package_imports() -> None:
    """Every public name is in `__all__`, sorted, and nothing else is."""
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


def test_the_contract_is_exported() -> None:
    """The names on which users rely."""
    assert {"read", "write", "Network", "measure", "anonymize", "compare"} <= set(NAMES)
    for library in ("networkx", "igraph", "edges", "scipy", "pandas"):
        assert callable(getattr(nv.Network, f"from_{library}"))
        assert callable(getattr(nv.Network, f"to_{library}"))


@pytest.mark.parametrize(
    "graph",
    [KARATE, networkx.karate_club_graph(), igraph.Graph.Famous("Zachary")],
    ids=["netveil", "networkx", "igraph"],
)
def test_every_kind_of_graph_is_measured_alike(graph: Any) -> None:
    """The same club: 15 of its 34 members can be told apart by contacts and ties among them."""
    anonymity = nv.measure(graph)

    assert (anonymity.nodes, anonymity.edges, anonymity.unique, anonymity.at_risk) == (34, 78, 15, 15)
    assert nv.measure(graph, "count", k=3).at_risk == 17


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
def test_a_release_gives_back_the_kind_of_graph_it_was_given(graph: Any, kind: type) -> None:
    """With all nodes, fresh labels, the edges that are left, and as many people at risk as it says."""
    release = nv.anonymize(graph, budget=4, seed=1, effort=0.05, keep_attributes=[])

    assert type(release.graph) is kind
    again = nv.measure(release.graph)
    assert again.nodes == 34
    assert again.edges == 78 - len(release.deleted_edges) >= 74
    assert again.at_risk == release.outcome.at_risk_after < 15
    assert type(release.network) is nv.Network


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


def test_same_seed_same_deletions_and_another_seed_others() -> None:
    """The published numbers are other ones each time, whatever the seed."""
    one, again, other = (nv.anonymize(KARATE, budget=4, seed=seed, effort=0.05) for seed in (1, 1, 2))

    assert one.remaining == again.remaining != other.remaining
    assert len({tuple(release.labels.items()) for release in (one, again, other)}) == 3


def test_without_a_seed_one_is_drawn() -> None:
    """And recorded, so that the run can be repeated."""
    first, second = nv.anonymize(KARATE, budget=4, effort=0.05), nv.anonymize(KARATE, budget=4, effort=0.05)

    assert first.outcome.seed != second.outcome.seed
    again = nv.anonymize(KARATE, budget=4, seed=first.outcome.seed, effort=0.05)
    assert again.deleted_edges == first.deleted_edges


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("budget", [0, 1, "2%", 0.05])
def test_no_more_is_deleted_than_the_budget(algorithm: str, budget: str | int | float) -> None:
    """And nobody is worse off than before."""
    release = nv.anonymize(KARATE, budget=budget, algorithm=algorithm, seed=1)

    allowed = {0: 0, 1: 1, "2%": 1, 0.05: 3}[budget]
    assert len(release.deleted_edges) <= release.outcome.budget == allowed
    assert nv.measure(release.network).at_risk == release.outcome.at_risk_after <= 15


def test_settings_and_config_reach_the_search() -> None:
    """`settings` win over `config`."""
    release = nv.anonymize(KARATE, algorithm="ga", config="conf3", settings={"patience": 3}, seed=1)

    assert release.outcome.settings["crossover"] == "uniform"
    assert release.outcome.settings["patience"] == 3


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"measure": "conut"}, "did you mean count"),
        ({"distance": 0}, "distance 0: give a whole number from 1 to 100."),
        ({"measure": []}, "no measure is given"),
        ({"measure": 3}, "measure 3: give the name of a measure"),
        ({"measure": "hybrid", "fuzzy": 0.1}, "measure hybrid cannot be fuzzy"),
        ({"k": 1}, "k = 1 protects nobody"),
        ({"k": 35}, "k = 35 is more than the network's 34 nodes"),
        ({"budget": 79}, "more than the network's 78 edges"),
        ({"budget": float("nan")}, "is not a number"),
        ({"algorithm": "ugaa"}, "did you mean uga"),
        ({"seed": -1}, "seed -1: give a whole number, 0 or more."),
        ({"threads": 0}, "threads 0"),
        ({"time": 0}, "time 0"),
        ({"time": float("nan")}, "time nan"),
        ({"time": float("inf")}, "time inf"),
        ({"time": 10**400}, "more than 0 and at most 1,000,000,000, or leave the time out."),
        ({"settings": {"efort": 3}}, "did you mean effort"),
        ({"settings": {"chains": 0}}, "between 1 and 256"),
        ({"effort": 0}, "effort = 0.0: it must be more than 0"),
        ({"effort": "long"}, "effort = 'long' is not a number"),
        ({"effort": 1, "algorithm": "uga"}, "algorithm uga has no effort"),
        ({"effort": 1, "settings": {"effort": 2}}, "effort is given twice"),
        ({"target": 2}, "target 2 is not a share"),
        ({"target": True}, "target 'True' is not a number"),
        ({"curve": True, "algorithm": "ua"}, "algorithm ua has no curve"),
    ],
)
def test_a_mistake_is_a_setting_error(arguments: dict[str, Any], what: str) -> None:
    """In the words of the command line."""
    with pytest.raises(nv.SettingError, match=what):
        nv.anonymize(KARATE, **arguments)


def test_errors_have_one_parent() -> None:
    """Whoever catches `NetveilError` catches every mistake."""
    for error in (nv.FileError, nv.NetworkError, nv.SettingError):
        assert issubclass(error, nv.NetveilError)


def test_a_search_can_be_watched_and_stopped_from_another_thread() -> None:
    """It returns the best so far, and says that it was interrupted."""
    seen: list[Progress] = []
    has_found_something = threading.Event()

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if progress.at_risk < seen[0].at_risk:
            has_found_something.set()

    def stop() -> None:
        has_found_something.wait()
        control.interrupt()

    control = Control(listener=watch)
    stopping = threading.Thread(target=stop, daemon=True)
    stopping.start()

    release = nv.anonymize(nv.load("demo"), effort=1e4, seed=1, threads=1, control=control)

    stopping.join()
    assert release.outcome.stopped_by == "interrupted"
    assert [Progress(*list(vars(each).values())[:6]) for each in seen] == list(release.outcome.history)
    assert release.outcome.at_risk_after < release.outcome.at_risk_before


def test_a_search_stops_in_time() -> None:
    """A limit of a quarter second is met to within a step."""
    control = on_a_machine_of(1_000_000)
    release = nv.anonymize(nv.load("demo"), effort=1e4, seed=1, time=0.25, control=control)

    assert release.outcome.stopped_by == "time"
    assert 0.25 <= release.outcome.seconds < 0.3


def test_a_known_solution_is_where_the_search_begins() -> None:
    """What comes out is never worse, also with an algorithm that does not know how to go on from it."""
    good = nv.anonymize(KARATE, budget=7, algorithm="ga", seed=1).outcome
    alone = nv.anonymize(KARATE, budget=7, algorithm="es", seed=2).outcome
    assert good.at_risk_after < alone.at_risk_after

    for algorithm in ("ga", "es"):
        again = nv.anonymize(KARATE, budget=7, algorithm=algorithm, seed=2, start=good.deleted_edges)
        assert again.outcome.at_risk_after <= good.at_risk_after


def test_a_known_solution_beyond_the_budget_is_no_start() -> None:
    """It is refused, with both numbers."""
    good = nv.anonymize(KARATE, budget=7, algorithm="ga", seed=1).outcome
    assert len(good.deleted_edges) > 1

    with pytest.raises(nv.SettingError, match=f"{len(good.deleted_edges)} edges, more than the budget of 1"):
        nv.anonymize(KARATE, budget=1, seed=2, start=good.deleted_edges)


def test_a_release_says_what_it_is_and_names_nobody() -> None:
    """As an interpreter shows it."""
    release = nv.anonymize(KARATE, budget=0, seed=1)

    assert repr(release) == "Release('karate', 15 → 15 at risk, 0 of 78 edges deleted)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"k": "2"}, "k = 2"),
        ({"k": 2.5}, "k = 2.5"),
        ({"seed": "x"}, "seed x"),
        ({"threads": 1.5}, "threads 1.5"),
    ],
    ids=str,
)
def test_what_is_no_whole_number_is_a_setting_error(arguments: dict[str, Any], said: str) -> None:
    """Text and fractions where people or threads are counted."""
    with pytest.raises(nv.SettingError, match=f"{said}: give a whole number"):
        nv.anonymize(KARATE, **arguments)


def test_a_time_in_words_is_a_setting_error() -> None:
    """Seconds are a number."""
    with pytest.raises(nv.SettingError, match="time soon"):
        nv.anonymize(KARATE, time="soon")  # type: ignore[arg-type]


def test_a_search_that_took_no_step_has_generations_where_there_are_any() -> None:
    """None passed in a genetic search of a budget of nothing; baselines know no generations."""
    assert nv.anonymize(KARATE, budget=0, algorithm="uga", seed=1).outcome.generations == 0
    assert nv.anonymize(KARATE, budget=0, algorithm="es", seed=1).outcome.generations is None


def test_a_release_tells_whether_it_went_on_from_a_known_solution() -> None:
    """The seed alone does not make such a release again."""
    fresh = nv.anonymize(KARATE, budget=7, algorithm="ga", seed=1)
    resumed = nv.anonymize(KARATE, budget=7, algorithm="ga", seed=1, start=fresh.outcome.deleted_edges)

    assert (fresh.figures()["resumed"], resumed.figures()["resumed"]) == (False, True)


def test_results_are_short_in_an_interpreter() -> None:
    """A line each, not arrays or a whole page."""
    release = nv.anonymize(KARATE, budget=3, seed=1, effort=0.05)

    assert repr(nv.measure(KARATE)) == "Anonymity('karate', 15 of 34 nodes at risk, k = 2)"
    assert len(repr(release.report(utility=False))) < 80


@pytest.mark.parametrize(
    ("label", "rule"),
    [("1", "two labels are the same as text, like 1 and '1'"), ("", "empty"), ("\ud800", "hold")],
)
def test_labels_that_no_file_can_tell_apart_are_refused_before_the_search(label: str, rule: str) -> None:
    """In the words of `write`: the table of labels in the release folder could not be read back."""
    graph: networkx.Graph[Any] = networkx.relabel_nodes(networkx.path_graph(5), {0: label})
    steps: list[Progress] = []

    with pytest.raises(nv.NetworkError, match=rule) as refused:
        nv.anonymize(graph, budget=2, control=Control(listener=steps.append))
    with pytest.raises(nv.FileError) as unwritten:
        nv.write(nv.Network.from_networkx(graph), "never-written.gml")
    with pytest.raises(nv.NetworkError, match=rule):
        from_curve(graph, "no-such-folder", 1)

    assert steps == []
    assert str(refused.value).removeprefix("network: ") == str(unwritten.value).removeprefix(
        "never-written.gml: "
    )
