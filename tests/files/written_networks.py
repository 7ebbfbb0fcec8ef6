"""Networks to be written and read back: what tests of formats share."""

from __future__ import annotations

from hypothesis import strategies as st

from netveil.network import Network

# Labels that mean something else to some reader if they are written carelessly.
# fmt: off
TRICKY = [
    "source", "target", "u", "v", "from", "to", "1", "2", "01", "+1", "0.5", "nan", "#x", "%x", "#", "nodes:",
    "<?xml", "]]>", "graph", "[", "graph[", "graph [", "*vertices", "*Edges", "!n=3", "%%MatrixMarket",
    "# nodes: 3", "&amp;", "&#233;", "&quot;", "é", "'", ";", ":", ".", "\\", "-", "a b", "1 2", " a", "a ",
    " ", "\t", "a\tb", "a,b", ",", 'a"b', '"', '""', "\ufeffa", "\x85", "\u2028", "\xa0", "\x01", "\r", "\n",
    "a\r\nb", "\U0001f600",
]
# fmt: on


@st.composite
def numbered_networks(draw: st.DrawFn) -> Network:
    """Small networks labelled 0 to n-1, with isolated nodes and without any at all."""
    node_count = draw(st.integers(0, 8))
    node = st.integers(0, max(node_count - 1, 0))
    pairs = draw(st.lists(st.tuples(node, node), max_size=12)) if node_count else []
    return Network.from_numbered_edges(pairs, node_count)


@st.composite
def labelled_networks(draw: st.DrawFn, unfit: str) -> Network:
    """Small networks with distinct texts as labels, without the characters that the format cannot hold."""
    alphabet = st.characters(exclude_categories=["Cs"], exclude_characters=unfit)
    tricky = st.sampled_from([label for label in TRICKY if not set(label) & set(unfit)])
    labels = draw(
        st.lists(st.one_of(tricky, st.text(alphabet, min_size=1, max_size=5)), min_size=1, unique=True)
    )
    node = st.integers(0, len(labels) - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=12))
    return Network.from_numbered_edges(pairs, len(labels), tuple(labels))


def by_label(network: Network) -> tuple[set[str], set[frozenset[str]]]:
    """Labels and edges, whatever the order of the nodes."""
    edges = {frozenset((str(u), str(v))) for u, v in network.to_edges()}
    return set(map(str, network.labels)), edges
