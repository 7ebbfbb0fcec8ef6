"""Whatever is given to a public function from Python: a result, or an error that says what to do."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest

import netveil as nv
from netveil.cli import main
from netveil.search import ALGORITHMS

KARATE = nv.load("karate")
WRONG: tuple[Any, ...] = (
    *(None, True, 3, -1, 2.5, float("nan"), 10**400, "x", "", b"x", [1], [None], [[1], [2]], [([1], [2])]),
    *((), {}, {"a": 1}, {1: [2]}, {1}, object(), int, nv.Network, np.array([1, 2]), np.zeros((2, 2))),
    *(networkx.path_graph(3), igraph.Graph.Ring(4), iter([1]), KARATE),
)
"""Values of all kinds: each argument is given each of them, and most are of a wrong kind."""


@cache
def release() -> nv.Release:
    """A release that takes no time."""
    return nv.anonymize(KARATE, 2, algorithm="es", seed=1, runs=2)


def calls(place: Path, name: str) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every public function, with arguments that are right and cheap."""
    made, folder = release(), place / "saved"
    if name in ("load_release", "verify"):
        nv.save(made, folder, utility=False, audit=False)
    ties = place / "ties.csv"
    ties.write_text("1,2\n2,3\n", encoding="utf-8")
    brief = {"utility": False, "audit": False}
    attack = {"original": KARATE, "measure": "degree", "distance": 1, "matching": "none"}
    given: dict[str, dict[str, Any]] = {
        "algorithms": {},
        "add": {
            "kind": "measure",
            "entry": lambda network: network.degrees,
            "name": "mine",
            "description": "",
        },
        "anonymize": {"network": KARATE, "budget": 2, "algorithm": "es", "seed": 1},
        "audit": {**attack, "released": made},
        "audit_together": {**attack, "releases": [made, made]},
        "cascade": {"network": KARATE},
        "compare": {"original": KARATE, "released": made, "metrics": ["lcc"]},
        "experiment": {"plan": place / "no-plan.toml"},
        "formats": {},
        "generate": {"spec": "erdos-renyi"},
        "generators": {},
        "limits": {},
        "load": {"name": "karate"},
        "load_release": {"folder": folder},
        "measure": {"network": KARATE},
        "measures": {},
        "metrics": {},
        "networks": {},
        "pareto_front": {"releases": made},
        "read": {"path": ties},
        "save": {"release": made, "folder": place / "again", "overwrite": True, **brief},
        "synthesize": {"network": KARATE, "seed": 1},
        "tune": {"network": KARATE, "algorithm": "es", "configurations": 1, "seed": 1},
        "verify": {"release": folder},
        "write": {"network": KARATE, "path": place / "network.csv", "overwrite": True},
    }
    return {each: (getattr(nv, each), arguments) for each, arguments in given.items()} | {
        "Network.from_edges": (nv.Network.from_edges, {"edges": [(0, 1)]}),
        "Network.from_igraph": (nv.Network.from_igraph, {"graph": igraph.Graph.Ring(4)}),
        "Network.from_networkx": (nv.Network.from_networkx, {"graph": networkx.path_graph(3)}),
        "Network.from_pandas": (nv.Network.from_pandas, {"table": None}),
        "Network.from_scipy": (nv.Network.from_scipy, {"matrix": np.eye(2)}),
        "Release.at": (made.at, {"budget": 1}),
        "Release.plot": (made.plot, {}),
        "Release.report": (made.report, brief),
    }


