"""The one list of metrics: those of the paper first, then others that people ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.utility.metric import Metric

METRICS: Registry[Metric] = Registry(
    "netveil.utility",
    {
        "edges": "edges:Edges",
        "clustering": "clustering:Clustering",
        "path_length": "path_length:PathLength",
        "lcc": "largest_component:LargestComponent",
        "centrality": "centrality:Centrality",
        "communities": "communities:Communities",
        "average_degree": "average_degree:AverageDegree",
        "degree_distribution": "degree_distribution:DegreeDistribution",
        "assortativity": "assortativity:Assortativity",
        "degeneracy": "degeneracy:Degeneracy",
        "diameter": "diameter:Diameter",
        "components": "components:Components",
        "isolated": "isolated_nodes:IsolatedNodes",
    },
)
"""Every metric by its name, in the order in which people read them."""
