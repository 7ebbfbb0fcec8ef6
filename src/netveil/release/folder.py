"""The release folder: public/ to publish, private/ to keep. It appears whole or not at all.

    RELEASE/public/   network.<ext>  about.json  README.md  datapackage.json  datacite.json, and nodes.<ext>
                      beside a .csv or .tsv network
    RELEASE/private/  0700, its files 0600: report.html  sign-off.html  people_at_risk.csv  labels.csv
                      deleted_edges.csv  run.json  decision.json  decision.md, and curve.json where there is
                      one

While a search runs, its best solution is kept in a hidden folder beside the release to come, and at its end
all that it found: a crash or a kill loses a few seconds of work at most. The hidden folder is made before the
search and goes when there is a release. A process holds it as long as it works, so that no other takes it for
left over.

    .RELEASE.unfinished/best.json   0600 in a folder 0700: a KeptSearch
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from netveil._version import __version__
from netveil.anonymity import AnyMeasure, Measure, anonymity_of, attackers_of
from netveil.attributes import Attributes
from netveil.errors import FileError, NetveilError, NetworkError, SettingError, either_way, option
from netveil.files import find_release, read, write_published
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.files.read_write import read_pairs
from netveil.files.staging import OUT, Hold, InUseError, OutputFolder, check_own, sweep
from netveil.files.storage import write_new, write_whole
from netveil.formatting import csv_table
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Dropped, Network
from netveil.reading import Reading
from netveil.release.deposit import sha256_of, write_deposit
from netveil.release.records import (
    DAMAGE,
    ROWS_OF_HISTORY,
    Clock,
    EdgesByLabel,
    UnknownEdgeError,
    curve_record,
    figures_of,
    local_time,
    public_record,
    read_curve,
    read_run,
    recorded_curve,
    recorded_outcome,
    recorded_secret,
    run_record,
)
from netveil.release.release import Release
from netveil.report import Evidence, render, render_decision, render_sign_off, render_synthetic, thinned
from netveil.search import CurvePoint, Outcome

log = logging.getLogger("netveil")

BEST = "best.json"
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SAME_AS_RELEASED = ("algorithm", "measure", "k", "seed", "budget", "deleted", "at_risk_after")
"""Entries that a kept search and the record of its release share."""


# Other releases of the same network beside a release: two of them can be laid on each other.


MOST_FOLDERS = 1_000  # that are looked into; in a folder with more, releases need not be found
MOST_RECORDS = 100  # that are read
RECORD = Path("private", "run.json")


def warning_of_others(folder: Path, elsewhere: Iterable[Path] = ()) -> str | None:
    """Warning where another release of the same network is beside this one, or elsewhere; else None."""
    beside = next(chain(releases_beside(folder), elsewhere), None)
    if beside is None:
        return None
    kinds = {_kind(each) for each in (beside, folder)}
    both = either_way(
        f"netveil.audit_together(original, [{str(beside)!r}, {str(folder)!r}])",
        f"netveil audit ORIGINAL {beside} {folder}",
    )
    if kinds == {"synthetic"}:
        return (
            f"{beside} was drawn from another table of the same network. Two tables give away what one "
            f"hides: publish one only, and draw further networks from it (netveil "
            f"synthesize --from {beside})."
        )
    if "synthetic" in kinds:
        return (
            f"{beside} holds another release of the same network, and one of the two is synthetic. Whoever "
            f"has both knows more than from either: publish one only."
        )
    return (
        f"{beside} holds another release of the same network. Whoever has two can lay them on each other, "
        f"which undoes most deletions: publish one only. What both give away: {both}"
    )


def releases_beside(folder: Path) -> Iterator[Path]:
    """The folders beside this release that hold another one of its network.

    A copy of it gives nothing more away, under other numbers either. What cannot be read is passed over.
    """
    this = _record(folder)
    if this is not None:
        yield from other_releases(folder, *this)


def other_releases(folder: Path, fingerprint: object, content: tuple[object, ...]) -> Iterator[Path]:
    """The folders beside this one with a release of the network of this fingerprint, but not this content."""
    try:
        with os.scandir(folder.parent) as entries:
            names = sorted(entry.name for entry, _ in zip(entries, range(MOST_FOLDERS), strict=False))
    except OSError:
        return
    # Not Path.is_file: it raises for a folder that may not be entered.
    others = (
        folder.parent / name
        for name in names
        if os.path.isdir(folder.parent / name / "public")  # noqa: PTH112
        and os.path.isfile(folder.parent / name / RECORD)  # noqa: PTH113
        and os.path.realpath(folder.parent / name) != os.path.realpath(folder)
    )
    for other in islice(others, MOST_RECORDS):
        record = _record(other)
        if record and record[0] == fingerprint and record[1] != content:
            yield other


def _kind(folder: Path) -> object:
    try:
        return json.loads((folder / RECORD).read_text(encoding="utf-8")).get("kind", "deletion")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None


def content_of(release: Release) -> tuple[object, ...]:
    """Everything that determines the published network but for its numbers, as `_record` reads it."""
    deleted = csv_table(("source", "target"), release.deleted_edges).encode(errors="backslashreplace")
    return deleted, release.keep_labels, list(release.original.attributes.names)


def _record(folder: Path) -> tuple[object, tuple[object, ...]] | None:
    """Fingerprint of a release's original, and what decides the published network but for its numbers.

    None if the private record cannot be read.
    """
    try:
        run = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        tables = [folder / "private" / name for name in ("deleted_edges.csv", "table.csv")]
        deleted = [table.read_bytes() for table in tables if table.is_file()]
        return run["fingerprint_by_labels"], (*deleted, run.get("keep_labels"), run.get("kept_attributes"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


# What a search has found so far, for whoever goes on from it.


@dataclass(frozen=True, eq=False)
class KeptPoint:
    """A point of a curve in best.json."""

    budget: int
    at_risk: int
    deleted_edges: list[int]


@dataclass(frozen=True, eq=False)
class KeptSearch:
    """Content of best.json; edges are given by their numbers in the network."""

    fingerprint: str  # of the network
    at_risk: int
    deleted_edges: list[int]  # the best so far
    asked: str = ""  # at the end of a search: digest of the job
    outcome: dict[str, Any] | None = None  # figures and history
    protected: list[int] = field(default_factory=list)
    secret: str = ""
    curve: list[KeptPoint] = field(default_factory=list)

    @classmethod
    def of_found(cls, release: Release, job: Anonymization) -> KeptSearch:
        """The record of a search that has come to its end, be it by Ctrl-C."""
        outcome = release.outcome
        history = [asdict(row) for row in thinned(outcome.history, ROWS_OF_HISTORY)]
        return cls(
            release.original.fingerprint,
            outcome.at_risk_after,
            outcome.deleted_edges.tolist(),
            job_digest(job),
            {**figures_of(release), "history": history},
            outcome.protected_edges.tolist(),
            release.secret.hex(),
            [KeptPoint(each.budget, each.at_risk, each.deleted_edges.tolist()) for each in outcome.curve],
        )

    def check(self, network: Network) -> None:
        """Raise DamagedRecordError if this cannot be about a network, though it says so."""
        if not 0 <= self.at_risk <= network.node_count:
            raise DamagedRecordError("at_risk is no number of its people")
        for edges in (self.deleted_edges, self.protected, *(point.deleted_edges for point in self.curve)):
            if len(set(edges)) < len(edges):
                raise DamagedRecordError("it names an edge twice")
            if edges and not 0 <= min(edges) <= max(edges) < network.edge_count:
                raise DamagedRecordError("it names edges that the network does not have")

    def release(self, network: Network, job: Anonymization) -> Release | None:
        """The release that a search found for this very job, if it had ended by itself; recounted."""
        if self.outcome is None or self.asked != job_digest(job):
            return None
        try:
            outcome = recorded_outcome(
                self.outcome,
                {each.measure.name: each.measure for each in job.attackers.each},
                deleted_edges=_numbers_of(self.deleted_edges),
                protected_edges=_numbers_of(self.protected),
                curve=tuple(
                    CurvePoint(each.budget, _numbers_of(each.deleted_edges), each.at_risk)
                    for each in self.curve
                ),
            )
            _check_count(outcome, network)
            release = Release(network, outcome, secret=recorded_secret({"secret": self.secret}))
        except DamagedRecordError:
            raise
        except (*DAMAGE, NetveilError):
            raise DamagedRecordError("outcome is not that of a search") from None
        return None if outcome.stopped_by == "interrupted" else release

    def is_released(self, run: Mapping[str, Any]) -> bool:
        """Whether the release with this record came of this search: then nothing is left to keep."""
        if self.outcome is None or run.get("fingerprint") != self.fingerprint:
            return False
        return all(self.outcome.get(name) == run.get(name) for name in SAME_AS_RELEASED)


def read_kept(file: Path) -> KeptSearch:
    """Read best.json; OSError if it is not there, DamagedRecordError if netveil did not write it so."""
    from msgspec import convert

    try:
        return convert(read_record(file, {}), KeptSearch)
    except ValueError as error:  # also of a text that cannot be printed
        raise DamagedRecordError(str(error)) from None


def _numbers_of(edges: list[int]) -> IntVector:
    return np.array(edges, dtype=np.int64)


def _check_count(outcome: Outcome, network: Network) -> None:
    """Raise DamagedRecordError if an outcome says something else than a recount."""
    counted = [
        anonymity_of(each, outcome.attackers.each, outcome.k)
        for each in (network, network.without_edges(outcome.deleted_edges))
    ]
    told = [(outcome.at_risk_before, outcome.unique_before), (outcome.at_risk_after, outcome.unique_after)]
    if len(outcome.deleted_edges) > outcome.budget or told != [(one.at_risk, one.unique) for one in counted]:
        raise DamagedRecordError("outcome does not agree with a recount")


def job_digest(job: Anonymization) -> str:
    """Digest of all options of a job that determine what a search finds."""
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
    """Digest of a file, or its name if it is none; a random one for anything else."""
    if given is None:
        return ""
    if not isinstance(given, (str, os.PathLike)):
        return secrets.token_hex(16)
    try:
        return hashlib.sha256(Path(given).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return str(given)


class ReleaseFolder(OutputFolder):
    """Folder of a release to come: claimed before the search, filled after it."""

    kind = "release"

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
            return read_kept(self.unfinished / BEST).is_released(read_run(self.path))
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
        self._keep(KeptSearch(network.fingerprint, at_risk, deleted_edges.tolist()))

    def keep_found(self, release: Release, job: Anonymization) -> None:
        """Keep all that a search found, for `found_by_unfinished` after a crash."""
        self._keep(KeptSearch.of_found(release, job))

    def _keep(self, search: KeptSearch) -> None:
        with suppress(OSError):  # a search goes on though a full disk leaves it without a net
            write_whole(json.dumps(vars(search), default=vars).encode(), self.unfinished / BEST, private=True)

    def best_of_unfinished(self, network: Network) -> IntVector | None:
        """The edges that a search for this folder was to delete when it was cut off, if one was."""
        kept = self._kept(network)
        return None if kept is None else _numbers_of(kept.deleted_edges)

    def found_by_unfinished(self, network: Network, job: Anonymization) -> Release | None:
        """The release that a search for this job had found, if it had come to its end."""
        kept = self._kept(network)
        try:
            return None if kept is None else kept.release(network, job)
        except DamagedRecordError as damage:
            self._tell_damage(damage)
            return None

    def _kept(self, network: Network) -> KeptSearch | None:
        """Read what was kept of a search for this network; None, after a warning, if it is damaged."""
        try:
            kept = read_kept(self.unfinished / BEST)
            if kept.fingerprint != network.fingerprint:
                raise NetworkError(
                    f"{self.path}: the search that was cut off here was about another network. "
                    f"Give that network, or leave out {option('resume', True)}."
                )
            kept.check(network)
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

    def is_result(self, entries: set[str]) -> bool:
        """Whether this is a release, or an empty folder."""
        has_public = (self.path / "public" / "about.json").is_file()
        return not entries or (entries <= {"public", "private"} and has_public)

    def save(
        self,
        release: Release,
        extension: str = "txt",
        evidence: Evidence | None = None,
        command: str = "",
        clock: Clock = local_time,
    ) -> Path:
        """Write the release; an existing one is replaced in one step, and only if that was asked.

        The report shows the `evidence`; `command` is what made the release, and `clock` tells when.
        """
        evidence = Evidence() if evidence is None else evidence
        self.check()
        with self.claimed(), self.filled() as staging:
            published = _write_public(release, staging / "public", extension, evidence)
            run = run_record(release, evidence, command, published, clock)
            _write_private(release, staging / "private", run)
        self.forget()
        return self.path


def render_again(folder: str | os.PathLike[str]) -> list[Path]:
    """Render report, page to sign and decision of a release folder from its record, and put them in place."""
    pages = {Path(folder) / "private" / name: page for name, page in rendered(folder).items()}
    for file, page in pages.items():
        try:
            write_whole(page.encode(errors="backslashreplace"), file, private=True)
        except OSError as error:
            raise FileError(f"{file} cannot be written: {error.strerror}. Make room for it.") from None
    return list(pages)


def rendered(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Report, page to sign and decision of a release folder from its record, by the names of the files."""
    from jinja2 import TemplateError

    run = read_run(folder)
    try:
        return pages_of(run)
    except (*DAMAGE, TemplateError):
        damaged = f"{Path(folder) / 'private' / 'run.json'} is damaged: it lacks what the report shows."
        raise FileError(f"{damaged} Make the release again.") from None


