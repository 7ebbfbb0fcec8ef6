"""Numbers of the report: computed once, kept in run.json, drawn at will.

The report is rendered from these numbers alone, so that it can be rendered again without the network.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import MEASURES, Anonymity
from netveil.auditing import Audit
from netveil.auditing.matching.score import consequence
from netveil.deciding import UNDECIDED, Decided
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search import ALGORITHMS, LIMITS, Outcome, Progress
from netveil.utility import METRICS, Comparison

# The paper's Figure 1 for any network: nodes at risk, deleted edges, laid out to be drawn.
#
# A network too large to see is shown in part: the surroundings of one of its riskiest nodes.


NODES_SEEN_WHOLE = 120  # a larger network is shown in part
NODES_OF_A_PART = 45
NEIGHBOURS_TAKEN = 12  # of each node in a part or a sample: a hub would fill it alone

Flags = NDArray[np.bool_]


def drawing_of(
    network: Network, deleted_edges: IntVector, at_risk_before: Flags, at_risk_after: Flags
) -> dict[str, Any]:
    """Positions of nodes in 0..1 with who is at risk, and the edges among them with which were deleted."""
    deleted = np.zeros(network.edge_count, dtype=bool)
    deleted[deleted_edges] = True
    whole = network.node_count <= NODES_SEEN_WHOLE
    shown = np.arange(network.node_count) if whole else _part(network, deleted, at_risk_before, at_risk_after)
    place_of = {int(node): place for place, node in enumerate(shown)}
    among_shown = np.flatnonzero(np.isin(network.edges, shown).all(axis=1))
    edges = [
        [place_of[int(u)], place_of[int(v)], bool(deleted[edge])]
        for edge, (u, v) in zip(among_shown, network.edges[among_shown], strict=True)
    ]
    positions = _layout(len(shown), [(u, v) for u, v, _ in edges])
    return {
        "whole": whole,
        "nodes": [
            [round(float(x), 4), round(float(y), 4), bool(at_risk_before[node]), bool(at_risk_after[node])]
            for (x, y), node in zip(positions, shown, strict=True)
        ],
        "edges": edges,
    }


def _part(network: Network, deleted: Flags, before: Flags, after: Flags) -> NDArray[np.int64]:
    """Nodes around a risky one."""
    risky = np.flatnonzero(after) if after.any() else np.flatnonzero(before)
    if len(risky) == 0:
        risky = np.flatnonzero(network.degrees == network.degrees.max())
    # The one of median degree: typical of those at risk, and seldom a hub.
    start = int(risky[np.argsort(network.degrees[risky], kind="stable")[len(risky) // 2]])
    return nodes_around(network, [start], NODES_OF_A_PART, deleted, before)


def nodes_around(
    network: Network, starts: Sequence[int], most: int, deleted: Flags, at_risk: Flags
) -> NDArray[np.int64]:
    """So many nodes around some, found breadth first; deleted edges and nodes at risk are followed first."""
    taken, queue = dict.fromkeys(starts), deque(starts)
    while queue and len(taken) < most:
        node = queue.popleft()
        row = slice(network.csr.offsets[node], network.csr.offsets[node + 1])
        neighbours, edges = network.csr.neighbours[row], network.csr.edge_numbers[row]
        interest = 2 * deleted[edges].astype(int) + at_risk[neighbours]
        for neighbour in neighbours[np.argsort(-interest, kind="stable")[:NEIGHBOURS_TAKEN]].tolist():
            if len(taken) < most and neighbour not in taken:
                taken[neighbour] = None
                queue.append(neighbour)
    return np.array(list(taken), dtype=np.int64)


LAYOUT_ROUNDS = 100


def _layout(nodes: int, edges: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Positions in the unit square, nodes as far apart as edges lead from one to the other, about.

    Stress majorization (Gansner, Koren & North 2004); the same for the same network. By numpy, for igraph,
    which has such a layout too, takes longer to import than all of this.
    """
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    is_joined = np.zeros((nodes, nodes), dtype=bool)
    is_joined[ends[:, 0], ends[:, 1]] = is_joined[ends[:, 1], ends[:, 0]] = True
    is_reached, distance = np.eye(nodes, dtype=bool), np.zeros((nodes, nodes))
    for step in range(1, nodes + 1):
        if is_reached.all():
            break
        is_fresh = (is_reached @ is_joined) & ~is_reached
        is_fresh |= ~is_reached & (not is_fresh.any())  # whom no edges lead to are as far as the next step
        distance[is_fresh] = step
        is_reached |= is_fresh
    weight = 1 / np.maximum(distance, 1) ** 2 * (distance > 0)
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    positions = np.random.default_rng(1).random((nodes, 2))
    for _ in range(LAYOUT_ROUNDS):
        apart = np.linalg.norm(positions[:, np.newaxis] - positions, axis=2)
        pull = weight * distance / np.maximum(apart, 1e-9)
        positions = inverse @ (pull.sum(axis=1, keepdims=True) * positions - pull @ positions)
    low, high = positions.min(axis=0, initial=np.inf), positions.max(axis=0, initial=-np.inf)
    scaled: NDArray[np.float64] = (positions - low) / np.maximum(high - low, 1e-9)
    return scaled


# What a longer search would bring, as far as one search can tell: not in figures.
#
# A search that cools down finds much shortly before its end, however long it is. That its curve falls there
# says nothing about more time, so the curve cannot be drawn on. It can only speak against more time: where
# the whole second half found nothing better, there is probably little left to find.


PROPOSALS_AN_EDGE = 100  # fewer tell nothing: such a search has hardly begun to cool
ROWS = 20  # of a history, without which its halves cannot be compared


