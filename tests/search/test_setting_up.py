"""How a search is set up: whoever waits hears how far it is, and beforehand how long it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import clustered, networks
from netveil.anonymity import attackers_of
from netveil.errors import NetworkError
from netveil.kernels import triangles
from netveil.network import Network
from netveil.search import Control, Problem, run_search
from searches import outcome_of


@pytest.mark.parametrize("groups", [0, 2])
def test_whoever_waits_hears_what_is_set_up(groups: int) -> None:
    """Shares rise from 0 to 1, before the first step of the search."""
    heard: list[tuple[str, float]] = []
    control = Control(
        preparer=lambda doing, share: heard.append((doing, share)),
        listener=lambda progress: heard.append(("searching", 1.0)),
    )
    outcome_of(clustered(), settings={"groups": groups}, control=control)
    doing, shares = zip(*heard, strict=True)
    before = shares[: doing.index("searching")]

    assert len(set(doing)) >= 3 if groups == 0 else len(set(doing)) >= 5
    assert list(before) == sorted(before) and before[0] >= 0 and before[-1] < 1
    assert "searching" not in doing[: len(before)] and set(doing[len(before) :]) == {"searching"}


def test_setting_up_a_large_network_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """With time and memory by its edges; of a small one nothing is said."""
    said: list[str] = []
    network = clustered(2_000, 9_000)
    run_search.announce_setting_up(network, Control(announcer=said.append))
    assert said == []
    monkeypatch.setattr(run_search, "LARGE", network.edge_count)
    monkeypatch.setattr(run_search, "SECONDS_TO_SET_UP", 30 / network.edge_count)
    monkeypatch.setattr(run_search, "BYTES_TO_SET_UP", 5e8 / network.edge_count)
    run_search.announce_setting_up(network, Control(announcer=said.append))

    assert said == ["Setting up the search: about 30 s and 500 MB …"]


def test_what_bits_stand_for_does_not_change_what_is_found() -> None:
    """An excerpt is taken before edges are put in order: the network's own numbers are what is returned."""
    network = clustered()
    outcome = outcome_of(network, settings={"groups": 1})

    assert (np.diff(outcome.deleted_edges) > 0).all()
    assert outcome.deleted_edges.max() < network.edge_count


@settings(max_examples=30)
@given(
    networks(min_nodes=3, max_nodes=14), st.integers(2, 3), st.sampled_from(["count", "degree", "edge-count"])
)
def test_who_is_at_risk_at_first_is_what_a_recount_says(network: Network, k: int, measure: str) -> None:
    """Though triangles are counted once for both, and no class is looked at twice."""
    problem = Problem(network, attackers_of(measure), k, 1, np.arange(network.edge_count))

    assert (problem.at_first.below(k), problem.at_first.below(2)) == problem.recount(np.empty(0, np.int64))


def test_triangles_of_the_whole_network_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a search around people at risk; once more for the result."""
    counted: list[int] = []
    real = triangles.triangles_per_node

    def noted(edges: Any, *others: Any) -> Any:
        counted.append(len(edges))
        return real(edges, *others)

    monkeypatch.setattr(triangles, "triangles_per_node", noted)
    crowd = [(1_000 + 2 * pair, 1_001 + 2 * pair) for pair in range(500)]
    network = Network.from_numbered_edges([*clustered().edges.tolist(), *crowd], 2_000)
    outcome = outcome_of(network, settings={"groups": 1})

    whole = [edges for edges in counted if edges > network.edge_count - 100]
    assert whole == [network.edge_count, network.edge_count - len(outcome.deleted_edges)]


@pytest.mark.parametrize("in_part", [False, True])
def test_a_search_around_people_at_risk_needs_less_memory(in_part: bool) -> None:
    """By edge, once a process has searched: with so much it may begin, with a byte less it may not."""
    network = clustered(2_000, 9_000)
    needed = network.edge_count * (run_search.BYTES_AN_EDGE_AROUND if in_part else run_search.BYTES_AN_EDGE)
    outcome_of(clustered())
    run_search.check_memory(network, lambda: needed, in_part=in_part)

    with pytest.raises(NetworkError, match="a search takes at least"):
        run_search.check_memory(network, lambda: needed - 1, in_part=in_part)
    assert run_search.BYTES_AN_EDGE_AROUND < run_search.BYTES_AN_EDGE
