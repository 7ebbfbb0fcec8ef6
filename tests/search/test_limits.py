"""What must stay: limits are kept by every search, and protected edges are never deleted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import SQUARE, clustered, limits, networks
from naive import contacts_lost, count_states, keeps, largest_component, mean_clustering, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.job import Anonymization
from netveil.network import Network
from netveil.release.gather import gather
from netveil.search import ALGORITHMS, LIMITS, Outcome, Problem
from netveil.search.control import Found, Steps
from searches import QUICK, each_algorithm, outcome_of

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide.md"


def run(network: Network, algorithm: str, **options: Any) -> Outcome:
    """A quick search with a fifth of the edges to spend."""
    return outcome_of(network, algorithm, **{"budget": 0.2, **options})


@each_algorithm
@given(network=networks(min_nodes=4, min_edges=3), keep=limits(), share=st.floats(0, 1), k=st.integers(2, 3))
def test_every_algorithm_keeps_every_limit(
    algorithm: str, network: Network, keep: dict[str, Fraction], share: float, k: int
) -> None:
    outcome = run(network, algorithm, budget=round(share, 3), keep=keep, k=k)
    deleted = outcome.deleted_edges.tolist()
    figures = {limit.name: (limit.before, limit.after) for limit in outcome.limits}

    assert keeps(network, keep, deleted, margin=MARGIN)
    assert len(deleted) <= outcome.budget
    assert outcome.objective == outcome.at_risk_after == sum(nodes_at_risk(count_states(network, deleted), k))
    assert figures.keys() == keep.keys()
    if "clustering" in keep:
        exact = (float(mean_clustering(network)), float(mean_clustering(network, deleted)))
        assert figures["clustering"] == pytest.approx(exact)
    if "lcc" in keep:
        nodes = (largest_component(network), largest_component(network, deleted))
        assert figures["lcc"] == pytest.approx([size / network.node_count for size in nodes])
    if "degree" in keep:
        most = max(lost / max(contacts, 1) for contacts, lost in contacts_lost(network, deleted))
        assert figures["degree"] == pytest.approx((0, most))


@each_algorithm
@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_changes_what_is_deleted(algorithm: str, name: str) -> None:
    rng = np.random.default_rng(7)
    leaves = [(rng.integers(30), 30 + leaf) for leaf in range(90)]  # cut off by most deletions
    network = Network.from_numbered_edges([*rng.integers(0, 30, (90, 2)).tolist(), *leaves], 120)
    keep = {name: Fraction(1, 100)}
    free = run(network, algorithm)
    limited = run(network, algorithm, keep=keep)

    assert free.at_risk_after < free.at_risk_before
    assert not keeps(network, keep, free.deleted_edges.tolist(), margin=MARGIN)
    assert keeps(network, keep, limited.deleted_edges.tolist(), margin=MARGIN)
    assert limited.deleted_edges.tolist() != free.deleted_edges.tolist()


@each_algorithm
def test_a_search_that_may_delete_nothing_ends(algorithm: str) -> None:
    """Where nobody may lose a contact: edges are refused, and every individual breaks the limit."""
    outcome = run(clustered(), algorithm, keep={"degree": 0})

    assert (len(outcome.deleted_edges), outcome.stopped_by) == (0, "converged")
    assert outcome.at_risk_after == outcome.at_risk_before


@given(network=networks(min_edges=1), keep=limits(), budget=st.integers(0, 9), data=st.data())
def test_limits_enter_the_objective_as_penalties(
    network: Network, keep: dict[str, Fraction], budget: int, data: st.DataObject
) -> None:
    """Nodes at risk, edges beyond the budget and what breaks the limits; for numbers and for arrays."""
    problem = Problem(network, attackers_of("count"), 2, budget, np.arange(network.edge_count), keep=keep)
    numbers = data.draw(st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=1))
    expected = [at_risk + max(0, deleted - budget) + broken for at_risk, deleted, broken in numbers]

    assert [problem.objective(*row) for row in numbers] == expected
    assert problem.objective(*np.array(numbers).T).tolist() == expected


@pytest.mark.parametrize(
    ("options", "says"),
    [
        *(({"keep": {name: "5%"}}, f"the limit {name}=5% is broken") for name in LIMITS),
        ({"protect": [0]}, "es deleted a protected edge"),
        ({"budget": 3}, "es miscounted its solution for 3 edges"),
    ],
    ids=str,
)
def test_an_algorithm_that_breaks_a_rule_is_found_out(
    options: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(problem: Problem, *arguments: Any) -> Steps:
        yield from ()
        everything = np.arange(problem.edge_count)
        return Found(everything, problem.recount(everything)[0], "budget", evaluations=1)

    monkeypatch.setitem(ALGORITHMS, "es", replace(ALGORITHMS["es"], search=careless))
    with pytest.raises(AssertionError, match=says):
        run(clustered(), "es", **options)


def test_what_is_worse_than_nothing_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def careless(problem: Problem, *arguments: Any) -> Steps:
        yield from ()
        counts = [problem.recount(np.array([edge]))[0] for edge in range(problem.edge_count)]
        found.append(max(counts))
        return Found(np.array([np.argmax(counts)]), max(counts), "budget", evaluations=1)

    monkeypatch.setitem(ALGORITHMS, "es", replace(ALGORITHMS["es"], search=careless))
    outcome = run(clustered(), "es", budget=3)

    assert found[-1] > outcome.at_risk_before == outcome.at_risk_after
    assert outcome.deleted_edges.tolist() == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"keep": {"degree": "1%"}}, "does not fit: the limit degree=1% is broken"),
        (
            {"protect": clustered().edge_labels([3])},
            "deletes 1 protected edge; protect others, or start anew.",
        ),
        ({"budget": 3}, "deletes 5 edges, more than the budget of 3; give a larger budget, or start anew."),
    ],
    ids=str,
)
def test_a_solution_to_go_on_from_must_fit(options: dict[str, Any], says: str) -> None:
    """One that was found for something else is no place to start."""
    with pytest.raises(nv.SettingError, match=f"^the solution to go on from {says}"):
        run(clustered(), "es", start=np.arange(5), **options)


def test_baselines_of_the_report_keep_the_same_limits() -> None:
    """Or the comparison would not be fair."""
    release = nv.anonymize(clustered(), algorithm="ga", settings=QUICK["ga"], keep={"degree": 0}, protect=[0])
    baselines = gather(release, Anonymization(utility=False, audit=False, baselines=True)).baselines

    assert baselines.keys() == {"es", "ua"}
    assert {len(baseline.deleted_edges) for baseline in baselines.values()} == {0}


@pytest.mark.parametrize(
    ("keep", "what"),
    [
        ("lcc=1%", "keep 'lcc=1%': give a share for each limit, such as {'clustering': '1%'}."),
        ({3: "1%"}, "limit 3: give a name, or an object of netveil.search.limit.Limit"),
        (
            {"clusterin": "1%"},
            "unknown limit 'clusterin': did you mean clustering? The choice is clustering,",
        ),
        *(
            ({"lcc": given}, f"keep lcc: {given} is not a share; give a share")
            for given in ("5", 5, "101%", "-1%")
        ),
        *(
            (
                {"degree": given},
                f"keep degree: '{given}' is not a number; give a share from 0% to 100%, such as",
            )
            for given in ("few", "", "1e-99999", "1/0", True, float("nan"))
        ),
    ],
)
def test_what_is_no_limit(keep: Any, what: str) -> None:
    with pytest.raises(nv.SettingError) as caught:
        nv.anonymize(SQUARE, keep=keep)

    assert str(caught.value).startswith(what)


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_in_the_guide(name: str) -> None:
    assert f"`{name}=" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.quick(3)
@each_algorithm
@given(network=networks(min_nodes=3, min_edges=2), share=st.floats(0, 1), data=st.data())
def test_no_algorithm_deletes_a_protected_edge(
    algorithm: str, network: Network, share: float, data: st.DataObject
) -> None:
    """Edges and whole nodes; also where fewer than the budget are left."""
    edges = data.draw(st.lists(st.integers(0, network.edge_count - 1), max_size=5))
    nodes = data.draw(st.lists(st.integers(0, network.node_count - 1), max_size=2))
    protected = {edge for edge, ends in enumerate(network.edges.tolist()) if set(ends) & set(nodes)}
    protect = [*map(tuple, network.edges[edges].tolist()), *nodes]
    outcome = run(network, algorithm, budget=round(share, 3), protect=protect)

    assert outcome.protected_edges.tolist() == sorted(protected | set(edges))
    assert not (protected | set(edges)) & set(outcome.deleted_edges.tolist())


@each_algorithm
def test_all_edges_may_be_protected(algorithm: str) -> None:
    """Then nothing is deleted, and nothing searched for."""
    outcome = run(clustered(), algorithm, protect=range(60))

    assert (len(outcome.deleted_edges), outcome.stopped_by, outcome.evaluations) == (0, "budget", 1)
    assert len(outcome.protected_edges) == clustered().edge_count


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_a_baseline_goes_on_while_unprotected_edges_are_left(algorithm: str) -> None:
    """A budget of ten where five may go: it deletes the five on the way."""
    network = Network.from_numbered_edges(list(combinations(range(8), 2)), 9)
    outcome = run(network, algorithm, budget=10, protect=network.to_edges()[5:])

    assert [row.deleted for row in outcome.history] == list(range(6))
    assert outcome.stopped_by == "converged"
