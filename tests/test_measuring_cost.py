"""What does not fit into memory is not measured, and a listener hears how far counting is."""

from __future__ import annotations

import pytest

import netveil as nv
from graphs import clustered
from netveil import api
from netveil.anonymity import MEASURES
from netveil.errors import NetworkError
from netveil.kernels import triangles
from netveil.progress import heard_by


def test_a_listener_hears_how_far_counting_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, and no more once nobody is to hear."""
    monkeypatch.setattr(triangles, "EDGES_WORTH_COMPILING", 0)
    monkeypatch.setattr(triangles, "EDGES_WORTH_A_THREAD", 1)
    heard: list[float] = []
    with heard_by(heard.append):
        MEASURES["count"].states(clustered(), 1)
    MEASURES["count"].states(clustered(), 1)

    assert heard == sorted(heard) and heard[-1] == 1 and len(heard) == triangles.PARTS


def test_what_does_not_fit_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """States that are no sums take more; of small networks nobody asks."""
    network = clustered()
    room = [6 * network.edge_count + 130 * network.node_count]
    monkeypatch.setattr(api, "free_memory", lambda: room[0])
    nv.measure(network, "ego")
    monkeypatch.setattr(api, "LARGE", 10)
    monkeypatch.setattr(api, "BYTES_TO_COMPARE", (64, 130))
    nv.measure(network, ["degree", "count", "edge-count"])
    with pytest.raises(NetworkError, match=r"^vertex-refinement of a network with "):
        nv.measure(network, ["count", "vertex-refinement"])
    room[0] -= 1
    with pytest.raises(NetworkError, match=r"^count of a network with .* needs at least") as told:
        nv.measure(network, "count")
    assert "netveil measure --blocks DIR" in told.value.for_command_line()
