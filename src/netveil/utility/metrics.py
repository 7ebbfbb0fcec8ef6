"""The one list of metrics: those of the paper first, then others that people ask for."""

from __future__ import annotations

from netveil.utility.assortativity import Assortativity
from netveil.utility.average_degree import AverageDegree
from netveil.utility.centrality import Centrality
from netveil.utility.clustering import Clustering
from netveil.utility.communities import Communities
from netveil.utility.components import Components
from netveil.utility.degeneracy import Cores
from netveil.utility.degree_distribution import DegreeDistribution
from netveil.utility.diameter import Diameter
from netveil.utility.edges import Edges
from netveil.utility.isolated_nodes import IsolatedNodes
from netveil.utility.largest_component import LargestComponent
from netveil.utility.metric import Metric
from netveil.utility.path_length import PathLength

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Edges(),
        Clustering(),
        PathLength(),
        LargestComponent(),
        Centrality(),
        Communities(),
        AverageDegree(),
        DegreeDistribution(),
        Assortativity(),
        Cores(),
        Diameter(),
        Components(),
        IsolatedNodes(),
    )
}
"""Every metric by its name, in the order in which people read them."""
