"""Every row of tests/reference/anonymity.tsv: networks that anybody has, values computed without netveil."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import defaultdict
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

import netveil as nv
from netveil.anonymity import MEASURES
from netveil.network import Network

REFERENCE = Path(__file__).parents[1] / "reference"
SCRIPT = Path(__file__).parents[2] / "scripts" / "make_reference_rows.py"
CHEAP = ("karate", "shapes", "erdos-renyi", "watts-strogatz")  # a second or so each, by brute force

Row = dict[str, str]


def reference() -> dict[str, list[Row]]:
    """The rows of the table, by network."""
    rows = defaultdict(list)
    with (REFERENCE / "anonymity.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            rows[row["network"]].append(row)
    return rows


def network_of(name: str) -> Network:
    """As a user gets it: from its file, or by its name."""
    file = REFERENCE / f"{name}.txt"
    return nv.read(file) if file.is_file() else nv.load(name)


def measured(network: Network, row: Row) -> tuple[int, int]:
    """Classes and nodes at risk, or identified, as netveil counts them."""
    measure, _, variant = row["measure"].partition(", ")
    k, distance = int(row["k"]), int(row["distance"])
    if measure == "cascade from count":
        return nv.measure(network, k=k, distance=distance).classes, nv.cascade(network).total
    fuzzy = variant.removeprefix("fuzzy ") if variant.startswith("fuzzy") else None
    twins = variant == "twin classes"
    anonymity = nv.measure(network, measure, k=k, distance=distance, fuzzy=fuzzy, twins=twins)
    return anonymity.classes, anonymity.at_risk


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/make_reference_rows.py, imported."""
    spec = spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", reference())
def test_every_measure_counts_what_brute_force_counts(name: str) -> None:
    """Classes and nodes at risk of a network: all measures, distances and variants, as a user asks."""
    network = network_of(name)
    for row in reference()[name]:
        assert (network.node_count, network.edge_count) == (int(row["nodes"]), int(row["edges"]))
        assert measured(network, row) == (int(row["classes"]), int(row["at_risk"])), row


def test_the_table_has_every_measure_at_both_distances_and_every_variant_of_every_network() -> None:
    """The test above would pass on an empty table; a new measure or file must be in it."""
    wanted = {(measure, distance, k) for measure, distance, k in product(MEASURES, "12", "235")}
    variants = ("count, fuzzy 5%", "count, fuzzy 10%", "count, twin classes")
    wanted |= {(variant, "1", k) for variant, k in product(variants, "235")} | {
        ("cascade from count", "1", "2")
    }

    assert reference().keys() == {"karate", "demo", *(file.stem for file in REFERENCE.glob("*.txt"))}
    for name, rows in reference().items():
        assert {(row["measure"], row["distance"], row["k"]) for row in rows} == wanted, name
        assert len(rows) == len(wanted), name


def test_no_two_measures_count_the_same() -> None:
    """So that a mix-up of two would be found; only `degree` must be the same at both distances."""
    counted: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for rows in reference().values():
        for row in rows:
            counted[row["measure"], row["distance"]].append((row["classes"], row["at_risk"]))
    assert counted.pop(("degree", "2")) == counted["degree", "1"]
    figures = list(map(tuple, counted.values()))

    assert len(set(figures)) == len(figures)


@pytest.mark.parametrize("name", CHEAP)
def test_the_script_still_gives_these_rows(name: str, script: ModuleType) -> None:
    """All of a small network, to the letter."""
    rows = [tuple(row.values()) for row in reference()[name]]

    assert list(script.rows_of(name, script.networks()[name]())) == rows


def test_the_script_uses_nothing_of_netveil() -> None:
    """Else it would only find that netveil agrees with itself."""
    code = (
        "import make_reference_rows, sys; print([name for name in sys.modules if name.startswith('netveil')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
