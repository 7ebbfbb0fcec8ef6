"""The studies `simulated` and `searches`: their plans, their pages, and the commands on small networks."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import networks
from netveil._version import __version__
from netveil.cli import main
from netveil.network import Network
from netveil.search import ALGORITHMS
from netveil.studies import Plan, planned_algorithm, planned_network, searches, simulated
from netveil.studies.generators import GENERATORS, generate
from netveil.studies.simulated import SERIES

PLAN = tomllib.loads(files("netveil").joinpath("studies", "simulated.toml").read_text(encoding="utf-8"))
PLANNED = {network["name"]: network["generate"] for network in PLAN["networks"]}
CHANGING = {"clustering": "temperature", "density": "degree", "size": "nodes"}


def run(network: str, algorithm: str, seed: int, after: int, **changes: Any) -> dict[str, Any]:
    """A row of results: 100 nodes, 50 of them at risk at first."""
    row: dict[str, Any] = {"network": network, "algorithm": algorithm, "seed": seed, "version": "1.2.3"}
    row |= {"nodes": 100, "edges": 990, "at_risk_before": 50, "at_risk_after": after, "seconds": 2.0}
    row |= {"clustering_before": 0.25, "budget": "5%", **changes}
    before = row["at_risk_before"]
    return row | {"reduction": (before - after) / before if before else None}


def test_the_plan_is_in_the_form_that_experiments_take() -> None:
    """Names are there once, every network can be generated, all kinds are there, and it takes minutes."""
    assert (PLAN["name"], PLAN["algorithms"], PLAN["measures"]) == ("simulated", ["ga", "uga"], ["count"])
    assert len(PLANNED) == len(PLAN["networks"])
    assert "clustering" in PLAN["metrics"]
    edges = [generate(spec).edge_count for spec in PLANNED.values()]
    assert max(edges) < 20_000 and sum(edges) < 120_000
    assert {spec["kind"] for spec in PLANNED.values()} == GENERATORS.keys()


@pytest.mark.parametrize("series", SERIES)
def test_a_series_changes_one_thing(series: str) -> None:
    """Four networks or more beside `base`, from which only one setting differs."""
    members = [spec for name, spec in PLANNED.items() if name.startswith(f"{series}-")]

    assert len(members) >= 4
    for spec in members:
        assert {key for key in spec if spec[key] != PLANNED["base"][key]} == {CHANGING[series]}


def test_tables_have_means_and_deviations() -> None:
    """Of 50 at risk, 10 and 20 are left: 70% fewer on average, give or take 14.1%. A single run has none."""
    rows = [run("base", "ga", seed, after) for seed, after in ((1, 10), (2, 20))]
    rows += [run("base", "uga", 1, 5), run("density-4", "ga", 1, 0, edges=495)]
    page = simulated.summarize(rows, quick=True)
    text = page.markdown

    assert text.startswith("# Simulated networks\n\nQUICK: 2 seeds, 4 runs by netveil 1.2.3.\n\n## ")
    assert "| base | 100 | 990 | 0.25 | 0.200 | 50.0% | 70.0% ± 14.1% | 90.0% |" in text
    assert "| density-4 | 100 | 495 | 0.25 | 0.100 | 50.0% | 100.0% | – |" in text
    assert text.index("| density-4 ") < text.index("| base ")  # sparse networks first
    assert list(page.files) == ["density.svg"] and "![density](density.svg)" in text


def test_figures_are_svg_and_the_same_each_time() -> None:
    """One for each series that has two networks or more; others are in a table, even with nobody at risk."""
    names = ["base", "clustering-t0", "clustering-t100", "size-125", "density-4"]
    rows = [
        run(name, algorithm, seed, 10 + seed, nodes=100 + place, clustering_before=0.1 * place)
        for place, name in enumerate(names)
        for algorithm in ("ga", "uga")
        for seed in (1, 2)
    ]
    rows.append(run("chance", "ga", 1, 0, at_risk_before=0))
    page = simulated.summarize(rows)

    assert page.files.keys() == {f"{series}.svg" for series in SERIES}
    assert page == simulated.summarize(rows)
    for figure in page.files.values():
        assert ElementTree.fromstring(figure).tag.endswith("svg")
        assert b"fewer by UGA" in figure and b"unique at first" in figure
    assert "## Other kinds\n\n| network |" in page.markdown
    assert "| chance | 100 | 990 | 0.25 | 0.200 | 0.0% | 0.0% |" in page.markdown


@pytest.fixture
def small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the series on density, smaller than in the ready plan."""
    ring = {"kind": "watts-strogatz", "nodes": 40, "rewiring": 0.1, "seed": 1}
    plan = Plan(
        name="small",
        networks=tuple(
            planned_network(f"density-{degree}", generate({**ring, "degree": degree})) for degree in (4, 6)
        ),
        algorithms=tuple(planned_algorithm(name, settings={"patience": 2}) for name in ("ga", "uga")),
        metrics=("clustering",),
    )

    def read(file: Path, seeds: int | None) -> Plan:
        assert file.read_text(encoding="utf-8").startswith(("#", "name"))
        return replace(plan, seeds=tuple(range(1, (seeds or 2) + 1)))

    monkeypatch.setattr("netveil.studies.simulated.read_plan", read)


