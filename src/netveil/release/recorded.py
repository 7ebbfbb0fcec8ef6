"""The outcome of a search, from what a release folder keeps of it: for whoever takes a release up again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers, Measure, recorded_attackers
from netveil.errors import FileError, SettingError, is_whole, option
from netveil.files.json_records import DamagedRecordError, any_record, read_record
from netveil.files.release_files import check_plain
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.fresh_numbers import BYTES_OF_SECRET, new_secret
from netveil.search import LIMITS, CurvePoint, LimitKept, Outcome, Progress
from netveil.search.budget import parsed_budget

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
        least=_least(run),
    )


def recorded_secret(run: Mapping[str, Any]) -> bytes:
    """The secret that published numbers follow from; older records do not hold one, and get a new one."""
    secret = bytes.fromhex(run["secret"]) if "secret" in run else new_secret()
    if len(secret) != BYTES_OF_SECRET:
        raise ValueError
    return secret


def _least(run: Mapping[str, Any]) -> bool:
    """Whether it was shown to be the least; older records do not hold it, and then it was not."""
    least = run.get("least", False)
    if not isinstance(least, bool):
        raise TypeError
    return least


def _whole_budget(run: Mapping[str, Any]) -> int | None:
    """Budget of the search whose curve this is a point of; older records do not hold it."""
    whole = run.get("whole_budget")
    if whole is not None and (not is_whole(whole) or whole < run["budget"]):
        raise ValueError
    return whole


def _budget_asked(run: Mapping[str, Any]) -> str | None:
    """The share that was asked for; older records do not hold it."""
    asked = run.get("budget_asked")
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
