"""The one list of measures: the weakest attacker first, each measure in the module of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.anonymity.measure import Measure

MEASURES: Registry[Measure] = Registry(
    "netveil.anonymity",
    {
        "degree": "degree:Degree",
        "count": "count:Count",
        "edge-count": "edge_count:EdgeCount",
        "degree-distribution": "degree_distribution:DegreeDistribution",
        "ego": "ego:Ego",
        "vertex-refinement": "vertex_refinement:VertexRefinement",
        "hybrid": "hybrid:Hybrid",
    },
)
DEFAULT_MEASURE = "count"
