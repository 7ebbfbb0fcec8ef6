"""All there is to choose from: formats, measures, algorithms, limits, metrics, attacks, generators.

A registry names its entries and imports one when it is looked up, so that helps list them at no cost. One of
netveil's own is a file and a line here; users and other packages add theirs: docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, overload

import netveil.extensions as extensions
from netveil.errors import SettingError, check_kinds, unknown_name

if TYPE_CHECKING:
    from netveil.anonymity.measure import Measure
    from netveil.auditing.attack import AttackKind
    from netveil.auditing.matching.matcher import Matcher
    from netveil.files.format import Format
    from netveil.search.algorithm import Algorithm
    from netveil.search.limit import Limit
    from netveil.studies.generators.base import Generator
    from netveil.utility.metric import Metric

Entry = TypeVar("Entry")
Given = TypeVar("Given")


class Registry(MutableMapping[str, Entry]):
    """Entries by name, each imported when it is looked up.

    An entry of netveil's is given by its place in the package, `module:name`; of a class there is one
    instance. Entries that a user has added and those of other packages are listed after them.
    `module:object` and entries that are given as objects are found once they are `named`, and not listed.

    `descriptions` has a sentence on each entry but those of other packages, for helps, which import nothing.
    """

    def __init__(
        self,
        package: str,
        entries: Mapping[str, str | tuple[str, str]],
        kind: str = "",  # what an entry is called; where it is empty, users can add none
        contract: str = "",  # place of the class or protocol of entries
        from_function: str = "",  # place of what makes an entry of a function
    ) -> None:
        self._package, self.kind, self._contract = package, kind, (contract, from_function)
        told = {name: (line, "") if isinstance(line, str) else line for name, line in entries.items()}
        self._places = {name: place for name, (place, _) in told.items()}
        self.descriptions = {name: description for name, (_, description) in told.items()}
        self._found: dict[str, Entry] = {}
        self._sources: dict[str, object] = {}  # what users gave to be an entry

    def __getitem__(self, name: str) -> Entry:
        if name not in self._found:
            if name in self._places:
                module, _, entry = self._places[name].partition(":")
                found = getattr(import_module(f"{self._package}.{module}"), entry)
                self._found[name] = found() if isinstance(found, type) else found
            else:
                self._found[name] = self.checked(extensions.loaded(self.kind, name), name)
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
        self.descriptions.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        yield from tuple(self._places)
        yield from (name for name in self._installed if name not in self._places)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._places or name in self._installed)

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"

    def describe(self, name: str) -> str:
        """A sentence on an entry; empty where there is none."""
        return self.descriptions.get(name) or getattr(self.get(name), "description", None) or ""

    @property
    def _installed(self) -> Mapping[str, object]:
        return extensions.installed(self.kind) if self.kind else {}

    def checked(self, given: Any, name: str | None = None) -> Entry:
        """Check a class, function or object, and return it as an entry of this name."""
        entry: Entry = extensions.checked(given, self.kind, *self._contract, name)
        return entry if name is None else extensions.renamed(entry, name)

    def add(self, given: Any, name: str | None = None, description: str = "", *, listed: bool = True) -> str:
        """Add an entry, or replace one that was added under the same name before; returns the name."""
        entry: Any = self.checked(given)
        name = getattr(entry, "name", getattr(entry, "kind", "")) if name is None else name
        if not isinstance(name, str) or not name.replace("-", "_").replace(".", "_").isidentifier():
            raise SettingError(f"{self.kind} {name!r}: give a name of letters, digits, -, _ and . alone.")
        if self._places.get(name) or name in self._installed:  # a cell of a notebook may run again
            raise SettingError(f"{self.kind} {name}: there is one of this name; choose another name.")
        if listed:
            self._places[name] = ""
            self.descriptions[name] = description or getattr(entry, "description", None) or ""
        self._found[name], self._sources[name] = extensions.renamed(entry, name), given
        return name

    def named(self, given: object) -> str:
        """Name of an entry, given by name or as the object itself, which is registered without being listed.

        SettingError for a name that is neither in the registry nor `module:object`.
        """
        if not isinstance(given, str):
            known = (
                name
                for name, entry in self._found.items()
                if given is entry or given is self._sources.get(name, entry)
            )
            return next(known, None) or self.add(given, listed=False)
        if ":" in given:
            source = extensions.imported(self.kind, given)
            if self._sources.get(given) is not source:
                self._found[given], self._sources[given] = self.checked(source, given), source
        elif given not in self._found and given not in self:
            raise unknown_name(self.kind, given, self.keys() | self._found.keys())
        return given


FORMATS: Registry[Format] = Registry(
    "netveil.files",
    {
        "edge-list": "edge_list:FORMAT",
        "gexf": "xml_graphs:GEXF",
        "graphml": "xml_graphs:GRAPHML",
        "gml": "gml:FORMAT",
        "pajek": "pajek:FORMAT",
        "matrix-market": "matrix_market:FORMAT",
        "nauty": "adjacency_list:NAUTY",
        "json": "node_link:FORMAT",
        "parquet": "arrow:PARQUET",
        "arrow": "arrow:ARROW",
        "xlsx": "xlsx:FORMAT",
        "matrix": "matrix:FORMAT",
        "adjacency-list": "adjacency_list:FORMAT",
    },
    "format",
    "files.format:Format",
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
    "measure",
    "anonymity.measure:Measure",
    "anonymity.measure:OwnMeasure",
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
    "algorithm",
    "search.algorithm:Algorithm",
)
DEFAULT_ALGORITHM = "annealing"

LIMITS: Registry[Limit] = Registry(
    "netveil.search",
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
    "limit",
    "search.limit:Limit",
)

METRICS: Registry[Metric] = Registry(
    "netveil.utility",
    {
        "edges": "structure:NumberOfEdges",
        "clustering": "structure:Clustering",
        "path_length": "structure:PathLength",
        "lcc": "structure:LargestComponent",
        "centrality": "structure:Centrality",
        "communities": "communities:Communities",
        "average_degree": "structure:AverageDegree",
        "degree_distribution": "structure:DegreeDistance",
        "assortativity": "structure:Assortativity",
        "degeneracy": "structure:Degeneracy",
        "diameter": "structure:Diameter",
        "components": "structure:Components",
        "isolated": "structure:IsolatedNodes",
    },
    "metric",
    "utility.metric:Metric",
)
"""Every metric by its name, in the order in which people read them."""

CLUSTERING_WAYS = ("paper", "textbook")
"""Definitions of the average clustering coefficient: `utility/structure.py` has both."""

ATTACKS: Registry[AttackKind] = Registry(
    "netveil.auditing", {"surroundings": "attack:SurroundingsAttack"}, "attack", "auditing.attack:AttackKind"
)

MATCHERS: Registry[Matcher] = Registry(
    "netveil.auditing.matching",
    {
        "weighing": "weighing:Weighing",
        "narayanan-shmatikov": "seeded:NARAYANAN_SHMATIKOV",
        "bumblebee": "seeded:BUMBLEBEE",
        "percolation": "seeded:Percolation",
    },
    "matcher",
    "auditing.matching.matcher:Matcher",
)
STRONGEST = "weighing"
"""Matcher that needs no seeds; it is tried with every kind of knowledge."""

GENERATORS: Registry[Generator] = Registry(
    "netveil.studies.generators",
    {
        "watts-strogatz": "watts_strogatz:GENERATOR",
        "powerlaw-cluster": "powerlaw_cluster:GENERATOR",
        "stochastic-blocks": "random_pairs:STOCHASTIC_BLOCKS",
        "configuration-triangles": "configuration_triangles:GENERATOR",
        "similarity-circle": "similarity_circle:GENERATOR",
        "erdos-renyi": "random_pairs:ERDOS_RENYI",
    },
    "generator",
    "studies.generators.base:Generator",
)

KINDS: dict[str, Registry[Any]] = {
    each.kind: each
    for each in (MEASURES, ALGORITHMS, LIMITS, METRICS, FORMATS, GENERATORS, ATTACKS, MATCHERS)
}
"""Registries by the kind of entry: all of what users can add."""


@overload
def add(kind: str, entry: Given, *, name: str | None = None, description: str = "") -> Given: ...
@overload
def add(kind: str, *, name: str | None = None, description: str = "") -> Callable[[Given], Given]: ...
def add(kind: str, entry: Any = None, *, name: str | None = None, description: str = "") -> Any:
    """Add something of one's own to all that can be chosen by its name; without an entry, a decorator.

    Parameters
    ----------
    kind
        'measure', 'algorithm', 'limit', 'metric', 'format', 'generator', 'attack' or 'matcher'.
    entry
        An object as docs/extending.md describes it, its class, or the function of a measure. It is checked
        now. One that you added before under the same name is replaced.
    name
        What to call it, if not what it calls itself.
    description
        A sentence for lists and reports.

    Examples
    --------
    >>> import netveil as nv
    >>> @nv.add("measure")
    ... def parity(network):
    ...     return network.degrees % 2
    >>> nv.measure("karate", "parity").classes
    2
    """
    check_kinds(locals(), kind="text", name="text?", description="text")
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS)
    if entry is None:
        return partial(add, kind, name=name, description=description)
    KINDS[kind].add(entry, name, description)
    return entry
