"""What about.json says of the original, as an attacker reads it: figures, and how exact they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeGuard

import numpy as np

from netveil.anonymity import Attacker, attackers_of
from netveil.errors import NetveilError
from netveil.network import Network
from netveil.utility import METRICS
from netveil.utility.metric import Property

MOST_DIGITS = 3  # that a figure of the original may have
LADDER = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # shares of deleted edges that are upper bounds
LAST_DECIMAL = 1e-6  # to which shares were once rounded
ROUNDING = 1e-12  # what arithmetic in another order may make of a figure
PEOPLE = ("at_risk_before", "unique_before")


@dataclass(frozen=True)
class Printed:
    """A figure of the original, and how far the true one is from it at most."""

    value: float
    within: float

    def fits(self, figure: Any) -> Any:
        """Whether a figure, or each of an array, may be the one; one that does not exist may."""
        return ~(np.abs(np.asarray(figure) - self.value) > self.within)


@dataclass(frozen=True)
class Record:
    """The parts of about.json that depend on the original."""

    figures: Mapping[str, Printed]  # of the original, by the name of the metric or of the count of people
    exact: int  # figures of more digits than they may have
    edges_deleted: float | None
    budget_share: float | None
    attackers: tuple[Attacker, ...]
    k: int

    def numbers_of_deletions(self, released: Network) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How many edges may have been deleted, from 1 on, as far as shares and the average degree say."""
        edges = released.edge_count
        deleted = np.arange(1, max(10 * edges, 100) + 1)
        fits, share = np.ones(len(deleted), dtype=np.bool_), deleted / (edges + deleted)
        if self.edges_deleted is not None and self.edges_deleted in LADDER[1:]:
            below = LADDER[LADDER.index(self.edges_deleted) - 1]
            lowest = below < 3 / (edges + 3)  # then there is no lower rung
            fits &= (share <= self.edges_deleted) & (lowest | (share > below))
        elif self.edges_deleted is not None:
            fits &= np.abs(share - self.edges_deleted) <= _half_a_digit(self.edges_deleted)
        if self.budget_share is not None and _digits(self.budget_share) > MOST_DIGITS:
            budget = np.rint(self.budget_share * (edges + deleted))
            fits &= np.abs(budget / (edges + deleted) - self.budget_share) <= _half_a_digit(self.budget_share)
            fits &= budget >= deleted
        elif self.budget_share is not None:
            fits &= share <= self.budget_share + LAST_DECIMAL
        if "average_degree" in self.figures and released.node_count:
            fits &= self.figures["average_degree"].fits(2 * (edges + deleted) / released.node_count)
        return deleted[fits]


def read_record(about: Mapping[str, Any], released: Network) -> Record:
    """What a record says of the original; what is no figure is passed over."""
    figures: dict[str, Printed] = {}
    exact = 0
    people, utility = _part(about, "anonymity"), _part(about, "utility")
    for name in PEOPLE:
        figures |= _printed(name, people, name, people.get(name.replace("before", "after")))
    for name, metric in METRICS.items():
        entry = _part(utility, name)
        if isinstance(metric, Property):
            figures |= _printed(name, entry, "before", entry.get("after"))
            exact += _is_too_exact(entry.get("before"))
        else:
            exact += _is_too_exact(entry.get("score")) + _is_too_exact(entry.get("after"))
    shares = [utility.get("edges_deleted"), about.get("budget_share")]
    exact += sum(map(_is_too_exact, [*shares, *(people.get(name) for name in PEOPLE)]))
    deleted, budget = (float(share) if _is_number(share) else None for share in shares)
    k = about.get("k")
    return Record(figures, exact, deleted, budget, _attackers(about), k if isinstance(k, int) else 2)


def _printed(name: str, entry: Mapping[str, Any], key: str, after: Any) -> dict[str, Printed]:
    value, within = entry.get(key), entry.get("within")
    if not _is_number(value):
        return {}
    if not _is_number(within) or _is_too_exact(value) or within <= 0:
        return {name: Printed(float(value), _half_a_digit(value))}
    # Rounded on its own it is within half a step; as the release's figure rounded, within a step.
    alike = _is_number(after) and abs(after - value) <= within / 2 + ROUNDING
    return {name: Printed(float(value), float(within) * (1 if alike else 0.5) + ROUNDING)}


def _attackers(about: Mapping[str, Any]) -> tuple[Attacker, ...]:
    """Those of netveil's measures whom the release was made against; a user's own is not known."""
    try:
        return attackers_of(
            str(about["measure"]).split(" + "),
            about["distance"],
            about.get("fuzzy"),
            about.get("twins") is True,
        )
    except (NetveilError, LookupError, TypeError, ValueError):
        return ()


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_too_exact(value: Any) -> bool:
    return _is_number(value) and _digits(value) > MOST_DIGITS


def _digits(value: float) -> int:
    """Significant digits of a number as it is printed; zeros at its end do not count."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


def _half_a_digit(value: float) -> float:
    """How far a number may be from what it was before it was printed; a whole number is exact."""
    if isinstance(value, int):
        return 0.25
    exponent = Decimal(repr(value)).as_tuple().exponent
    return max(0.5 * 10.0 ** int(exponent), ROUNDING * max(1.0, abs(value)))
