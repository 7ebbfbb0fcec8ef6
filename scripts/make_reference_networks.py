"""Makes the networks of tests/reference/: one of each simulated kind, and shapes that are easily confused.

    python scripts/make_reference_networks.py

The files are kept, not made anew by the tests: what a seed gives may change with the version of a library.
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx

import netveil as nv
from netveil.studies.generators import generate

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "reference"

# Sparse, so that at distance 2 there still are people who look alike.
SIMULATED: tuple[dict[str, str | int | float], ...] = (
    {"kind": "watts-strogatz", "nodes": 200, "degree": 4, "rewiring": 0.03},
    {"kind": "powerlaw-cluster", "nodes": 200, "edges_per_node": 2, "triangles": 0.5},
    {"kind": "stochastic-blocks", "nodes": 150, "degree": 4, "blocks": 5, "inside": 0.8},
    {"kind": "configuration-triangles", "nodes": 200, "degree": 3, "triangles": 0.6},
    {"kind": "similarity-circle", "nodes": 200, "degree": 4, "temperature": 0.3},
    {"kind": "erdos-renyi", "nodes": 200, "degree": 2},
)


def shapes() -> nx.Graph[int]:
    """What one measure tells apart and another does not, side by side in one network.

    The rook's graph and Shrikhande's have the same degrees all over, and each circle as many ties: only who
    knows whom in a circle differs. So do the wheel and two tetrahedra that share a node. The others bring
    twins of both kinds, trees, and people without contacts.
    """
    steps = ((0, 1), (1, 0), (1, 1))
    ends = [(i, j, (i + di) % 4, (j + dj) % 4) for i in range(4) for j in range(4) for di, dj in steps]
    shrikhande = nx.Graph((4 * i + j, 4 * other_i + other_j) for i, j, other_i, other_j in ends)
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    tetrahedra = nx.compose(nx.complete_graph(4), nx.complete_graph([0, 4, 5, 6]))
    parts = [
        *(shrikhande, rook, nx.wheel_graph(7), tetrahedra),
        *(nx.complete_bipartite_graph(2, 3), nx.complete_graph(4), nx.complete_graph(3), nx.star_graph(4)),
        *(nx.path_graph(5), nx.path_graph(4), nx.cycle_graph(6), nx.lollipop_graph(3, 2)),
        *(nx.balanced_tree(2, 2), nx.path_graph(2), nx.empty_graph(3)),
    ]
    return nx.disjoint_union_all([nx.convert_node_labels_to_integers(part) for part in parts])


def write(name: str, made_by: str, nodes: int, edges: list[tuple[int, int]]) -> None:
    """An edge list, with how it was made and the number of nodes on top."""
    lines = [f"# {made_by}", f"# nodes: {nodes}", *(f"{u} {v}" for u, v in sorted(edges))]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write them all."""
    graph = shapes()
    ends = [(min(edge), max(edge)) for edge in graph.edges()]
    write("shapes", "shapes() of scripts/make_reference_networks.py", graph.number_of_nodes(), ends)
    for settings in SIMULATED:
        network = generate({**settings, "seed": 1})
        told = ", ".join(f"{key} {value}" for key, value in settings.items())
        edges = [(u, v) for u, v in network.edges.tolist()]
        write(str(settings["kind"]), f"{told}, seed 1, netveil {nv.__version__}", network.node_count, edges)


if __name__ == "__main__":
    main()
