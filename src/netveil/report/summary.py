"""All that the report tells, as plain numbers: computed once after a search, kept in run.json, drawn at will.

The report is rendered from these numbers alone, so that it can be rendered again without the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from netveil.anonymity import MEASURES, Anonymity, anonymity_of, classes_of
from netveil.cores import available_cores
from netveil.network import Network
from netveil.report.drawing import drawing_of
from netveil.search import ALGORITHMS, LIMITS, Control, Outcome, Progress, search
from netveil.utility import METRICS, Comparison

CLASS_SIZES_SHOWN = (2, 3, 5, 10)  # the values of k for which nodes at risk are counted
BASELINES = ("es", "ua")
RIVALS = ("uga",)  # the paper's best, run beside a curve only: it takes its time
RIVAL_SECONDS = 20.0  # of each; the baselines need less, unless states are slow to follow
POINTS_OF_CURVE = 200  # rows of a history that a curve needs
DEGREE_BANDS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # lowest degree of each band
STATES_SHOWN = 3000  # distinct states drawn in the scatter of a large network

Row = TypeVar("Row")


def summarize(original: Network, outcome: Outcome, comparison: Comparison | None = None) -> dict[str, Any]:
    """The numbers of the report; those of utility only where the two networks were compared."""
    remaining = original.without_edges(outcome.deleted_edges)
    before = anonymity_of(original, outcome.attackers, outcome.k)
    after = anonymity_of(remaining, outcome.attackers, outcome.k)
    return {
        "attacker": _all_that_they_know(outcome),
        "measure": _name_of_all(outcome),
        "twins": outcome.attackers[0].twins,
        "attackers": [
            {
                "name": attacker.name,
                "knowledge": attacker.knowledge,
                "before": alone_before.at_risk,
                "after": alone_after.at_risk,
            }
            for attacker, alone_before, alone_after in zip(
                outcome.attackers, before.each, after.each, strict=False
            )
        ],
        "utility": [] if comparison is None else _utility(comparison),
        "limits": [
            {**asdict(limit), "description": LIMITS[limit.name].description} for limit in outcome.limits
        ],
        "at_risk_by_k": [
            {"k": k, "before": _at_risk(before, k), "after": _at_risk(after, k)}
            for k in sorted({*CLASS_SIZES_SHOWN, outcome.k})
        ],
        "class_sizes": {"before": _by_size(before), "after": _by_size(after)},
        "by_degree": _by_degree(original, before, after),
        "states": {"before": _states(original, before), "after": _states(remaining, after)},
        "search_curve": _curve([row for row in outcome.history if row.deleted <= outcome.budget]),
        "baselines": {
            name: _other(original, outcome, name, Control(time_limit=RIVAL_SECONDS, announcer=None))
            for name in BASELINES
            if name != outcome.algorithm
        },
        "rivals": {
            name: _other(original, outcome, name, Control(time_limit=RIVAL_SECONDS, announcer=None))
            for name in RIVALS
            if outcome.curve and name != outcome.algorithm
        },
        "drawing": drawing_of(original, outcome.deleted_edges, before.nodes_at_risk, after.nodes_at_risk),
    }


def _utility(comparison: Comparison) -> list[dict[str, Any]]:
    """A row a metric, with what it means."""
    return [
        {**finding.to_dict(), "meaning": METRICS[name].meaning, "note": finding.note}
        for name, finding in comparison.metrics.items()
    ]


def _all_that_they_know(outcome: Outcome) -> str:
    """What the attackers know, as the end of "an attacker who …"."""
    return ", or one who ".join(attacker.knowledge for attacker in outcome.attackers)


def _name_of_all(outcome: Outcome) -> str:
    """The measures, and what is special about the attackers: the same for all of them."""
    first = outcome.attackers[0]
    return f"{outcome.measure}{first.name.removeprefix(first.measure.name)}"


def _at_risk(anonymity: Anonymity, k: int) -> int:
    return int(np.count_nonzero(anonymity.lookalikes < k))


def _by_size(anonymity: Anonymity) -> dict[str, int]:
    return {str(size): nodes for size, nodes in anonymity.class_sizes.items()}


def _by_degree(original: Network, before: Anonymity, after: Anonymity) -> list[dict[str, Any]]:
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
    class_of, sizes = classes_of(flagged)
    one_of_each = np.empty(len(sizes), dtype=np.int64)
    one_of_each[class_of] = np.arange(len(class_of))
    distinct = flagged[one_of_each]
    step = max(1, -(-len(distinct) // STATES_SHOWN))
    return [[int(value) for value in row] for row in distinct[::step]]


def _other(original: Network, outcome: Outcome, name: str, control: Control) -> dict[str, Any]:
    """The same budget spent by another algorithm, for the same target and under the same limits.

    Where it ends, and its curve on the way.
    """
    found = search(
        original,
        outcome.attackers,
        k=outcome.k,
        budget=outcome.budget,
        algorithm=name,
        config=None,
        changes={},
        seed=outcome.seed,
        threads=available_cores(),
        control=control,
        keep={limit.name: limit.share for limit in outcome.limits},
        protected=outcome.protected_edges,
        target=outcome.target,
    )
    return {
        "description": ALGORITHMS[name].description,
        "deleted": len(found.deleted_edges),
        "at_risk": found.at_risk_after,
        "curve": _curve([row for row in found.history if row.deleted <= outcome.budget]),
        "seconds": round(found.seconds, 3),
        "stopped_by": found.stopped_by,
    }


def _curve(history: Sequence[Progress]) -> list[list[int]]:
    """Points (edges deleted, nodes at risk), as many as a curve needs."""
    return [[row.deleted, row.at_risk] for row in thinned(history, POINTS_OF_CURVE)]


def thinned(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many of the rows, evenly spread, the first and the last among them."""
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int))
    return [rows[place] for place in kept]
