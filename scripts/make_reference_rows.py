"""Makes tests/reference/anonymity.tsv: who is at risk in small networks, by brute force and without netveil.

    python scripts/make_reference_rows.py

Nothing of netveil is imported: networkx, sets, counters and fractions alone, straight from the definitions in
docs/measures.md. Isomorphism is tried out (VF2), after invariants have told most surroundings apart. The
columns: `classes` is the number of classes of the measure, without its variant; `at_risk` is the number of
nodes with fewer than k lookalikes, or for the cascade the number of nodes identified.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import networkx as nx
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "reference"
FILE = FOLDER / "anonymity.tsv"
COLUMNS = ("network", "nodes", "edges", "measure", "distance", "k", "classes", "at_risk")
KS = (2, 3, 5)
DISTANCES = (1, 2)
FUZZY = {"fuzzy 5%": Fraction(5, 100), "fuzzy 10%": Fraction(10, 100)}

Graph: TypeAlias = "nx.Graph[int]"
States: TypeAlias = list[Hashable]
Row: TypeAlias = tuple[str, ...]


def ball(graph: Graph, node: int, distance: int) -> set[int]:
    """N_d[v]: the nodes within a distance, v included."""
    around = {node}
    for _ in range(distance):
        around = around.union(*(graph[other] for other in around))
    return around


def degrees_inside(graph: Graph, node: int, distance: int) -> tuple[int, ...]:
    """The degrees inside G_d(v), sorted."""
    around = ball(graph, node, distance)
    return tuple(sorted(len(around.intersection(graph[other])) for other in around))


def degree(graph: Graph, distance: int) -> States:
    """The degree, whatever the distance."""
    return [len(graph[node]) for node in graph]


def count(graph: Graph, distance: int) -> States:
    """Nodes and edges of G_1(v), …, G_d(v)."""
    return [
        tuple((len(degrees), sum(degrees) // 2) for degrees in of_node)
        for of_node in nested_degrees(graph, distance)
    ]


def edge_count(graph: Graph, distance: int) -> States:
    """Edges of G_1(v), …, G_d(v)."""
    return [tuple(sum(degrees) // 2 for degrees in of_node) for of_node in nested_degrees(graph, distance)]


def degree_distribution(graph: Graph, distance: int) -> States:
    """Degrees inside G_1(v), …, G_d(v), as multisets."""
    return list(nested_degrees(graph, distance))


def nested_degrees(graph: Graph, distance: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For each node, the sorted degrees inside G_1(v), …, G_d(v)."""
    for node in graph:
        yield tuple(degrees_inside(graph, node, nearer) for nearer in range(1, distance + 1))


def vertex_refinement(graph: Graph, distance: int) -> States:
    """The degree, then d times the multiset of the neighbours' values."""
    values: dict[int, Hashable] = {node: len(graph[node]) for node in graph}
    for _ in range(distance):
        told = {node: Counter(values[neighbour] for neighbour in graph[node]) for node in graph}
        values = {node: frozenset(multiset.items()) for node, multiset in told.items()}
    return [values[node] for node in graph]


def ego(graph: Graph, distance: int) -> States:
    """The first node whose G_d is the same with v in its place; such nodes have the same G_1, … as well."""
    states: dict[int, Hashable] = {}
    for alike in told_apart(list(graph), lambda node: plain_look(graph, node, distance)):
        for candidates in told_apart(alike, lambda node: close_look(rooted(graph, node, distance))):
            first: list[tuple[int, Graph]] = []
            for node in candidates:
                around = rooted(graph, node, distance) if len(candidates) > 1 else graph
                same = (seen for seen, other in first if same_rooted(around, other))
                states[node] = next(same, node)
                if states[node] == node:
                    first.append((node, around))
    return [states[node] for node in graph]


def hybrid(graph: Graph, distance: int) -> States:
    """Both `ego` and `vertex-refinement`."""
    return list(zip(ego(graph, distance), vertex_refinement(graph, distance), strict=True))


MEASURES: dict[str, Callable[[Graph, int], States]] = {
    "degree": degree,
    "count": count,
    "edge-count": edge_count,
    "degree-distribution": degree_distribution,
    "ego": ego,
    "vertex-refinement": vertex_refinement,
    "hybrid": hybrid,
}


def sizes(graph: Graph) -> tuple[int, int]:
    """Numbers of nodes and edges."""
    return graph.number_of_nodes(), graph.number_of_edges()


