"""The figures of the paper: the left half of Table 1."""

from __future__ import annotations

from pathlib import Path

import pytest
from utility_graphs import side

from netveil import read
from netveil.utility import METRICS
from netveil.utility.metric import Property

NETWORKS = Path(__file__).resolve().parents[3] / "shared" / "networks"

pytestmark = pytest.mark.skipif(not NETWORKS.is_dir(), reason="no ../shared/networks beside the checkout")


@pytest.mark.parametrize(
    ("name", "degree", "clustering", "lcc", "diameter", "distance"),
    [
        ("fb-reed98", 39.11, 0.33, 1.00, 6, 2.46),
        ("blogs", 27.31, 0.36, 1.00, 8, 2.74),
        # The table says 1.00, but 1,510 of the 1,518 nodes are in the largest component.
        ("fb-simmons", 43.46, 0.33, 0.99, 7, 2.57),
        ("college-msg", 14.57, 0.14, 1.00, 8, 3.06),
        ("grqc", 5.53, 0.69, 0.79, 17, 6.05),
    ],
)
def test_properties_of_the_papers_networks(
    name: str, degree: float, clustering: float, lcc: float, diameter: int, distance: float
) -> None:
    """Rounded as printed."""
    network = side(read(NETWORKS / f"{name}.txt"))
    found = {}
    for metric in ("average_degree", "clustering", "lcc", "diameter", "path_length"):
        prop = METRICS[metric]
        assert isinstance(prop, Property)
        found[metric] = round(prop.value(network), 2)

    assert found == {
        "average_degree": degree,
        "clustering": clustering,
        "lcc": lcc,
        "diameter": diameter,
        "path_length": distance,
    }
