"""Figures of the whole network that must be kept: bounds in the table, drawing again, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import pytest

import netveil as nv
from graphs import clustered
from netveil.errors import SettingError
from netveil.network import Network
from netveil.progress import finished
from netveil.synthetic import RowTable, draw_network, drawing, make_table
from netveil.synthetic.kept_figures import bounds_of, figure_of

RING = clustered(nodes=120, edges=500)
GRAPH = RING.to_networkx()


def draw(table: RowTable) -> Network:
    return finished(drawing(table, 1))


def test_bounds_are_around_the_figures_of_the_network() -> None:
    bounds = bounds_of(RING, {"clustering": "5%", "path_length": 0.1, "lcc": 0, "assortativity": "20%"})

    clustering = nx.average_clustering(GRAPH)
    assert bounds["clustering"] == pytest.approx((0.95e6 * clustering, 1.05e6 * clustering), abs=1)
    paths = nx.average_shortest_path_length(GRAPH)
    assert bounds["path_length"] == pytest.approx((0.9e6 * paths, 1.1e6 * paths), abs=1)
    assert bounds["lcc"] == (1_000_000, 1_000_000)
    mixing = nx.degree_assortativity_coefficient(GRAPH)
    assert bounds["assortativity"] == pytest.approx((1e6 * (mixing - 0.2), 1e6 * (mixing + 0.2)), abs=1)


def test_a_drawing_short_of_clustering_is_followed_by_one_that_aims_higher() -> None:
    table, _ = make_table(RING, 5)
    first = draw(table)
    reached = figure_of(first, "clustering")
    wanted = {"clustering": (round(1.03e6 * reached), round(1.2e6 * reached))}

    network = draw(replace(table, bounds=wanted))

    assert 1.03 * reached <= nx.average_clustering(network.to_networkx()) <= 1.2 * reached


def test_bounds_that_are_kept_change_nothing() -> None:
    table, _ = make_table(RING, 5)

    assert draw(replace(table, bounds={"lcc": (0, 1_000_000)})) == draw(table)


def test_what_cannot_be_kept_is_said_with_the_best_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[float] = []

    def spy(network: Network, name: str) -> float:
        if name == "path_length":
            reached.append(figure_of(network, name))
        return figure_of(network, name)

    monkeypatch.setattr(draw_network, "figure_of", spy)
    table, _ = make_table(RING, 5)
    bounds = {"path_length": (9_000_000, 9_500_000), "lcc": (0, 1_000_000)}

    with pytest.raises(SettingError) as error:
        draw(replace(table, bounds=bounds))

    assert len(set(reached)) == draw_network.MOST_DRAWINGS
    said = str(error.value)
    assert f"path_length is {max(reached):.4f}, not 9.0000 to 9.5000. Allow more" in said
    assert "lcc" not in said and "\n" not in said


REFUSALS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "unknown": (RING, {"degree": "5%"}, "unknown figure 'degree'"),
    "no share": (RING, {"clustering": "x"}, "give a share from 0% to 100%"),
    "undefined": (nx.empty_graph(12), {"path_length": "5%"}, "path_length: this network has none"),
}


@pytest.mark.parametrize(("network", "keep", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(network: Any, keep: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        nv.synthesize(network, k=5, seed=1, keep=keep)


def test_a_release_keeps_what_was_asked_for() -> None:
    release = nv.synthesize(RING, k=3, seed=1, copies=2, keep={"clustering": "5%"})

    for network in release.networks:
        changed = nx.average_clustering(network.to_networkx()) / nx.average_clustering(GRAPH)
        assert changed == pytest.approx(1, abs=0.05)
