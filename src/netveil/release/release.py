"""A release: the anonymized network and two records of it, one to publish and one to keep.

Whoever holds the private record can undo the anonymization, so the two are never mixed: `network`
and `about` are all that a published folder may hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from netveil._version import __version__
from netveil.anonymity import MEASURES, Attacker, anonymity_of
from netveil.auditing import Audit, audit
from netveil.errors import SettingError
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.report import Report, render, summarize, thinned
from netveil.search import CurvePoint, Outcome
from netveil.search.budget import budget_in_edges
from netveil.search.limits import limits_kept, parsed
from netveil.utility import Comparison, compare

ROWS_OF_HISTORY = 1000  # of a long search, in its record


@dataclass(frozen=True, eq=False)
class Release:
    """An anonymized network with how it was made; `netveil.save` writes its folder."""

    original: Network
    outcome: Outcome
    keep_labels: bool = False
    given_as: Literal["network", "networkx", "igraph"] = "network"

    @property
    def graph(self) -> Any:
        """The network to publish, as the kind of graph that was given to `anonymize`."""
        if self.given_as == "networkx":
            return self.network.to_networkx()
        return self.network.to_igraph() if self.given_as == "igraph" else self.network

    @cached_property
    def remaining(self) -> Network:
        """The original less the deleted edges, with the original labels: private."""
        return self.original.without_edges(self.outcome.deleted_edges)

    @cached_property
    def network(self) -> Network:
        """The network to publish: fresh labels 0..n-1 in random order, unless labels were to be kept."""
        if self.keep_labels:
            return replace(self.remaining, name="network")
        return replace(self.remaining.relabelled(self._new_numbers), name="network")

    @cached_property
    def _new_numbers(self) -> IntVector:
        """The published number of each node.

        Drawn from the seed, the original and the deletions together: a seed such as 1 is soon guessed, and
        would give the order of the original away if it alone decided; and two releases of one network must
        not have the same numbers, or their edges could be laid on each other.
        """
        digest = hashlib.sha256(str(self.outcome.seed).encode())
        digest.update(fingerprint(self.original).encode())
        digest.update("\0".join(map(str, self.original.labels)).encode())
        digest.update(np.ascontiguousarray(self.outcome.deleted_edges, dtype="<i8").tobytes())
        rng = np.random.default_rng(np.frombuffer(digest.digest(), dtype=np.uint32))
        return rng.permutation(self.original.node_count)

    @cached_property
    def each_alone(self) -> list[tuple[Attacker, int, int]]:
        """Each attacker, and nodes at risk to her alone, before and after."""
        outcome = self.outcome
        if len(outcome.attackers) == 1:
            return [(outcome.attackers[0], outcome.at_risk_before, outcome.at_risk_after)]
        before, after = (
            [alone.at_risk for alone in anonymity_of(network, outcome.attackers, outcome.k).each]
            for network in (self.original, self.remaining)
        )
        return list(zip(outcome.attackers, before, after, strict=True))

    @property
    def labels(self) -> dict[Hashable, Hashable]:
        """Original label → published label: private."""
        published = self.network.labels if self.keep_labels else self._new_numbers.tolist()
        return dict(zip(self.original.labels, published, strict=True))

    @property
    def deleted_edges(self) -> list[tuple[Hashable, Hashable]]:
        """The deleted edges, by original labels: private."""
        return self.original.edge_labels(self.outcome.deleted_edges)

    def at(self, budget: str | int | float) -> Release:
        """The release of one point of the curve: that of the largest budget not above this one.

        For releases that were made with `curve=True`; `budget` is '1%', 0.01 or a number of edges.

        >>> import netveil as nv
        >>> release = nv.anonymize(nv.load("karate"), "10%", seed=1, curve=True)
        >>> release.at("3%")
        Release('karate', 15 → 9 at risk, 2 of 78 edges deleted)
        """
        edges, points = budget_in_edges(budget, self.original.edge_count), self.outcome.curve
        if not points:
            raise SettingError(
                "this release has no curve; search with a curve, within a budget of an edge or more, "
                "for a network with people at risk."
            )
        reached = [point for point in points if point.budget <= edges]
        if not reached:
            raise SettingError(
                f"budget {budget} is less than the first point of the curve; give {points[0].budget:,} edges "
                f"({_share(points[0].budget, self.original.edge_count):.2%}) or more."
            )
        return replace(self, outcome=outcome_at(reached[-1], self.original, self.outcome))

    def about(self, comparison: Comparison | None = None) -> dict[str, Any]:
        """The figures that may be published; those of utility as far as the two networks were compared."""
        outcome, nodes, edges = self.outcome, self.original.node_count, self.original.edge_count
        return {
            "netveil": __version__,
            **_published_attackers(outcome),
            "k": outcome.k,
            "budget_share": _share(outcome.budget, edges),
            "anonymity": {
                "nodes": nodes,
                "at_risk_before": outcome.at_risk_before,
                "at_risk_after": outcome.at_risk_after,
                "unique_before": outcome.unique_before,
                "unique_after": outcome.unique_after,
            },
            "utility": {
                "edges_published": edges - len(outcome.deleted_edges),
                "edges_deleted": _share(len(outcome.deleted_edges), edges),
                **({} if comparison is None else _published_figures(comparison)),
            },
        }

    def figures(self) -> dict[str, Any]:
        """The document of the contract, with seed and settings. Private."""
        outcome = self.outcome
        return {
            "network": self.original.name,
            "nodes": self.original.node_count,
            "edges": self.original.edge_count,
            "dropped": asdict(self.original.dropped),
            "measure": outcome.measure,
            "distance": outcome.distance,
            "k": outcome.k,
            "attackers": [
                {**attacker.to_dict(), "at_risk_before": before, "at_risk_after": after}
                for attacker, before, after in self.each_alone
            ],
            "algorithm": outcome.algorithm,
            "settings": outcome.settings,
            "seed": outcome.seed,
            "budget": outcome.budget,
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
            "keep": [asdict(limit) for limit in outcome.limits],
            "protected": len(outcome.protected_edges),
            "target": outcome.target,
            "enough": outcome.enough,
            "reached": None if outcome.target is None else outcome.at_risk_after <= outcome.enough,
            "curve": [
                {
                    "budget": point.budget,
                    "share": _share(point.budget, self.original.edge_count),
                    "deleted": len(point.deleted_edges),
                    "at_risk": point.at_risk,
                }
                for point in outcome.curve
            ],
            "keep_labels": self.keep_labels,
            "version": __version__,
            "resumed": outcome.resumed,
            "original_sha256": self.original.sha256,
        }

    def run(
        self,
        comparison: Comparison | None = None,
        audit: Audit | None = None,
        command: str = "",
        published_sha256: str = "",
    ) -> dict[str, Any]:
        """The whole record: figures, the history of the search, the numbers of the report. Private."""
        report = summarize(self.original, self.outcome, comparison)
        return {
            **self.figures(),
            "published_sha256": published_sha256,
            "command": command,
            "history": [asdict(progress) for progress in thinned(self.outcome.history, ROWS_OF_HISTORY)],
            "report": {**report, "audit": None if audit is None else audit.to_dict()},
        }

    def solutions(self) -> dict[str, Any]:
        """The solution of each point of the curve, by original labels as text. Private."""
        return {
            "fingerprint": fingerprint(self.original),
            "protected_edges": self._as_text(self.outcome.protected_edges),
            "points": [
                {
                    "budget": point.budget,
                    "at_risk": point.at_risk,
                    "deleted_edges": self._as_text(point.deleted_edges),
                }
                for point in self.outcome.curve
            ],
        }

    def _as_text(self, edges: IntVector) -> list[list[str]]:
        return [[str(source), str(target)] for source, target in self.original.edge_labels(edges)]

    def audited(self) -> Audit:
        """What an attacker who knows the original could still find in the published network. Private."""
        against = [each for each in self.outcome.attackers if each.measure.name in MEASURES]
        return audit(self.original, self.network, labels=self.labels, also=against)

    def report(self, utility: bool = True, audit: bool = True) -> Report:
        """The report, as `netveil.save` writes it: with what the deletion cost and what attackers could do.

        Either can be left out, which saves seconds on thousands of nodes.
        """
        comparison = compare(self.original, self.remaining) if utility else None
        return Report(render(self.run(comparison, self.audited() if audit else None)))

    def __repr__(self) -> str:
        outcome = self.outcome
        return (
            f"Release({self.original.name!r}, {outcome.at_risk_before:,} → {outcome.at_risk_after:,} at risk"
            f", {len(outcome.deleted_edges):,} of {self.original.edge_count:,} edges deleted)"
        )


def outcome_at(point: CurvePoint, original: Network, whole: Outcome) -> Outcome:
    """What a search would have told had it ended at this point of its curve, recounted from scratch."""
    remaining = original.without_edges(point.deleted_edges)
    before, after = (anonymity_of(network, whole.attackers, whole.k) for network in (original, remaining))
    on_the_way = [row for row in whole.history if row.deleted <= point.budget and row.at_risk > after.at_risk]
    end = {"objective": after.at_risk, "at_risk": after.at_risk, "deleted": len(point.deleted_edges)}
    return replace(
        whole,
        budget=point.budget,
        deleted_edges=point.deleted_edges,
        at_risk_before=before.at_risk,
        at_risk_after=after.at_risk,
        unique_before=before.unique,
        unique_after=after.unique,
        objective=after.at_risk,
        limits=limits_kept(parsed({limit.name: limit.share for limit in whole.limits}), original, remaining),
        history=(*on_the_way, *(replace(row, **end) for row in on_the_way[-1:])),
    )


def fingerprint(network: Network) -> str:
    """SHA-256 of a network's edges by node number: tells whether two networks are the same, labels apart."""
    digest = hashlib.sha256(str(network.node_count).encode())
    digest.update(np.ascontiguousarray(network.edges, dtype="<i8").tobytes())
    return digest.hexdigest()


def _published_attackers(outcome: Outcome) -> dict[str, Any]:
    """Whom the release was made against. Of a user's own measure only the name: its module is private."""
    first = outcome.attackers[0]
    return {
        "measure": " + ".join(each.measure.name.rpartition(":")[2] for each in outcome.attackers),
        "distance": outcome.distance,
        **({} if first.fuzzy is None else {"fuzzy": float(first.fuzzy)}),
        **({"twins": True} if first.twins else {}),
    }


def _published_figures(comparison: Comparison) -> dict[str, dict[str, float | None]]:
    """Of each metric the figures before and after, and the similarity where it is one; no remarks."""
    return {
        name: {"score": finding.score}
        if finding.is_similarity
        else {"before": finding.before, "after": finding.after}
        for name, finding in comparison.metrics.items()
        if name != "edges"
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0
