"""Every row of the reference table: values computed by others, by brute force and with ANO-NET."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache

import pytest

import netveil as nv
from graphs import SHARED_NETWORKS, needs_shared
from netveil.anonymity import MEASURES

FILE = SHARED_NETWORKS.parent / "reference" / "anonymity.tsv"


@cache
def reference() -> dict[str, list[dict[str, str]]]:
    """The rows of the table, by network."""
    rows = defaultdict(list)
    if FILE.is_file():
        with FILE.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                rows[row["network"]].append(row)
    return rows


@needs_shared
@pytest.mark.parametrize("name", reference())
def test_classes_and_nodes_at_risk_are_those_of_the_reference(name: str) -> None:
    """All measures, distances and variants of one network, as a user asks for them."""
    network = nv.read(SHARED_NETWORKS / f"{name}.txt")
    for row in reference()[name]:
        measure, _, variant = row["measure"].partition(", ")
        if measure == "cascade from count":
            assert nv.cascade(network).total == int(row["at_risk"])
            continue
        fuzzy = variant.removeprefix("fuzzy ") if variant.startswith("fuzzy") else None
        anonymity = nv.measure(
            network,
            measure,
            k=int(row["k"]),
            distance=int(row["distance"]),
            fuzzy=fuzzy,
            twins=variant == "twin classes",
        )

        assert (anonymity.classes, anonymity.at_risk) == (int(row["classes"]), int(row["at_risk"])), row


@needs_shared
def test_the_reference_has_every_measure_and_variant() -> None:
    """The test above would pass on an empty table."""
    rows = [row for of_network in reference().values() for row in of_network]

    assert len(rows) == 473
    assert {row["measure"].partition(", ")[0] for row in rows} - {"cascade from count"} == MEASURES.keys()
