"""Attacks on synthetic networks stay below the ceiling, and their alarms can go off."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import networkx
import numpy as np
import pytest

from graphs import clustered
from netveil.auditing import synthetic_attacks
from netveil.auditing.matching.noise import swapped_anywhere
from netveil.auditing.synthetic_attacks import attacking_synthetic, rank_in_rows, ties_told
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.progress import finished
from netveil.synthetic import RowTable, drawing, hide_dense, make_table

ORIGINAL = clustered(nodes=200, edges=1000)


def nodes_for(row: IntVector, seed: int = 1) -> IntVector:
    """A random node of the own row for each person."""
    nodes = np.empty(len(row), np.int64)
    nodes[np.lexsort((np.random.default_rng(seed).random(len(row)), row))] = np.arange(len(row))
    return nodes


@cache
def made(k: int = 5) -> tuple[RowTable, IntVector, Network]:
    """Table, rows of people, and a network drawn from it."""
    table, row = make_table(ORIGINAL, k)
    return table, row, finished(drawing(table, 1))


@cache
def attacked(seed: int = 1) -> tuple[dict[str, Any], list[str]]:
    """Record of all attacks, and what was told on the way."""
    table, row, drawn = made()
    told: list[str] = []
    return finished(attacking_synthetic(ORIGINAL, table, row, drawn, nodes_for(row), seed), told.append), told


def test_every_attacker_is_tried_and_the_ceiling_is_first() -> None:
    """The record can be written as JSON, and nobody finds clearly more people than there are rows."""
    record, told = attacked()
    table = made()[0]
    rows = record["rows"]

    assert [row["what"] for row in rows] == ["ceiling", "rows", "table", "states", "weighing"]
    assert len(told) == 6 and json.loads(json.dumps(record)) == record
    assert rows[0]["found"] == table.row_count and {row["people"] for row in rows} == {table.node_count}
    noise = 5 * np.sqrt(table.row_count)
    assert all(row["found"] <= table.row_count + noise for row in rows)
    assert rows[1]["found"] >= table.row_count - noise, "one person a row, on average"
    assert rows[2]["found"] > 5 * table.node_count / 200, "far more than by chance: one person"
    assert not record["alarm"] and f"{table.row_count:,} of 200 people" in record["sentences"][0]


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_record() -> None:
    again = finished(attacking_synthetic(ORIGINAL, *made()[:2], made()[2], nodes_for(made()[1]), 1))

    assert again == attacked()[0] != attacked(2)[0]


def test_large_networks_are_looked_at_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_attacks, "MOST_ASSIGNED", 20)
    monkeypatch.setattr(synthetic_attacks, "MOST_PROPOSED", 0)
    record = finished(attacking_synthetic(ORIGINAL, *made()[:2], made()[2], nodes_for(made()[1]), 1))
    assert [(row["what"], row["people"]) for row in record["rows"][2:]] == [("table", 80), ("states", 80)]


# The rank test.


@pytest.mark.quick(1)
@pytest.mark.parametrize("k", [2, 5])
def test_ranks_are_as_by_chance_for_every_assignment_of_people(k: int) -> None:
    """The mean over many assignments is 1/2, and no alarm goes off."""
    _, row, drawn = made(k)
    rng = np.random.default_rng(1)
    tests = [rank_in_rows(ORIGINAL, row, drawn, nodes_for(row, seed), rng) for seed in range(40)]
    ranks = [rank for rank, _ in tests if rank is not None]

    assert len(ranks) == 40 and abs(np.mean(ranks) - 0.5) < 0.015
    assert not any(alarm for _, alarm in tests)


@pytest.mark.quick(1)
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_partial_shuffle_sets_off_the_alarm(share: float) -> None:
    """Ties that stay tell people of a row apart: the network was not drawn from the table alone."""
    table, row, _ = made()
    nodes = nodes_for(row)
    shuffled = swapped_anywhere(ORIGINAL, share, np.random.default_rng(1)).relabelled(nodes)
    rank, alarm = rank_in_rows(ORIGINAL, row, shuffled, nodes, np.random.default_rng(1))
    record = finished(attacking_synthetic(ORIGINAL, table, row, shuffled, nodes, 1))

    assert rank is not None and rank > 0.75 and alarm
    assert record["alarm"] and any("not drawn from its table alone" in each for each in record["warnings"])


def test_ranks_need_somebody_beside() -> None:
    """Nobody has a tie, or everybody is alone in a row: there is nothing to tell."""
    nobody = Network.from_numbered_edges(np.empty((0, 2), np.int64), 4)
    pair = Network.from_numbered_edges([(0, 1)], 2)
    rng = np.random.default_rng(1)

    assert rank_in_rows(nobody, np.zeros(4, np.int64), nobody, np.arange(4), rng) == (None, False)
    assert rank_in_rows(pair, np.arange(2), pair, np.arange(2), rng) == (None, False)


# Ties that density tells.


CAVES = Network.from_numbered_edges(list(networkx.connected_caveman_graph(8, 24).edges()), 8 * 24)
"""Cliques of 24, joined by single ties: who is in one is tied to all of it."""


@cache
def of_caves() -> tuple[RowTable, IntVector, Network]:
    """Table of all caves as one community, rows, and a network drawn from it."""
    table, row = make_table(CAVES, 5)
    return table, row, finished(drawing(table, 1))


def test_ties_of_cliques_are_told_and_warned_of() -> None:
    dense = ties_told(CAVES, *of_caves(), np.random.default_rng(1))
    warnings = synthetic_attacks._warnings(0.5, False, dense)

    assert dense["true_by_rows"] > 0.9 > dense["true_by_degrees"] + 0.1
    assert dense["pairs_nearly_tied"] >= dense["pairs_fully_tied"] and dense["ties_told"] > 100
    assert [each.partition(":")[0] for each in warnings] == ["Ties inside dense rows can be told"]


def test_products_of_degrees_are_ranked_as_by_trying_all_pairs() -> None:
    degrees = ORIGINAL.degrees.astype(np.int64)
    one, other = np.triu_indices(ORIGINAL.node_count, 1)
    products = degrees[one] * degrees[other]
    least = np.sort(products)[-300]
    tied = ORIGINAL.are_edges(np.column_stack((one, other)))
    sure = int(tied[products > least].sum())
    found = synthetic_attacks._true_by_degrees(ORIGINAL, 300, np.random.default_rng(1))

    assert sure <= found <= sure + int((products == least).sum())


def test_hiding_dense_rows_leaves_fewer_ties_to_tell() -> None:
    edges = np.concatenate((ORIGINAL.edges, [(u, v) for u in range(25) for v in range(u + 1, 25)]))
    network = Network.from_numbered_edges(np.unique(edges, axis=0), ORIGINAL.node_count)
    table, row = make_table(network, 5, communities=np.zeros(network.node_count))
    drawn = finished(drawing(table, 1))
    hidden, row_of_row = hide_dense(table, drawn)
    people = np.bincount(row_of_row[row])
    before = ties_told(network, table, row, drawn, np.random.default_rng(1))
    again = finished(drawing(hidden, 1))
    after = ties_told(network, hidden, row_of_row[row], again, np.random.default_rng(1))

    assert people.tolist() == hidden.people.tolist() and hidden.row_count < table.row_count
    assert (hidden.people[row_of_row] >= table.people).all() and hidden.smallest_row >= table.k
    assert hidden.mixing.sum() == table.mixing.sum()
    assert after["ties_told"] < before["ties_told"]
    assert hide_dense(table, drawn, 1.1)[0] == table
