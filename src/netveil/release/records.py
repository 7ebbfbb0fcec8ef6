"""Records of a release: one to publish, the others private.

Whoever holds a private record can undo the anonymization, so the two are never mixed.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from netveil._version import __version__
from netveil.anonymity import Attackers, Measure, recorded_attackers
from netveil.anonymity.known import singled_out_by
from netveil.errors import FileError, SettingError, is_whole, option
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.files.read_write import check_plain
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network, losses
from netveil.release.decision import decide, decision_record, facts_of_deletion
from netveil.report import Evidence, summarize, thinned
from netveil.search import LIMITS, CurvePoint, LimitKept, Outcome
from netveil.search.budget import parsed_budget
from netveil.utility import METRICS, Comparison
from netveil.utility.metric import Finding, Property

if TYPE_CHECKING:
    from netveil.release.release import Release


# Fresh numbers for people: a permutation that tells nothing about itself to whoever lacks its key.


BYTES_OF_SECRET = 32
DRAWS_IN_BLOCK = 4  # of 64 bits each, in the 256 that HMAC-SHA-256 gives


def new_secret() -> bytes:
    """Random bytes that nobody can guess, for the numbers of one release."""
    return secrets.token_bytes(BYTES_OF_SECRET)


def keyed_permutation(key: bytes, length: int) -> IntVector:
    """The numbers 0 to length - 1 in an order that the key decides.

    HMAC-SHA-256 under the key gives each place 64 bits, and places are ranked by them. Generators for
    simulations, such as PCG64, are not made for secrets: some of their draws tell the others.

    >>> keyed_permutation(b"a key", 5).tolist()
    [2, 1, 0, 4, 3]
    """
    blocks = range(-(-length // DRAWS_IN_BLOCK))
    stream = b"".join(hmac.digest(key, block.to_bytes(8, "big"), "sha256") for block in blocks)
    draws = np.frombuffer(stream, dtype=">u8")[:length]
    numbers = np.empty(length, dtype=np.int64)
    numbers[np.argsort(draws, kind="stable")] = np.arange(length)
    return numbers


# What a release tells of its original: no figure of it but the number of people, and bounds on two shares.
# Whoever holds the published network can add ties to it until an exact figure of the original comes out.


RUNGS = tuple(Fraction(each, 100) for each in (1, 2, 5, 10, 20, 50, 100))
NUMBERS_ON_A_RUNG = 3  # so many numbers of deletions fit below each rung, at least


def share_bound(part: int, edges: int, published: int) -> float:
    """Upper bound on `part` as a share of the original's `edges`, given how many are published; 0 for none.

    One of a few rungs, each of which is the bound of several numbers of deletions.

    >>> share_bound(3, 78, 75), share_bound(1, 76, 75), share_bound(1, 16_654, 16_653)
    (0.05, 0.05, 0.01)
    """
    least = Fraction(NUMBERS_ON_A_RUNG, published + NUMBERS_ON_A_RUNG)
    return float(next(rung for rung in RUNGS if rung >= max(Fraction(part, edges), least))) if part else 0.0


ROWS_OF_HISTORY = 1000  # of a long search, in its record
REMAINING_SHOWN = 20  # people still at risk whom the report lists

Clock = Callable[[], datetime]
"""Tells what time it is, with its zone."""


def public_record(release: Release, comparison: Comparison | None) -> dict[str, Any]:
    """The figures that may be published; those of utility as far as the two networks were compared.

    All are of the published network, so that anybody can compute them, but for bounds on two shares.
    """
    outcome, edges = release.outcome, release.original.edge_count
    published = edges - len(outcome.deleted_edges)
    return {
        "netveil": __version__,
        "kind": "deletion",
        **_published_attackers(outcome),
        "k": outcome.k,
        "budget_share": share_bound(outcome.budget, edges, published),
        "anonymity": {
            "nodes": release.original.node_count,
            "at_risk_after": outcome.at_risk_after,
            "unique_after": outcome.unique_after,
        },
        "utility": {
            "edges_published": published,
            "edges_deleted": share_bound(edges - published, edges, published),
            **({} if comparison is None else published_figures(comparison.metrics)),
        },
    }


RECORDED_APART = {"attackers", "deleted_edges", "protected_edges", "curve", "limits", "asked"}
"""Fields of an Outcome that its record holds in another form; it has all others under the same name."""


def plain_fields() -> dict[str, Any]:
    """Fields of an Outcome that its record holds as they are, with their types."""
    types = get_type_hints(Outcome)
    return {name: kind for name, kind in types.items() if name not in RECORDED_APART}


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
        "known_attributes": list(outcome.attackers.known),
        "attackers": [
            {**attacker.to_dict(), "at_risk_before": before, "at_risk_after": after}
            for attacker, before, after in release.each_alone
        ],
        **{name: getattr(outcome, name) for name in plain_fields() if name != "history"},
        "deleted": len(outcome.deleted_edges),
        "seconds": round(outcome.seconds, 3),
        "keep": [asdict(limit) for limit in outcome.limits],
        "protected": len(outcome.protected_edges),
        "reached": None if outcome.target is None else outcome.at_risk_after <= outcome.enough,
        "curve": [dict(row) for row in release.curve.rows],
        "keep_labels": release.keep_labels,
        "version": __version__,
        "original_sha256": release.original.sha256,
        "asked": dict(outcome.asked),
    }


def local_time() -> datetime:
    """Now, with the zone of this machine."""
    return datetime.now().astimezone()


def network_sha256(published: Mapping[str, str] | None) -> list[str]:
    """SHA-256 of the published networks among published files; empty where nothing was written."""
    networks = [name for name in published or {} if name.startswith("network")]
    ordered = sorted(networks, key=lambda name: (len(Path(name).stem), name))
    return [(published or {})[name] for name in ordered] or [""]


def run_record(
    release: Release,
    evidence: Evidence,
    command: str = "",
    published: Mapping[str, str] | None = None,
    clock: Clock = local_time,
) -> dict[str, Any]:
    """The whole record: figures, verdict, the history of the search, the numbers of the report. Private."""
    figures, made_at = figures_of(release), clock()
    decided = evidence.decided or decide(figures, facts_of_deletion(release, evidence), None, None)
    return {
        **figures,
        **decided.to_dict(),
        "decision": decision_record(decided, made_at),
        "made_at": made_at.isoformat(timespec="seconds"),
        "input": release.original.file or None,
        "published_sha256": network_sha256(published)[0],
        "published_files": dict(published or {}),
        "reading": None if release.original.reading is None else release.original.reading.to_dict(),
        "lost": list(losses(release.original)),
        "fingerprint": release.original.fingerprint,
        "fingerprint_by_labels": release.original.fingerprint_by_labels,
        "labels_are": "numbers" if all(map(is_whole, release.original.labels)) else "text",
        "secret": release.secret.hex(),
        "kept_attributes": list(release.original.attributes.names),
        "protected_edges": edges_as_text(release.original, release.outcome.protected_edges),
        "command": command or release.command,
        **_by_attributes(release),
        "history": [asdict(progress) for progress in thinned(release.outcome.history, ROWS_OF_HISTORY)],
        "report": {
            **summarize(release.original, release.outcome, evidence, release.before, release.after),
            "remaining": remaining_record(release),
        },
    }


def _by_attributes(release: Release) -> dict[str, Any]:
    """What attributes alone, structure alone and both single out in the release, if attributes are known."""
    attackers = release.outcome.attackers
    if not attackers.known:
        return {}
    return {"singled_out_by": singled_out_by(release.remaining, attackers.each, release.outcome.k)}


def remaining_record(release: Release) -> dict[str, Any]:
    """Record of people who remain at risk: the riskiest by published number, and contacts of all.

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


