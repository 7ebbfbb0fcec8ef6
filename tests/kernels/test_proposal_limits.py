"""Limits of a walk: it never passes one, and what it remembers of them is true."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import clustered, limits
from naive import graph_without, keeps, violation
from netveil.kernels.annealing.walk_state import NodeColumn
from netveil.kernels.limits import clustering_of as inlined_clustering, clustering_sum
from netveil.search import Problem, problem
from netveil.search.annealing.chains import Chain
from walks import (
    ATTACKERS,
    CALM,
    accepted_by,
    best_of,
    chain_on,
    check_walk,
    complete,
    each_with_few_examples,
    edges_missing,
    legs,
    problems,
    walk_of,
    within,
)
from way_in import way_in

clustering_of = way_in(inlined_clustering)

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost
STEADY = within(40)._replace(proposals=3_000)
RESTLESS = STEADY._replace(temperature=(20.0, 20.0), enough=-1)  # goes on though nobody is at risk


def check_limits(chain: Chain) -> None:
    """The walk and its best keep all limits, and what is followed for them is what it is from scratch."""
    of, walk = chain.problem, walk_of(chain)
    for present in (walk.present, walk.best):
        missing = edges_missing(of, present)
        assert violation(of.network, of.limits, missing) == 0
        assert keeps(of.network, dict(of.keep), missing, margin=MARGIN)
    limit_state = chain.limit_state
    if of.limits is None or limit_state is None:
        assert of.limits is None and limit_state is None
        return
    degrees, triangles = walk.people.nodes[:, NodeColumn.DEGREE], walk.people.nodes[:, NodeColumn.TRIANGLES]
    assert tuple(limit_state.clustering) == clustering_sum(degrees, triangles)
    if of.limits.least_component > 0:
        inside = set(np.flatnonzero(limit_state.outside == 0).tolist())
        graph = graph_without(of.network, edges_missing(of, walk.present))
        assert inside in [set(component) for component in nx.connected_components(graph)]
        assert limit_state.inside_count[0] == len(inside) >= of.limits.least_component


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@each_with_few_examples
@given(data=st.data())
def test_no_leg_passes_a_limit(listed: bool, attacker: str, data: st.DataObject) -> None:
    """Any limits, any legs; all that a walk remembers without limits is true with them too."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        of = data.draw(problems(attacker, limits()))
        assert of.topology.listed is listed
    chain = chain_on(of, seed=data.draw(st.integers(0, 2**63)))
    check_limits(chain)
    best = best_of(walk_of(chain))
    for leg in data.draw(st.lists(legs(of), min_size=1, max_size=4)):
        chain.walk_along(leg)
        check_walk(of, walk_of(chain))
        check_limits(chain)
        assert best_of(walk_of(chain)) <= best
        best = best_of(walk_of(chain))


KEPT: list[dict[str, Any]] = [
    {"clustering": "1/50"},
    {"lcc": 0},
    {"lcc": "1/5"},
    {"lcc": "9/10"},
    {"degree": "1/4"},
    {"clustering": "1/20", "lcc": "1/10", "degree": "1/2"},
]


def problem_keeping(keep: dict[str, Any]) -> Problem:
    """A network with much to cut off: a ring of people who know those near them, each with a leaf."""
    ring = clustered(30, 60)
    edges = [*ring.edges.tolist(), *[(node, 30 + node) for node in range(30)]]
    network = type(ring).from_numbered_edges(edges, 60)
    shares = {name: Fraction(share) for name, share in keep.items()}
    return Problem(network, ATTACKERS["count"], 2, 40, np.arange(network.edge_count), keep=shares)


@pytest.mark.parametrize("keep", KEPT, ids=str)
@pytest.mark.parametrize("temperature", [0.2, 20.0])
def test_a_long_walk_stays_within_the_limits(keep: dict[str, Any], temperature: float) -> None:
    """Thousands of proposals a leg, cold and hot, on a network that most deletions cut into pieces."""
    chain = chain_on(problem_keeping(keep))
    for _ in range(5):
        chain.walk_along(STEADY._replace(temperature=(temperature, temperature)))
        check_walk(chain.problem, walk_of(chain))
        check_limits(chain)

    assert accepted_by(walk_of(chain)) > 0


@pytest.mark.parametrize("keep", [KEPT[0], KEPT[1], KEPT[4]], ids=str)
def test_a_limit_that_would_be_broken_changes_the_walk(keep: dict[str, Any]) -> None:
    """Same random numbers without it, and it is broken."""
    free, limited = chain_on(problem_keeping({})), chain_on(problem_keeping(keep))
    free.walk_along(RESTLESS)
    limited.walk_along(RESTLESS)

    assert violation(
        free.problem.network, limited.problem.limits, edges_missing(free.problem, walk_of(free).present)
    )
    assert walk_of(free).present.tolist() != walk_of(limited).present.tolist()


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("keep", [{"degree": 1}, {"lcc": 1}, {"degree": 1, "lcc": 1}], ids=str)
def test_a_limit_that_allows_everything_changes_nothing(keep: dict[str, Any], attacker: str) -> None:
    """Same random numbers, same walk; also where nobody follows triangles, and so nobody knows clustering."""
    network, shares = complete(12), {name: Fraction(share) for name, share in keep.items()}
    free, limited = (
        chain_on(Problem(network, ATTACKERS[attacker], 2, 40, np.arange(66), keep=given))
        for given in ({}, shares)
    )
    free.walk_along(RESTLESS)
    limited.walk_along(RESTLESS)

    assert limited.problem.limits is not None
    assert accepted_by(walk_of(free)) > 100
    assert walk_of(free).present.tolist() == walk_of(limited).present.tolist()


def test_where_nobody_may_lose_a_contact_nothing_moves() -> None:
    """Every proposal is refused, and the walk is where it was."""
    chain = chain_on(problem_keeping({"degree": 0}))
    chain.walk_along(CALM)

    assert accepted_by(walk_of(chain)) == 0
    assert walk_of(chain).present.all()
    check_walk(chain.problem, walk_of(chain))


def test_what_was_cut_off_may_come_back() -> None:
    """With half of the largest component to be kept, people leave it and come inside again."""
    chain = chain_on(problem_keeping({"lcc": "1/2"}))
    sizes = []
    for _ in range(30):
        chain.walk_along(RESTLESS._replace(proposals=100))
        check_limits(chain)
        assert chain.limit_state is not None
        sizes.append(int(chain.limit_state.inside_count[0]))
    steps = np.diff(sizes)

    assert (steps < 0).any() and (steps > 0).any()


def test_clustering_is_one_among_people_who_all_know_each_other() -> None:
    """Before the walk, in the limit_state of a complete network of five."""
    network = complete(5)
    keep = {"clustering": Fraction(1, 2)}
    limit_state = chain_on(Problem(network, ATTACKERS["count"], 2, 3, np.arange(10), keep=keep)).limit_state

    assert limit_state is not None
    assert limit_state.clustering.tolist() == [5 * clustering_of(4, 6), 5]
    assert (limit_state.outside.sum(), limit_state.inside_count[0]) == (0, 5)