def told_apart(nodes: Sequence[int], look: Callable[[int], Hashable]) -> Iterator[Sequence[int]]:
    """The nodes in groups that look the same; who is alone need not be looked at."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for node in nodes:
        groups[look(node) if len(nodes) > 1 else 0].append(node)
    yield from groups.values()


def plain_look(graph: Graph, node: int, distance: int) -> Hashable:
    """What is quickly seen of G_d(v): its degrees, and that of v."""
    return len(graph[node]), degrees_inside(graph, node, distance)


def close_look(around: Graph) -> str:
    """What colour refinement sees of a rooted graph: equal for isomorphic ones, and seldom for others."""
    seen: str = nx.weisfeiler_lehman_graph_hash(around, node_attr="root", iterations=3)
    return seen


def rooted(graph: Graph, node: int, distance: int) -> Graph:
    """G_d(v) with v marked."""
    around: Graph = graph.subgraph(ball(graph, node, distance)).copy()
    nx.set_node_attributes(around, {other: other == node for other in around}, "root")
    return around


def same_rooted(one: Graph, other: Graph) -> bool:
    """Whether one graph can be laid on the other, root on root."""
    return bool(nx.is_isomorphic(one, other, node_match=lambda a, b: a["root"] == b["root"]))


def lookalikes(states: States) -> list[int]:
    """How many nodes share each node's state, itself included."""
    times = Counter(states)
    return [times[state] for state in states]


def fuzzy_lookalikes(graph: Graph, fuzzy: Fraction) -> list[int]:
    """How many nodes have both degree and triangles within a share of each node's own."""
    near = [degrees_inside(graph, node, 1) for node in graph]
    states = [(len(degrees) - 1, sum(degrees) // 2 - len(degrees) + 1) for degrees in near]
    return [
        sum(all(abs(a - b) <= fuzzy * a for a, b in zip(own, other, strict=True)) for other in states)
        for own in states
    ]


def twin_lookalikes(graph: Graph, states: States) -> list[int]:
    """How many classes of twins there are among the nodes that share each node's state."""
    twins = {
        node: frozenset(
            other
            for other in graph
            if set(graph[node]) - {other} == set(graph[other]) - {node}
            # N(u) = N(v), or N[u] = N[v] where they know each other: without the two of them, the same.
        )
        for node in graph
    }
    classes: dict[Hashable, set[frozenset[int]]] = defaultdict(set)
    for node, state in zip(graph, states, strict=True):
        classes[state].add(twins[node])
    return [len(classes[state]) for state in states]


def identified(graph: Graph, states: States) -> int:
    """How many are found by going from unique nodes to neighbours that no other neighbour looks like."""
    state_of = dict(zip(graph, states, strict=True))
    times = Counter(states)
    known = {node for node in graph if times[state_of[node]] == 1}
    while True:
        found = set()
        for node in known:
            around = Counter(state_of[neighbour] for neighbour in graph[node])
            found |= {neighbour for neighbour in graph[node] if around[state_of[neighbour]] == 1}
        if found <= known:
            return len(known)
        known |= found


def rows_of(name: str, graph: Graph, measures: Iterable[str] = tuple(MEASURES)) -> Iterator[Row]:
    """All rows of a network, or those of some measures."""

    def rows(measure: str, distance: int, classes: int, alike: Sequence[int]) -> Iterator[Row]:
        for k in KS:
            at_risk = sum(number < k for number in alike)
            yield tuple(map(str, (name, *sizes(graph), measure, distance, k, classes, at_risk)))

    for measure in measures:
        for distance in DISTANCES:
            states = MEASURES[measure](graph, distance)
            yield from rows(measure, distance, len(set(states)), lookalikes(states))
    if "count" in measures:
        states = count(graph, 1)
        classes = len(set(states))
        for variant, share in FUZZY.items():
            yield from rows(f"count, {variant}", 1, classes, fuzzy_lookalikes(graph, share))
        yield from rows("count, twin classes", 1, classes, twin_lookalikes(graph, states))
        found = identified(graph, states)
        yield tuple(map(str, (name, *sizes(graph), "cascade from count", 1, 2, classes, found)))


def networks() -> dict[str, Callable[[], Graph]]:
    """Every network of the table, by name: the two that are built in, and the files in tests/reference."""
    files = sorted(FOLDER.glob("*.txt"))
    return {
        "karate": nx.karate_club_graph,
        "demo": read_demo,
        **{file.stem: lambda file=file: read_edge_list(file) for file in files},  # type: ignore[misc]
    }


def read_demo() -> Graph:
    """The built-in network: n, then the gaps between u n + v of its edges in ascending order."""
    nodes, *gaps = np.load(ROOT / "src" / "netveil" / "data" / "demo.npy").tolist()
    graph: Graph = nx.empty_graph(nodes)
    key = 0
    for gap in gaps:
        key += gap
        graph.add_edge(*divmod(key, nodes))
    return graph


def read_edge_list(file: Path) -> Graph:
    """Two numbers a line, after comments of which one says how many nodes there are."""
    graph: Graph = nx.Graph()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# nodes: "):
            graph.add_nodes_from(range(int(line.removeprefix("# nodes: "))))
        elif not line.startswith("#"):
            u, v = map(int, line.split())
            graph.add_edge(u, v)
    return graph


def main() -> None:
    """Compute every row and write the table."""
    lines = ["\t".join(COLUMNS)]
    for name, graph in networks().items():
        lines += ["\t".join(row) for row in rows_of(name, graph())]
        print(name, len(lines) - 1, file=sys.stderr)
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
