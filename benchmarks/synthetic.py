"""What a synthetic network keeps, and how long it takes: ours, and the prototype's beside it.

    python benchmarks/synthetic.py ../shared/networks --k 5 --draws 2
    python benchmarks/synthetic.py ../shared/networks --prototype ../shared/prototypes/synthetic.py
    python -m benchmarks synthetic ../shared/networks --networks fb-reed98 --attacks --k 5
    python -m benchmarks synthetic ../shared/networks --networks grqc --hide-dense
    python -m benchmarks synthetic ../shared/networks --networks fb-reed98 --figure docs/synthetic.svg

Figures are means over the draws. Each person is a random node of the own row, as in `labels.csv`. NMI is
between the communities that Leiden finds in the original and in the synthetic network. An epidemic is the
mean share of people that one random person infects, at 1.5 and 3 times the critical transmissibility of the
original (bond percolation, 100 runs). Seconds are CPU time after compiling: of the table, of a drawing.
With `--attacks` instead people found by each attacker, the rank inside rows, and ties that density tells;
with `--hide-dense` these ties and figures before and after dense rows are merged; with `--figure` people
found by whoever has the network against the change in clustering, after deletion, shuffles and drawing.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import numpy as np

import netveil as nv
from netveil import charts, plotting
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.synthetic_attacks import attacking_synthetic, ties_told
from netveil.formatting import percentage
from netveil.kernels.swaps import random_swaps
from netveil.progress import finished
from netveil.registries import STRONGEST
from netveil.synthetic import drawing, hide_dense, make_table
from netveil.synthetic.draw_network import edges_of, half_edges

NETWORKS = ("fb-reed98", "college-msg", "grqc", "blogs", "fb-simmons")
SIZES = (2, 5, 10, 20)  # k of the figure
SWAPS_OF_SHUFFLES = {"50%": np.log(2) / 2, "100%": 10.0}  # a tie; a swap moves two, perhaps moved before
TRIES_OF_PROTOTYPE = {"grqc": 800}  # swaps tried a tie, as for its published figures; 150 elsewhere
COLUMNS = (
    "rows/n", "clustering", "path", "lcc", "assortativity", "k-core", "modularity", "NMI",
    "top 100 betweenness", "top 100 PageRank", "epidemic 1.5", "epidemic 3", "largest degree",
    "true ties", "table s", "drawing s",
)  # fmt: skip
Figures = dict[str, float]
Draw = tuple[nv.Network, Any, float, float, float]  # network, node of each person, rows/n, seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Print a table for each network."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prototype", type=Path)
    parser.add_argument("--attacks", action="store_true")
    parser.add_argument("--hide-dense", action="store_true")
    parser.add_argument("--figure", type=Path, metavar="SVG")
    given = parser.parse_args(argv)
    if given.figure is not None:
        points = list(traded(nv.read(given.folder / f"{given.networks[0]}.txt")))
        given.figure.write_bytes(pictured(points))
        return
    if given.attacks or given.hide_dense:
        for name in given.networks:
            (attacked if given.attacks else hidden)(nv.read(given.folder / f"{name}.txt"), given.k)
        return
    table, _ = make_table(nv.load("karate"), 5)
    finished(drawing(table, 1))  # compiles
    print(f"| k = {given.k} | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for name in given.networks:
        network = nv.read(given.folder / f"{name}.txt")
        original = Original(network)
        show(f"{name}, original", original.figures(network, np.arange(network.node_count)))
        ways = {"synthetic": ours(network, given.k, given.draws, given.seed)}
        if given.prototype is not None:
            ways["prototype"] = prototypes(given.prototype, network, given.k, given.draws)
        for way, draws in ways.items():
            found = []
            for released, node_of, ceiling, *seconds in draws:
                figures = original.figures(released, node_of)
                own = {"rows/n": ceiling, "table s": seconds[0], "drawing s": seconds[1]}
                found.append(figures | own)
            show(way, {column: float(np.mean([each[column] for each in found])) for column in found[0]})


def show(name: str, figures: Figures) -> None:
    """Print a row."""
    cells = [f"{figures[column]:.3f}" if column in figures else "" for column in COLUMNS]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def attacked(network: nv.Network, k: int) -> None:
    """Print people found by each attacker, the rank, and the share of guessed ties that are true."""
    table, row = make_table(network, k)
    drawn = finished(drawing(table, 1))
    nodes = any_node(row, table.row_of_node, 1)
    record = finished(attacking_synthetic(network, table, row, drawn, nodes, 1))
    found = [f"{each['what']} {percentage(each['found'] / each['people'])}" for each in record["rows"]]
    print(
        f"{network.name}, k = {k}: {', '.join(found)}; rank {record['rank']}; {record['dense']}", flush=True
    )


def hidden(network: nv.Network, k: int) -> None:
    """Print ties that can be told and figures that are kept, with and without dense rows."""
    original = Original(network)
    table, row = make_table(network, k)
    for rows in ("as they are", "dense ones merged"):
        drawn = finished(drawing(table, 1))
        dense = ties_told(network, table, row, drawn, np.random.default_rng(1))
        print(f"{network.name}, k = {k}, {table.row_count} rows {rows}: {dense}")
        show(rows, original.figures(drawn, any_node(row, table.row_of_node, 1)))
        table, row_of_row = hide_dense(table, drawn)
        row = row_of_row[row]


@dataclass(frozen=True)
class Point:
    """A release in the figure."""

    way: str
    name: str
    clustering: float  # change, as a share
    found: float  # share of people that the strongest attack tried finds
    ceiling: float | None = None  # share that no attack exceeds on average


def traded(network: nv.Network) -> Iterator[Point]:
    """Make a release of each kind, attack it, and print and yield what it gives and costs; one draw each."""
    original = Original(network)
    before = original.figures(network, np.arange(network.node_count))["clustering"]

    def point(way: str, name: str, released: nv.Network, node_of: Any, *found: float | None) -> Point:
        figures = original.figures(released, node_of)
        made = Point(way, name, figures["clustering"] / before - 1, *found)  # type: ignore[arg-type]
        print(f"{made}, NMI {figures['NMI']:.2f}, {percentage(figures['true ties'])} true ties", flush=True)
        return made

    everybody = np.arange(network.node_count)
    deleted = nv.anonymize(network, "5%", seed=1).remaining
    yield point("deletion", "5%", deleted, everybody, weighed(network, deleted))
    for name, swaps in SWAPS_OF_SHUFFLES.items():
        released = shuffled(network, swaps, original.communities.membership)
        # Attackers of a synthetic network who use the original alone; nodes go row by row for their sake.
        table, row = make_table(network, SIZES[0])
        node_of = any_node(row, table.row_of_node, 1)
        record = finished(attacking_synthetic(network, table, row, released.relabelled(node_of), node_of, 1))
        by_states = strongest(record, "states")
        yield point("shuffle", name, released, everybody, max(by_states, weighed(network, released)))
    for k in SIZES:
        table, row = make_table(network, k)
        drawn, nodes = finished(drawing(table, 1)), any_node(row, table.row_of_node, 1)
        record = finished(attacking_synthetic(network, table, row, drawn, nodes, 1))
        found = strongest(record, "table", "states", "weighing")
        yield point("synthetic", f"k = {k}", drawn, nodes, found, table.ceiling)


def weighed(network: nv.Network, released: nv.Network) -> float:
    """Share of people that the audit's strongest attacker claims rightly."""
    (score,) = match_all(network, released, [Case(STRONGEST, Knowledge(), 1, 0)], threads=1)
    return score.release.found / score.release.people


