"""A folder for what a search will find, with a hidden one beside it for what it has found so far.

The hidden one, .NAME.unfinished, is made before the search and goes when there is a result. A process holds
it as long as it works, so that no other takes it for left over.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from netveil._version import __version__
from netveil.anonymity import anonymity_of
from netveil.errors import FileError, NetveilError, NetworkError, SettingError, option
from netveil.files.json_records import DamagedRecordError, any_record, anything, read_record, text, whole
from netveil.files.staging import OUT, Hold, InUseError, OutputFolder, check_own, sweep
from netveil.files.storage import write_whole
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.records import (
    DAMAGE,
    ROWS_OF_HISTORY,
    figures_of,
    read_run,
    recorded_outcome,
    recorded_secret,
)
from netveil.release.release import Release
from netveil.report import thinned
from netveil.search import CurvePoint, Outcome

# What a search has found, kept beside the release to come for whoever goes on from it.
#
# .NAME.unfinished/best.json, 0600 in a folder 0700:
#     fingerprint, at_risk, deleted_edges   the best so far: edges by their numbers in the network
#     asked, outcome, protected, curve,     at the end of a search: what was asked, and all that came of it
#     secret


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


def release_kept(kept: Kept, network: Network, job: Anonymization) -> Release | None:
    """The release that a search found for this very job, if it had ended by itself; recounted."""
    if not kept.is_of_the_end or kept.record["asked"] != asked_of(job):
        return None
    try:
        outcome = recorded_outcome(
            kept.record["outcome"],
            {each.measure.name: each.measure for each in job.attackers.each},
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


def asked_of(job: Anonymization) -> str:
    """What tells jobs apart: equal for two of them if all is equal that decides what a search finds."""
    asked = job.to_document()
    searched = {
        name: asked[name]
        for name, each in job.declared().items()
        if each.about.part in ("attackers", "search") and name != "threads"
    }
    searched |= {
        "measures": [each.to_dict() for each in job.attackers.each],
        "k": job.attackers.k,
        "config": _content(job.config),
        "protect": _content(job.protect),
        "version": __version__,
    }
    return hashlib.sha256(json.dumps(searched, sort_keys=True).encode()).hexdigest()


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


log = logging.getLogger("netveil")

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SearchFolder(OutputFolder):
    """Where the result of a search is going to be: claimed before the search, filled after it."""

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self._made: list[Path] = []  # folders that were not there before, innermost first
        self.is_written = False  # whether the result is in it
        self._hold: Hold | None = None  # on the hidden folder, while it is claimed
        super().__init__(path, overwrite=overwrite)

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay, or another process is at it."""
        if self._hold is None:
            with self.telling():
                self._sweep_unfinished()
        super().check()

    def _sweep_unfinished(self) -> None:
        """Remove a hidden folder of which nothing is to be kept; raise if it is not ours, or in use."""
        if not os.path.lexists(self.unfinished):
            return
        check_own(self.unfinished, {BEST})
        hold = self._held()
        try:
            sweep(self.unfinished)
            if not self.was_cut_off() or self._is_released():
                shutil.rmtree(self.unfinished, ignore_errors=True)
        finally:
            hold.end()

    def _is_released(self) -> bool:
        """Whether the release that is there came of what was kept: a process was killed right after it."""
        try:
            return is_released(read_kept(self.unfinished / BEST), read_run(self.path))
        except (OSError, DamagedRecordError, FileError):
            return False

    def _held(self) -> Hold:
        try:
            return Hold(self.unfinished)
        except InUseError:
            raise FileError(
                f"{self.path}: another netveil is working on it. Wait for that, or choose another "
                f"folder{OUT}."
            ) from None

    def claim(self) -> None:
        """Make the hidden folder of the search; fails now, not after the search, if it cannot be written."""
        if self._hold is not None:
            return
        try:
            with self.telling():
                folders = (self.unfinished, *self.unfinished.parents)
                self._made += (folder for folder in folders if not folder.exists())
                while self._hold is None:
                    # It holds the edges to be deleted: private, like what comes of it.
                    with suppress(FileExistsError):
                        self.unfinished.mkdir(mode=0o700, parents=True)
                    with suppress(FileNotFoundError):  # another process has swept it before it was held
                        check_own(self.unfinished, {BEST})
                        if not os.access(self.unfinished, os.W_OK):
                            raise PermissionError
                        self._hold = self._held()
        except FileError:
            self.abandon()
            raise

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Claim the folder for what is done inside; if that fails, the claim is undone."""
        self.claim()
        try:
            yield
        except BaseException:  # an error, or a second Ctrl-C
            self.abandon()
            raise

    def where_to_go_on(self, network: Network, *, resume: bool) -> IntVector | None:
        """The best of a search that was cut off here, if it is to be resumed; raises if nobody said so."""
        if self.was_cut_off() and not (resume or self.overwrite):
            raise SettingError(
                f"{self.path}: an earlier search was cut off here; go on from its best "
                f"({option('resume', True)}), or start anew ({option('overwrite', True)})."
            )
        return self.best_of_unfinished(network) if resume else None

    def keep_best(self, network: Network, deleted_edges: IntVector, at_risk: int) -> None:
        """Keep the best solution so far, for `best_of_unfinished` after a crash."""
        self._keep(best_record(network, deleted_edges, at_risk))

    def keep_found(self, release: Release, job: Anonymization) -> None:
        """Keep all that a search found, for `found_by_unfinished` after a crash."""
        self._keep(found_record(release, asked_of(job)))

    def _keep(self, record: dict[str, Any]) -> None:
        with suppress(OSError):  # a search goes on though a full disk leaves it without a net
            write_whole(json.dumps(record).encode(), self.unfinished / BEST, private=True)

    def best_of_unfinished(self, network: Network) -> IntVector | None:
        """The edges that a search for this folder was to delete when it was cut off, if one was."""
        kept = self._kept(network)
        return None if kept is None else kept.deleted_edges

    def found_by_unfinished(self, network: Network, job: Anonymization) -> Release | None:
        """The release that a search for this job had found, if it had come to its end."""
        kept = self._kept(network)
        try:
            return None if kept is None else release_kept(kept, network, job)
        except DamagedRecordError as damage:
            self._tell_damage(damage)
            return None

    def _kept(self, network: Network) -> Kept | None:
        """What was kept of a search for this network; one line if it is damaged, as if there were nothing."""
        try:
            kept = read_kept(self.unfinished / BEST)
            if kept.fingerprint != network.fingerprint:
                raise NetworkError(
                    f"{self.path}: the search that was cut off here was about another network. "
                    f"Give that network, or leave out {option('resume', True)}."
                )
            check_of(kept, network)
        except OSError:
            return None
        except DamagedRecordError as damage:
            self._tell_damage(damage)
            return None
        return kept

    def _tell_damage(self, damage: DamagedRecordError) -> None:
        log.warning("warning: %s is damaged: %s. It is left aside.", self.unfinished / BEST, damage)

    def was_cut_off(self) -> bool:
        """Whether an earlier search for this folder left a solution behind."""
        try:
            return (self.unfinished / BEST).is_file()
        except OSError:  # a name that cannot be
            return False

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line, which says how to go on from what is kept."""
        try:
            yield
        except OSError as error:
            reason = f": {error.strerror}" if error.strerror else ""
            room = "Make room" if error.errno in NO_ROOM else f"Choose another folder{OUT}"
            go_on = (
                f"; what the search found is kept, and {option('resume', True)} goes on from it"
                if self._hold is not None and self.was_cut_off()
                else ""
            )
            raise FileError(f"{self.path} cannot be written{reason}. {room}{go_on}.") from None

    def forget(self) -> None:
        """Remove what was kept: there is a result."""
        self.is_written = True
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self._let_go()

    def abandon(self) -> None:
        """Undo the claim, unless a best is kept, of this or an earlier search: one may go on from it."""
        is_ours = self._hold is not None
        if is_ours and not self.was_cut_off():
            shutil.rmtree(self.unfinished, ignore_errors=True)
        self._let_go()
        for folder in self._made:
            with suppress(OSError):  # gone already, or somebody else has put something in it
                folder.rmdir()

    def _let_go(self) -> None:
        if self._hold is not None:
            self._hold.end()
            self._hold = None