def longer_search(outcome: Outcome, edges: int) -> str:
    """What a longer search would bring; empty where there was none, or nothing is left to find.

    `edges` are those of the original.
    """
    chosen = ALGORITHMS.get(outcome.algorithm)
    takes_its_time = chosen is not None and hasattr(chosen.default, "effort")
    if not outcome.history or outcome.least:
        return ""
    if outcome.at_risk_after <= outcome.enough:
        nobody = f"Nobody is left at risk to {outcome.attackers.name} with k = {outcome.k}"
        achieved = "The target is reached" if outcome.at_risk_after else nobody
        return f"{achieved}: a longer search could only save deletions."
    if not takes_its_time and outcome.stopped_by not in ("time", "interrupted"):
        return "This search ends by itself, whatever the time: more of it would change nothing."
    is_short = takes_its_time and outcome.evaluations < PROPOSALS_AN_EDGE * edges
    if not is_short and _is_flat(outcome.history):
        return (
            "The second half of the search found nothing better: a longer one would probably bring little or "
            "nothing, though that is not certain."
        )
    return "More time would probably leave fewer people at risk; how many cannot be told."


def whether_least(outcome: Outcome) -> str:
    """Whether the result was shown to be the least, in a sentence; empty where there was no search."""
    if outcome.evaluations <= 1:
        return ""
    if not outcome.least:
        return "Best found, not proven optimal; a longer search may do better."
    if outcome.at_risk_after > outcome.enough:
        return (
            "Shown to be the least: no deletion that was allowed leaves fewer people at risk, and none of "
            "fewer edges as few."
        )
    falls_short = "miss the target" if outcome.target is not None else "leave somebody at risk"
    return f"Shown to be the least: all deletions of fewer edges that were allowed {falls_short}."


def _is_flat(history: Sequence[Progress]) -> bool:
    """Whether the second half of the solutions tried brought no improvement."""
    half = history[-1].evaluations / 2
    first = [row.objective for row in history if row.evaluations <= half]
    return len(history) >= ROWS and bool(first) and min(first) <= history[-1].objective


CLASS_SIZES_SHOWN = (2, 3, 5, 10)  # the values of k for which nodes at risk are counted
POINTS_OF_CURVE = 200  # rows of a history that a curve needs
DEGREE_BANDS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # lowest degree of each band
STATES_SHOWN = 3000  # distinct states drawn in the scatter of a large network

Row = TypeVar("Row")


@dataclass(frozen=True)
class Evidence:
    """Evidence of a report besides the release itself; each part can be left out."""

    baselines: Mapping[str, Outcome] = field(default_factory=dict)  # what other algorithms find
    comparison: Comparison | None = None  # of the original with what remains: what the deletion cost
    audit: Audit | None = None  # of the published network: what attackers could still do
    attacks: Mapping[str, Any] | None = None  # on a synthetic network
    skipped: tuple[str, ...] = ()  # parts that were wanted, and interrupted
    decided: Decided = UNDECIDED


def summarize(
    original: Network, outcome: Outcome, evidence: Evidence, before: Anonymity, after: Anonymity
) -> dict[str, Any]:
    """Compute the numbers of the report from the evidence; `before` and `after` say who is at risk."""
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
        "utility": [] if evidence.comparison is None else utility_rows(evidence.comparison),
        "limits": [{**asdict(limit), "description": LIMITS.describe(limit.name)} for limit in outcome.limits],
        "at_risk_by_k": [
            {"k": k, "before": int((before.lookalikes < k).sum()), "after": int((after.lookalikes < k).sum())}
            for k in sorted({*CLASS_SIZES_SHOWN, outcome.k})
        ],
        "class_sizes": {"before": before.to_dict()["class_sizes"], "after": after.to_dict()["class_sizes"]},
        "by_degree": by_degree(original, before, after),
        "states": {"before": _states(original, before), "after": _states(remaining, after)},
        "search_curve": _curve([row for row in outcome.history if row.deleted <= outcome.budget]),
        "least": whether_least(outcome),
        "longer_search": longer_search(outcome, original.edge_count),
        "baselines": _shown_beside(evidence, "every release"),
        "rivals": _shown_beside(evidence, "curves"),
        "drawing": drawing_of(original, outcome.deleted_edges, before.nodes_at_risk, after.nodes_at_risk),
        "audit": None if evidence.audit is None else evidence.audit.to_dict(),
        "consequence": [] if evidence.audit is None else consequence(evidence.audit.matching),
    }


def utility_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """A row a metric, with what it means."""
    return [
        {**finding.to_dict(), "meaning": METRICS[name].meaning, "note": finding.note}
        for name, finding in comparison.metrics.items()
    ]


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
    """Distinct (degree, triangles, at risk) of the nodes, for the scatter plot."""
    counts = MEASURES["count"].states(network, 1)
    flagged = np.column_stack((counts, anonymity.nodes_at_risk.astype(np.int64)))
    distinct = np.unique(flagged, axis=0)
    step = max(1, -(-len(distinct) // STATES_SHOWN))
    return cast(list[list[int]], distinct[::step].tolist())


def _shown_beside(evidence: Evidence, what: str) -> dict[str, dict[str, Any]]:
    """Other algorithms of one kind: where each ends, and its curve on the way."""
    return {
        name: {
            "description": ALGORITHMS.describe(name),
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
    """Points (edges deleted, nodes at risk), thinned for drawing."""
    return [[row.deleted, row.at_risk] for row in thinned(history, POINTS_OF_CURVE)]


def thinned(rows: Sequence[Row], most: int) -> list[Row]:
    """Select at most `most` rows, evenly spread, including the first and the last."""
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int))
    return [rows[place] for place in kept]
