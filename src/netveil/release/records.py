"""What is written down about a release: one record to publish, the others private.

Whoever holds a private record can undo the anonymization, so the two are never mixed.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil._version import __version__
from netveil.anonymity import Attackers, Measure, recorded_attackers
from netveil.errors import FileError, SettingError, is_whole, option
from netveil.files.json_records import DamagedRecordError, any_record, read_record
from netveil.files.read_write import check_plain
from netveil.formatting import parsed_number
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.report import Evidence, summarize, thinned
from netveil.search import LIMITS, CurvePoint, LimitKept, Outcome, Progress
from netveil.search.budget import parsed_budget
from netveil.utility import METRICS, Comparison, Finding
from netveil.utility.metric import Property

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


# How coarsely a release may speak of its original: the one rule for all figures in about.json.
#
# Whoever holds the published network can add ties to it until a figure of the original comes out. So a
# figure of the original is only given to a step that depends on what is published anyway, and is about what
# twenty deletions change. It is the *released* figure, rounded to that step, wherever this is true of the
# original as well, to within a step: then nobody learns more than that. docs/decisions.md says why.


FINEST = Fraction(1, 20)  # of a figure's size: no step is smaller
DELETIONS_HIDDEN = 20  # a step is at least what so many deletions change, as a share of the edges
COARSEST = Fraction(1, 2)  # of a figure's size: beyond, a figure says nothing and is left out
TWICE = 2  # as coarse: people at risk, whom the search moves most, and similarities, which are partly chance
FINEST_WHOLE = 5  # a diameter or a number of components

LADDER = tuple(Fraction(each, 100) for each in (1, 2, 5, 10, 20, 50, 100))
NUMBERS_ON_A_RUNG = 3  # so many numbers of deletions fit below each step of the ladder, at least
MOST_DIGITS = 3


@dataclass(frozen=True)
class Told:
    """A figure as it is published, and how far the true one may be from it; None where it is left out."""

    figure: float | None
    within: float | None


LEFT_OUT = Told(None, None)


@dataclass(frozen=True)
class Coarseness:
    """How coarsely a release with so many published edges speaks of its original."""

    edges: int

    def share(self, times: int = 1) -> Fraction | None:
        """The step as a share of a figure's size; None if the network is too small to say anything."""
        if self.edges == 0:
            return None
        share = times * max(FINEST, Fraction(DELETIONS_HIDDEN, self.edges))
        return None if share > COARSEST else share

    def tell(self, hidden: float | None, known: float | None) -> Told:
        """A figure of the original; `known` is the same of the release.

        >>> Coarseness(15_849).tell(hidden=0.3535, known=0.3722)
        Told(figure=0.35, within=0.05)
        """
        return self._tell(hidden, known, self.share())

    def tell_of_both(self, hidden: float | None, if_equal: float | None) -> Told:
        """A figure of the two networks together, such as a similarity; `if_equal` is that of equal ones."""
        return self._tell(hidden, if_equal, self.share(TWICE))

    def _tell(self, hidden: float | None, known: float | None, share: Fraction | None) -> Told:
        if share is None or known is None:
            return LEFT_OUT
        step = step_above(share * max(Fraction(abs(known)), Fraction(1)))
        return _told(hidden, known, max(step, Decimal(FINEST_WHOLE)) if isinstance(known, int) else step)

    def tell_people(self, hidden: int, known: int, nodes: int) -> Told:
        """A number of people at risk in the original, of all its nodes."""
        share = self.share(TWICE)
        if share is None or nodes == 0:
            return LEFT_OUT
        step = step_above(share * nodes)
        return _told(hidden, known, max(step, Decimal(FINEST_WHOLE)))

    def bound(self, part: int) -> float:
        """An upper bound on deletions (or on a budget) as a share of the original's edges; 0 for none.

        >>> Coarseness(75).bound(3), Coarseness(75).bound(1), Coarseness(16_653).bound(1)
        (0.05, 0.05, 0.01)
        """
        if part == 0:
            return 0.0
        return self.bound_of(Fraction(part, self.edges + part))

    def bound_of(self, share: Fraction) -> float:
        """The lowest rung of the ladder that is not below a share and has room for several numbers."""
        return float(next(rung for rung in LADDER if rung >= max(share, self.least_share)))

    @property
    def least_share(self) -> Fraction:
        """The least share of the original's edges that is several numbers of them."""
        return Fraction(NUMBERS_ON_A_RUNG, self.edges + NUMBERS_ON_A_RUNG)


