"""Attributes that an attacker knows of a person: published ones, which everybody sees beside the ties.

Two people can only look alike if they have equal values of all of them. Nothing is known about the attributes
of a person's contacts. A missing value is a value of its own: whoever has none looks like others without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from netveil.errors import SettingError, option
from netveil.kernels.arrays import IntVector
from netveil.network import Network


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
    array([0, 0, 1])
    """
    columns = [_column(network, name) for name in names]
    number_of: dict[tuple[Any, ...], int] = {}
    rows = zip(*columns, strict=True) if columns else ((),) * network.node_count
    return np.array([number_of.setdefault(row, len(number_of)) for row in rows], dtype=np.int64)


def _column(network: Network, name: str) -> list[Any]:
    """Values of an attribute as they are told apart: by what they are and by how they are written."""
    columns = network.attributes.node
    if name not in columns:
        has = f"the network's people have {', '.join(columns)}" if columns else "its people have none"
        raise SettingError(f"{option('known', name)}: there is no attribute '{name}' of people; {has}.")
    return [None if value is None or value != value else str(value) for value in columns[name]]
