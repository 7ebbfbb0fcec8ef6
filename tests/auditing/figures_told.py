"""Releases and what their about.json says: with exact figures as it once had, and as it has now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import netveil as nv
from netveil.anonymity import anonymity_of
from netveil.network import Network
from netveil.release.records import public_record
from netveil.release.release import Release
from netveil.utility import METRICS, MetricSettings, Side, compare
from netveil.utility.metric import Property

KARATE, DEMO = nv.load("karate"), nv.load("demo")


def exact_record(original: Network, released: Network) -> dict[str, Any]:
    """What about.json held before its figures were coarse: all digits."""
    share = round(1 - released.edge_count / original.edge_count, 6)
    before, after = nv.measure(original), nv.measure(released)
    figures = {
        name: {
            "before": metric.value(Side(original, MetricSettings())),
            "after": metric.value(Side(released, MetricSettings())),
        }
        for name, metric in METRICS.items()
        if isinstance(metric, Property) and name != "edges"
    }
    return {
        "netveil": "0.1.0",
        "measure": "count",
        "distance": 1,
        "k": 2,
        "budget_share": share,
        "anonymity": {
            "nodes": original.node_count,
            "at_risk_before": before.at_risk,
            "at_risk_after": after.at_risk,
            "unique_before": before.unique,
            "unique_after": after.unique,
        },
        "utility": {"edges_published": released.edge_count, "edges_deleted": share, **figures},
    }


def random_release(network: Network, deletions: int, seed: int) -> Release:
    """A release from which random edges are deleted."""
    rng = np.random.default_rng(seed)
    deleted = np.sort(rng.choice(network.edge_count, deletions, replace=False))
    made = nv.anonymize(network, deletions, seed=1, algorithm="es")
    return with_original(replace(made, outcome=replace(made.outcome, deleted_edges=deleted)), network)


def with_original(release: Release, original: Network) -> Release:
    """A release of another original that becomes the same network: counted anew from scratch."""
    outcome, remaining = release.outcome, original.without_edges(release.outcome.deleted_edges)
    before, after = (anonymity_of(each, outcome.attackers.each, 2) for each in (original, remaining))
    counted = replace(
        outcome,
        at_risk_before=before.at_risk,
        unique_before=before.unique,
        at_risk_after=after.at_risk,
        unique_after=after.unique,
    )
    return Release(original, counted)


def record_of(release: Release) -> dict[str, Any]:
    """Its about.json with all figures."""
    return public_record(release, compare(release.original, release.remaining))


def numbers_of(network: Network, ties: np.ndarray[Any, Any]) -> list[int]:
    """The numbers of edges, which are given by their ends."""
    number = {tuple(edge): position for position, edge in enumerate(network.edges.tolist())}
    return sorted(number[tuple(sorted(tie))] for tie in ties.tolist())
