"""A limit, a metric or a generator that was added is used wherever all are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from recipes import added, document, mistake, said

import netveil as nv
from netveil.cli import main
from netveil.formatting import Share
from netveil.studies.generators import GENERATORS
from pages import PAGES
from searches import QUICK, each_algorithm

KARATE = nv.load("karate")


@pytest.fixture
def name() -> str:
    """The limit of the recipe."""
    return added("limit")


@each_algorithm
def test_every_algorithm_keeps_it(algorithm: str, name: str) -> None:
    """Nobody is left alone; without it random deletions leave somebody, and no limit undoes another."""
    asked: dict[str, Any] = {"algorithm": algorithm, "seed": 1, "settings": QUICK[algorithm]}
    kept = nv.anonymize(KARATE, "60%", keep={name: "0%"}, **asked)
    (limit,) = kept.outcome.limits

    assert (kept.remaining.degrees > 0).all()
    assert (limit.name, limit.before, limit.after) == (name, 0.0, 0.0)
    free = nv.anonymize(KARATE, "60%", algorithm="es", keep={name: "100%"}, seed=1)
    keep: dict[str, Share] = {"degree": "90%", name: 0, "lcc": "50%"}
    beside = nv.anonymize(KARATE, "60%", algorithm="es", keep=keep, seed=1)
    assert free.outcome.limits[0].after > 0
    assert (free.remaining.degrees == 0).any() and (beside.remaining.degrees > 0).all()
    assert [limit.name for limit in beside.outcome.limits] == ["degree", name, "lcc"]


def test_command_line_and_report_tell_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["anonymize", "karate", "--algorithm", "es", "--seed", "1", "--no-utility", "--no-audit"]
    assert main([*command, "--keep", f"{name}=0", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    page = Path("karate-release/private/report.html").read_text(encoding="utf-8")

    assert document["keep"] == [{"name": name, "share": "0%", "before": 0.0, "after": 0.0}]
    assert "Nobody loses the last contact, unless 100% may." in page
    assert main([*command, "--keep", "contcts=0", "--out", "other"]) == 2
    assert f"did you mean {name}?" in capsys.readouterr().err


def people_with_one_contact(network: nv.Network) -> int:
    """What the metric of the page counts."""
    return sum(degree == 1 for degree in network.degrees.tolist())


def test_it_is_compared_reported_and_published(capsys: pytest.CaptureFixture[str]) -> None:
    added("metric")
    said(capsys, "anonymize karate --algorithm es --seed 1 --no-audit --quiet --out release")
    table = said(capsys, "compare karate release")
    found = json.loads(said(capsys, "compare karate release --json"))["metrics"]["one_contact"]
    (row,) = (line.split() for line in table.splitlines() if line.startswith("people with one contact "))
    report = Path("release/private/report.html").read_text(encoding="utf-8")

    assert found["title"] == "people with one contact"
    assert found["before"] == people_with_one_contact(nv.load("karate"))
    assert found["after"] == people_with_one_contact(nv.read("release/public/network.txt"))
    assert row[4:6] == [str(found["before"]), str(found["after"])]
    assert "How many people are known by a single contact." in report
    assert document("release/private/run.json")["report"]["utility"][-1]["title"] == found["title"]
    assert "one_contact" in document("release/public/about.json")["utility"]


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
    added("generator")
    Path("wrong.toml").write_text(WRONG, encoding="utf-8")
    lines = mistake(capsys, "experiment wrong.toml").splitlines()

    assert len(lines) == 4
    assert "entry 1: unknown generator 'clique': did you mean cliques?" in lines[0]
    assert "entry 2: generate, cliques: size must be 2 or more, and at most the nodes." in lines[1]
    assert "entry 3: generate, cliques: Object missing required field `size`." in lines[2]
    assert "entry 4: " in lines[3] and f"{', '.join(GENERATORS)}." in lines[3]


def test_the_page_lists_every_kind_with_its_keys() -> None:
    page = PAGES["simulated.md"].read_text(encoding="utf-8")
    table = page.split("| kind | further keys |")[1].split("\n\n")[0]
    cells = [line.strip("|").split(" | ")[:2] for line in table.splitlines()[2:]]
    listed = {kind.strip().strip("`"): set(re.findall(r"`(\w+)`", keys)) for kind, keys in cells}

    assert list(listed) == list(GENERATORS)
    for kind, keys in listed.items():
        assert keys == set(GENERATORS[kind].settings.__struct_fields__) - {"nodes", "seed"}
