"""What is written down about a release: one record to publish, the others private.

Whoever holds a private record can undo the anonymization, so the two are never mixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil._version import __version__
from netveil.errors import is_whole
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.coarse import Coarseness, is_setting
from netveil.report import Evidence, summarize, thinned
from netveil.search import Outcome
from netveil.share import parsed_number
from netveil.utility import METRICS, Comparison, Finding
from netveil.utility.metric import Property

if TYPE_CHECKING:
    from netveil.release.release import Release

ROWS_OF_HISTORY = 1000  # of a long search, in its record
REMAINING_SHOWN = 20  # people still at risk whom the report lists

Clock = Callable[[], datetime]
"""Tells what time it is, with its zone."""


def public_record(release: Release, comparison: Comparison | None) -> dict[str, Any]:
    """The figures that may be published; those of utility as far as the two networks were compared.

    Figures of the release are exact, for anybody can compute them; those of the original are coarse.
    """
    outcome, nodes, deleted = release.outcome, release.original.node_count, len(release.outcome.deleted_edges)
    coarse = Coarseness(release.original.edge_count - deleted)
    at_risk = coarse.tell_people(outcome.at_risk_before, outcome.at_risk_after, nodes)
    unique = coarse.tell_people(outcome.unique_before, outcome.unique_after, nodes)
    return {
        "netveil": __version__,
        **_published_attackers(outcome),
        "k": outcome.k,
        "budget_share": _published_budget(release, coarse),
        "anonymity": {
            "nodes": nodes,
            "at_risk_before": at_risk.figure,
            "at_risk_after": outcome.at_risk_after,
            "unique_before": unique.figure,
            "unique_after": outcome.unique_after,
            "within": at_risk.within if at_risk.within is not None else unique.within,
        },
        "utility": {
            "edges_published": coarse.edges,
            "edges_deleted": coarse.bound(deleted),
            **({} if comparison is None else _published_figures(comparison, coarse)),
        },
    }


def figures_of(release: Release) -> dict[str, Any]:
    """The document of the contract, with seed and settings. Private."""
    outcome = release.outcome
    return {
        "network": release.original.name,
        "nodes": release.original.node_count,
        "edges": release.original.edge_count,
        "dropped": asdict(release.original.dropped),
        "measure": outcome.attackers.measure,
        "distance": outcome.attackers.distance,
        "k": outcome.k,
        "attackers": [
            {**attacker.to_dict(), "at_risk_before": before, "at_risk_after": after}
            for attacker, before, after in release.each_alone
        ],
        "algorithm": outcome.algorithm,
        "settings": outcome.settings,
        "seed": outcome.seed,
        "budget": outcome.budget,
        "budget_asked": outcome.budget_asked,
        "whole_budget": outcome.whole_budget,
        "deleted": len(outcome.deleted_edges),
        "at_risk_before": outcome.at_risk_before,
        "at_risk_after": outcome.at_risk_after,
        "unique_before": outcome.unique_before,
        "unique_after": outcome.unique_after,
        "objective": outcome.objective,
        "generations": outcome.generations,
        "evaluations": outcome.evaluations,
        "seconds": round(outcome.seconds, 3),
        "stopped_by": outcome.stopped_by,
        "least": outcome.least,
        "keep": [asdict(limit) for limit in outcome.limits],
        "protected": len(outcome.protected_edges),
        "target": outcome.target,
        "enough": outcome.enough,
        "reached": None if outcome.target is None else outcome.at_risk_after <= outcome.enough,
        "curve": [dict(row) for row in release.curve.rows],
        "keep_labels": release.keep_labels,
        "version": __version__,
        "resumed": outcome.resumed,
        "original_sha256": release.original.sha256,
    }


def local_time() -> datetime:
    """Now, with the zone of this machine."""
    return datetime.now().astimezone()


def run_record(
    release: Release,
    evidence: Evidence,
    command: str = "",
    published_sha256: str = "",
    clock: Clock = local_time,
) -> dict[str, Any]:
    """The whole record: figures, the history of the search, the numbers of the report. Private."""
    return {
        **figures_of(release),
        "made_at": clock().isoformat(timespec="seconds"),
        "input": release.original.file or None,
        "published_sha256": published_sha256,
        "reading": None if release.original.reading is None else release.original.reading.to_dict(),
        "fingerprint": release.original.fingerprint,
        "labels_are": "numbers" if all(map(is_whole, release.original.labels)) else "text",
        "secret": release.secret.hex(),
        "kept_attributes": list(release.original.attributes.names),
        "protected_edges": edges_as_text(release.original, release.outcome.protected_edges),
        "command": command or release.command,
        "history": [asdict(progress) for progress in thinned(release.outcome.history, ROWS_OF_HISTORY)],
        "report": {
            **summarize(release.original, release.outcome, evidence, release.before, release.after),
            "remaining": remaining_record(release),
        },
    }


def remaining_record(release: Release) -> dict[str, Any]:
    """Who remains at risk, for the report: the riskiest by published number, and of all how many contacts.

    Without a label, for a report gets passed around: but for the first three ties as read, it names nobody.
    Where labels are published, `line` leads to the person.
    """
    remaining = [person for person in release.people if person.at_risk_after]
    contacts = [person.contacts for person in remaining]
    return {
        "people": len(remaining),
        "contacts": [min(contacts), max(contacts)] if contacts else None,
        "contacts_of_all": float(np.median(release.original.degrees)) if release.original.node_count else 0.0,
        "riskiest": [
            {
                "published": None if release.keep_labels else person.published,
                "line": line,
                "contacts": person.contacts,
                "state": person.state_after,
                "class_size": person.class_size_after,
                "attackers": person.attackers,
            }
            for line, person in enumerate(remaining[:REMAINING_SHOWN], start=2)
        ],
    }


def curve_record(release: Release) -> dict[str, Any]:
    """The solution of each point of the curve, by original labels as text. Private."""
    return {
        "fingerprint": release.original.fingerprint,
        "protected_edges": edges_as_text(release.original, release.outcome.protected_edges),
        "points": [
            {
                "budget": point.budget,
                "at_risk": point.at_risk,
                "deleted_edges": edges_as_text(release.original, point.deleted_edges),
            }
            for point in release.outcome.curve
        ],
    }


def edges_as_text(network: Network, edges: IntVector) -> list[list[str]]:
    """Edges by the labels of their ends as text, for a private record."""
    return [[str(source), str(target)] for source, target in network.edge_labels(edges)]


def _published_budget(release: Release, coarse: Coarseness) -> float:
    """The share that was asked for, which is a setting; of a number of edges an upper bound."""
    asked, budget = release.outcome.budget_asked, release.outcome.budget
    share = None if asked is None else parsed_number(asked, "budget", "give a share.")
    if share is not None and is_setting(share) and share >= coarse.least_share:
        return float(share)
    return coarse.bound_of(Fraction(budget, release.original.edge_count)) if budget else 0.0


def _published_attackers(outcome: Outcome) -> dict[str, Any]:
    """Whom the release was made against. Of a user's own measure only the name: its module is private."""
    attackers = outcome.attackers
    return {
        "measure": " + ".join(each.measure.name.rpartition(":")[2] for each in attackers.each),
        "distance": attackers.distance,
        **({} if attackers.fuzzy is None else {"fuzzy": float(attackers.fuzzy)}),
        **({"twins": True} if attackers.twins else {}),
    }


def _published_figures(comparison: Comparison, coarse: Coarseness) -> dict[str, dict[str, float | None]]:
    """Of each metric the figures before and after, or the similarity where it is one; no remarks.

    What depends on the original is coarse: a figure before, and any figure of the two networks together.
    """
    return {
        name: _published_figure(name, finding, coarse)
        for name, finding in comparison.metrics.items()
        if name != "edges"
    }


def _published_figure(name: str, finding: Finding, coarse: Coarseness) -> dict[str, float | None]:
    if isinstance(METRICS[name], Property):
        before = coarse.tell(finding.before, finding.after)
        told = {"before": before.figure, "after": finding.after, "within": before.within}
        # That of the release alone: whoever has it can estimate the figure as well.
        error = finding.standard_error.get("after")
        return told if error is None else {**told, "standard_error": float(f"{error:.2g}")}
    of_both = coarse.tell_of_both(
        finding.after, finding.before
    )  # before is what two equal networks would have
    if finding.is_similarity:
        return {"score": of_both.figure, "within": of_both.within}
    return {"before": finding.before, "after": of_both.figure, "within": of_both.within}
