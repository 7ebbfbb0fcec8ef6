"""Records that releases of both kinds share: what run.json says of each, and how it is read again.

Whoever holds a private record can undo the anonymization, so it is never mixed with the public one.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from netveil.anonymity import Attackers, Measure, recorded_attackers
from netveil.deciding import decide
from netveil.errors import FileError, is_whole
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.files.read_write import check_plain
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.report import Evidence
from netveil.search import CurvePoint, LimitKept, Outcome
from netveil.utility import METRICS
from netveil.utility.metric import Finding, Property

if TYPE_CHECKING:
    from netveil.release.release import Release
    from netveil.release.synthetic_release import SyntheticRelease

AGAIN = "Make the release again."


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

Clock = Callable[[], datetime]
"""Tells what time it is, with its zone."""


def local_time() -> datetime:
    """Now, with the zone of this machine."""
    return datetime.now().astimezone()


def published_figures(metrics: Mapping[str, Finding]) -> dict[str, dict[str, float | None]]:
    """The figure after deletion of each metric of one network, with its standard error if it is sampled."""
    figures: dict[str, dict[str, float | None]] = {}
    for name, finding in metrics.items():
        if isinstance(METRICS[name], Property) and name != "edges":
            error = finding.standard_error.get("after")
            rounded = {} if error is None else {"standard_error": float(f"{error:.2g}")}
            figures[name] = {"after": finding.after, **rounded}
    return figures


def record_of_original(network: Network) -> dict[str, Any]:
    """What run.json tells of the original, whatever becomes of it. Private."""
    return {
        "input": network.file or None,
        "original_sha256": network.sha256,
        "reading": None if network.reading is None else network.reading.to_dict(),
        "fingerprint": network.fingerprint,
        "fingerprint_by_labels": network.fingerprint_by_labels,
    }


def run_record(
    release: Release | SyntheticRelease,
    evidence: Evidence,
    command: str = "",
    published: Mapping[str, str] | None = None,
    clock: Clock = local_time,
) -> dict[str, Any]:
    """The whole record of a release: figures, verdict, and what its report shows. Private.

    `published` has the SHA-256 of each published file, `command` is what made the release.
    """
    figures, made_at = release.figures(), clock()
    decided = evidence.decided if evidence.decided.verdict else decide(figures, release.facts(evidence))
    return {
        **figures,
        **release.of_original,
        **decided.to_dict(),
        "decision": decided.record(made_at),
        "made_at": made_at.isoformat(timespec="seconds"),
        "published_files": dict(published or {}),
        "secret": release.secret.hex(),
        "labels_are": "numbers" if all(map(is_whole, release.labels)) else "text",
        "command": command or release.command,
        **release.private_record(evidence, published or {}),
    }


# From what a folder keeps back to the outcome of a search.


DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What is raised where a record does not hold what it should."""

RECORDED_APART = {"attackers", "deleted_edges", "protected_edges", "curve", "limits", "asked"}
"""Fields of an Outcome that its record holds in another form; it has all others under the same name."""


def plain_fields() -> dict[str, Any]:
    """Fields of an Outcome that its record holds as they are, with their types."""
    types = get_type_hints(Outcome)
    return {name: kind for name, kind in types.items() if name not in RECORDED_APART}


def edges_as_text(network: Network, edges: IntVector) -> list[list[str]]:
    """Edges by the labels of their ends as text, for a private record."""
    return [[str(source), str(target)] for source, target in network.edge_labels(edges)]


def edge_finder(network: Network) -> Callable[[Iterable[Sequence[str]]], IntVector]:
    """Function that tells the numbers of edges by the labels of their ends as text; KeyError for others."""
    number = {(str(source), str(target)): edge for edge, (source, target) in enumerate(network.to_edges())}
    return lambda pairs: np.array(sorted({number[one, other] for one, other in pairs}), dtype=np.int64)


def recorded_outcome(
    run: Mapping[str, Any],
    own: Mapping[str, Measure],
    edges: Callable[[Any], IntVector],
    deleted: Any,
    protected: Any,
    curve: Iterable[Mapping[str, Any]],
) -> Outcome:
    """The outcome that a run wrote down; raises one of DAMAGE if the record does not hold it.

    `edges` tells the numbers of recorded edges: deleted, protected, and those of points of a curve.
    """
    from msgspec import convert

    return Outcome(
        **{name: convert(run[name], kind) for name, kind in plain_fields().items()},
        attackers=Attackers(recorded_attackers(run["attackers"], own), convert(run["k"], int)),
        deleted_edges=edges(deleted),
        limits=convert(run["keep"], tuple[LimitKept, ...]),
        protected_edges=edges(protected),
        curve=tuple(
            CurvePoint(each["budget"], edges(each["deleted_edges"]), each["at_risk"]) for each in curve
        ),
        asked=Anonymization.from_document(run["asked"]).to_document(),
    )


def recorded_secret(run: Mapping[str, Any]) -> bytes:
    """The secret that published numbers follow from."""
    secret = bytes.fromhex(run["secret"])
    if len(secret) != BYTES_OF_SECRET:
        raise ValueError
    return secret


def content_digest(*content: object) -> str:
    """Digest of what decides a published network but for its numbers."""
    return hashlib.sha256(repr(content).encode()).hexdigest()


def record_in(file: Path) -> dict[str, Any]:
    """What a JSON file holds; empty where there is none, or none that can be read."""
    import msgspec

    with suppress(OSError, ValueError, RecursionError):
        if file.is_file():  # reading a pipe may never end
            return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    return {}


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The private record of a release folder; FileError if there is a link anywhere in the folder."""
    check_plain(folder)
    shape = {"history": list[dict[str, Any]], "report": dict[str, Any]}
    missing = f"{folder} is not a release: it has no private/run.json. Give a release folder."
    is_public = any(os.path.isfile(Path(folder, part, "about.json")) for part in ("", "public"))  # noqa: PTH113
    if is_public and not os.path.isdir(Path(folder, "private")):  # noqa: PTH112  # Path.is_dir may raise
        missing = (
            f"{folder} is only the public part of a release, which does not tell the original and how the "
            f"release was made. Give the whole folder, or read the published network with nv.read."
        )
    return read_private(Path(folder, "private", "run.json"), shape, missing)


def read_private(file: Path, shape: dict[str, Any], missing: str) -> dict[str, Any]:
    """A private record of a release folder; FileError says that it is `missing`, or damaged."""
    try:
        return read_record(file, shape)
    except OSError:
        raise FileError(missing) from None
    except DamagedRecordError as damage:
        raise damaged(file, str(damage)) from None


def damaged(what: str | os.PathLike[str], why: str) -> FileError:
    """Error for a folder or file of a release that is not what netveil wrote."""
    return FileError(f"{what} is damaged: {why}. {AGAIN}")
