"""All that the report tells, as plain numbers: computed once, kept in run.json, drawn at will.

The report is rendered from these numbers alone, so that it can be rendered again without the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from netveil.anonymity import MEASURES, Anonymity
from netveil.auditing import Audit
from netveil.auditing.matching.score import Matching
from netveil.network import Network
from netveil.report.drawing import drawing_of
from netveil.report.longer import longer_search, whether_least
from netveil.search import ALGORITHMS, LIMITS, Outcome, Progress
from netveil.utility import METRICS, Comparison

CLASS_SIZES_SHOWN = (2, 3, 5, 10)  # the values of k for which nodes at risk are counted
POINTS_OF_CURVE = 200  # rows of a history that a curve needs
DEGREE_BANDS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # lowest degree of each band
STATES_SHOWN = 3000  # distinct states drawn in the scatter of a large network

Row = TypeVar("Row")


@dataclass(frozen=True)
class Evidence:
    """What a report shows besides the release itself: found by the workflow, each part can be left out."""

    baselines: Mapping[str, Outcome] = field(default_factory=dict)  # what other algorithms find
    comparison: Comparison | None = None  # of the original with what remains: what the deletion cost
    audit: Audit | None = None  # of the published network: what attackers could still do
    audit_curve: Sequence[Matching] = ()  # of each point of the curve: somebody who has the whole network
    skipped: tuple[str, ...] = ()  # parts that were wanted, and interrupted


def summarize(
    original: Network, outcome: Outcome, evidence: Evidence, before: Anonymity, after: Anonymity
) -> dict[str, Any]:
    """The numbers of the report, as far as there is evidence; `before` and `after` say who is at risk."""
    remaining = original.without_edges(outcome.deleted_edges)
    attackers = outcome.attackers
    return {
        "attacker": attackers.knowledge,
        "measure": attackers.name,
        "titles": [f"{each.title} ({each.name})" for each in attackers.each],
        "twins": attackers.twins,
        "attackers": [
            {"name": each.name, "title": each.title, "before": was.at_risk, "after": now.at_risk}
            for each, was, now in zip(attackers.each, before.each, after.each, strict=False)
        ],
        "utility": [] if evidence.comparison is None else _utility(evidence.comparison),
        "limits": [
            {**asdict(limit), "description": LIMITS.descriptions[limit.name]} for limit in outcome.limits
        ],
        "at_risk_by_k": [
            {"k": k, "before": _at_risk(before, k), "after": _at_risk(after, k)}
            for k in sorted({*CLASS_SIZES_SHOWN, outcome.k})
        ],
        "class_sizes": {"before": before.to_dict()["class_sizes"], "after": after.to_dict()["class_sizes"]},
        "by_degree": by_degree(original, before, after),
        "states": {"before": _states(original, before), "after": _states(remaining, after)},
        "search_curve": _curve([row for row in outcome.history if row.deleted <= outcome.budget]),
        "least": whether_least(outcome),
        "longer_search": longer_search(outcome, original.edge_count).sentence,
        "baselines": _shown_beside(evidence, "every release"),
        "rivals": _shown_beside(evidence, "curves"),
        "drawing": drawing_of(original, outcome.deleted_edges, before.nodes_at_risk, after.nodes_at_risk),
        "audit": None if evidence.audit is None else evidence.audit.to_dict(),
        "audit_curve": [row.to_dict() for row in evidence.audit_curve],
        "strong_attackers": [] if evidence.audit is None else evidence.audit.brief(),
    }


def _utility(comparison: Comparison) -> list[dict[str, Any]]:
    """A row a metric, with what it means."""
    return [
        {**finding.to_dict(), "meaning": METRICS[name].meaning, "note": finding.note}
        for name, finding in comparison.metrics.items()
    ]


def _at_risk(anonymity: Anonymity, k: int) -> int:
    return int(np.count_nonzero(anonymity.lookalikes < k))


def by_degree(original: Network, before: Anonymity, after: Anonymity) -> list[dict[str, Any]]:
    """People, and those at risk before and after, by their degree in the original."""
    degrees = original.degrees
    highest = int(degrees.max(initial=0))
    starts = [start for start in DEGREE_BANDS if start <= highest]
    rows = []
    for low, following in zip(starts, [*starts[1:], highest + 1], strict=True):
        band = (degrees >= low) & (degrees < following)
        rows.append(
            {
                "degree": str(low) if following - low == 1 else f"{low}–{following - 1}",
                "people": int(band.sum()),
                "before": int(before.nodes_at_risk[band].sum()),
                "after": int(after.nodes_at_risk[band].sum()),
            }
        )
    return rows


def _states(network: Network, anonymity: Anonymity) -> list[list[int]]:
    """Distinct (degree, triangles, at risk) of the nodes: what the scatter shows."""
    counts = MEASURES["count"].states(network, 1)
    flagged = np.column_stack((counts, anonymity.nodes_at_risk.astype(np.int64)))
    distinct = np.unique(flagged, axis=0)
    step = max(1, -(-len(distinct) // STATES_SHOWN))
    return cast(list[list[int]], distinct[::step].tolist())


def _shown_beside(evidence: Evidence, what: str) -> dict[str, dict[str, Any]]:
    """The other algorithms that are shown beside this: where each ends, and its curve on the way."""
    return {
        name: {
            "description": ALGORITHMS.descriptions[name],
            "deleted": len(found.deleted_edges),
            "at_risk": found.at_risk_after,
            "curve": _curve([row for row in found.history if row.deleted <= found.budget]),
            "seconds": round(found.seconds, 3),
            "stopped_by": found.stopped_by,
        }
        for name, found in evidence.baselines.items()
        if ALGORITHMS[name].shown_beside == what
    }


def _curve(history: Sequence[Progress]) -> list[list[int]]:
    """Points (edges deleted, nodes at risk), as many as a curve needs."""
    return [[row.deleted, row.at_risk] for row in thinned(history, POINTS_OF_CURVE)]


def thinned(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many of the rows, evenly spread, the first and the last among them."""
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int))
    return [rows[place] for place in kept]
