"""All there is to choose from: formats, measures, algorithms, limits, metrics, attacks, generators.

A registry names its entries and imports one when it is looked up, so that helps list them at no cost. To add
one of a kind, write its file and add its line here: CONTRIBUTING.md has a recipe for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from netveil.errors import SettingError

if TYPE_CHECKING:
    from netveil.anonymity.measure import Measure
    from netveil.auditing.attack import AttackKind
    from netveil.auditing.matching.matcher import Matcher
    from netveil.files.format import Format
    from netveil.search.algorithm import Algorithm
    from netveil.search.limits.limit import Limit
    from netveil.studies.generators.base import Generator
    from netveil.utility.metric import Metric

Entry = TypeVar("Entry")


class Registry(MutableMapping[str, Entry]):
    """Entries by name, each imported when it is looked up. To list the names imports nothing.

    An entry is given by its place in the package, `module:name`; of a class there is one instance. A sentence
    on each, for helps that must not import it, may stand beside its place: `descriptions` has them.
    """

    def __init__(self, package: str, entries: Mapping[str, str | tuple[str, str]]) -> None:
        self._package = package
        told = {name: (line, "") if isinstance(line, str) else line for name, line in entries.items()}
        self._places = {name: place for name, (place, _) in told.items()}
        self.descriptions = {name: description for name, (_, description) in told.items()}
        self._found: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        if name not in self._found:
            module, _, entry = self._places[name].partition(":")
            found = getattr(import_module(f"{self._package}.{module}"), entry)
            self._found[name] = found() if isinstance(found, type) else found
        return self._found[name]

    def __setitem__(self, name: str, entry: Entry) -> None:
        if not isinstance(name, str) or isinstance(entry, type):
            raise SettingError(f"{name}: an entry is an object under a name; give an instance, not a class.")
        self._places.setdefault(name, "")
        self.descriptions.setdefault(name, "")
        self._found[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._found.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"


FORMATS: Registry[Format] = Registry(
    "netveil.files",
    {
        "edge-list": "edge_list:FORMAT",
        "gexf": "xml_graphs:GEXF",
        "graphml": "xml_graphs:GRAPHML",
        "gml": "gml:FORMAT",
        "pajek": "pajek:FORMAT",
        "matrix-market": "matrix_market:FORMAT",
        "nauty": "nauty:FORMAT",
        "json": "node_link:FORMAT",
        "parquet": "arrow:PARQUET",
        "arrow": "arrow:ARROW",
        "xlsx": "xlsx:FORMAT",
        "matrix": "matrix:FORMAT",
        "adjacency-list": "adjacency_list:FORMAT",
    },
)
"""Every format by its name."""

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

ALGORITHMS: Registry[Algorithm] = Registry(
    "netveil.search",
    {
        "annealing": (
            "annealing.annealing:ANNEALING",
            "beyond the paper: simulated annealing on the gaps to lookalikes",
        ),
        "ga": ("genetic:GA", "the paper's genetic algorithm"),
        "uga": (
            "genetic:UGA",
            "the paper's uniqueness-aware genetic algorithm: mutates edges of nodes at risk",
        ),
        "es": ("baselines:EDGE_SAMPLING", "baseline: deletes random edges"),
        "ua": (
            "baselines:AFFECTED_UNIQUE",
            "baseline: deletes random edges, preferring those that touch many nodes at risk",
        ),
        "greedy": ("greedy:GREEDY", "others': deletes the edge that leaves the fewest at risk, each time"),
        "class-targeted": (
            "greedy:CLASS_TARGETED",
            "others' (OptiAnon): greedy that prefers edges at nodes at risk, with restarts",
        ),
        "sana": ("sana:SANA", "others' (SANA): annealing by uniqueness alone"),
    },
)
DEFAULT_ALGORITHM = "annealing"

LIMITS: Registry[Limit] = Registry(
    "netveil.search.limits",
    {
        "clustering": (
            "limit:KeepClustering",
            "the average clustering coefficient changes by at most this share of itself",
        ),
        "lcc": (
            "limit:KeepLargestComponent",
            "at most this share of the largest component's people leaves it",
        ),
        "degree": ("limit:KeepDegree", "nobody loses more than this share of their contacts"),
    },
)

METRICS: Registry[Metric] = Registry(
    "netveil.utility",
    {
        "edges": "structure:NumberOfEdges",
        "clustering": "structure:Clustering",
        "path_length": "structure:PathLength",
        "lcc": "structure:LargestComponent",
        "centrality": "centrality:Centrality",
        "communities": "communities:Communities",
        "average_degree": "structure:AverageDegree",
        "degree_distribution": "structure:DegreeDistance",
        "assortativity": "structure:Assortativity",
        "degeneracy": "structure:Degeneracy",
        "diameter": "structure:Diameter",
        "components": "structure:Components",
        "isolated": "structure:IsolatedNodes",
    },
)
"""Every metric by its name, in the order in which people read them."""

CLUSTERING_WAYS = ("paper", "textbook")
"""Definitions of the average clustering coefficient: `utility/structure.py` has both."""

ATTACKS: Registry[AttackKind] = Registry(
    "netveil.auditing", {"surroundings": "surroundings:SurroundingsAttack"}
)

MATCHERS: Registry[Matcher] = Registry(
    "netveil.auditing.matching",
    {
        "weighing": "weighing:Weighing",
        "narayanan-shmatikov": "seeded:NarayananShmatikov",
        "bumblebee": "seeded:Bumblebee",
        "percolation": "percolation:Percolation",
    },
)
STRONGEST = "weighing"
"""Needs nobody to be recognised beforehand, and is tried with everything that may be known."""

GENERATORS: Registry[Generator] = Registry(
    "netveil.studies.generators",
    {
        "watts-strogatz": "watts_strogatz:GENERATOR",
        "powerlaw-cluster": "powerlaw_cluster:GENERATOR",
        "stochastic-blocks": "stochastic_blocks:GENERATOR",
        "configuration-triangles": "configuration_triangles:GENERATOR",
        "similarity-circle": "similarity_circle:GENERATOR",
        "erdos-renyi": "erdos_renyi:GENERATOR",
    },
)
