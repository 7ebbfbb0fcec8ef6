"""Mean and standard deviation of some runs, as tables, records and figures of studies show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeVar

NOTHING = "–"  # what a cell shows that has no value

Value = TypeVar("Value")


def existing(values: Iterable[Value | None]) -> list[Value]:
    """The values that are not None."""
    return [value for value in values if value is not None]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of some runs; of a sample, so that its square is divided by runs - 1."""

    mean: float
    deviation: float | None  # None for a single run
    runs: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """That of the values that exist, or None if there are none."""
        known = existing(values)
        if not known:
            return None
        return cls(fmean(known), stdev(known) if len(known) > 1 else None, len(known))

    def text(self, form: str = ",.0f") -> str:
        """Mean and deviation as text: '335 ± 17'.

        >>> Spread(335.2, 16.8, 5).text()
        '335 ± 17'
        """
        mean = format(self.mean, form)
        return mean if self.deviation is None else f"{mean} ± {self.deviation:{form}}"


def shown(spread: Spread | None, form: str = ",.0f") -> str:
    """A spread as text, and a dash where there is none."""
    return NOTHING if spread is None else spread.text(form)


def recorded(spread: Spread | None, mean: str) -> dict[str, Any]:
    """A spread as part of a record that calls its mean so."""
    if spread is None:
        return {mean: None, "deviation": None, "runs": 0}
    return {mean: spread.mean, "deviation": spread.deviation, "runs": spread.runs}