def pages_of(run: dict[str, Any]) -> dict[str, str]:
    """Pages of a run, by the names of their files."""
    decision = {"decision.md": render_decision(run)}
    if run.get("kind") == "synthetic":
        return {f"{page}.html": render_synthetic(run, page) for page in ("report", "sign-off")} | decision
    return {"report.html": render(run), "sign-off.html": render_sign_off(run), **decision}


def _write_public(release: Release, folder: Path, extension: str, evidence: Evidence) -> dict[str, str]:
    """Write the public part; returns the SHA-256 of its files."""
    folder.mkdir()
    write_published(release.network, folder / f"network.{extension}")
    about = public_record(release, evidence.comparison)
    _write_new(folder / "about.json", _json(about), private=False)
    licence = "" if evidence.decided is None else evidence.decided.licence
    write_deposit(folder, about, release.network.attributes, licence)
    return sha256_of(folder)


def _write_private(release: Release, folder: Path, run: dict[str, Any]) -> None:
    # Whoever reads it can undo the anonymization: nobody but its owner shall.
    folder.mkdir(mode=0o700)
    _write_new(folder / "run.json", _json(run))
    _write_new(folder / "decision.json", _json(run["decision"]))
    _write_new(folder / "labels.csv", csv_table(("original", "published"), release.labels.items()))
    _write_new(folder / "deleted_edges.csv", csv_table(("source", "target"), release.deleted_edges))
    _write_new(folder / "people_at_risk.csv", release.people.to_csv())
    if release.outcome.curve:
        _write_new(folder / "curve.json", json.dumps(curve_record(release), ensure_ascii=False) + "\n")
    for name, page in pages_of(run).items():
        _write_new(folder / name, page)


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _write_new(path: Path, text: str, *, private: bool = True) -> None:
    # A file name that is not UTF-8 comes as lone surrogates, which only an escape can hold.
    write_new(text.encode(errors="backslashreplace"), path, private=private)


