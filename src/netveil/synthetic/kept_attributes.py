"""Attributes of people that a synthetic network carries, and what is asked of the rows because of them.

A node carries the values of the person who was assigned to it, a random one of the row. Whoever knows
somebody's values looks among the people of the row with equal values only: a cell. Rows can be made so that
each cell has k people (`within`), and so that a value that nobody knows cannot be read off a row (`diverse`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.attributes import Attributes
from netveil.errors import SettingError, is_whole, option
from netveil.formatting import counted

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class KeptAttributes:
    """Columns of values by name, a value a person, and what rows must be like."""

    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    within: tuple[str, ...] = ()  # people of a group have equal values of these
    diverse: Mapping[str, int] = field(default_factory=dict)  # each row has so many values of it or more

    @property
    def known(self) -> tuple[str, ...]:
        """Attributes that count as known to the attacker: all but those that rows are diverse in."""
        return tuple(name for name in self.columns if name not in self.diverse)

    def codes(self, names: Iterable[str], people: int) -> Numbers:
        """Number of the combination of values of each person (n), whatever the order of people."""
        columns = [self.columns[name] for name in names]
        if not columns:
            return np.zeros(people, np.int64)
        texts = [repr(values) for values in zip(*columns, strict=True)]
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        return np.array([numbers[text] for text in texts], np.int64)

    def cells(self, row: Numbers) -> Numbers:
        """Cell of each person (n), numbered from 0: people of one row with equal known values."""
        pairs = np.column_stack((row, self.codes(self.known, len(row))))
        return np.unique(pairs, axis=0, return_inverse=True)[1].ravel()

    def fewest_values(self, name: str, part: Numbers) -> int:
        """Different values of an attribute in that part of the people (n) which has fewest."""
        pairs = np.unique(np.column_stack((part, self.codes([name], len(part)))), axis=0)
        return int(np.bincount(pairs[:, 0]).min(initial=len(part)))

    def check(self, k: int, people: int) -> None:
        """Raise SettingError if fewer than k people have equal values of the attributes of `within`."""
        if not self.within:
            return
        fewest = int(np.bincount(self.codes(self.within, people)).min(initial=people))
        if fewest < k:
            names, there = " and ".join(self.within), "is" if fewest == 1 else "are"
            raise SettingError(
                f"{option('within', list(self.within))}: of a value of {names} there {there} "
                f"{counted(fewest, 'person', 'people')} only, and groups are of {k}; put numbers into bands, "
                f"give a smaller k, or leave it out."
            )


def kept_attributes(
    attributes: Attributes,
    keep: Iterable[str] | None,
    within: Iterable[str] | None = None,
    diverse: Mapping[str, Any] | None = None,
) -> tuple[KeptAttributes, str | None]:
    """Select attributes of people, numbers in bands if wanted; returns them and a warning or None."""
    names = list(keep) if keep is not None and not isinstance(keep, str) else keep
    asked = names.split(",") if isinstance(names, str) else names or []
    for name in asked:
        if name.strip() in attributes.edge and name.strip() not in attributes.node:
            raise SettingError(
                f"{option('keep-attributes', [name])}: ties of a synthetic network are made up and carry no "
                f"attributes; leave it out."
            )
    chosen, warning = Attributes(attributes.node).chosen(names)
    kept = KeptAttributes(
        dict(sorted(chosen.node.items())), tuple(within or ()), parsed_diverse(diverse or {})
    )
    for given, wanted in (("within", kept.within), ("diverse", tuple(kept.diverse))):
        for name in wanted:
            if name not in kept.columns:
                has = ", ".join(kept.columns) or "none"
                raise SettingError(
                    f"{option(given)} {name}: only attributes that are kept are looked at ({has}); name it "
                    f"in {option('keep-attributes', [name])} too, or leave it out."
                )
    for name in set(kept.within) & set(kept.diverse):
        raise SettingError(
            f"{option('diverse')} {name}: rows cannot have one value and several of {name}; leave it out of "
            f"{option('within')} or of {option('diverse')}."
        )
    return kept, warning


def parsed_diverse(given: Mapping[str, Any]) -> dict[str, int]:
    """How many values each row must have of each attribute.

    >>> parsed_diverse({"illness": "2"})
    {'illness': 2}
    """
    found = {}
    for name, value in given.items():
        text = str(value).strip()
        number = int(text) if text.isascii() and text.isdigit() and not is_whole(value) else value
        if not is_whole(number) or number < 2:
            raise SettingError(
                f"diverse {name}={value}: give a whole number of values, 2 or more, such as {name}=2."
            )
        found[str(name)] = int(number)
    return found
