"""What a search has found, kept beside the release to come for whoever goes on from it.

.NAME.unfinished/best.json, 0600 in a folder 0700:
    fingerprint, at_risk, deleted_edges   the best so far: edges by their numbers in the network
    asked, outcome, protected, curve,     at the end of a search: what was asked, and all that came of it
    secret
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from netveil._version import __version__
from netveil.anonymity import anonymity_of
from netveil.errors import NetveilError
from netveil.files.json_records import DamagedRecordError, any_record, anything, read_record, text, whole
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.recorded import DAMAGE, recorded_outcome, recorded_secret
from netveil.release.records import ROWS_OF_HISTORY, figures_of
from netveil.release.release import Release
from netveil.report import thinned
from netveil.search import CurvePoint, Outcome, Request

BEST = "best.json"
SAME_AS_RELEASED = ("algorithm", "measure", "k", "seed", "budget", "deleted", "at_risk_after")
"""What a kept outcome and the record of a release have in common if they are of the same search."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What was kept of a search."""

    fingerprint: str  # of the network that it is about
    deleted_edges: IntVector  # of the best so far
    at_risk: int
    record: Mapping[str, Any]

    @property
    def is_of_the_end(self) -> bool:
        """Whether the search had come to its end, be it by Ctrl-C."""
        return "outcome" in self.record


def best_record(network: Network, deleted_edges: IntVector, at_risk: int) -> dict[str, Any]:
    """The record of the best so far."""
    edges = deleted_edges.tolist()
    return {"fingerprint": network.fingerprint, "at_risk": at_risk, "deleted_edges": edges}


def found_record(release: Release, asked: str) -> dict[str, Any]:
    """The record of a search that has come to its end."""
    outcome = release.outcome
    return {
        **best_record(release.original, outcome.deleted_edges, outcome.at_risk_after),
        "asked": asked,
        "outcome": {
            **figures_of(release),
            "history": [asdict(row) for row in thinned(outcome.history, ROWS_OF_HISTORY)],
        },
        "protected": outcome.protected_edges.tolist(),
        "secret": release.secret.hex(),
        "curve": [
            {"budget": point.budget, "at_risk": point.at_risk, "deleted_edges": point.deleted_edges.tolist()}
            for point in outcome.curve
        ],
    }


def read_kept(file: Path) -> Kept:
    """What was kept. OSError if there is nothing; DamagedRecordError if it is not what netveil wrote."""
    numbers = [whole()]
    found = read_record(file, {"fingerprint": text, "at_risk": whole(), "deleted_edges": numbers})
    if "outcome" in found:
        points = [{"budget": whole(), "at_risk": whole(), "deleted_edges": numbers}]
        rest = {"asked": text, "outcome": any_record, "protected": numbers, "curve": points}
        read_record(file, {**rest, "fingerprint": anything})
    edges = np.array(found["deleted_edges"], dtype=np.int64)
    if len(np.unique(edges)) < len(edges):
        raise DamagedRecordError("deleted_edges names an edge twice")
    return Kept(found["fingerprint"], edges, found["at_risk"], found)


def check_of(kept: Kept, network: Network) -> None:
    """DamagedRecordError if what was kept cannot be about this network, though it says so."""
    if kept.at_risk > network.node_count:
        raise DamagedRecordError("at_risk is more than there are people")
    points = [point["deleted_edges"] for point in kept.record.get("curve", ())]
    for edges in (kept.deleted_edges.tolist(), kept.record.get("protected", []), *points):
        if edges and max(edges) >= network.edge_count:
            raise DamagedRecordError("it names edges that the network does not have")


def release_kept(kept: Kept, network: Network, request: Request) -> Release | None:
    """The release that a search found for this very request, if it had ended by itself; recounted."""
    if not kept.is_of_the_end or kept.record["asked"] != asked_of(request):
        return None
    try:
        outcome = recorded_outcome(
            kept.record["outcome"],
            {each.measure.name: each.measure for each in request.attackers.each},
            deleted_edges=kept.deleted_edges,
            protected_edges=np.array(kept.record["protected"], dtype=np.int64),
            curve=tuple(map(_point, kept.record["curve"])),
        )
        _check_count(outcome, network)
        release = Release(network, outcome, secret=recorded_secret(kept.record))
    except DamagedRecordError:
        raise
    except (*DAMAGE, NetveilError):
        raise DamagedRecordError("outcome is not that of a search") from None
    return None if outcome.stopped_by == "interrupted" else release


def _check_count(outcome: Outcome, network: Network) -> None:
    """DamagedRecordError if an outcome says something else than a recount."""
    counted = [
        anonymity_of(each, outcome.attackers.each, outcome.k)
        for each in (network, network.without_edges(outcome.deleted_edges))
    ]
    told = [
        (outcome.at_risk_before, outcome.unique_before),
        (outcome.at_risk_after, outcome.unique_after),
    ]
    if len(outcome.deleted_edges) > outcome.budget or told != [(one.at_risk, one.unique) for one in counted]:
        raise DamagedRecordError("outcome does not agree with a recount")


def _point(row: Mapping[str, Any]) -> CurvePoint:
    return CurvePoint(row["budget"], np.array(row["deleted_edges"], dtype=np.int64), row["at_risk"])


def asked_of(request: Request) -> str:
    """What tells requests apart: the same one gives the same text, for all that decides what is found."""
    asked = {
        "attackers": [each.to_dict() for each in request.attackers.each],
        "k": request.attackers.k,
        "budget": str(request.budget),
        "target": str(request.target),
        "algorithm": request.algorithm,
        "config": _content(request.config),
        "settings": {name: str(value) for name, value in request.settings.items()},
        "seed": request.seed,
        "time": request.time,
        "effort": request.effort,
        "keep": {name: str(share) for name, share in request.keep.items()},
        "protect": _content(request.protect),
        "curve": request.curve,
        "version": __version__,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _content(given: object) -> str:
    """What a file holds, or the name that it is given by; of anything else, nothing equals it."""
    if given is None:
        return ""
    if not isinstance(given, (str, os.PathLike)):
        return secrets.token_hex(16)
    try:
        return hashlib.sha256(Path(given).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return str(given)


def is_released(kept: Kept, run: Mapping[str, Any]) -> bool:
    """Whether the release with this record came of the search that was kept: then nothing is left to keep."""
    if not kept.is_of_the_end or run.get("fingerprint") != kept.fingerprint:
        return False
    return all(kept.record["outcome"].get(name) == run.get(name) for name in SAME_AS_RELEASED)
