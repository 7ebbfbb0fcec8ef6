"""Attributes that an attacker knows of a person: published ones, which everybody sees beside the ties.

Two people can only look alike if they have equal values of all of them. Nothing is known about the attributes
of a person's contacts. A missing value is a value of its own: whoever has none looks like others without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.attributes import banded
from netveil.errors import SettingError, option
from netveil.kernels.arrays import IntVector
from netveil.network import Network

if TYPE_CHECKING:
    from netveil.anonymity.attackers import Attacker


def parsed_known(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of attributes, from a list or from a text with commas between them; each once.

    >>> parsed_known("age, department"), parsed_known(None)
    (('age', 'department'), ())
    """
    if given is None:
        return ()
    if isinstance(given, bool) or not isinstance(given, Iterable):
        raise SettingError(f"{option('known')} {given!r}: give the names of attributes.")
    names = given.split(",") if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise SettingError(f"{option('known')} {given!r}: give the names of attributes.")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def groups_of(network: Network, names: Sequence[str]) -> IntVector:
    """Group of each node (n): equal numbers for nodes with equal values of these attributes.

    >>> people = Network.from_edges([("a", "b"), ("b", "c")])
    >>> from dataclasses import replace
    >>> from netveil.attributes import Attributes
    >>> groups_of(replace(people, attributes=Attributes({"age": [30, 30, None]})), ["age"])
    array([1, 1, 0])
    """
    rows = list(zip(*(_column(network, name) for name in names), strict=True))
    # By order: a network and its release, in which the same values occur, number their groups alike.
    ordered = sorted(set(rows), key=lambda row: [(value is not None, value or "") for value in row])
    number_of = {row: number for number, row in enumerate(ordered)}
    return np.array([number_of[row] for row in rows] or [0] * network.node_count, dtype=np.int64)


def _column(network: Network, name: str) -> list[Any]:
    """Values of an attribute as text, in bands for a name such as age:10; None where unknown."""
    columns = network.attributes.node
    base, colon, spec = name.rpartition(":")
    if colon and name not in columns and base in columns:
        return list(banded(base, columns[base], spec))
    if name not in columns:
        has = f"the network's people have {', '.join(columns)}" if columns else "its people have none"
        raise SettingError(f"{option('known', name)}: there is no attribute '{name}' of people; {has}.")
    return [None if value is None or value != value else str(value) for value in columns[name]]


def singled_out_by(network: Network, attackers: Sequence[Attacker], k: int) -> dict[str, int]:
    """People at risk by attributes alone, by structure alone, and by both together."""
    from netveil.anonymity.partition import anonymity_of

    groups = groups_of(network, attackers[0].known)
    without = [replace(attacker, known=()) for attacker in attackers]
    return {
        "attributes": int(np.count_nonzero(np.bincount(groups)[groups] < k)),
        "structure": anonymity_of(network, without, k).at_risk,
        "both": anonymity_of(network, attackers, k).at_risk,
    }


@dataclass(frozen=True)
class Diversity:
    """People in classes in which fewer than `l` different values of an attribute occur."""

    attribute: str
    l: int  # noqa: E741  # as Machanavajjhala et al. (2007) call it
    people: int


def diversity_of(network: Network, class_of: IntVector, asked: str) -> Diversity:
    """Count the people whose class (n) tells too much of a sensitive attribute: `asked` is NAME=L.

    Whoever finds a person's class knows the value if all in it share one (l-diversity, Machanavajjhala et al.
    2007). A missing value is a value.
    """
    name, equals, number = asked.rpartition("=")
    if not equals or not number.strip().isdecimal() or int(number) < 2:
        raise SettingError(f"{option('diverse', asked)}: give NAME=L, such as illness=2; L is 2 or more.")
    pairs = np.unique(np.column_stack((class_of, groups_of(network, [name]))), axis=0)
    values = np.bincount(pairs[:, 0], minlength=int(class_of.max(initial=-1)) + 1)
    return Diversity(name, int(number), int(np.count_nonzero(values[class_of] < int(number))))
