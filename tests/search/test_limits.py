"""What must stay: limits are kept by every search, and protected edges are never deleted."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import netveil as nv
from graphs import SQUARE, clustered, limits, networks
from naive import contacts_lost, count_states, keeps, largest_component, mean_clustering, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.job import Anonymization
from netveil.kernels.breeding import Generation, Variation, breed
from netveil.network import Network
from netveil.release.gather import gather
from netveil.search import ALGORITHMS, LIMITS, Problem
from netveil.search.control import Found, Steps
from netveil.search.limits.limit import parsed_limits

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost
SMALL = {"population": 12, "offspring": 14, "initial_rate": 0.05, "mutation_rate": 0.02, "patience": 10}
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide.md"


def run(network: Network, algorithm: str, seed: int = 1, **options: Any) -> nv.Release:
    """A quick run on one thread."""
    short = {"annealing": {"effort": 0.02}, "ga": SMALL, "uga": SMALL}.get(algorithm, {})
    options["settings"] = {**short, **options.get("settings", {})}
    return nv.anonymize(network, algorithm=algorithm, seed=seed, **{"threads": 1, "budget": 0.2, **options})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=30)
@given(network=networks(min_nodes=4, min_edges=3), keep=limits(), share=st.floats(0, 1), k=st.integers(2, 3))
def test_every_algorithm_keeps_every_limit(
    algorithm: str, network: Network, keep: dict[str, Fraction], share: float, k: int
) -> None:
    """As recomputed by networkx in exact arithmetic; the figures before and after are networkx's too."""
    outcome = run(network, algorithm, budget=round(share, 3), keep=keep, k=k).outcome
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


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_changes_what_is_deleted(algorithm: str, name: str) -> None:
    """The same search without it breaks it."""
    rng = np.random.default_rng(7)
    leaves = [(rng.integers(30), 30 + leaf) for leaf in range(90)]  # cut off by most deletions
    network = Network.from_numbered_edges([*rng.integers(0, 30, (90, 2)).tolist(), *leaves], 120)
    keep = {name: Fraction(1, 100)}
    free = run(network, algorithm).outcome
    limited = run(network, algorithm, keep=keep).outcome

    assert free.at_risk_after < free.at_risk_before
    assert not keeps(network, keep, free.deleted_edges.tolist(), margin=MARGIN)
    assert keeps(network, keep, limited.deleted_edges.tolist(), margin=MARGIN)
    assert limited.deleted_edges.tolist() != free.deleted_edges.tolist()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=20)
@given(network=networks(min_nodes=4, max_nodes=6, min_edges=3), keep=limits(), data=st.data())
def test_no_result_beats_the_best_of_all_deletions(
    algorithm: str, network: Network, keep: dict[str, Fraction], data: st.DataObject
) -> None:
    """Every set of edges within the budget that keeps the limits and spares protected edges is tried."""
    budget = data.draw(st.integers(1, 3).filter(lambda edges: edges <= network.edge_count))
    protected = data.draw(st.sets(st.integers(0, network.edge_count - 1), max_size=2))
    movable = [edge for edge in range(network.edge_count) if edge not in protected]
    best = min(
        sum(nodes_at_risk(count_states(network, deleted), 2))
        for deleted in chain.from_iterable(combinations(movable, count) for count in range(budget + 1))
        if keeps(network, keep, deleted, margin=MARGIN)
    )
    pairs = network.edge_labels(sorted(protected))
    outcome = run(network, algorithm, budget=budget, keep=keep, protect=pairs).outcome

    assert best <= outcome.at_risk_after <= outcome.at_risk_before
    assert keeps(network, keep, outcome.deleted_edges.tolist(), margin=MARGIN)
    assert not protected & set(outcome.deleted_edges.tolist())


def test_a_genetic_search_finds_the_best_of_all_deletions_of_a_small_network() -> None:
    """Without the edge from c to d nobody is unique; where d must stay connected, lonely e is."""
    network = Network.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], nodes="abcde")
    settings = {"initial_rate": 0.3}
    free = run(network, "ga", budget=1, settings=settings)
    limited = run(network, "ga", budget=1, settings=settings, keep={"lcc": 0})

    assert (free.deleted_edges, free.outcome.at_risk_after) == ([("c", "d")], 0)
    assert limited.outcome.at_risk_after == 1


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_others_are_deleted_where_a_limit_forbids_some(algorithm: str) -> None:
    """A clique with many leaves: with the component to be kept whole, the budget goes into the clique."""
    clique = list(combinations(range(12), 2))
    leaves = [(node % 11, 12 + node) for node in range(60)]
    network = Network.from_numbered_edges(clique + leaves, 72)
    outcome = run(network, algorithm, budget=20, keep={"lcc": 0}).outcome

    assert outcome.history[-1].deleted == 20
    assert outcome.limits[0].after == outcome.limits[0].before == 1.0


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_a_search_that_may_delete_nothing_ends(algorithm: str) -> None:
    """Where nobody may lose a contact, every edge is refused once, and the search says it is done."""
    outcome = run(clustered(), algorithm, keep={"degree": 0}).outcome

    assert (len(outcome.deleted_edges), outcome.stopped_by) == (0, "converged")


