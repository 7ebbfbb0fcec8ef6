"""Protected edges: no algorithm deletes one, whatever else it does."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import netveil as nv
from graphs import SQUARE, clustered, networks
from netveil.anonymity import attackers_of
from netveil.kernels.breeding import Generation, Variation, breed
from netveil.network import Network
from netveil.search import ALGORITHMS, Problem
from netveil.search.control import Found, Steps

SMALL = {"population": 12, "offspring": 14, "initial_rate": 0.05, "mutation_rate": 0.02, "patience": 10}


def run(network: Network, algorithm: str, seed: int = 1, **options: Any) -> nv.Release:
    """A quick run on one thread."""
    short = {"annealing": {"effort": 0.02}, "ga": SMALL, "uga": SMALL}.get(algorithm, {})
    options["settings"] = {**short, **options.get("settings", {})}
    return nv.anonymize(network, algorithm=algorithm, seed=seed, **{"threads": 1, "budget": 0.2, **options})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=30)
@given(network=networks(min_nodes=3, min_edges=2), share=st.floats(0, 1), data=st.data())
def test_no_algorithm_deletes_a_protected_edge(
    algorithm: str, network: Network, share: float, data: st.DataObject
) -> None:
    """Edges and whole nodes; also where fewer than the budget are left."""
    edges = data.draw(st.lists(st.integers(0, network.edge_count - 1), max_size=5))
    nodes = data.draw(st.lists(st.integers(0, network.node_count - 1), max_size=2))
    protected = {edge for edge, ends in enumerate(network.edges.tolist()) if set(ends) & set(nodes)}
    protect = [*map(tuple, network.edges[edges].tolist()), *nodes]
    outcome = run(network, algorithm, budget=round(share, 3), protect=protect).outcome

    assert outcome.protected_edges.tolist() == sorted(protected | set(edges))
    assert not (protected | set(edges)) & set(outcome.deleted_edges.tolist())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_protection_changes_what_is_deleted(algorithm: str) -> None:
    """What was deleted is protected: then other edges are."""
    free = run(clustered(), algorithm)
    protected = run(clustered(), algorithm, protect=free.deleted_edges)

    assert free.deleted_edges and protected.deleted_edges
    assert not set(free.deleted_edges) & set(protected.deleted_edges)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_edges_may_be_protected(algorithm: str) -> None:
    """Then nothing is deleted, and nothing searched for."""
    outcome = run(clustered(), algorithm, protect=range(60)).outcome

    assert (len(outcome.deleted_edges), outcome.stopped_by, outcome.evaluations) == (0, "budget", 1)
    assert len(outcome.protected_edges) == clustered().edge_count


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_a_baseline_goes_on_while_unprotected_edges_are_left(algorithm: str) -> None:
    """A budget of ten where five may go: it deletes the five on the way."""
    network = Network.from_numbered_edges(list(combinations(range(8), 2)), 9)
    outcome = run(network, algorithm, budget=10, protect=network.to_edges()[5:]).outcome

    assert [row.deleted for row in outcome.history] == list(range(6))
    assert outcome.stopped_by == "converged"


@given(network=networks(min_nodes=4, min_edges=3), unique_aware=st.booleans(), data=st.data())
def test_mutation_never_flips_a_protected_edge(
    network: Network, unique_aware: bool, data: st.DataObject
) -> None:
    """At rate 1 all others flip, in GA; bits are in another order than edges."""
    protected = np.array(data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True)), dtype=int)
    order = np.random.default_rng(1).permutation(network.edge_count)
    problem = Problem(network, attackers_of("count"), 2, 1, order, protected_edges=protected)
    generation = Generation(
        population=np.zeros((1, problem.word_count), dtype=np.uint64),
        parents=np.zeros((1, 2), dtype=np.int64),
        seeds=np.arange(3, dtype=np.uint64),
        children=np.empty((2, problem.word_count), dtype=np.uint64),
        at_risk=np.empty(2, dtype=np.int64),
        deleted=np.empty(2, dtype=np.int64),
        violation=np.empty(2, dtype=np.int64),
    )
    variation = Variation(uniform=True, points=0, mutation_rate=1.0, unique_aware=unique_aware)
    breed(problem.topology, problem.rule, problem.limits, problem.fresh_state(), variation, generation, 0, 1)

    others = set(range(network.edge_count)) - set(protected.tolist())
    for child in generation.children:
        deleted = set(problem.edges_deleted_by(child).tolist())
        assert deleted <= others if unique_aware else deleted == others
    assert problem.protected.tolist() == [edge in protected for edge in order.tolist()]
    assert (problem.topology.movable == ~problem.protected).all()


def test_a_solution_to_go_on_from_must_not_delete_a_protected_edge() -> None:
    """It was found before somebody thought of protecting it."""
    start = np.array([0, 3])

    with pytest.raises(nv.SettingError, match="go on from deletes 1 protected edge; protect others, or"):
        run(clustered(), "uga", start=start, protect=clustered().edge_labels([3]))


def test_an_algorithm_that_deletes_a_protected_edge_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anybody sees what it returns."""

    def careless(problem: Problem, *arguments: Any) -> Steps:
        yield from ()
        return Found(np.array([0]), problem.recount(np.array([0]))[0], "budget", evaluations=1)

    monkeypatch.setitem(ALGORITHMS, "es", replace(ALGORITHMS["es"], search=careless))
    with pytest.raises(AssertionError, match="es deleted a protected edge"):
        run(clustered(), "es", protect=clustered().edge_labels([0]))


def test_the_record_tells_how_many_edges_were_protected(tmp_path: Path) -> None:
    """In the figures and on the page; not in about.json."""
    release = run(clustered(), "uga", protect=[0, (1, 2)])
    folder = nv.save(release, tmp_path / "release", utility=False)
    count = len({*clustered().csr.edge_numbers[: clustered().degrees[0]].tolist(), edge_number(1, 2)})

    assert release.figures()["protected"] == len(release.outcome.protected_edges) == count
    assert json.loads((folder / "private" / "run.json").read_text())["protected"] == count
    assert f"{count} edges were protected" in (folder / "private" / "report.html").read_text()
    assert "protected" not in (folder / "public" / "about.json").read_text()
    assert "were protected" not in run(SQUARE, "uga").report(utility=False).html


def edge_number(u: int, v: int) -> int:
    """The number of an edge of the clustered network."""
    edges: list[list[int]] = clustered().edges.tolist()
    return edges.index([u, v])
