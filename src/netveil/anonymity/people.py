"""Who is at risk, by name: a row a person, the riskiest first. Private: it holds labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from netveil.anonymity.measure import column_names_of
from netveil.errors import NetworkError, needing
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.spreadsheet_cells import csv_table
from netveil.words import counted

if TYPE_CHECKING:
    import pandas

    from netveil.anonymity.partition import Anonymity

ROWS_IN_A_NOTEBOOK = 60  # as many as pandas shows

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class PersonAtRisk:
    """Somebody at risk, and what gives them away. Private."""

    label: Hashable
    contacts: int
    state: str  # what the attacker knows, in words; a class number where a measure's states are no numbers
    class_size: int  # people who look like them, themselves included
    at_risk: bool
    attackers: str  # the names of those who can single them out, joined by ' + '


class People(Sequence[Row], Generic[Row]):
    """A table of people, a record each. Private: nothing of it is printed unless asked for."""

    def __init__(self, kind: type[Row], rows: Sequence[Row]) -> None:
        self.columns: tuple[str, ...] = tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[place]

    def __repr__(self) -> str:
        return f"People({counted(len(self), 'person', 'people')}: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        cells = [self.columns, *(map(_cell, self._values(row)) for row in self.rows[:ROWS_IN_A_NOTEBOOK])]
        lines = [
            "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
            for row, tag in zip(cells, ["th", *["td"] * (len(cells) - 1)], strict=True)
        ]
        more = len(self) - ROWS_IN_A_NOTEBOOK
        return f"<table>{''.join(lines)}</table>" + (f"<p>and {more:,} more</p>" if more > 0 else "")

    def to_pandas(self) -> pandas.DataFrame:
        """One row a person."""
        with needing("pandas", "a table"):
            import pandas

        return pandas.DataFrame([self._values(row) for row in self.rows], columns=list(self.columns))

    def to_csv(self) -> str:
        """The table as text with a header; whether somebody is at risk is `yes` or `no`."""
        return csv_table(self.columns, (map(_cell, self._values(row)) for row in self.rows))

    def _values(self, row: Row) -> list[Any]:
        return [getattr(row, column) for column in self.columns]


def people_at_risk(network: Network, anonymity: Anonymity) -> People[PersonAtRisk]:
    """Everybody at risk in the network that was measured: the smallest class first, then most contacts."""
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
    """These nodes by the size of their class, then by contacts, most first, then as they are numbered."""
    order = np.lexsort((nodes, -network.degrees[nodes].astype(np.int64), anonymity.lookalikes[nodes]))
    return nodes[order]


def states_in_words(network: Network, anonymity: Anonymity, nodes: IntVector) -> list[str]:
    """What attackers know about each of these nodes; where there are several attackers, what each knows."""
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
    """Numbers with what they count; of states that are no numbers, the number of the class."""
    (attacker,) = alone.attackers
    if not attacker.measure.numeric:
        return [f"class {number}" for number in alone.class_of[nodes].tolist()]
    states = attacker.states(network)[nodes].tolist()
    names = column_names_of(attacker.measure, attacker.distance)
    if not names:
        return [", ".join(map(str, state)) for state in states]
    return [
        ", ".join(f"{name} {number}" for name, number in zip(names, state, strict=True)) for state in states
    ]


def attackers_by_name(anonymity: Anonymity, nodes: IntVector) -> list[str]:
    """To whom each of these nodes is at risk: names joined by ' + '; empty where to nobody."""
    each = anonymity.each or (anonymity,)
    names = [alone.attackers[0].name for alone in each]
    flags = np.column_stack([alone.nodes_at_risk[nodes] for alone in each]).tolist()
    return [" + ".join(name for name, flag in zip(names, row, strict=True) if flag) for row in flags]


def _cell(value: object) -> object:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return value