@pytest.mark.parametrize("algorithm", ["ga", "uga"])
def test_a_genetic_search_under_limits_that_forbid_everything_deletes_nothing(algorithm: str) -> None:
    """Every individual breaks them, so all that is left of the best after its repair is the original."""
    outcome = run(clustered(), algorithm, keep={"degree": 0}).outcome

    assert len(outcome.deleted_edges) == 0
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


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_algorithm_that_breaks_a_limit_is_found_out(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an algorithm returns is measured again before anybody sees it."""

    def careless(problem: Problem, *arguments: Any) -> Steps:
        yield from ()
        everything = np.arange(problem.edge_count)
        return Found(everything, problem.recount(everything)[0], "budget", evaluations=1)

    monkeypatch.setitem(ALGORITHMS, algorithm, replace(ALGORITHMS[algorithm], search=careless))
    for name in LIMITS:
        with pytest.raises(AssertionError, match=f"the limit {name}=5% is broken"):
            run(clustered(), algorithm, keep={name: "5%"})


def test_a_solution_to_go_on_from_must_keep_the_limits() -> None:
    """One that was found without them may not, and is no place to start."""
    start = run(clustered(), "es").outcome.deleted_edges

    with pytest.raises(nv.SettingError, match=r"go on from does not fit: the limit degree=1% is broken"):
        run(clustered(), "es", start=start, keep={"degree": "1%"})


def test_a_solution_within_the_limits_is_gone_on_from() -> None:
    """And is never lost."""
    keep = {"clustering": "2%", "degree": "20%"}
    before = run(clustered(), "uga", keep=keep, settings={"patience": 30}).outcome
    for algorithm in ALGORITHMS:
        after = run(clustered(), algorithm, seed=3, keep=keep, start=before.deleted_edges).outcome
        assert after.at_risk_after <= before.at_risk_after


def test_the_record_tells_what_was_kept_and_the_public_part_does_not(tmp_path: Path) -> None:
    """In the figures, on the page, under the baselines; not in about.json."""
    release = run(clustered(), "ga", keep={"clustering": 0.01, "degree": "20%"})
    folder = nv.save(release, tmp_path / "release", utility=False)
    page = (folder / "private" / "report.html").read_text(encoding="utf-8")
    keep = json.loads((folder / "private" / "run.json").read_text(encoding="utf-8"))["keep"]

    assert keep == release.figures()["keep"]
    assert [(limit["name"], limit["share"]) for limit in keep] == [("clustering", "1%"), ("degree", "20%")]
    assert "Limits: what was to be kept, and is." in page
    assert "Nobody loses more than this share of their contacts." in page
    assert "keep" not in (folder / "public" / "about.json").read_text(encoding="utf-8")
    assert "Limits" not in run(SQUARE, "ga").report(utility=False).html


def test_baselines_of_the_report_keep_the_same_limits() -> None:
    """Or the comparison would not be fair."""
    release = run(clustered(), "ga", keep={"degree": 0}, protect=[0])
    baselines = gather(release, Anonymization(utility=False, audit=False, baselines=True)).baselines

    assert baselines.keys() == {"es", "ua"}
    assert {len(baseline.deleted_edges) for baseline in baselines.values()} == {0}


@pytest.mark.parametrize("given", ["1%", "0.01", " 1 % ", 0.01, Fraction(1, 100), "1e-2", "1/100"])
def test_a_share_is_exact_however_it_is_written(given: Any) -> None:
    """No floating-point number is a hundredth."""
    assert parsed_limits({"clustering": given}) == {"clustering": Fraction(1, 100)}


@pytest.mark.parametrize(("given", "share"), [(0, 0), ("0%", 0), (1, 1), ("100%", 1), ("0.5%", "1/200")])
def test_shares_reach_from_nothing_to_all(given: Any, share: Any) -> None:
    """Both ends included."""
    assert parsed_limits({"lcc": given}) == {"lcc": Fraction(share)}


@pytest.mark.parametrize(
    ("keep", "what"),
    [
        ("lcc=1%", "keep 'lcc=1%': give a share for each limit, such as {'clustering': '1%'}."),
        ({3: "1%"}, "unknown limit '3': The choice is clustering, degree, lcc."),
        (
            {"clusterin": "1%"},
            "unknown limit 'clusterin': did you mean clustering? The choice is clustering,",
        ),
        ({"clustering": "5"}, "keep clustering: 5 is not a share; give a share from 0% to 100%,"),
        ({"clustering": 5}, "keep clustering: 5 is not a share"),
        ({"lcc": "101%"}, "keep lcc: 101% is not a share"),
        ({"lcc": "-1%"}, "keep lcc: -1% is not a share; give a share"),
        ({"degree": "few"}, "keep degree: 'few' is not a number; give a share from 0% to 100%, such as"),
        ({"degree": ""}, "keep degree: '' is not a number"),
        ({"degree": "1e-99999"}, "keep degree: '1e-99999' is not a number"),
        ({"degree": "1/0"}, "keep degree: '1/0' is not a number"),
        ({"degree": True}, "keep degree: 'True' is not a number"),
        ({"degree": float("nan")}, "keep degree: 'nan' is not a number"),
    ],
)
def test_what_is_no_limit(keep: Any, what: str) -> None:
    """The message says what was given, the rule and the remedy."""
    with pytest.raises(nv.SettingError) as caught:
        nv.anonymize(SQUARE, keep=keep)

    assert str(caught.value).startswith(what)


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_is_in_the_guide(name: str) -> None:
    """With its name as it is typed."""
    assert f"`{name}=" in GUIDE.read_text(encoding="utf-8")


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
