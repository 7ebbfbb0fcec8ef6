"""docs/measures.md keeps its word: its tables, and its own measures.

Its recipe for a new measure: adding/test_adding_measure.py. The rest: test_docs.py.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.anonymity import MEASURES, Attacker, Reach
from netveil.search.annealing import targets as annealing
from netveil.search.problem import encode_attackers
from pages import PAGES, blocks_of

PAGE = "measures.md"
TEXT = PAGES[PAGE].read_text(encoding="utf-8")
TOUCHED = {
    Reach(0, both=False): "both ends",
    Reach(1, both=True): "both ends and their common neighbours",
    Reach(1, both=False): "both ends and all their neighbours",
}
FOLLOWED = {  # by whether a search looks around at distance 1, and at distance 2
    (False, False): "flip by flip",
    (False, True): "flip by flip; from d = 2 looking around",
    (True, True): "looking around",
}


def python_in(section: str) -> list[str]:
    """The blocks of Python in a section of the page."""
    return [block.text for block in blocks_of(PAGE) if (block.section, block.language) == (section, "python")]


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below this heading row, less the backquotes around a cell."""
    lines = TEXT.split(f"\n{heading}\n")[1].split("\n\n")[0].splitlines()[1:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in lines]


def looks_around(name: str, distance: int) -> bool:
    """Whether a search does more than to follow flips."""
    attacker = Attacker(MEASURES[name], distance)
    return bool(encode_attackers((attacker,), 2, [], count_triangles=False).looks)


def test_the_table_of_measures_is_that_of_the_registry() -> None:
    """Names in order, what the attacker knows, whom a deletion touches and how a search follows."""
    table = rows(next(line for line in TEXT.splitlines() if line.startswith("| measure | the attacker")))

    assert [row[0] for row in table] == list(MEASURES)
    for name, knows, _state, _literature, touched, followed in table:
        assert knows == MEASURES[name].attacker
        assert touched == TOUCHED[MEASURES[name].reach(1)]
        assert followed == FOLLOWED[looks_around(name, 1), looks_around(name, 2)]


def test_figures_of_the_demo_network_are_right() -> None:
    """At both distances, for every measure, and for the variants."""
    demo = nv.load("demo")
    table = rows("| measure | distance 1 | distance 2 |")
    variants = {row[0]: int(row[1]) for row in rows("| variant of `count` | people | command |")}

    assert [row[0] for row in table] == list(MEASURES)
    for name, *figures in table:
        assert [nv.measure(demo, name, distance=distance).at_risk for distance in (1, 2)] == [
            int(figure) for figure in figures
        ]
    assert variants == {
        "fuzzy 5%": nv.measure(demo, fuzzy="5%").at_risk,
        "fuzzy 10%": nv.measure(demo, fuzzy="10%").at_risk,
        "twin classes": nv.measure(demo, twins=True).at_risk,
        "cascade": nv.cascade(demo).total,
    }


def test_the_page_on_the_search_tells_how_many_proposals_there_are() -> None:
    """As parts of those for degree and triangles, in the order of their table."""
    page = PAGES["search.md"].read_text(encoding="utf-8")
    told = [int(part) for part in re.findall(r"\| 1/(\d+) \|", page)]

    assert told == [
        *(annealing.OF_FLIPPING, annealing.OF_JUDGING, annealing.OF_LOOKING_AROUND),
        *(annealing.OF_LOOKING_FAR, annealing.OF_PYTHON),
    ]


@pytest.fixture
def mymeasures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with mymeasures.py as the page tells to write it."""
    file = tmp_path / "mymeasures.py"
    file.write_text("".join(python_in("Your own measure")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mymeasures", raising=False)
    return tmp_path


def test_both_own_measures_of_the_page_say_the_same(
    mymeasures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To name the nodes that a deletion touches changes the time, not the outcome."""
    monkeypatch.syspath_prepend(mymeasures)
    own: Any = import_module("mymeasures")
    releases = [
        nv.anonymize(nv.load("karate"), 4, measure=measure, algorithm="ga", seed=1, settings={"patience": 5})
        for measure in (own.busiest, own.busiest_fast)
    ]

    assert releases[0].outcome.deleted_edges.tolist() == releases[1].outcome.deleted_edges.tolist()
