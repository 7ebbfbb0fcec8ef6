"""Is a network that was read the one that the catalogue means?"""

from __future__ import annotations

from netveil.errors import NetworkError
from netveil.fetching.catalogue import FetchableNetwork
from netveil.network import Network


def check(network: Network, known: FetchableNetwork, source: str) -> None:
    """Raise unless |V|, |E| and, where the paper has it, |V_u| by measure count are as they must be."""
    expected = {"nodes": known.nodes, "edges": known.edges}
    found = {"nodes": network.node_count, "edges": network.edge_count}
    if known.unique is not None and found == expected:
        expected["unique nodes"], found["unique nodes"] = known.unique, _unique(network)
    if found != expected:
        raise NetworkError(
            f"{source} is not {known.name}: expected {_listed(expected)}, found {_listed(found)}. "
            f"It is not used. Find the file as it was published at {known.address}, and {known.by_hand}."
        )


def _unique(network: Network) -> int:
    """Nodes alone in their class by measure count."""
    from netveil.anonymity import anonymity_of, attackers_of

    return int(anonymity_of(network, attackers_of("count"), k=2).unique)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())
