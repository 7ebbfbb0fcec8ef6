"""Attackers as users give them, and as records keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from netveil.anonymity.attacker import Attacker
from netveil.anonymity.fuzzy import parsed_fuzzy
from netveil.anonymity.measure import Measure
from netveil.anonymity.measures import MEASURES
from netveil.anonymity.own import OwnMeasure, imported
from netveil.errors import SettingError, unknown_name

AnyMeasure: TypeAlias = str | Measure | Callable[..., Any]
"""A name in MEASURES, `module:function`, a measure, or a function from a network to one state a node."""


@dataclass(frozen=True)
class Attackers:
    """Whom to protect from: attackers with the same reach and doubts, and how many must look alike."""

    each: tuple[Attacker, ...]  # nodes are at risk that any of them can single out
    k: int = 2  # nodes that fewer than k look like, themselves included, are at risk

    @classmethod
    def of(
        cls,
        measures: AnyMeasure | Sequence[AnyMeasure] | Attackers,
        distance: int = 1,
        fuzzy: str | int | float | None = None,
        twins: bool = False,
        k: int = 2,
    ) -> Attackers:
        """An attacker for each measure; or those who are given as such, whatever else is said."""
        if isinstance(measures, Attackers):
            return measures
        return cls(attackers_of(measures, distance, fuzzy, twins), k)

    @property
    def measure(self) -> str:
        """The names of the measures, joined."""
        return " + ".join(attacker.measure.name for attacker in self.each)

    @property
    def distance(self) -> int:
        """How far the attackers' knowledge reaches."""
        return self.each[0].distance

    @property
    def fuzzy(self) -> Fraction | None:
        """By which share the numbers that they know may be off."""
        return self.each[0].fuzzy

    @property
    def twins(self) -> bool:
        """Whether people who have the same contacts count as one lookalike."""
        return self.each[0].twins

    @property
    def name(self) -> str:
        """The measures, and what is special about the attackers."""
        first = self.each[0]
        return f"{self.measure}{first.name.removeprefix(first.measure.name)}"

    @property
    def knowledge(self) -> str:
        """What they know, as the end of "an attacker who …"."""
        return ", or one who ".join(attacker.knowledge for attacker in self.each)


def find_measure(given: AnyMeasure) -> Measure:
    """The measure of this name, or a user's own."""
    if isinstance(given, str):
        if given in MEASURES:
            return MEASURES[given]
        if ":" in given:
            return imported(given)
        raise unknown_name("measure", given, MEASURES)
    if isinstance(given, Measure) and not isinstance(given, type):
        return given
    if callable(given):
        return OwnMeasure(given, getattr(given, "__name__", "own measure"))
    raise SettingError(f"measure {given!r}: give the name of a measure, module:function, or a function.")


def attackers_of(
    measures: AnyMeasure | Sequence[AnyMeasure],
    distance: int = 1,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
) -> tuple[Attacker, ...]:
    """An attacker for each measure, all with the same distance, fuzziness and treatment of twins."""
    given = measures if isinstance(measures, Sequence) and not isinstance(measures, str) else [measures]
    if not given:
        raise SettingError("no measure is given; give the name of one, such as count.")
    share = None if fuzzy is None else parsed_fuzzy(fuzzy)
    attackers = [Attacker(find_measure(each), distance, share, twins) for each in given]
    return tuple(dict.fromkeys(attackers))


def recorded_attackers(rows: Sequence[Mapping[str, Any]], own: Mapping[str, Measure]) -> tuple[Attacker, ...]:
    """The attackers that a record keeps as `to_dict`; `own` has the user's own measures by name."""
    return tuple(
        Attacker(
            own.get(row["measure"]) or find_measure(row["measure"]),
            row["distance"],
            None if row["fuzzy"] is None else Fraction(row["fuzzy"]),
            row["twins"],
        )
        for row in rows
    )
