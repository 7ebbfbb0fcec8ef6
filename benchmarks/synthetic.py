"""Attacks on synthetic networks, and what hiding dense rows costs.

    python -m benchmarks synthetic ../shared/networks/fb-reed98.txt ../shared/networks/grqc.txt
    python -m benchmarks synthetic ../shared/networks/grqc.txt --hide-dense

The first prints people found of each attacker for k = 2, 5, 10, the rank inside rows, and ties that can be
told. The second prints ties that can be told and what is kept, k = 5, before and after dense rows are merged.
"""

from __future__ import annotations

import argparse

import igraph
import numpy as np

import netveil as nv
from netveil.auditing.synthetic_attacks import attacking_synthetic, ties_told
from netveil.formatting import percentage
from netveil.progress import finished
from netveil.synthetic import drawing, hide_dense, make_table

KS = (2, 5, 10)


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--hide-dense", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for path in arguments.networks:
        network = nv.read(path)
        (hidden if arguments.hide_dense else attacked)(network, arguments.seed)


def attacked(network: nv.Network, seed: int) -> None:
    """A line a k: people found by each attacker, rank, and the share of guessed ties that are true."""
    for k in KS:
        table, row = make_table(network, k)
        drawn = finished(drawing(table, seed))
        lots = np.random.default_rng([seed, k]).random(len(row))
        nodes = np.empty(len(row), np.int64)
        nodes[np.lexsort((lots, row))] = np.arange(len(row))
        record = finished(attacking_synthetic(network, table, row, drawn, nodes, seed))
        found = [f"{each['what']} {percentage(each['found'] / each['people'])}" for each in record["rows"]]
        dense = record["dense"]
        told = f"{percentage(dense['true_by_rows'])} ({percentage(dense['true_by_degrees'])})"
        print(f"{network.name} k={k}: {', '.join(found)}; rank {record['rank']}; ties {told}", flush=True)


def hidden(network: nv.Network, seed: int) -> None:
    """Ties that can be told and what is kept, with and without dense rows."""
    table, row = make_table(network, 5)
    print(f"{network.name}: {kept(network)}")
    for _ in range(2):
        drawn = finished(drawing(table, seed))
        dense = ties_told(network, table, row, drawn, np.random.default_rng(seed))
        print(f"  {table.row_count} rows, {dense}; {kept(drawn)}", flush=True)
        table, row_of_row = hide_dense(table, drawn)
        row = row_of_row[row]


def kept(network: nv.Network) -> str:
    """Figures of a network in a line."""
    graph = igraph.Graph(n=network.node_count, edges=network.edges)
    return (
        f"clustering {graph.transitivity_avglocal_undirected(mode='zero'):.3f}, path "
        f"{graph.average_path_length():.2f}, assortativity {graph.assortativity_degree():.3f}, "
        f"largest degree {max(graph.degree())}"
    )


if __name__ == "__main__":
    main()
