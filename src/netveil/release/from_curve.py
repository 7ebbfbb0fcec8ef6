"""From the curve that a release folder keeps to the release of one of its points, without a new search."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from netveil.anonymity import Measure
from netveil.errors import NetworkError, SettingError, option
from netveil.files.labels import check_labels
from netveil.network import Network
from netveil.release.recorded import (
    DAMAGE,
    EdgesByLabel,
    UnknownEdgeError,
    damaged_curve,
    read_curve,
    read_run,
    recorded_curve,
    recorded_outcome,
    recorded_secret,
)
from netveil.release.release import Release
from netveil.search.budget import budget_in_edges
from netveil.search.limits.limit import LimitBroken


def release_from_curve(
    network: Network,
    folder: str | os.PathLike[str],
    budget: str | int | float,
    asked: Mapping[str, Any],
    own: Mapping[str, Measure],
) -> Release:
    """The release of a point of the curve in a release folder, as `Release.at` gives it.

    `asked` holds those of measure, distance and k that the caller asked for: the curve must be about them.
    `own` has the measures that are the caller's own, by name: they need not be found anywhere else.
    """
    check_labels(network)
    run, record = read_run(folder), read_curve(folder)
    for name, wanted in asked.items():
        if wanted != run.get(name):
            raise SettingError(
                f"{name} {wanted}: the curve of {folder} is for {name} {run.get(name)}; leave {name} out, or "
                f"search anew ({option('curve', True)})."
            )
    if record.get("fingerprint") != network.fingerprint:
        raise _other_network(folder)
    budget_in_edges(budget, network.edge_count)  # a mistake in it is the user's, not one in the record
    try:
        edges = EdgesByLabel(network)
        curve = recorded_curve(record, edges)
        whole = recorded_outcome(
            run,
            own,
            deleted_edges=curve[-1].deleted_edges,
            protected_edges=edges.numbers(record["protected_edges"]),
            curve=curve,
        )
        points = {point.budget: point for point in curve}
        if any(len(point.deleted_edges) > point.budget for point in curve):
            raise ValueError
        release = Release(network, whole, secret=recorded_secret(run)).at(budget)
        if points[release.outcome.budget].at_risk != release.outcome.at_risk_after:
            raise ValueError
    except UnknownEdgeError:
        raise _other_network(folder) from None
    except (*DAMAGE, LimitBroken):
        raise damaged_curve(folder, "it does not hold what its record tells") from None
    return release


def _other_network(folder: str | os.PathLike[str]) -> NetworkError:
    return NetworkError(
        f"the curve of {folder} is about another network. Give that network, or search anew "
        f"({option('curve', True)})."
    )
