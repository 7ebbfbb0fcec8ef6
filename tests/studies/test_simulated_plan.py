"""The ready plan and what is told about its runs."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

import pytest

from netveil.errors import SettingError
from netveil.simulated import GENERATORS, check, generate
from netveil.studies.simulated.study import SERIES, summarize

PLAN = tomllib.loads(
    files("netveil").joinpath("studies", "simulated", "simulated.toml").read_text(encoding="utf-8")
)
PLANNED = {network["name"]: network["generate"] for network in PLAN["networks"]}
CHANGING = {"clustering": "temperature", "density": "degree", "size": "nodes"}


def run(network: str, algorithm: str, seed: int, after: int, **changes: Any) -> dict[str, Any]:
    """A row of results: 100 nodes, 50 of them at risk at first."""
    row = {"network": network, "algorithm": algorithm, "seed": seed, "nodes": 100, "edges": 990}
    row["version"] = "1.2.3"
    figures = {"at_risk_before": 50, "at_risk_after": after, "clustering_before": 0.25}
    return row | figures | changes


def test_the_plan_is_in_the_form_that_experiments_take() -> None:
    """Names are there once, and every network can be generated."""
    assert (PLAN["name"], PLAN["algorithms"], PLAN["measures"]) == ("simulated", ["ga", "uga"], ["count"])
    assert len(PLANNED) == len(PLAN["networks"])
    assert "clustering" in PLAN["metrics"]
    for spec in PLANNED.values():
        check(spec)


@pytest.mark.parametrize("series", SERIES)
def test_a_series_changes_one_thing(series: str) -> None:
    """Four networks or more beside `base`, from which only one setting differs."""
    members = [spec for name, spec in PLANNED.items() if name.startswith(f"{series}-")]

    assert len(members) >= 4
    for spec in members:
        assert {key for key in spec if spec[key] != PLANNED["base"][key]} == {CHANGING[series]}


def test_every_kind_of_network_is_in_the_plan() -> None:
    """So that the plan shows them all."""
    assert {spec["kind"] for spec in PLANNED.values()} == GENERATORS.keys()


def test_the_plan_is_small() -> None:
    """It is meant to take minutes: at most 20,000 edges a network and 120,000 in all."""
    edges = [generate(spec).edge_count for spec in PLANNED.values()]

    assert max(edges) < 20_000 and sum(edges) < 120_000


def test_tables_have_means_and_deviations() -> None:
    """Of 50 at risk, 10 and 20 are left: 70% fewer on average, give or take 14.1%. A single run has none."""
    rows = [run("base", "ga", seed, after) for seed, after in ((1, 10), (2, 20))]
    rows += [run("base", "uga", 1, 5), run("density-4", "ga", 1, 0, edges=495)]
    told = summarize(rows)

    assert "| base | 100 | 990 | 0.25 | 0.200 | 50.0% | 70.0% ± 14.1% | 90.0% |" in told.markdown
    assert "| density-4 | 100 | 495 | 0.25 | 0.100 | 50.0% | 100.0% |  |" in told.markdown
    assert told.markdown.index("| density-4 ") < told.markdown.index("| base ")  # sparse networks first
    assert list(told.figures) == ["density"] and "![density](density.svg)" in told.markdown


def test_the_page_begins_with_what_was_run() -> None:
    """Nobody takes a quick version for the whole, or old runs for new ones."""
    rows = [run("base", "ga", seed, 10) for seed in (1, 2)]
    quick = summarize(rows[:1], quick=True).markdown
    mixed = summarize([rows[0], run("base", "ga", 2, 10, version="1.0.0")]).markdown

    assert quick.startswith("# Simulated networks\n\nQUICK: 1 seed, 1 run by netveil 1.2.3.\n\n## ")
    assert mixed.startswith("# Simulated networks\n\n2 seeds, 2 runs by netveil 1.0.0, 1.2.3.\n\n## ")


def test_networks_of_no_series_have_a_table_of_their_own() -> None:
    """Without figure, as they come; a network without anybody at risk is no problem."""
    told = summarize([run("chance", "ga", 1, 0, at_risk_before=0), run("mine", "ga", 1, 25)])

    assert told.figures == {}
    assert told.markdown.count("##") == 1 and "## Other kinds" in told.markdown
    assert "| chance | 100 | 990 | 0.25 | 0.200 | 0.0% | 0.0% |" in told.markdown


def test_figures_are_svg_and_the_same_each_time() -> None:
    """One for each series that has two networks or more."""
    names = ["base", "clustering-t0", "clustering-t100", "size-125", "density-4"]
    rows = [
        run(name, algorithm, seed, 10 + seed, nodes=100 + place, clustering_before=0.1 * place)
        for place, name in enumerate(names)
        for algorithm in ("ga", "uga")
        for seed in (1, 2)
    ]
    told = summarize(rows)

    assert told.figures.keys() == SERIES.keys()
    assert told == summarize(rows)
    for figure in told.figures.values():
        assert ElementTree.fromstring(figure).tag.endswith("svg")
        assert b"fewer by UGA" in figure and b"unique at first" in figure


def test_rows_that_say_too_little_are_told() -> None:
    """Nothing finished, or a plan without the metric."""
    with pytest.raises(SettingError, match="no run on simulated networks is finished yet"):
        summarize([])
    with pytest.raises(SettingError, match=r"network base: its clustering is not known. Add clustering"):
        summarize([run("base", "ga", 1, 1, clustering_before=None)])
