"""Every row of the reference table: values computed by others, by brute force and with ANO-NET."""

from __future__ import annotations

import csv
from collections import defaultdict
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import netveil as nv
from graphs import SHARED_NETWORKS, needs_shared
from netveil.anonymity.cascade import cascade
from netveil.anonymity.count import Count
from netveil.anonymity.degree import Degree
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.edge_count import EdgeCount
from netveil.anonymity.ego import Ego
from netveil.anonymity.fuzzy import similar_counts
from netveil.anonymity.hybrid import Hybrid
from netveil.anonymity.measure import Measure
from netveil.anonymity.partition import classes_of
from netveil.anonymity.twins import one_of_each_twin_class
from netveil.anonymity.vertex_refinement import VertexRefinement
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Count(),
        Degree(),
        DegreeDistribution(),
        EdgeCount(),
        Ego(),
        Hybrid(),
        VertexRefinement(),
    )
}
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


def nodes_found(network: Network, states: IntMatrix, variant: str, k: int) -> int:
    """Nodes at risk, or identified where the variant is the cascade."""
    if variant == "cascade":
        return cascade(network, states).total
    class_of, sizes = classes_of(states)
    if variant == "twin classes":
        counted = one_of_each_twin_class(network)
        return int((np.bincount(class_of[counted], minlength=len(sizes))[class_of] < k).sum())
    if variant.startswith("fuzzy"):
        share = Fraction(int(variant.removeprefix("fuzzy ").removesuffix("%")), 100)
        return int((similar_counts(states, states, share) < k).sum())
    assert variant == ""
    return int((sizes[class_of] < k).sum())


@needs_shared
@pytest.mark.parametrize("name", reference())
def test_classes_and_nodes_at_risk_are_those_of_the_reference(name: str) -> None:
    """All measures, distances and variants of one network."""
    network = nv.read(SHARED_NETWORKS / f"{name}.txt")
    states: dict[tuple[str, int], IntMatrix] = {}
    for row in reference()[name]:
        measure, _, variant = row["measure"].replace("cascade from count", "count, cascade").partition(", ")
        key = measure, int(row["distance"])
        if key not in states:
            states[key] = MEASURES[measure].states(network, key[1])
        found = nodes_found(network, states[key], variant, int(row["k"]))

        assert (len(classes_of(states[key])[1]), found) == (int(row["classes"]), int(row["at_risk"])), row


@needs_shared
def test_the_reference_has_every_measure_and_variant() -> None:
    """The test above would pass on an empty table."""
    rows = [row for of_network in reference().values() for row in of_network]

    assert len(rows) == 473
    assert {row["measure"].partition(", ")[0] for row in rows} - {"cascade from count"} == MEASURES.keys()