def _published_attackers(outcome: Outcome) -> dict[str, Any]:
    """Attackers as published: of a user's own measure only the name, as its module is private."""
    attackers = outcome.attackers
    return {
        "measure": " + ".join(each.measure.name.rpartition(":")[2] for each in attackers.each),
        "distance": attackers.distance,
        **({} if attackers.fuzzy is None else {"fuzzy": float(attackers.fuzzy)}),
        **({"twins": True} if attackers.twins else {}),
    }


def published_figures(metrics: Mapping[str, Finding]) -> dict[str, dict[str, float | None]]:
    """The figure after deletion of each metric of one network, with its standard error if it is sampled."""
    errors = {name: each.standard_error.get("after") for name, each in metrics.items()}
    rounded = {
        name: {"standard_error": float(f"{error:.2g}")} for name, error in errors.items() if error is not None
    }
    return {
        name: {"after": finding.after, **rounded.get(name, {})}
        for name, finding in metrics.items()
        if isinstance(METRICS[name], Property) and name != "edges"
    }


# The outcome of a search, from what a folder keeps of it: for whoever takes a release up again.


DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions that reading a damaged record raises."""


class UnknownEdgeError(Exception):
    """A label or an edge that the network does not have."""


class EdgesByLabel:
    """The numbers of a network's edges by their labels as text."""

    def __init__(self, network: Network) -> None:
        self._number = {
            (str(source), str(target)): number for number, (source, target) in enumerate(network.to_edges())
        }
        self._ambiguous = len(self._number) < network.edge_count

    def numbers(self, pairs: Iterable[Sequence[str]]) -> IntVector:
        """Numbers of edges, ascending, each once."""
        wanted = [(source, target) for source, target in pairs]
        if self._ambiguous or any(pair not in self._number for pair in wanted):
            raise UnknownEdgeError
        return np.unique(np.array([self._number[pair] for pair in wanted], dtype=np.int64))


