"""Networks as others published them, against the sizes in the literature."""

from __future__ import annotations

from pathlib import Path

import pytest

from netveil.files import read

NETWORKS = Path(__file__).resolve().parents[3] / "shared" / "networks"

pytestmark = pytest.mark.skipif(
    not NETWORKS.is_dir(), reason=f"no published networks beside the checkout, {NETWORKS}"
)


@pytest.mark.parametrize(("file", "nodes", "edges", "self_loops"), [
    ("raw/CA-GrQc.txt", 5242, 14484, 12),
    ("raw/CollegeMsg_noTime.txt", 1899, 13838, 0),
    ("raw/moreno_blogs.txt", 1224, 16715, 3),
    ("raw/socfb-Reed98.nauty", 962, 18812, 0),
    ("raw/sms.nauty", 568, 697, 0),
    ("netscience.txt", 1461, 2742, 0),
])  # fmt: skip
def test_a_published_network_has_the_size_it_is_known_for(
    file: str, nodes: int, edges: int, self_loops: int
) -> None:
    """With comments, repeated edges, edges in both directions and self-loops in the files."""
    network = read(NETWORKS / file)

    assert (network.node_count, network.edge_count, network.dropped.self_loops) == (nodes, edges, self_loops)


def test_the_same_network_in_two_formats_is_equal() -> None:
    """Adjacency lists with each edge twice, and an edge list with each once."""
    assert read(NETWORKS / "raw" / "sms.nauty") == read(NETWORKS / "sms.txt")


def test_it_is_told_how_a_file_was_read() -> None:
    """Whoever signs can notice that it was read wrong."""
    reading = read(NETWORKS / "raw" / "CA-GrQc.txt").reading

    assert reading is not None and reading.sentence() == (
        "read as edge-list: separator tab, people in columns 1 and 2, no header, UTF-8, "
        "dropped: 4 comment lines, 12 self-loops, 14,484 repeated ties"
    )