def cases(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """Each argument with each value, but for those that are right and ask for long work."""
    parameters = [
        each for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD
    ]
    return [
        (each.name, value)
        for each in parameters
        for value in WRONG
        if not (value is True and isinstance(each.default, bool))
        and not (function is nv.verify and each.name == "original" and hasattr(value, "edges"))
    ]


FUNCTIONS = [name for name in vars(nv)["__all__"] if name.islower() and not name.startswith("__")]
METHODS = (
    *("Network.from_edges", "Network.from_igraph", "Network.from_networkx", "Network.from_pandas"),
    *("Network.from_scipy", "Release.at", "Release.plot", "Release.report"),
)


@pytest.mark.quick(10)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_arguments_of_any_kind_give_a_result_or_an_error_with_a_remedy(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, given = calls(tmp_path, name)[name]
    for argument, value in [*given.items(), *cases(function)] or [("", None)]:
        try:
            function(**(given | {argument: value} if argument else given))
        except nv.NetveilError as error:
            assert str(error) and "\n" not in str(error)
        except Exception as error:
            pytest.fail(f"{name}({argument}={value!r}) raises {error!r}")
    close_figures()


def close_figures() -> None:
    """Forget what was plotted."""
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"measure": []}, "no measure is given"),
        ({"measure": 3}, "measure 3: give the name of a measure"),
        ({"measure": "hybrid", "fuzzy": 0.1}, "measure hybrid cannot be fuzzy"),
        ({"budget": float("nan")}, "budget 'nan' is not a number"),
        ({"time": 10**400}, "time 1000"),
        ({"settings": {"chains": 0}}, "setting chains = 0: it must be between 1 and 256"),
        ({"effort": "long"}, "effort = 'long': Expected `float`"),
        ({"target": True}, "target 'True' is not a number"),
        ({"k": "2"}, "k = 2: give a whole number"),
        ({"k": 2.5}, "k = 2.5: give a whole number"),
        ({"seed": "x"}, "seed x: give a whole number"),
        ({"threads": 1.5}, "threads 1.5: give a whole number"),
        ({"time": "soon"}, "time soon"),
        ({"algorithm": print}, "algorithm print: give a name, or an object of netveil.search.algorithm.Alg"),
        ({"algorithm": ["es"]}, "algorithm of type list: give a name, or an object of netveil.search.algo"),
        ({"config": 3}, "config 3: give the name of a file or folder."),
        ({"settings": [1]}, "settings of type list: give a dictionary."),
        ({"start": [1000]}, "start: give numbers of edges to delete, from 0 to 77, "),
        ({"start": "x"}, "start: give numbers of edges to delete, from 0 to 77, "),
        ({"curve": "yes"}, "curve 'yes': give True or False."),
        ({"keep_attributes": [1]}, "keep_attributes of type list: give a name or a list of names."),
        ({"runs": 0}, "runs 0: give a whole number from 1 to 100,000."),
        ({"on_interrupt": "stop"}, "unknown on_interrupt 'stop': The choice is raise, return."),
        ({"progress": int}, "progress: a type cannot watch; give True, False or a function of a report."),
    ],
)
def test_a_mistake_in_a_call_says_what_to_give(arguments: dict[str, Any], told: str) -> None:
    """With the value, or its type where it may hold names; tests/cli has mistakes that can be typed."""
    with pytest.raises(nv.SettingError) as caught:
        nv.anonymize(KARATE, **arguments)
    assert told in str(caught.value)


def test_a_graph_of_another_library_is_told_where_to_go() -> None:
    graph: Any = networkx.path_graph(3)
    with pytest.raises(nv.NetworkError, match="a graph of networkx, not of igraph; give it to Network"):
        nv.Network.from_igraph(graph)
    edges: Any = [([1], [2])]
    with pytest.raises(nv.NetworkError, match="a label is a text, a number or another hashable value"):
        nv.Network.from_edges(edges)
    kind: Any = int
    with pytest.raises(nv.SettingError, match="give an instance, not a class"):
        ALGORITHMS["mine"] = kind
    assert "mine" not in ALGORITHMS


def test_options_without_effect_are_warned_of() -> None:
    """A budget below one edge, and an effort beside a time; not a budget of 0, which is meant."""
    with pytest.warns(
        nv.NoEffectWarning, match="^budget 1% of 78 edges is less than one edge: .* budget=1.$"
    ):
        nv.anonymize(KARATE, "1%", seed=1)
    with pytest.warns(nv.NoEffectWarning, match="^effort has no effect beside a time"):
        nv.anonymize(KARATE, 1, seed=1, time=0.1, effort=2)
    with warnings.catch_warnings(action="error"):
        nv.anonymize(KARATE, 0, seed=1)


def test_the_command_line_warns_of_options_without_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    brief = ["--no-utility", "--no-audit", "--quiet", "--out", "release"]
    assert main(["anonymize", "karate", "--budget", "1%", "--seed", "1", *brief]) == 0
    assert "warning: budget 1% of 78 edges is less than one edge: " in (told := capsys.readouterr().err)
    assert "give at least --budget 1." in told