def step_above(size: Fraction) -> Decimal:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a positive number.

    >>> step_above(Fraction(3, 100)), step_above(Fraction(40)), step_above(Fraction(1, 2))
    (Decimal('0.05'), Decimal('5E+1'), Decimal('0.5'))
    """
    exponent = Decimal(size.numerator / size.denominator).adjusted() - 1
    while True:
        for digit in (1, 2, 5):
            step = Decimal(digit).scaleb(exponent)
            if Fraction(step) >= size:
                return step
        exponent += 1


def is_setting(share: Fraction) -> bool:
    """Whether a share has few enough digits to be what a user typed, and not made from a number of edges.

    >>> is_setting(Fraction("0.05")), is_setting(Fraction("12.5") / 100), is_setting(Fraction(3, 78))
    (True, True, False)
    """
    return share == Fraction(f"{float(share):.{MOST_DIGITS}g}")


def _told(hidden: float | None, known: float, step: Decimal) -> Told:
    """The known figure, rounded, if the hidden one is no more than a step from it; else that one, rounded.

    A hidden figure that does not exist is within any step: that it does not exist would tell, too.
    """
    published = _rounded(known, step)
    if hidden is not None and abs(Fraction(hidden) - Fraction(published)) > Fraction(step):
        step = max(step, step_above(FINEST * Fraction(abs(hidden)))) if hidden else step  # few digits
        published = _rounded(hidden, step)
    if published == 0 and known != 0:
        return LEFT_OUT  # no digit is left
    if isinstance(known, int):
        return Told(int(published), int(step))
    return Told(float(published), float(step))


def _rounded(value: float, step: Decimal) -> Decimal:
    """The nearest multiple of a step."""
    return (Decimal(value) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step + 0  # + 0: never -0


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
        "asked": dict(outcome.asked),
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


# The outcome of a search, from what a release folder keeps of it: for whoever takes a release up again.


WHOLE_NUMBERS = (
    *("seed", "budget", "at_risk_before", "at_risk_after", "unique_before", "unique_after"),
    *("objective", "evaluations", "enough"),
)
OTHERS = {
    "algorithm": str,
    "settings": dict,
    "generations": int | None,
    "seconds": int | float,
    "stopped_by": str,
    "resumed": bool,
    "target": str | None,
    "least": bool,
}
SAME_NAME = (*WHOLE_NUMBERS, *OTHERS)
"""Of the record of a run, what an Outcome holds under the same name."""

DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What is raised where a record does not hold what it should."""


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
        """Ascending, each once."""
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
    limits = tuple(LimitKept(**limit) for limit in run["keep"])
    _check_kinds(run)
    if any(limit.name not in LIMITS for limit in limits):
        raise ValueError
    return Outcome(
        **{name: run[name] for name in SAME_NAME},
        budget_asked=_budget_asked(run),
        attackers=Attackers(recorded_attackers(run["attackers"], own), run["k"]),
        deleted_edges=deleted_edges,
        limits=limits,
        protected_edges=protected_edges,
        curve=curve,
        history=tuple(Progress(**row) for row in run["history"]),
        whole_budget=_whole_budget(run),
        asked=_asked(run),
    )


def recorded_secret(run: Mapping[str, Any]) -> bytes:
    """The secret that published numbers follow from."""
    secret = bytes.fromhex(run["secret"])
    if len(secret) != BYTES_OF_SECRET:
        raise ValueError
    return secret


def _asked(run: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked, checked."""
    try:
        return Anonymization.from_document(run["asked"]).to_document()
    except SettingError:
        raise ValueError from None


def _whole_budget(run: Mapping[str, Any]) -> int | None:
    """Budget of the search whose curve this is a point of; older records do not hold it."""
    whole = run.get("whole_budget")
    if whole is not None and (not is_whole(whole) or whole < run["budget"]):
        raise ValueError
    return whole


def _budget_asked(run: Mapping[str, Any]) -> str | None:
    """The share that was asked for, checked."""
    asked = run["budget_asked"]
    if asked is None:
        return None
    try:
        is_share, _ = parsed_budget(str(asked))
    except SettingError:
        raise ValueError from None
    if not is_share:
        raise ValueError
    return str(asked)


def _check_kinds(run: Mapping[str, Any]) -> None:
    numbers = [run[name] for name in (*WHOLE_NUMBERS, "k")]
    if not all(is_whole(number) and number >= 0 for number in numbers):
        raise ValueError
    if not all(isinstance(run[name], kind) for name, kind in OTHERS.items()):
        raise TypeError


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
    try:
        run: dict[str, Any] = read_record(
            file, {"history": [any_record], "report": any_record}, "the record of a run"
        )
    except OSError:
        raise FileError(
            f"{folder} is not a release: it has no private/run.json. Give a release folder."
        ) from None
    except DamagedRecordError as damage:
        raise FileError(f"{file} is damaged: {damage}. Make the release again.") from None
    return run


def read_curve(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The record of the curve of a release folder."""
    file = Path(folder) / "private" / "curve.json"
    try:
        curve: dict[str, Any] = read_record(file, {"points": [any_record]}, "the record of a curve")
    except OSError:
        raise FileError(
            f"{folder} has no curve: there is no private/curve.json in it. Search for one "
            f"with {option('curve', True)}."
        ) from None
    except DamagedRecordError as damage:
        raise damaged_curve(folder, str(damage)) from None
    return curve


def damaged_curve(folder: str | os.PathLike[str], why: str) -> FileError:
    """Error for a curve that is not what it should be."""
    file = Path(folder) / "private" / "curve.json"
    return FileError(f"{file} is damaged: {why}. Make the release again ({option('curve', True)}).")
