"""Facts about a release that rules are held against: shares at risk, shares found, losses, leaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from netveil.anonymity import Attackers, anonymity_of
from netveil.deciding.scenarios import NOBODY_TRIED, NamedAttackers, rows_knowing
from netveil.network import Network

if TYPE_CHECKING:
    from netveil.auditing import Audit
    from netveil.utility import Comparison
    from netveil.utility.metric import Finding

KNOWING = {
    "found_with_network": "somebody who has the whole network",
    "found_with_group": "somebody who has the ties within one group",
    "found_with_half": "somebody who has half of the ties",
}
"""Attackers who match networks, by the field of a policy."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Measured facts about a release; None for those that were not measured."""

    people: int
    k: int | None = None  # that it was made for; of a synthetic network, of its table
    at_risk: Mapping[str, float] = field(default_factory=dict)  # share for the policy's k, by measure
    named: NamedAttackers = NOBODY_TRIED  # attackers as the person who signs knows them
    found: Mapping[str, float | None] = field(default_factory=dict)  # share, by KNOWING
    losses: Mapping[str, float | None] = field(default_factory=dict)  # share, by metric
    attributes: Sequence[str] = ()
    leaks: int | None = None
    second_release: bool | None = None
    made_on: date | None = None
    synthetic: bool = False

    @property
    def inferred(self) -> float | None:
        """Area under the curve of the attack that infers ties; None if it was not tried."""
        return next((each.found for each in self.named.questions if each.question == "inference"), None)


def shares_at_risk(published: Network, measures: Iterable[str], k: int) -> dict[str, float]:
    """Share of the people at risk in a published network to each measure, for k.

    Attributes of people that are published count as known.

    >>> from netveil import load
    >>> shares_at_risk(load("karate"), ["degree"], 2)
    {'degree': 0.17647058823529413}
    """
    known = tuple(published.attributes.node) or None
    shares = {}
    for measure in measures:
        attackers = Attackers.of(measure, known=known, k=k)
        found = anonymity_of(published, attackers.each, k)
        shares[measure] = found.at_risk / max(published.node_count, 1)
    return shares


def shares_found(audit: Audit | None) -> dict[str, float | None]:
    """Share of the people looked for that the strongest attacker of each kind finds."""
    rows = rows_knowing(() if audit is None else audit.matching)
    return {
        name: max((row.release.shown.fraction for row in tried), default=None) for name, tried in rows.items()
    }


def losses_of(comparison: Comparison | None) -> dict[str, float | None]:
    """Share by which each metric has changed; 1 - score for similarities."""
    return {} if comparison is None else {name: _loss(each) for name, each in comparison.metrics.items()}


def _loss(finding: Finding) -> float | None:
    if finding.is_similarity:
        return None if finding.score is None else 1 - finding.score
    if (
        finding.relative_change is None
    ):  # of a figure that was 0: no loss if it still is, else none can be told
        return 0.0 if finding.change == 0 else None
    return abs(finding.relative_change)


def leaks_in(audit: Audit | None) -> int | None:
    """Number of leaks in an audit; attributes do not count, since policies have a rule for them."""
    if audit is None:
        return None
    return sum(leak.severity == "leak" and leak.kind != "columns" for leak in audit.leaks)
