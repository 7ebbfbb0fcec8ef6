"""The kinds of graphs that people have, and how each becomes a Network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netveil.errors import NetworkError
from netveil.network import Network

if TYPE_CHECKING:
    import igraph
    import networkx

    AnyGraph: TypeAlias = Network | networkx.Graph[Any] | igraph.Graph


def kind_of(graph: AnyGraph) -> Literal["network", "networkx", "igraph"]:
    """Which library's graph this is; an error for anything else."""
    if isinstance(graph, Network):
        return "network"
    # A graph of a library comes with the library imported: no need to import any to recognise it.
    networkx, igraph = sys.modules.get("networkx"), sys.modules.get("igraph")
    if networkx is not None and isinstance(graph, networkx.Graph):
        return "networkx"
    if igraph is not None and isinstance(graph, igraph.Graph):
        return "igraph"
    raise NetworkError(
        f"a {type(graph).__name__} is not a network; give a netveil.Network (Network.from_edges, from_scipy, "
        f"from_pandas make one), a networkx.Graph, an igraph.Graph, or the name of a file."
    )


def is_directed(given: object) -> bool:
    """Whether what was given is a directed graph of another library."""
    tell = getattr(given, "is_directed", None)  # networkx and igraph both call it so
    return tell is not None and bool(tell())


def as_network(graph: AnyGraph, *, warn: bool = True) -> Network:
    """A Network from any of the kinds of graphs that people have; `warn` of directions that are ignored."""
    if isinstance(graph, Network):
        return graph
    made_from = Network.from_networkx if kind_of(graph) == "networkx" else Network.from_igraph
    return made_from(graph, warn=warn)
