"""Attackers as users give them, and as records keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
