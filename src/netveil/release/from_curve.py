"""From the curve that a release folder keeps to the release of one of its points, without a new search."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers, Measure, recorded_attackers
from netveil.errors import FileError, NetworkError, SettingError, option
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.folder import read_run
from netveil.release.release import Release
from netveil.search import CurvePoint, LimitKept, Outcome, Progress
from netveil.search.budget import budget_in_edges
from netveil.search.limits.limit import LimitBroken

# Of the record of a run, what an Outcome holds under the same name.
SAME_NAME = (
    *("algorithm", "settings", "seed", "budget"),
    *("at_risk_before", "at_risk_after", "unique_before", "unique_after", "objective"),
    *("evaluations", "generations", "seconds", "stopped_by", "resumed", "target", "enough"),
)


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
    run, record = read_run(folder), _read_curve(folder)
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
        whole = _outcome(network, run, record, own)
        points = {point.budget: point for point in whole.curve}
        if any(len(point.deleted_edges) > point.budget for point in whole.curve):
            raise ValueError
        release = Release(network, whole).at(budget)
        if points[release.outcome.budget].at_risk != release.outcome.at_risk_after:
            raise ValueError
    except _UnknownEdgeError:
        raise _other_network(folder) from None
    except (LookupError, TypeError, ValueError, AttributeError, LimitBroken):
        raise _damaged(folder, "it does not hold what its record tells") from None
    return release


class _UnknownEdgeError(Exception):
    """A label or an edge that the network does not have."""


def _read_curve(folder: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        record = json.loads((Path(folder) / "private" / "curve.json").read_text(encoding="utf-8"))
    except OSError:
        raise FileError(
            f"{folder} has no curve: there is no private/curve.json in it. Search for one "
            f"with {option('curve', True)}."
        ) from None
    except ValueError:
        raise _damaged(folder, "it is not JSON") from None
    if not isinstance(record, dict):
        raise _damaged(folder, "it is not the record of a curve")
    return record


def _outcome(
    network: Network, run: Mapping[str, Any], record: Mapping[str, Any], own: Mapping[str, Measure]
) -> Outcome:
    """The outcome of the search that found the curve, from its two records."""
    edges = _Edges(network)
    points = tuple(
        CurvePoint(int(point["budget"]), edges.numbers(point["deleted_edges"]), int(point["at_risk"]))
        for point in record["points"]
    )
    return Outcome(
        **{name: run[name] for name in SAME_NAME},
        attackers=Attackers(recorded_attackers(run["attackers"], own), run["k"]),
        deleted_edges=points[-1].deleted_edges,
        limits=tuple(LimitKept(**limit) for limit in run["keep"]),
        protected_edges=edges.numbers(record["protected_edges"]),
        curve=points,
        history=tuple(Progress(**row) for row in run["history"]),
    )


class _Edges:
    """The numbers of a network's edges by their labels as text."""

    def __init__(self, network: Network) -> None:
        self.number = {
            (str(source), str(target)): number for number, (source, target) in enumerate(network.to_edges())
        }
        self.ambiguous = len(self.number) < network.edge_count

    def numbers(self, pairs: list[list[str]]) -> IntVector:
        """Ascending, each once."""
        if self.ambiguous or any((source, target) not in self.number for source, target in pairs):
            raise _UnknownEdgeError
        return np.unique(np.array([self.number[source, target] for source, target in pairs], dtype=np.int64))


def _other_network(folder: str | os.PathLike[str]) -> NetworkError:
    return NetworkError(
        f"the curve of {folder} is about another network. Give that network, or search anew "
        f"({option('curve', True)})."
    )


def _damaged(folder: str | os.PathLike[str], why: str) -> FileError:
    file = Path(folder) / "private" / "curve.json"
    return FileError(f"{file} is damaged: {why}. Make the release again ({option('curve', True)}).")
