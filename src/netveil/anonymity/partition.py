"""From states to equivalence classes, and who is at risk in them (Section 3.2 of the paper).

`anonymity_of` measures a network; its result, `Anonymity`, has the figures of the contract, and lists the
people at risk by label, which is private.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from netveil.errors import NetworkError, SettingError, is_whole, needing
from netveil.formatting import counted, csv_table, html_view, percentage, table_of
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network
from netveil.plotting import plot_class_sizes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from netveil.anonymity.attackers import Attacker
    from netveil.network import AnyGraph


# Who is at risk, by name: a row a person, the riskiest first. Private: it holds labels.


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class PersonAtRisk:
    """A person at risk, with the state that singles them out. Private."""

    label: Hashable
    contacts: int
    state: str  # what the attacker knows, in words; a class number where a measure's states are no numbers
    class_size: int  # people who look like them, themselves included
    at_risk: bool
    attackers: str  # the names of those who can single them out, joined by ' + '


class People(list[Row]):
    """A table of people, a record each. Private: nothing of it is printed unless asked for."""

    def __init__(self, kind: type[Row], rows: Iterable[Row]) -> None:
        super().__init__(rows)
        self.columns = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"People({counted(len(self), 'person', 'people')}: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        return html_view("", self.columns, [[*map(str, row)] for row in self._cells()])

    def to_pandas(self) -> pandas.DataFrame:
        """One row a person."""
        return table_of(map(asdict, self), list(self.columns))  # type: ignore[arg-type]

    def to_csv(self) -> str:
        """The table as text with a header; whether somebody is at risk is `yes` or `no`."""
        return csv_table(self.columns, self._cells())

    def _cells(self) -> Iterator[list[Any]]:
        """Values of each row, `yes` and `no` in place of truth values."""
        for row in self:
            values = [getattr(row, column) for column in self.columns]
            yield [
                ("yes" if value else "no") if isinstance(value, bool | np.bool_) else value
                for value in values
            ]


def people_at_risk(network: Network, anonymity: Anonymity) -> People[PersonAtRisk]:
    """List the people at risk in the network that was measured: smallest class first, then most contacts."""
    if (network.node_count, network.edge_count) != (anonymity.nodes, anonymity.edges):
        raise NetworkError("this is another network than the one that was measured; give that one.")
    nodes = riskiest_first(np.flatnonzero(anonymity.nodes_at_risk), anonymity, network)
    states, attackers = states_in_words(network, anonymity, nodes), attackers_by_name(anonymity, nodes)
    rows = [
        PersonAtRisk(
            network.labels[node], int(network.degrees[node]), state, int(anonymity.lookalikes[node]), True, by
        )
        for node, state, by in zip(nodes.tolist(), states, attackers, strict=True)
    ]
    return People(PersonAtRisk, rows)


def riskiest_first(nodes: IntVector, anonymity: Anonymity, network: Network) -> IntVector:
    """Sort nodes by the size of their class, then by contacts, most first, then by number."""
    order = np.lexsort((nodes, -network.degrees[nodes].astype(np.int64), anonymity.lookalikes[nodes]))
    return nodes[order]


def states_in_words(network: Network, anonymity: Anonymity, nodes: IntVector) -> list[str]:
    """Knowledge of the attackers about each of these nodes, in words."""
    each = anonymity.each or (anonymity,)
    told = [_states_to_one(network, alone, nodes) for alone in each]
    if len(told) == 1:
        return told[0]
    names = [alone.attackers[0].name for alone in each]
    return [
        "; ".join(f"{name}: {state}" for name, state in zip(names, states, strict=True))
        for states in zip(*told, strict=True)
    ]


def _states_to_one(network: Network, alone: Anonymity, nodes: IntVector) -> list[str]:
    """Describe states by what their numbers count, or by the class if they are no numbers."""
    (attacker,) = alone.attackers
    if not attacker.measure.numeric:
        return [f"class {number}" for number in alone.class_of[nodes].tolist()]
    values = [network.attributes.node[name] for name in attacker.known]
    states = attacker.measure.states(network, attacker.distance)
    names = (*attacker.known, *attacker.measure.column_names(attacker.distance))
    rows = [[*(column[node] for column in values), *states[node].tolist()] for node in nodes.tolist()]
    if len(names) == len(attacker.known):
        return [", ".join(map(str, row)) for row in rows]
    return [", ".join(f"{name} {value}" for name, value in zip(names, row, strict=True)) for row in rows]


def attackers_by_name(anonymity: Anonymity, nodes: IntVector) -> list[str]:
    """Names of the attackers to whom each of these nodes is at risk, joined by ' + '."""
    each = anonymity.each or (anonymity,)
    names = [alone.attackers[0].name for alone in each]
    flags = np.column_stack([alone.nodes_at_risk[nodes] for alone in each]).tolist()
    return [" + ".join(name for name, flag in zip(names, row, strict=True) if flag) for row in flags]


_DOCUMENTED = (
    "network", "nodes", "edges", "measure", "distance", "k", "fuzzy", "twins",
    "classes", "unique", "at_risk", "uniqueness",
)  # fmt: skip


class Sized(Protocol):
    """Protocol of anything with the name and size of a network, such as blocks on disk."""

    @property
    def name(self) -> str:
        """As `Network` has it."""

    @property
    def node_count(self) -> int:
        """As `Network` has it."""

    @property
    def edge_count(self) -> int:
        """As `Network` has it."""


@dataclass(frozen=True, eq=False, repr=False)
class Anonymity:
    """The result of measuring: how many look like each node, to one attacker or several.

    With several attackers, the one to whom a node has the fewest lookalikes counts, and two nodes are in the
    same class if no attacker can tell them apart.

    >>> import netveil as nv
    >>> found = nv.measure(nv.load("karate"))
    >>> found.at_risk, found.classes, round(found.uniqueness, 2)
    (15, 19, 0.44)
    """

    network: str
    nodes: int
    edges: int
    measure: str
    distance: int
    k: int
    class_of: IntVector  # (nodes): the number of each node's class
    lookalikes: IntVector  # (nodes): how many look like each node, itself included
    fuzzy: Fraction | None = None
    twins: bool = False
    each: tuple[Anonymity, ...] = ()  # to each attacker alone, where there are several
    attackers: tuple[Attacker, ...] = ()

    @cached_property
    def classes(self) -> int:
        """Number of equivalence classes."""
        return int(self.class_of.max(initial=-1)) + 1

    @cached_property
    def unique(self) -> int:
        """`|V_u|`: nodes without any lookalike. Lower is better."""
        return int(np.count_nonzero(self.lookalikes < 2))

    @cached_property
    def at_risk(self) -> int:
        """Nodes with fewer than k lookalikes, themselves included; `unique` when k = 2. Lower is better."""
        return int(np.count_nonzero(self.nodes_at_risk))

    @property
    def uniqueness(self) -> float:
        """U(G): the share of nodes at risk."""
        return self.at_risk / self.nodes if self.nodes else 0.0

    @cached_property
    def nodes_at_risk(self) -> NDArray[np.bool_]:
        """For each node, whether it has fewer than k lookalikes, itself included."""
        return self.lookalikes < self.k

    @cached_property
    def class_sizes(self) -> dict[int, int]:
        """Number of lookalikes → how many nodes have that many, in ascending order."""
        sizes, nodes = np.unique(self.lookalikes, return_counts=True)
        return dict(zip(sizes.tolist(), nodes.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"Anonymity({self.network!r}, {self.at_risk:,} of {self.nodes:,} nodes at risk, k = {self.k})"

    def to_pandas(self) -> pandas.DataFrame:
        """One row a node, by its number: its class, how many look like it, whether it is at risk."""
        with needing("pandas", "a table"):
            import pandas

        columns = {"class": self.class_of, "lookalikes": self.lookalikes, "at_risk": self.nodes_at_risk}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(self.nodes, name="node"))

    def plot(self, ax: Axes | None = None) -> Axes:
        """People by how many look like them, on axes of matplotlib that are returned."""
        return plot_class_sizes({"people": self.class_sizes}, ax)

    def _repr_html_(self) -> str:
        sentence = (
            f"{self.network}: {self.at_risk:,} of {counted(self.nodes, 'node')} "
            f"({percentage(self.uniqueness)}) at risk to {self.measure}: fewer than {self.k} are alike."
        )
        rows = [[f"{size:,}", f"{nodes:,}"] for size, nodes in self.class_sizes.items()]
        return html_view(sentence, ["lookalikes", "nodes"], rows)

    def edges_at_risk(self, network: Network) -> IntVector:
        """E_u: the numbers of the edges with at least one end at risk."""
        return np.flatnonzero(self.nodes_at_risk[network.edges].any(axis=1))

    def people(self, network: AnyGraph) -> People[PersonAtRisk]:
        """List the people at risk in the network that was measured, the riskiest first. Private.

        >>> import netveil as nv
        >>> karate = nv.load("karate")
        >>> people = nv.measure(karate).people(karate)
        >>> people[0].label, people[0].state
        (33, 'contacts 17, ties among them 15')
        """
        from netveil.network import as_network

        return people_at_risk(as_network(network), self)

    def to_dict(self) -> dict[str, object]:
        """The figures under their names in the contract."""
        document = {name: getattr(self, name) for name in _DOCUMENTED}
        document["fuzzy"] = None if self.fuzzy is None else float(self.fuzzy)
        document["known_attributes"] = list(self.attackers[0].known) if self.attackers else []
        document["class_sizes"] = {str(size): nodes for size, nodes in self.class_sizes.items()}
        if self.each:
            document["attackers"] = [alone.to_dict() for alone in self.each]
        return document


def anonymity_of(network: Network, attackers: Sequence[Attacker], k: int) -> Anonymity:
    """Measure a network from scratch: nodes are at risk that any of the attackers can single out."""
    states = (attacker.states(network) for attacker in attackers)
    return anonymity_from_states(network, attackers, states, k)


def anonymity_from_states(
    network: Sized, attackers: Sequence[Attacker], states: Iterable[IntMatrix], k: int
) -> Anonymity:
    """Measure a network from its states, an array (n, columns) for each attacker."""
    k = checked_k(k, network.node_count)
    each = tuple(_to_one(network, *known, k) for known in zip(attackers, states, strict=True))
    if len(each) == 1:
        return each[0]
    class_of, _ = classes_of(np.column_stack([alone.class_of for alone in each]))
    return replace(
        each[0],
        measure=" + ".join(alone.measure for alone in each),
        class_of=class_of,
        lookalikes=reduce(np.minimum, (alone.lookalikes for alone in each)),
        each=each,
        attackers=tuple(attackers),
    )


def _to_one(network: Sized, attacker: Attacker, states: IntMatrix, k: int) -> Anonymity:
    class_of, _ = classes_of(states)
    return Anonymity(
        network=network.name,
        nodes=network.node_count,
        edges=network.edge_count,
        measure=attacker.measure.name,
        distance=attacker.distance,
        k=k,
        class_of=class_of,
        lookalikes=attacker.lookalikes(network, states, class_of),
        fuzzy=attacker.fuzzy,
        twins=attacker.twins,
        attackers=(attacker,),
    )


def classes_of(states: IntMatrix) -> tuple[IntVector, IntVector]:
    """The class number of each row of `states`, equal rows in one class, and the size of each class."""
    class_of = np.zeros(len(states), dtype=np.int64)
    for column in states.T:
        spread = int(column.max(initial=0)) - int(column.min(initial=0)) + 1
        if spread * len(states) < 2**62:
            value = column - column.min(initial=0)
        else:
            value, spread = np.unique(column, return_inverse=True)[1], len(states)
        class_of = np.unique(class_of * spread + value, return_inverse=True)[1]
    return class_of, np.bincount(class_of)


def told_apart(class_of: IntVector, finer: Callable[[IntVector], IntVector]) -> IntVector:
    """Class of each node (n) after nodes that share a class are told apart by `finer`, which numbers them.

    >>> told_apart(np.array([0, 1, 0, 0]), lambda nodes: nodes % 2)
    array([0, 2, 0, 1])
    """
    shared = np.flatnonzero(np.bincount(class_of)[class_of] > 1)
    if len(shared) == 0:
        return class_of
    finer_of = np.zeros(len(class_of), dtype=np.int64)
    finer_of[shared] = finer(shared)
    return classes_of(np.column_stack((class_of, finer_of)))[0]


def checked_k(k: int, nodes: int) -> int:
    """Check k: at least 2, and at most the number of nodes; return it."""
    if not is_whole(k):
        raise SettingError(f"k = {k}: give a whole number, 2 or more.")
    if k < 2:
        raise SettingError(
            f"k = {k} protects nobody: a person needs at least one lookalike; give k = 2 or more."
        )
    if nodes < 2:
        raise SettingError(
            f"k = {k}: a network of {counted(nodes, 'node')} has nobody to hide among; give a larger network."
        )
    if k > nodes:
        raise SettingError(
            f"k = {k} is more than the network's {nodes:,} nodes; give a k of at most {nodes:,}."
        )
    return int(k)


# The cascade: an attacker finds the unique people first, then others among the contacts of those found.


@dataclass(frozen=True, eq=False, repr=False)
class Cascade:
    """Nodes that are identified in the end, and how many in each round.

    >>> import netveil as nv
    >>> found = nv.cascade(nv.load("karate"))
    >>> found.rounds, found.total
    ((15, 7), 22)
    """

    identified: NDArray[np.bool_]  # (n)
    rounds: tuple[int, ...]  # newly identified: the unique nodes, then in each round until nobody is

    @property
    def total(self) -> int:
        """How many nodes are identified in all."""
        return sum(self.rounds)

    def to_dict(self) -> dict[str, object]:
        """The figures, for JSON."""
        return {"identified": self.total, "rounds": list(self.rounds)}

    def to_pandas(self) -> pandas.DataFrame:
        """One row a round, of which 0 finds the unique: people newly identified, and all so far."""
        totals = np.cumsum(self.rounds).tolist()
        rows = (
            {"identified": one, "total": all_so_far}
            for one, all_so_far in zip(self.rounds, totals, strict=True)
        )
        return table_of(rows).rename_axis("round")

    def __repr__(self) -> str:
        rounds = counted(len(self.rounds) - 1, "round")
        return f"Cascade({self.total:,} of {len(self.identified):,} nodes identified, {rounds})"

    def _repr_html_(self) -> str:
        sentence = f"{self.total:,} of {counted(len(self.identified), 'node')} identified in the end."
        rows = [[str(number), f"{found:,}"] for number, found in enumerate(self.rounds)]
        return html_view(sentence, ["round", "newly identified"], rows)


def cascade(network: Network, states: IntMatrix) -> Cascade:
    """Identify the unique nodes, then neighbours of identified nodes.

    A neighbour is identified if no other neighbour of that node has the same state. A node's neighbours are
    searched once, in the round after it is identified: states do not change.
    """
    from netveil.kernels.classes import identify_neighbours

    class_of, sizes = classes_of(states)
    identified = sizes[class_of] == 1
    found = np.flatnonzero(identified)
    rounds = [len(found)]
    while len(found := identify_neighbours(network.csr, class_of, found, identified)):
        rounds.append(len(found))
    return Cascade(identified, tuple(rounds))