@pytest.mark.usefixtures("small_plan")
def test_a_page_is_written_once_all_runs_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With figures and a table beside it, of what is there; runs of another version are told."""
    out = tmp_path / "out"
    given = ["experiment", "simulated", "--quick", "--out", str(out)]
    assert main([*given, "--collect"]) == 2
    assert not out.exists()
    assert main([*given, "--workers", "1", "--task", "1/2"]) == 0
    assert "still to be done" in capsys.readouterr().out and not (out / "simulated.md").exists()
    assert main([*given, "--workers", "1", "--task", "2/2"]) == 0
    assert capsys.readouterr().out == f"page: {out / 'simulated.md'}\n"
    page = (out / "simulated.md").read_text(encoding="utf-8")
    assert f"QUICK: 1 seed, 4 runs by netveil {__version__}." in page and "±" not in page
    assert "density-4" in page and "density.svg" in page and (out / "density.svg").is_file()
    settings = next(out.glob("runs/*/settings.json"))
    settings.write_text(settings.read_text(encoding="utf-8").replace(__version__, "0.0.9"), encoding="utf-8")
    (out / "simulated.md").unlink()
    assert main([*given, "--collect", "--json"]) == 0
    said = capsys.readouterr()

    assert '"missing": 0' in said.out and '"done"' not in said.out
    assert f"1 of the runs in {out} is of another version of netveil" in said.err
    assert (out / "simulated.md").is_file() and (out / "results.csv").is_file()
    assert main([*given, "--json"]) == 0
    said = capsys.readouterr()
    assert '"done": 0' in said.out and "is of another version" in said.err


# Searches.


ROWS = [
    *(run("one", "good", seed, after, at_risk_before=10) for seed, after in ((1, 1), (2, 3))),
    *(run("two", "good", seed, 4, seconds=4.0, at_risk_before=10) for seed in (1, 2)),
    *(run(name, "bad", 1, 9, seconds=None, at_risk_before=10) for name in ("one", "two")),
    run("nobody", "good", 1, 0, at_risk_before=0),
]


def test_means_are_over_seeds_and_then_over_networks() -> None:
    """80% and 60% on two networks; one without anybody at risk does not count."""
    good, bad = searches.entries_of(ROWS, ["5%"])

    assert good.reduction is not None and bad.reduction is not None
    assert (good.algorithm, good.reduction.runs, good.seconds) == ("good", 2, 3.0)
    assert good.reduction.mean == pytest.approx(0.7) and bad.reduction.mean == pytest.approx(0.1)
    assert bad.seconds is None


def test_the_page_marks_what_is_published() -> None:
    """Measured and published figures at 5%; at other budgets nobody published any."""
    found = searches.summarize(ROWS, ["5%"])
    page, figure = found.markdown, found.files["searches.svg"]

    assert "| good | 70.0% ± 14.1% | 3.00 | measured |" in page
    assert "| one | 10 | 2 ± 1 | 9 |" in page
    assert page.count("| published: ") == len(searches.PUBLISHED)
    assert ElementTree.fromstring(figure).tag.endswith("svg")
    assert b"(published)" in figure and b"good" in figure
    other = searches.summarize([{**row, "budget": "2%"} for row in ROWS], ["2%"])
    assert "published" not in other.markdown and b"published" not in other.files["searches.svg"]


@given(network=networks(min_nodes=3), share=st.floats(0, 1), added=st.integers(0, 9), seed=st.integers(0, 9))
def test_random_changes_delete_and_add_as_many_as_asked(
    network: Network, share: float, added: int, seed: int
) -> None:
    """New edges are among pairs that had none; where pairs run out, fewer are added."""
    deleted = int(share * network.edge_count)
    changed = searches.perturbed(network, deleted, added, np.random.default_rng(seed))
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
    plan = searches.planned(None, False, str(folder)).plan

    assert [network.name for network in plan.networks] == ["karate", "novel"]
    assert {algorithm.job.algorithm for algorithm in plan.algorithms} == set(ALGORITHMS)
    assert (plan.budgets, plan.seeds) == (("1%", "2%", "5%"), (1, 2, 3))
    quick = searches.planned(None, True, str(folder)).plan
    assert (quick.budgets, quick.seeds) == (("5%",), (1,))
    assert searches.planned(2, True, str(folder)).plan.seeds == (1, 2)


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
