"""A user's own measure: what it may return, what is refused and how it is found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from graphs import PATH_OF_THREE, TRIANGLE_WITH_TAIL
from netveil.anonymity import find_measure
from netveil.anonymity.measure import OwnMeasure
from netveil.errors import SettingError
from netveil.network import Network


def own(returned: Any, **attributes: Any) -> OwnMeasure:
    """A measure `mine` that returns the same whatever it is asked."""

    def function(network: Network) -> Any:
        return returned

    function.__dict__.update(attributes)
    return OwnMeasure(function, "mine")


@pytest.mark.parametrize(
    "returned",
    [
        ["end", "middle", "end"],
        [(1, "x"), None, (1, "x")],
        (1.5, 2.5, 1.5),
        np.array([1, 2, 1]),
        np.array([[1, 0.5], [1, 2], [1, 0.5]]),
        [np.array([1, 2]), np.array([1]), np.array([1, 2])],
        iter([1, 0, 1]),
    ],
)
def test_nodes_with_equal_states_share_a_class(returned: Any) -> None:
    assert own(returned).states(PATH_OF_THREE, 1).tolist() == [[0], [1], [0]]


def test_numeric_states_are_the_numbers_themselves() -> None:
    """As columns, so that an attacker may know them roughly."""
    assert own([5, 7, 5], numeric=True).states(PATH_OF_THREE, 1).tolist() == [[5], [7], [5]]
    assert own([(1, 2), (3, 4), (0, 9)], numeric=True).states(PATH_OF_THREE, 1).tolist() == [
        [1, 2],
        [3, 4],
        [0, 9],
    ]
    assert own([1, 2, 1], numeric=True).numeric and not own([1, 2, 1]).numeric


@pytest.mark.parametrize(
    "returned", [[1, -1, 1], [1.5, 1, 1], ["a", "b", "c"], [(1, 2), 1, 1], [2**63, 1, 1], [True, 1, 1]]
)
def test_numeric_states_must_be_whole_numbers(returned: list[Any]) -> None:
    """From 0, below 2^62, as many for each node."""
    with pytest.raises(SettingError, match=r"^measure mine says that it is numeric"):
        own(returned, numeric=True).states(PATH_OF_THREE, 1)


def raises(message: str) -> Callable[[Network], None]:
    """A function that fails."""

    def function(network: Network) -> None:
        raise ValueError(message)

    return function


NAN = float("nan")


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        (OwnMeasure(raises("no\nluck"), "mine"), "measure mine failed: ValueError: no luck"),
        (OwnMeasure(raises(""), "mine"), "measure mine failed: ValueError"),
        (own([1, 2]), "measure mine returned 2 states for 3 nodes; return one for each, in their order."),
        (own(None), "measure mine returned one NoneType; return a list or an array"),
        (own({0: 1, 1: 2, 2: 1}), "measure mine returned one dict; return a list or an array"),
        (own({1, 2, 3}), "measure mine returned one set; return a list or an array"),
        (own(1 // number for number in (1, 0)), "measure mine failed: ZeroDivisionError"),
        (own([1, pandas.NA, 1]), "measure mine returned NaN in a state"),
        (own("abc"), "measure mine returned one str; return a list or an array"),
        (own([1, NAN, 1]), "measure mine returned NaN in a state"),
        (own(np.array([1, NAN, 1])), "measure mine returned NaN in a state"),
        (own([(1, (2, NAN)), 1, 1]), "measure mine returned NaN in a state"),
        (own([[1], [2], [1]]), "measure mine returned a state that cannot be compared, a list"),
        (own([(1, [2]), 1, 1]), "measure mine returned a state that cannot be compared, a tuple"),
    ],
)
def test_what_is_no_state_is_refused_in_one_line(measure: OwnMeasure, says: str) -> None:
    with pytest.raises(SettingError) as refused:
        measure.states(PATH_OF_THREE, 1)

    assert str(refused.value).startswith(says) and "\n" not in str(refused.value)


class Degrees:
    """A function that names whom a deletion touches, and is asked for these alone."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def __call__(self, network: Network, nodes: Any) -> Any:
        """Degrees of `nodes`."""
        self.asked.append(nodes.tolist())
        return network.degrees[nodes]

    def touched(self, network: Network, u: int, v: int) -> Any:
        """Both ends, one of them twice."""
        return [v, u, v]


def test_with_touched_only_the_nodes_asked_for_are_computed() -> None:
    function = Degrees()
    measure = OwnMeasure(function, "mine")

    assert measure.says_touched
    assert measure.states(TRIANGLE_WITH_TAIL, 1).tolist() == [[0], [0], [1], [2]]
    assert measure.states_of(TRIANGLE_WITH_TAIL, np.array([3, 2])) == [1, 3]
    assert measure.touched(TRIANGLE_WITH_TAIL, 2, 0).tolist() == [0, 2]
    assert function.asked == [[0, 1, 2, 3], [3, 2]]


@pytest.mark.parametrize("nodes", [[0, 4], [-1], ["a"], [0.5]])
def test_touched_must_name_nodes(nodes: list[Any]) -> None:
    measure = own([1, 2, 3, 4], touched=lambda network, u, v: nodes)
    with pytest.raises(SettingError, match=r"measure mine: touched .* from 0 to 3"):
        measure.touched(TRIANGLE_WITH_TAIL, 0, 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; modules imported from it are forgotten afterwards, and so is the folder."""
    monkeypatch.chdir(tmp_path)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def test_a_measure_is_imported_from_the_current_folder(folder: Path) -> None:
    (folder / "friends_of_mine.py").write_text("def count(network):\n    return network.degrees\n")
    measure = find_measure("friends_of_mine:count")

    assert measure.name == "friends_of_mine:count"
    assert measure.states(PATH_OF_THREE, 1).tolist() == [[0], [1], [0]]
    assert sys.path[-1] == str(folder)


def test_what_cannot_be_imported_is_said_in_one_line(folder: Path) -> None:
    code = {
        "broken_one": "1 / 0",
        "leaving_one": "import sys\nsys.exit(1)",
        "needy_one": "import nowhere_at_all",
    }
    for module, text in {**code, "wrong_one": "def", "good_one": "number = 3"}.items():
        (folder / f"{module}.py").write_text(f"{text}\n")
    for name, says in {
        "count_of_mine": "unknown measure 'count_of_mine': did you mean count? The choice is count, ",
        "mine.py:count": "measure mine.py:count: ModuleNotFoundError: No module named 'mine'",
        "a/b:count": "measure a/b:count: ValueError: invalid format: 'a/b:count'; write",
        "nowhere:count": "measure nowhere:count: ModuleNotFoundError: No module named 'nowhere'; write",
        "leaving_one:count": "measure leaving_one:count: SystemExit: 1; write",
        "broken_one:count": "measure broken_one:count: ZeroDivisionError: ",
        "needy_one:count": "measure needy_one:count: ModuleNotFoundError: No module named 'nowhere_at_all'",
        "wrong_one:count": "measure wrong_one:count: SyntaxError: ",
        "good_one:count": "measure good_one:count: AttributeError: module 'good_one' has no attribute",
        "good_one:number": "measure good_one:number: give a name, a function, or an object of netve",
    }.items():
        with pytest.raises(SettingError) as refused:
            find_measure(name)

        assert str(refused.value).startswith(says) and "\n" not in str(refused.value)
