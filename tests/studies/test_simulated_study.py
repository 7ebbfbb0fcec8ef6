"""The study of simulated networks: its plan, its page, and the command on a plan of two small networks."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from netveil._version import __version__
from netveil.cli import main
from netveil.studies import Plan, planned_algorithm, planned_network
from netveil.studies.generators import GENERATORS, generate
from netveil.studies.simulated import SERIES, summarize

PLAN = tomllib.loads(files("netveil").joinpath("studies", "simulated.toml").read_text(encoding="utf-8"))
PLANNED = {network["name"]: network["generate"] for network in PLAN["networks"]}
CHANGING = {"clustering": "temperature", "density": "degree", "size": "nodes"}


def run(network: str, algorithm: str, seed: int, after: int, **changes: Any) -> dict[str, Any]:
    """A row of results: 100 nodes, 50 of them at risk at first."""
    row: dict[str, Any] = {
        "network": network,
        "algorithm": algorithm,
        "seed": seed,
        "nodes": 100,
        "edges": 990,
    }
    row["version"] = "1.2.3"
    figures = {"at_risk_before": 50, "at_risk_after": after, "clustering_before": 0.25}
    row |= figures | changes
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
    page = summarize(rows, quick=True)
    text = page.markdown

    assert text.startswith("# Simulated networks\n\nQUICK: 2 seeds, 4 runs by netveil 1.2.3.\n\n## ")
    assert "| base | 100 | 990 | 0.25 | 0.200 | 50.0% | 70.0% ± 14.1% | 90.0% |" in text
    assert "| density-4 | 100 | 495 | 0.25 | 0.100 | 50.0% | 100.0% | – |" in text
    assert text.index("| density-4 ") < text.index("| base ")  # sparse networks first
    assert list(page.files) == ["density.svg"] and "![density](density.svg)" in text


def test_networks_of_no_series_have_a_table_of_their_own() -> None:
    """Without figure, as they come; a network without anybody at risk is no problem."""
    page = summarize([run("chance", "ga", 1, 0, at_risk_before=0), run("mine", "ga", 1, 25)])

    assert page.files == {}
    assert page.markdown.count("##") == 1 and "## Other kinds" in page.markdown
    assert "| chance | 100 | 990 | 0.25 | 0.200 | 0.0% | 0.0% |" in page.markdown


def test_figures_are_svg_and_the_same_each_time() -> None:
    """One for each series that has two networks or more."""
    names = ["base", "clustering-t0", "clustering-t100", "size-125", "density-4"]
    rows = [
        run(name, algorithm, seed, 10 + seed, nodes=100 + place, clustering_before=0.1 * place)
        for place, name in enumerate(names)
        for algorithm in ("ga", "uga")
        for seed in (1, 2)
    ]
    page = summarize(rows)

    assert page.files.keys() == {f"{series}.svg" for series in SERIES}
    assert page == summarize(rows)
    for figure in page.files.values():
        assert ElementTree.fromstring(figure).tag.endswith("svg")
        assert b"fewer by UGA" in figure and b"unique at first" in figure


@pytest.fixture
def small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the series on density, smaller than in the ready plan."""
    networks = tuple(
        planned_network(
            f"density-{degree}",
            generate({"kind": "watts-strogatz", "nodes": 40, "degree": degree, "rewiring": 0.1, "seed": 1}),
        )
        for degree in (4, 6)
    )
    plan = Plan(
        name="small",
        networks=networks,
        algorithms=tuple(planned_algorithm(name, settings={"patience": 2}) for name in ("ga", "uga")),
        metrics=("clustering",),
    )

    def read(file: Path, seeds: int | None) -> Plan:
        assert file.read_text(encoding="utf-8").startswith(("#", "name"))
        return replace(plan, seeds=tuple(range(1, (seeds or 2) + 1)))

    monkeypatch.setattr("netveil.studies.simulated.read_plan", read)


small = pytest.mark.usefixtures("small_plan")


@small
def test_a_table_and_figures_stand_beside_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once all runs are done; the same command again runs none."""
    out = tmp_path / "out"
    assert main(["experiment", "simulated", "--out", str(out), "--workers", "1"]) == 0

    assert capsys.readouterr().out == f"page: {out / 'simulated.md'}\n"
    page = (out / "simulated.md").read_text(encoding="utf-8")
    assert "density-4" in page and "density.svg" in page
    assert (out / "density.svg").is_file()
    assert len(list((out / "runs").iterdir())) == 8
    assert main(["experiment", "simulated", "--out", str(out), "--json"]) == 0
    assert '"done": 0' in capsys.readouterr().out


@small
def test_collecting_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of what is there, once all shares of the runs are; runs of another version are told."""
    out = tmp_path / "out"
    given = ["experiment", "simulated", "--quick", "--out", str(out)]
    assert main([*given, "--collect"]) == 2
    assert not out.exists()
    assert main([*given, "--workers", "1", "--task", "1/2"]) == 0
    assert "still to be done" in capsys.readouterr().out and not (out / "simulated.md").exists()
    assert main([*given, "--workers", "1", "--task", "2/2"]) == 0
    page = (out / "simulated.md").read_text(encoding="utf-8")
    assert f"QUICK: 1 seed, 4 runs by netveil {__version__}." in page and "±" not in page
    settings = next(out.glob("runs/*/settings.json"))
    settings.write_text(settings.read_text(encoding="utf-8").replace(__version__, "0.0.9"), encoding="utf-8")
    (out / "simulated.md").unlink()
    capsys.readouterr()
    assert main([*given, "--collect", "--json"]) == 0
    said = capsys.readouterr()

    assert '"missing": 0' in said.out and '"done"' not in said.out
    assert f"1 of the runs in {out} is of another version of netveil" in said.err
    assert (out / "simulated.md").is_file() and (out / "results.csv").is_file()
    assert main(given) == 0
    assert "is of another version" in capsys.readouterr().err
