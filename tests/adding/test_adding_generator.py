"""A kind of simulated network that was added is drawn by its name, and its mistakes are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recipes import added, document, mistake, said

import netveil as nv
from netveil.studies.generators import GENERATORS
from pages import PAGES

PLAN = """\
networks = [{name = "circles", generate = {kind = "cliques", nodes = 20, size = 4, seed = 3}}]
algorithms = ["es"]
metrics = ["clustering"]
"""
WRONG = """\
algorithms = ["es"]
networks = [
  {name = "a", generate = {kind = "clique", nodes = 20, size = 4}},
  {name = "b", generate = {kind = "cliques", nodes = 20, size = 40}},
  {name = "c", generate = {kind = "cliques", nodes = 20}},
  {name = "d", generate = {nodes = 20}},
]
"""


def test_a_plan_is_run_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Five circles of four, in which everybody knows everybody; the same for the same seed."""
    added("generator")
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    said(capsys, "experiment plan.toml --out out --workers 1 --collect --quiet")
    (run,) = Path("out").glob("runs/*/result.json")
    result = document(str(run))
    first, again, other = (nv.generate("cliques", nodes=22, size=4, seed=seed) for seed in (1, 1, 2))

    assert (result["nodes"], result["edges"]) == (20, 5 * 6)
    assert result["metrics"]["clustering"]["before"] == 1.0
    assert "circles" in Path("out/results.csv").read_text(encoding="utf-8")
    assert sorted(first.degrees.tolist()) == [1] * 2 + [3] * 20
    assert again == first != other


def test_what_is_wrong_with_it_is_told_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """By the rules of its settings; and it is among the kinds there are."""
    added("generator")
    Path("wrong.toml").write_text(WRONG, encoding="utf-8")
    lines = mistake(capsys, "experiment wrong.toml").splitlines()

    assert len(lines) == 4
    assert "entry 1: unknown generator 'clique': did you mean cliques?" in lines[0]
    assert "entry 2: generate, cliques: size must be 2 or more, and at most the nodes." in lines[1]
    assert "entry 3: generate, cliques: Object missing required field `size`." in lines[2]
    assert "entry 4: " in lines[3] and f"{', '.join(GENERATORS)}." in lines[3]


def test_the_page_lists_every_kind_with_its_keys() -> None:
    """In the order of the registry; the keys that all kinds have are told above the table."""
    page = PAGES["simulated.md"].read_text(encoding="utf-8")
    table = page.split("| kind | further keys |")[1].split("\n\n")[0]
    cells = [line.strip("|").split(" | ")[:2] for line in table.splitlines()[2:]]
    listed = {kind.strip().strip("`"): set(re.findall(r"`(\w+)`", keys)) for kind, keys in cells}

    assert list(listed) == list(GENERATORS)
    for kind, keys in listed.items():
        assert keys == set(GENERATORS[kind].settings.__struct_fields__) - {"nodes", "seed"}