def strongest(record: Any, *attacks: str) -> float:
    """Share of people found by the best of these attackers."""
    return max(float(each["found"] / each["people"]) for each in record["rows"] if each["what"] in attacks)


def shuffled(network: nv.Network, swaps: float, community: Sequence[int]) -> nv.Network:
    """Swap ties so that everybody keeps as many inside the own community and outside."""
    halves = half_edges(network.edges.astype(np.int64), np.array(community, np.int64))
    random_swaps(halves, round(swaps * network.edge_count), np.array([1], np.uint64))
    return nv.Network.from_numbered_edges(edges_of(halves), network.node_count)


def pictured(points: Sequence[Point]) -> bytes:
    """Draw the points: what is lost to the right, people found upwards."""
    from matplotlib.figure import Figure

    colours = {"deletion": charts.RISK, "shuffle": charts.BEFORE, "synthetic": charts.AFTER}
    with plotting.style("synthetic"):
        figure = Figure(figsize=(6, 3.6), layout="constrained")
        axes = figure.subplots()
        plotting.bare(axes)
        for way, colour in colours.items():
            own = [each for each in points if each.way == way]
            places = [100 * abs(each.clustering) for each in own]
            axes.plot(places, [100 * each.found for each in own], "o", color=colour, label=way)
            for place, each in zip(places, own, strict=True):
                top = 100 * (each.found if each.ceiling is None else each.ceiling)
                if each.ceiling is not None:
                    axes.plot(place, top, "_", color=colour, markersize=12)
                axes.annotate(
                    each.name, (place, top), (8, 0), textcoords="offset points", va="center", fontsize=8
                )
        axes.plot([], [], "_", color=charts.AFTER, markersize=12, label="nobody can find more")
        axes.set(xlabel="change in clustering, up or down, %", ylabel="people found, %", ylim=(0, 105))
        axes.margins(x=0.12)
        axes.set_xlim(left=-1)
        axes.legend(frameon=False)
        return plotting.svg_file(figure)


