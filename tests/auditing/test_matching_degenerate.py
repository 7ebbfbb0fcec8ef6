"""Networks in which there is next to nothing: no errors, no warnings, and zeros where nobody can be found."""

from __future__ import annotations

import warnings

import networkx
import pytest
from matchings import numbered, powerlaw

from netveil.auditing.matching import weighing
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.score import Matching
from netveil.network import Network
from netveil.registries import MATCHERS

every_matcher = pytest.mark.parametrize("name", list(MATCHERS))
POWERLAW = powerlaw(60, 3)


@pytest.fixture(
    autouse=True, params=["rounds alone", pytest.param("isomorphisms", marks=pytest.mark.thorough)]
)
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without a look for isomorphisms."""
    if request.param == "rounds alone":
        monkeypatch.setattr(weighing, "MOST_NODES", 0)


def row_of(name: str, original: Network, released: Network, knowledge: Knowledge) -> Matching:
    """What comes of one attempt; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (row,) = match_all(original, released, [Case(name, knowledge, 2, 1)], threads=1)
    for score in (row.release, row.original, row.random_deletion):
        assert 0 <= score.found + score.wrong <= score.people
        assert 0 <= score.share_found <= 1
    assert all(0 < share <= 1 and 0 <= precision <= 1 for share, precision in row.curve)
    return row


def edgeless(nodes: int) -> Network:
    """Nobody has a tie."""
    return Network.from_numbered_edges([], nodes)


@pytest.mark.quick(8)
@every_matcher
@pytest.mark.parametrize("nodes", [0, 1, 2, 30])
@pytest.mark.parametrize("known", [1.0, 0.5])
def test_without_ties_nobody_is_found(name: str, nodes: int, known: float) -> None:
    """But for a single person of a single node, for whom no other can be meant."""
    row = row_of(name, edgeless(nodes), edgeless(nodes), Knowledge(known, seeds=5))

    assert row.release.people == nodes
    assert row.release.wrong == 0 and row.release.found <= (nodes == 1)


@pytest.mark.quick(3)
@every_matcher
@pytest.mark.parametrize("ties", ["random", "community"])
def test_a_release_without_ties_gives_nobody_away(name: str, ties: str) -> None:
    """Whoever is recognised."""
    for seeds in (0, 10):
        row = row_of(name, POWERLAW, edgeless(60), Knowledge(0.5, ties, seeds))  # type: ignore[arg-type]
        assert (row.release.found, row.release.wrong) == (0, 0)
        assert row.random_deletion.found == 0


@every_matcher
def test_where_everybody_is_recognised_nobody_is_looked_for(name: str) -> None:
    """More seeds than people."""
    row = row_of(name, POWERLAW, POWERLAW, Knowledge(seeds=1000))

    assert (row.release.people, row.release.found, row.release.wrong) == (0, 0, 0)
    assert row.release.share_found == 0 and row.curve == ()


@every_matcher
def test_a_single_tie_is_nobody(name: str) -> None:
    """Two people who mirror each other."""
    pair = Network.from_numbered_edges([(0, 1)], 2)
    row = row_of(name, pair, pair, Knowledge())

    assert (row.release.people, row.release.found, row.release.wrong) == (2, 0, 0)


@pytest.mark.quick(4)
@every_matcher
@pytest.mark.parametrize("released_ties", [100, 171, 400])
def test_a_release_that_is_no_part_of_the_original(name: str, released_ties: int) -> None:
    """Fewer, as many or more ties than the original has, all drawn anew: nearly nobody is found."""
    released = numbered(networkx.gnm_random_graph(60, released_ties, seed=1))
    row = row_of(name, POWERLAW, released, Knowledge(0.9, seeds=3))

    assert row.release.found <= 6
    assert row.original.found >= row.release.found
