"""The study `searches`: all algorithms on a folder of networks, its page, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import networks
from netveil.cli import main
from netveil.network import Network
from netveil.search import ALGORITHMS
from netveil.studies import planned_algorithm, searches
from netveil.studies.searches import PUBLISHED, entries_of, perturbed, planned, summarize


def run(network: str, algorithm: str, budget: str, seed: int, after: int, **others: Any) -> dict[str, Any]:
    """A row of a run that left so many of ten at risk."""
    row = {"network": network, "algorithm": algorithm, "budget": budget, "seed": seed, "version": "1"}
    return {**row, "at_risk_before": 10, "at_risk_after": after, "seconds": 2.0, **others}


ROWS = [
    *(run("one", "good", "5%", seed, after) for seed, after in ((1, 1), (2, 3))),
    *(run("two", "good", "5%", seed, 4, seconds=4.0) for seed in (1, 2)),
    *(run(name, "bad", "5%", 1, 9, seconds=None) for name in ("one", "two")),
    run("nobody", "good", "5%", 1, 0, at_risk_before=0),
]


def test_means_are_over_seeds_and_then_over_networks() -> None:
    """80% and 60% on two networks; one without anybody at risk does not count."""
    good, bad = entries_of(ROWS, ["5%"])

    assert good.reduction is not None and bad.reduction is not None
    assert (good.algorithm, good.reduction.runs, good.seconds) == ("good", 2, 3.0)
    assert good.reduction.mean == pytest.approx(0.7) and bad.reduction.mean == pytest.approx(0.1)
    assert bad.seconds is None


def test_the_page_marks_what_is_published() -> None:
    """Measured and published figures at 5%; at other budgets nobody published any."""
    found = summarize(ROWS, ["5%"])
    page, figure = found.markdown, found.files["searches.svg"]

    assert "| good | 70.0% ± 14.1% | 3.00 | measured |" in page
    assert "| one | 10 | 2 ± 1 | 9 |" in page
    assert page.count("| published: ") == len(PUBLISHED)
    assert ElementTree.fromstring(figure).tag.endswith("svg")
    assert b"(published)" in figure and b"good" in figure
    other = summarize([{**row, "budget": "2%"} for row in ROWS], ["2%"])
    assert "published" not in other.markdown and b"published" not in other.files["searches.svg"]


@given(network=networks(min_nodes=3), share=st.floats(0, 1), added=st.integers(0, 9), seed=st.integers(0, 9))
def test_random_changes_delete_and_add_as_many_as_asked(
    network: Network, share: float, added: int, seed: int
) -> None:
    """New edges are among pairs that had none; where pairs run out, fewer are added."""
    deleted = int(share * network.edge_count)
    changed = perturbed(network, deleted, added, np.random.default_rng(seed))
    before, after = (set(map(tuple, np.sort(each.edges, axis=1).tolist())) for each in (network, changed))
    free = network.node_count * (network.node_count - 1) // 2 - network.edge_count

    assert changed.node_count == network.node_count
    assert (len(before - after), len(after - before)) == (deleted, min(added, free))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two networks, and a file that is none."""
    place = tmp_path / "networks"
    place.mkdir()
    nv.write(nv.load("karate"), place / "karate.txt")
    nv.write(nv.load("les-miserables"), place / "novel.csv")
    (place / "README.md").write_text("about them", encoding="utf-8")
    return place


def test_all_algorithms_run_on_all_networks_of_the_folder(folder: Path) -> None:
    """At three budgets with three seeds; quickly at one with one."""
    plan = planned(None, False, str(folder)).plan

    assert [network.name for network in plan.networks] == ["karate", "novel"]
    assert {algorithm.job.algorithm for algorithm in plan.algorithms} == set(ALGORITHMS)
    assert (plan.budgets, plan.seeds) == (("1%", "2%", "5%"), (1, 2, 3))
    quick = planned(None, True, str(folder)).plan
    assert (quick.budgets, quick.seeds) == (("5%",), (1,))
    assert planned(2, True, str(folder)).plan.seeds == (1, 2)


def test_the_page_stands_beside_the_runs_and_nothing_runs_twice(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With two quick algorithms only, and random changes beside them."""
    monkeypatch.setattr(searches, "ALGORITHMS", {"es": None})
    monkeypatch.setattr(
        searches, "planned_algorithm", lambda *_, name, **__: planned_algorithm("es", name=name)
    )
    command = ["experiment", "searches", "--networks", str(folder), "--out", str(tmp_path / "out")]
    assert main([*command, "--quick", "--workers", "1", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    page = Path(first["page"]).read_text(encoding="utf-8")

    assert (first["plan"], first["done"], first["missing"]) == ("searches", 4, 0)
    assert page.startswith("# Searches\n\nQUICK: 2 networks, 1 seed")
    assert "random rewiring" in page and (tmp_path / "out" / "searches.svg").is_file()
    assert {entry["algorithm"] for entry in first["entries"]} > {"random addition", "random rewiring"}
    assert main([*command, "--quick", "--collect", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == first["entries"]


def test_a_folder_is_needed_and_looked_at(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake in one line, and nothing is run."""
    empty = folder / "empty"
    empty.mkdir()
    nv.write(nv.load("karate"), folder / "novel.txt")
    for options, says in {
        ("searches",): "name a folder of networks with --networks FOLDER",
        ("searches", "--networks", str(folder / "karate.txt")): "not a folder",
        ("searches", "--networks", str(empty)): "no file in it has the suffix",
        ("searches", "--networks", str(folder)): "two files are called novel; rename one",
        ("simulated", "--networks", str(folder)): "is of no use with simulated",
    }.items():
        assert main(["experiment", *options, "--quiet"]) == 2
        message = capsys.readouterr().err
        assert says in message and message.count("\n") == 1
