"""Attributes of nodes and edges, such as ages and weights: carried along if asked for, and never looked at.

They come with networkx and igraph graphs, tables, GraphML and GML files. No algorithm sees them, and no
release holds them unless they are named: who knows somebody's age and postcode needs no ties to find them.
Here is also what else graphs have: names of vertices, which are labels, and directions, which are ignored.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from netveil.errors import DirectionsWarning, NetworkError, SettingError, option, warn_caller
from netveil.formatting import counted
from netveil.kernels.arrays import IntVector

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas

DIRECTIONS_IGNORED = "directions ignored"
"""The note on a network that was made of a directed graph."""

NAMES_SHOWN = 5

LABEL_ATTRIBUTES = ("name", "label", "id")
"""Node attributes in which files keep labels, best first: who reads a file takes them for labels."""


@dataclass(frozen=True)
class Attributes:
    """Columns of values by name, None where a node or an edge has none."""

    node: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # by name, a value for each node
    edge: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # by name, a value for each edge

    @property
    def names(self) -> tuple[str, ...]:
        """Names of node attributes, then of edge attributes, each once."""
        return tuple(dict.fromkeys([*self.node, *self.edge]))

    def only(self, names: Iterable[str]) -> Attributes:
        """Keep the attributes of these names."""
        wanted = set(names)
        node, edge = (
            {name: values for name, values in columns.items() if name in wanted}
            for columns in (self.node, self.edge)
        )
        return Attributes(node, edge)

    def by_name(self) -> Attributes:
        """Sort columns by name, since their order in the input tells which nodes have which."""
        return Attributes(dict(sorted(self.node.items())), dict(sorted(self.edge.items())))

    def of_nodes(self, nodes: IntVector) -> Attributes:
        """Take the values of these nodes, in their order."""
        return Attributes(_taken(self.node, nodes), self.edge)

    def of_edges(self, edges: IntVector) -> Attributes:
        """Take the values of these edges, in their order."""
        return Attributes(self.node, _taken(self.edge, edges))

    def chosen(self, keep: str | Iterable[str] | None) -> tuple[Attributes, str | None]:
        """Select the attributes to publish; return them and a warning or None.

        `keep` has their names, or is a text with commas between them. Without any, nothing is carried; an
        empty list says so too, and then there is nothing to warn of.
        """
        if keep is None:
            if not self.names:
                return self, None
            left_out = f"the release does not carry the attributes {', '.join(self.names)}."
            named = option("keep-attributes", list(self.names))
            remedy = f"Name those that it is to carry, if they tell nothing about people: {named}."
            return Attributes(), f"{left_out} {remedy}"
        if isinstance(keep, bool) or not isinstance(keep, Iterable):
            raise SettingError(f"{option('keep-attributes')} {keep!r}: give the names of attributes.")
        names = (
            [each.strip() for each in keep.split(",") if each.strip()]
            if isinstance(keep, str)
            else list(keep)
        )
        bare, bands = self._split(names)
        self._check(bare)
        if not names:
            return Attributes(), None
        kept = self.only(bare)
        numbers = {name: self._banded(name, spec) for name, spec in bands.items()}
        kept = Attributes({**kept.node, **numbers}, kept.edge)
        told = [
            f"{name} in bands ({len(set(self.node[name])):,} values become {len(set(kept.node[name])):,})"
            for name in bands
        ]
        in_bands = f", {', '.join(told)}" if told else ""
        protects = "attributes identify people"
        if kept.node:
            protects += ", so those of people count as known to the attacker"
        if kept.edge:
            protects += ", and nobody is protected from those who know the attributes of ties"
        return kept, (
            f"the release carries the attributes {', '.join(dict.fromkeys(bare))} "
            f"({option('keep-attributes')}){in_bands}: {protects}."
        )

    def _split(self, names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """Split names such as age:10 into names and specifications of bands."""
        parts = {name: name.rpartition(":") for name in names if name not in self.names and ":" in name}
        bands = {base: spec for base, _, spec in parts.values()}
        return [parts[name][0] if name in parts else name for name in names], bands

    def _banded(self, name: str, spec: str) -> list[str | None]:
        if name not in self.node:
            raise SettingError(f"{name}:{spec}: only attributes of people are put into bands.")
        return banded(name, self.node[name], spec)

    def _check(self, names: Sequence[str]) -> None:
        asked = option("keep-attributes", list(names))
        for name in names:
            if not self.names:
                raise SettingError(
                    f"{asked}: this network has no attributes. Those of networkx and igraph graphs, of "
                    f"Network.from_pandas, of GraphML and GML files and of {option('persons')} can be "
                    f"carried, further columns of other files cannot; leave it out."
                )
            if name not in self.names:
                known = ", ".join(self.names)
                raise SettingError(f"{asked}: there is no attribute '{name}'; the network has {known}.")
            if name in LABEL_ATTRIBUTES and name in self.node:
                raise SettingError(
                    f"{asked}: files keep labels in the attribute '{name}', so that it would be read as the "
                    f"label; rename the attribute, or leave it out."
                )


def banded(name: str, values: Iterable[Any], spec: str) -> list[str | None]:
    """Put numbers into bands: so many wide ('10'), or from these numbers on ('0/18/65'). None stays so.

    >>> banded("age", [34, 17, None], "10"), banded("age", [34, 17, 70], "0/18/65")
    (['30-39', '10-19', None], ['18-64', '0-17', '65 and more'])
    """
    rule = f"{name}:{spec}: give a width such as {name}:10, or where bands begin, such as {name}:0/18/65"
    try:
        starts = [float(part) for part in spec.split("/")]
        numbers = [None if value is None or value != value else float(value) for value in values]
    except (TypeError, ValueError):
        raise SettingError(f"{rule}; only numbers are put into bands.") from None
    if len(starts) == 1 and not 0 < starts[0] < math.inf:
        raise SettingError(f"{rule}.")
    if len(starts) > 1 and not all(low < high < math.inf for low, high in pairwise([-math.inf, *starts])):
        raise SettingError(f"{rule}, in ascending order.")
    whole = all(number is None or number.is_integer() for number in (*numbers, *starts))

    def band(number: float) -> str:
        if len(starts) == 1:
            low = math.floor(number / starts[0]) * starts[0]
            return _between(low, low + starts[0], whole)
        place = bisect_right(starts, number)
        if place == 0:
            return f"less than {starts[0]:g}"
        if place == len(starts):
            return f"{starts[-1]:g} and more"
        return _between(starts[place - 1], starts[place], whole)

    return [None if number is None else band(number) for number in numbers]


def _between(low: float, high: float, whole: bool) -> str:
    return f"{low:.0f}-{high - 1:.0f}" if whole else f"{low:g} to {high:g}"


NO_ATTRIBUTES = Attributes()
"""Attributes of a network that has none."""


def of_networkx(graph: networkx.Graph[Any]) -> Attributes:
    """Attributes of a networkx graph; those of edges in the order of `graph.edges`."""
    nodes, edges = ([values for *_, values in rows(data=True)] for rows in (graph.nodes, graph.edges))
    return Attributes(_columns(nodes), _columns(edges))


def of_igraph(graph: igraph.Graph) -> Attributes:
    """Attributes of an igraph graph but for the vertex attribute `name`, which holds labels."""
    return Attributes(
        {name: graph.vs[name] for name in graph.vs.attributes() if name != "name"},
        {name: graph.es[name] for name in graph.es.attributes()},
    )


def igraph_labels(graph: igraph.Graph) -> tuple[Hashable, ...] | None:
    """Vertex attribute `name`, None if there is none; NetworkError if it does not tell vertices apart.

    The error's notes have some of the names: messages may be logged, and name nobody.
    """
    if "name" not in graph.vs.attributes():
        return None
    names = tuple(graph.vs["name"])
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if not repeated:
        return names
    found = counted(len(repeated), "name is", "names are")
    error = NetworkError(
        f"the vertex attribute 'name' does not tell vertices apart: {found} there more than once. Make names "
        f"different, or delete them (del graph.vs['name']) to have vertices numbered."
    )
    more = ", …" if len(repeated) > NAMES_SHOWN else ""
    error.add_note(f"  more than once: {', '.join(map(repr, repeated[:NAMES_SHOWN]))}{more}")
    raise error


def direction_notes(graph: networkx.Graph[Any] | igraph.Graph, *, warn: bool) -> tuple[str, ...]:
    """Notes of a network made of a directed graph; with `warn`, also a warning."""
    if not graph.is_directed():
        return ()
    if warn:
        warn_caller(
            f"{DIRECTIONS_IGNORED}: a directed graph was given, and a network has no directions: u → v and "
            f"v → u are one tie. Give an undirected graph to say that this is meant.",
            DirectionsWarning,
        )
    return (DIRECTIONS_IGNORED,)


def of_pandas(
    table: pandas.DataFrame, source: Hashable | None, target: Hashable | None
) -> tuple[list[Any], list[Any], Attributes]:
    """Ends of the edges in a table with one edge a row, and its further columns as edge attributes."""
    if not hasattr(table, "columns") or len(getattr(table, "shape", ())) != 2:
        raise NetworkError(
            f"a {type(table).__name__} is no table of pandas; give a DataFrame with an edge a row"
        )
    if table.shape[1] < 2:
        raise NetworkError(f"an edge table has two columns; this one has {table.shape[1]}")
    ends = [
        column if given is None else given
        for column, given in zip(table.columns[:2], (source, target), strict=True)
    ]
    for column in ends:
        if not isinstance(column, Hashable) or column not in table.columns:
            known = ", ".join(map(str, table.columns))
            raise NetworkError(f"there is no column '{column}'; the columns are {known}")
        if table[column].isna().any():
            raise NetworkError(f"column '{column}' has empty cells; leave out their rows, as dropna does")
    first, second = (table[column].tolist() for column in ends)
    others = {str(column): table[column].tolist() for column in table.columns if column not in ends}
    return first, second, Attributes(edge=others)


def _columns(rows: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {str(name): [row.get(name) for row in rows] for name in names}


def _taken(columns: Mapping[str, Sequence[Any]], places: IntVector) -> dict[str, list[Any]]:
    if not columns:
        return {}
    wanted = places.tolist()
    return {name: [values[place] for place in wanted] for name, values in columns.items()}


def present(keys: Iterable[Any], values: Iterable[Any]) -> dict[Any, Any]:
    """Values by key, without missing ones."""
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}