def recorded_outcome(
    run: Mapping[str, Any],
    own: Mapping[str, Measure],
    *,
    deleted_edges: IntVector,
    protected_edges: IntVector,
    curve: tuple[CurvePoint, ...],
) -> Outcome:
    """The outcome that a run wrote down; raises one of DAMAGE if the record does not hold it."""
    from msgspec import convert

    limits = convert(run["keep"], tuple[LimitKept, ...])
    plain = {name: convert(run[name], kind) for name, kind in plain_fields().items()}
    whole = plain["whole_budget"]
    numbers = [convert(run["k"], int), *(value for value in plain.values() if isinstance(value, int))]
    is_sound = min(numbers) >= 0 and (whole is None or whole >= plain["budget"])
    if not is_sound or any(limit.name not in LIMITS and ":" not in limit.name for limit in limits):
        raise ValueError
    try:
        if plain["budget_asked"] is not None and not parsed_budget(plain["budget_asked"])[0]:
            raise ValueError
        asked = Anonymization.from_document(run["asked"]).to_document()
    except SettingError:
        raise ValueError from None
    return Outcome(
        **plain,
        attackers=Attackers(recorded_attackers(run["attackers"], own), run["k"]),
        deleted_edges=deleted_edges,
        limits=limits,
        protected_edges=protected_edges,
        curve=curve,
        asked=asked,
    )


def recorded_secret(run: Mapping[str, Any]) -> bytes:
    """The secret that published numbers follow from."""
    secret = bytes.fromhex(run["secret"])
    if len(secret) != BYTES_OF_SECRET:
        raise ValueError
    return secret


def recorded_curve(record: Mapping[str, Any], edges: EdgesByLabel) -> tuple[CurvePoint, ...]:
    """The points of a curve that a folder keeps."""
    return tuple(
        CurvePoint(int(point["budget"]), edges.numbers(point["deleted_edges"]), int(point["at_risk"]))
        for point in record["points"]
    )


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The private record of a release folder; FileError if there is a link anywhere in the folder."""
    check_plain(folder)
    file = Path(folder) / "private" / "run.json"
    parts = {"history": list[dict[str, Any]], "report": dict[str, Any]}
    try:
        return read_record(file, parts, "the record of a run")
    except OSError:
        missing = f"{folder} is not a release: it has no private/run.json. Give a release folder."
        raise FileError(missing) from None
    except DamagedRecordError as damage:
        raise FileError(f"{file} is damaged: {damage}. Make the release again.") from None


def read_curve(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The record of the curve of a release folder."""
    file = Path(folder) / "private" / "curve.json"
    try:
        return read_record(file, {"points": list[dict[str, Any]]}, "the record of a curve")
    except OSError:
        missing = f"{folder} has no curve: there is no private/curve.json in it."
        raise FileError(f"{missing} Search for one with {option('curve', True)}.") from None
    except DamagedRecordError as damage:
        raise damaged_curve(folder, str(damage)) from None


def damaged_curve(folder: str | os.PathLike[str], why: str) -> FileError:
    """Error for a curve that is not what it should be."""
    file = Path(folder) / "private" / "curve.json"
    return FileError(f"{file} is damaged: {why}. Make the release again ({option('curve', True)}).")