# From a release folder back to a Release: the original is what is published and what was deleted.


AGAIN = "Make the release again."


def load_deletion(
    folder: str | os.PathLike[str], *, measure: AnyMeasure | Sequence[AnyMeasure] | None = None
) -> Release:
    """The release in a folder whose ties were deleted; `netveil.load_release` explains it."""
    run = private_record(Path(folder))
    if run.get("kind") == "synthetic":
        raise FileError(
            f"{folder} is a synthetic release; load it in Python: nv.load_release({str(folder)!r})."
        )
    own = {} if measure is None else {each.measure.name: each.measure for each in attackers_of(measure)}
    try:
        return _release(Path(folder), run, own)
    except FileError:
        raise
    except NetveilError as error:  # such as a measure of the user's that is not at hand
        raise FileError(
            f"{folder} cannot be loaded: {error} If it was made against a measure of your own, give that: "
            f"load_release(folder, measure=…)."
        ) from None
    except UnknownEdgeError:
        raise _damaged(folder, "its record names edges that are not in its network") from None
    except DAMAGE:
        raise _damaged(folder, "private/run.json does not hold what a release is made of") from None


def private_record(folder: Path) -> dict[str, Any]:
    """Read the record of the run; the error tells a public part alone from what is no release at all."""
    try:
        return read_run(folder)
    except FileError:
        public = folder if folder.name == "public" else folder / "public"
        has_private = os.path.isdir(folder / "private")  # noqa: PTH112  # Path.is_dir may raise
        networks = sorted(public.glob("network.*")) if os.path.isdir(public) else []  # noqa: PTH112
        if has_private or not networks:
            raise
        raise FileError(
            f"{folder} is only the public part of a release, which does not tell the original and how the "
            f"release was made. Give the whole folder, or read the published network: "
            f"nv.read({str(networks[0])!r})."
        ) from None