def ours(network: nv.Network, k: int, draws: int, seed: int) -> Iterator[Draw]:
    """Draw with netveil."""
    began = time.process_time()
    table, row = make_table(network, k)
    made = time.process_time() - began
    for copy in range(draws):
        began = time.process_time()
        released = finished(drawing(table, seed, copy))
        seconds = time.process_time() - began
        yield released, any_node(row, table.row_of_node, copy), table.ceiling, made, seconds


def prototypes(path: Path, network: nv.Network, k: int, draws: int) -> Iterator[Draw]:
    """Draw with the prototype, which is compiled by a first drawing that does not count."""
    spec = importlib.util.spec_from_file_location("prototype", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules["prototype"] = importlib.util.module_from_spec(spec)  # numba's cache looks there
    spec.loader.exec_module(module)
    nodes, edges = network.node_count, np.array(network.edges, np.int64)
    began = time.process_time()
    table, place = module.table_of(nodes, edges, module.communities(nodes, edges), k)
    made = time.process_time() - began
    module.draw(table, 1, 1)
    rows, row = np.unique(table.rows, axis=0, return_inverse=True)
    for seed in range(draws):
        began = time.process_time()
        drawn = module.draw(table, TRIES_OF_PROTOTYPE.get(network.name, 150), seed + 1)
        seconds = time.process_time() - began
        released = nv.Network.from_numbered_edges(drawn, nodes)
        yield released, any_node(row.ravel()[place], row.ravel(), seed), len(rows) / nodes, made, seconds


def any_node(row_of_person: Any, row_of_node: Any, seed: int) -> Any:
    """Give each person a random node of the own row."""
    rng = np.random.default_rng(seed)
    people, nodes = (rng.permutation(len(row)) for row in (row_of_person, row_of_node))
    node_of = np.empty(len(people), np.int64)
    node_of[people[np.argsort(row_of_person[people], kind="stable")]] = nodes[
        np.argsort(row_of_node[nodes], kind="stable")
    ]
    return node_of


class Original:
    """Figures of the original with which others are compared."""

    def __init__(self, network: nv.Network) -> None:
        self.network = network
        self.critical = network.degrees.sum() / (network.degrees * (network.degrees - 1)).sum()
        graph = network.to_igraph()
        self.communities = leiden(graph)
        self.tops = tops(graph)

    def figures(self, released: nv.Network, node_of: Any) -> Figures:
        """Compute all figures of a released network."""
        graph, communities = released.to_igraph(), leiden(released.to_igraph())
        own = np.array(communities.membership)[node_of].tolist()
        person = np.argsort(node_of)
        top = [set(person[list(nodes)].tolist()) for nodes in tops(graph)]
        shared = [len(one & set(other)) / 100 for one, other in zip(top, self.tops, strict=True)]
        return {
            "clustering": graph.transitivity_avglocal_undirected(mode="zero"),
            "path": graph.average_path_length(),
            "lcc": max(graph.components().sizes()) / released.node_count,
            "assortativity": graph.assortativity_degree(),
            "k-core": max(graph.coreness()),
            "modularity": communities.modularity,
            "NMI": igraph.compare_communities(self.communities.membership, own, method="nmi"),
            "top 100 betweenness": shared[0],
            "top 100 PageRank": shared[1],
            "epidemic 1.5": epidemic(released, 1.5 * self.critical),
            "epidemic 3": epidemic(released, 3 * self.critical),
            "largest degree": int(released.degrees.max()),
            "true ties": self.network.shared_edges(person[released.edges]) / released.edge_count,
        }


def leiden(graph: igraph.Graph) -> igraph.VertexClustering:
    """Communities by modularity, best of three runs."""
    igraph.set_random_number_generator(random.Random(0))
    runs = [graph.community_leiden("modularity", n_iterations=-1) for _ in range(3)]
    return max(runs, key=lambda run: run.modularity)


def tops(graph: igraph.Graph) -> list[set[int]]:
    """The hundred nodes that are most central, by betweenness and by PageRank."""
    return [set(np.argsort(values)[-100:].tolist()) for values in (graph.betweenness(), graph.pagerank())]


def epidemic(network: nv.Network, transmissibility: float) -> float:
    """Mean share of people that one random person infects."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(100):
        kept = network.edges[rng.random(network.edge_count) < transmissibility]
        sizes = np.array(igraph.Graph(n=network.node_count, edges=kept).components().sizes())
        shares.append((sizes**2).sum() / network.node_count**2)
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