def _release(folder: Path, run: dict[str, Any], own: dict[str, Measure]) -> Release:
    table = read_pairs(folder / "private" / "labels.csv", ("original", "published"), "labels", AGAIN)
    deleted = read_pairs(folder / "private" / "deleted_edges.csv", ("source", "target"), "edges", AGAIN)
    original = _original(folder, run, table, deleted)
    edges = EdgesByLabel(original)
    keep_labels = bool(run["keep_labels"])
    outcome = recorded_outcome(
        run,
        own,
        deleted_edges=edges.numbers(deleted),
        protected_edges=edges.numbers(run["protected_edges"]),
        curve=recorded_curve(read_curve(folder), edges) if run["curve"] else (),
    )
    return Release(
        original,
        outcome,
        keep_labels,
        published_as=None if keep_labels else _numbers(folder, table),
        command=str(run["command"]),
        secret=recorded_secret(run),
    )


def _original(
    folder: Path, run: dict[str, Any], table: list[tuple[str, str]], deleted: list[tuple[str, str]]
) -> Network:
    """The original, with the node numbers that it had: those of the rows of the table of labels."""
    number_of, published_number_of = (
        {text: number for number, text in enumerate(column)} for column in zip(*table, strict=True)
    )
    if len(number_of) < len(table):
        raise _damaged(folder, "two labels in private/labels.csv are the same as text")
    files = find_release(folder)
    assert files is not None, "a folder is a release, or that is an error"
    public = read(files.network)
    people = np.array([published_number_of[str(label)] for label in public.labels], dtype=np.int64)
    pairs = np.array([(number_of[one], number_of[other]) for one, other in deleted], dtype=np.int64)
    is_numbered = run["labels_are"] == "numbers"
    original = Network.from_numbered_edges(
        np.concatenate((people[public.edges], pairs.reshape(-1, 2))),
        len(table),
        tuple(map(int, number_of)) if is_numbered else tuple(number_of),
        name=str(run["network"]),
        attributes=_attributes(
            public.attributes.only(run["kept_attributes"]), people, len(table), len(pairs)
        ),
    )
    if original.fingerprint != run["fingerprint"]:
        raise _damaged(folder, "its tables and its network do not belong together")
    return replace(
        original,
        dropped=Dropped(**run["dropped"]),
        sha256=str(run["original_sha256"]),
        file=str(run.get("input") or ""),
        reading=None if run["reading"] is None else Reading.of_record(run["reading"]),
    )


def _attributes(published: Attributes, people: IntVector, nodes: int, deleted: int) -> Attributes:
    """Attributes for the original; the deleted edges, which come last, have none."""
    node = {}
    for name, values in published.node.items():
        value_of = dict(zip(people.tolist(), values, strict=True))
        node[name] = [value_of.get(person) for person in range(nodes)]
    edge = {name: [*values, *[None] * deleted] for name, values in published.edge.items()}
    return Attributes(node, edge)


def _numbers(folder: Path, table: list[tuple[str, str]]) -> IntVector:
    """The published number of each node of the original."""
    numbers = np.array([int(published) for _, published in table], dtype=np.int64)
    if not np.array_equal(np.sort(numbers), np.arange(len(table))):
        raise _damaged(folder, "the published labels in private/labels.csv are not the numbers from 0")
    return numbers


def _damaged(folder: str | os.PathLike[str], why: str) -> FileError:
    return FileError(f"{folder} is damaged: {why}. {AGAIN}")
