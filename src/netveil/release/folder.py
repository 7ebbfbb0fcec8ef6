"""The release folder: public/ to publish, private/ to keep. It appears whole or not at all.

    RELEASE/public/   network.<ext>  about.json  README.md  datapackage.json  datacite.json, and nodes.<ext>
                      beside a .csv or .tsv network; network-2.<ext> … for further copies of a synthetic one
    RELEASE/private/  0700, its files 0600: report.html  sign-off.html  labels.csv  run.json  decision.json
                      decision.md; of a deletion people_at_risk.csv  deleted_edges.csv, and curve.json where
                      there is one; of a synthetic release table.csv  table-ties.csv

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
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Required, TypedDict

import numpy as np

from netveil._version import __version__
from netveil.anonymity import AnyMeasure, Measure, attackers_of
from netveil.attributes import Attributes
from netveil.errors import FileError, NetveilError, NetworkError, SettingError, option
from netveil.files import find_release, read, write_published
from netveil.files.labels import check_labels
from netveil.files.read_write import read_pairs
from netveil.files.staging import OUT, Hold, InUseError, OutputFolder, check_own, sweep
from netveil.files.storage import write_new, write_whole
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Dropped, Network, Reading
from netveil.release.deposit import sha256_of, write_deposit
from netveil.release.records import (
    AGAIN,
    DAMAGE,
    Clock,
    damaged,
    edge_finder,
    local_time,
    read_private,
    read_run,
    recorded_outcome,
    recorded_secret,
    run_record,
)
from netveil.release.release import Release
from netveil.report import Evidence, render, render_decision, render_sign_off, render_synthetic

if TYPE_CHECKING:
    from netveil.release.synthetic_release import SyntheticRelease

log = logging.getLogger("netveil")

BEST = "best.json"
DAMAGED = "warning: %s is damaged. It is left aside."
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class CurveRecord(TypedDict):
    """A point of the curve as curve.json and best.json hold it."""

    budget: int
    at_risk: int
    deleted_edges: list[Any]


class KeptSearch(TypedDict, total=False):
    """Content of best.json: the best so far, and at the end of a search all that it found.

    Edges are given by their numbers in the network.
    """

    fingerprint: Required[str]  # of the network
    at_risk: Required[int]
    deleted_edges: Required[list[int]]
    asked: str  # digest of the job; this and what follows only at the end
    outcome: dict[str, Any]  # figures and history
    protected: list[int]
    secret: str
    curve: list[CurveRecord]


def job_digest(job: Anonymization) -> str:
    """A digest that two jobs share if all is equal that decides what a search finds."""
    asked, searched = job.to_document(), [*job.declared("attackers"), *job.declared("search")]
    files = [each for each in (job.config, job.protect) if isinstance(each, str | os.PathLike)]
    told = {
        **{name: asked[name] for name in searched if name != "threads"},
        "measures": [each.to_dict() for each in job.attackers.each],
        "k": job.attackers.k,
        "files": [Path(each).read_bytes().hex() for each in files if Path(each).is_file()],
        "version": __version__,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


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
        if self._hold is None and os.path.lexists(self.unfinished):
            self.claim()
            self.abandon()  # sweeps what a killed process left before it had found anything
        super().check()

    def claim(self) -> None:
        """Make the hidden folder of the search; fails now, not after the search, if it cannot be written."""
        if self._hold is not None:
            return
        try:
            with self.telling():
                folders = (self.unfinished, *self.unfinished.parents)
                self._made = [folder for folder in folders if not folder.exists()]
                # It holds the edges to be deleted: private, like what comes of it.
                if not os.path.lexists(self.unfinished):
                    self.unfinished.mkdir(mode=0o700, parents=True)
                check_own(self.unfinished, {BEST})
                self._hold = Hold(self.unfinished)
                sweep(self.unfinished)
        except InUseError:
            raise FileError(
                f"{self.path}: another netveil is working on it. Wait for that, or choose another "
                f"folder{OUT}."
            ) from None
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

    def keep_best(self, network: Network, deleted_edges: IntVector, at_risk: int, **found: Any) -> None:
        """Keep the best solution so far, for `best_of_unfinished` after a crash; `found` only at the end."""
        import msgspec

        kept = {"fingerprint": network.fingerprint, "at_risk": at_risk, "deleted_edges": deleted_edges}
        content = msgspec.json.encode(kept | found, enc_hook=np.ndarray.tolist)
        with suppress(OSError):  # a search goes on though a full disk leaves it without a net
            write_whole(content, self.unfinished / BEST, private=True)

    def keep_found(self, release: Release, job: Anonymization) -> None:
        """Keep all that a search found, for `found_by_unfinished` after a crash."""
        outcome = release.outcome
        self.keep_best(
            release.original,
            outcome.deleted_edges,
            outcome.at_risk_after,
            asked=job_digest(job),
            outcome={**release.figures(), "history": release.thinned_history()},
            protected=outcome.protected_edges,
            secret=release.secret.hex(),
            curve=outcome.curve,
        )

    def best_of_unfinished(self, network: Network) -> IntVector | None:
        """The edges that a search for this folder was to delete when it was cut off, if one was."""
        kept = self._kept(network)
        return None if kept is None else np.array(kept["deleted_edges"], dtype=np.int64)

    def found_by_unfinished(self, network: Network, job: Anonymization) -> Release | None:
        """The release that a search for this very job had found, if it had ended by itself; recounted."""
        kept = self._kept(network)
        if kept is None or kept.get("asked") != job_digest(job):
            return None
        numbers = partial(np.array, dtype=np.int64)
        try:
            own = {each.measure.name: each.measure for each in job.attackers.each}
            edges = kept["deleted_edges"], kept["protected"], kept["curve"]
            outcome = recorded_outcome(kept["outcome"], own, numbers, *edges)
            release = Release(network, outcome, secret=recorded_secret(kept))
            _check_count(release)
        except (*DAMAGE, NetveilError):
            log.warning(DAMAGED, self.unfinished / BEST)
            return None
        return None if outcome.stopped_by == "interrupted" else release

    def _kept(self, network: Network) -> KeptSearch | None:
        """Read what was kept of a search for this network; None, after a warning, if it is damaged."""
        import msgspec

        try:
            kept = msgspec.json.decode((self.unfinished / BEST).read_bytes(), type=KeptSearch)
            edges = np.array(kept["deleted_edges"], dtype=np.int64)
        except OSError:
            return None
        except (ValueError, ArithmeticError, RecursionError):
            log.warning(DAMAGED, self.unfinished / BEST)
            return None
        if kept["fingerprint"] != network.fingerprint:
            raise NetworkError(
                f"{self.path}: the search that was cut off here was about another network. "
                f"Give that network, or leave out {option('resume', True)}."
            )
        if np.isin(edges, np.arange(network.edge_count)).all() and len(np.unique(edges)) == len(edges):
            return kept
        log.warning(DAMAGED, self.unfinished / BEST)
        return None

    def was_cut_off(self) -> bool:
        """Whether an earlier search for this folder left a solution behind."""
        return os.path.isfile(self.unfinished / BEST)  # noqa: PTH113  # Path.is_file may raise

    def remedy(self, error: OSError) -> str:
        """What to do about an error of the file system, and how to go on from what is kept."""
        room = "Make room" if error.errno in NO_ROOM else super().remedy(error)
        if self._hold is None or not self.was_cut_off():
            return room
        return f"{room}; what the search found is kept, and {option('resume', True)} goes on from it"

    def forget(self) -> None:
        """Remove what was kept: there is a result."""
        self.is_written = True
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self._let_go()

    def abandon(self) -> None:
        """Undo the claim, unless a best is kept, of this or an earlier search: one may go on from it."""
        if self._hold is not None and not self.was_cut_off():
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
        release: Release | SyntheticRelease,
        extension: str = "txt",
        evidence: Evidence | None = None,
        command: str = "",
        clock: Clock = local_time,
    ) -> Path:
        """Write a release of either kind; an existing one is replaced in one step, if that was asked.

        The report shows the `evidence`; `command` is what made the release, and `clock` tells when.
        """
        evidence = Evidence() if evidence is None else evidence
        self.check()
        with self.claimed(), self.filled() as staging:
            public, private = staging / "public", staging / "private"
            public.mkdir()
            for copy, network in enumerate(release.networks, start=1):
                write_published(network, public / f"network{'' if copy == 1 else f'-{copy}'}.{extension}")
            about = release.public_record(evidence)
            _write(public / "about.json", _json(about), private=False)
            write_deposit(public, about, release.network.attributes, evidence.decided.grounds.licence)
            run = run_record(release, evidence, command, sha256_of(public), clock)
            private.mkdir(mode=0o700)  # whoever reads it can undo the anonymization
            texts = {"run.json": _json(run), "decision.json": _json(run["decision"]), **release.tables()}
            for name, text in (texts | pages_of(run)).items():
                _write(private / name, text)
        self.forget()
        return self.path


def _check_count(release: Release) -> None:
    """Raise ValueError if the outcome of a search says something else than a recount."""
    outcome, before, after = release.outcome, release.before, release.after
    told = outcome.at_risk_before, outcome.unique_before, outcome.at_risk_after, outcome.unique_after
    if told != (before.at_risk, before.unique, after.at_risk, after.unique):
        raise ValueError
    if len(outcome.deleted_edges) > outcome.budget:
        raise ValueError


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _write(path: Path, text: str, *, private: bool = True) -> None:
    # A file name that is not UTF-8 comes as lone surrogates, which only an escape can hold.
    write_new(text.encode(errors="backslashreplace"), path, private=private)


def pages_of(run: dict[str, Any]) -> dict[str, str]:
    """Report, page to sign and decision of a run, by the names of their files."""
    if run.get("kind") == "synthetic":
        pages = {f"{page}.html": render_synthetic(run, page) for page in ("report", "sign-off")}
    else:
        pages = {"report.html": render(run), "sign-off.html": render_sign_off(run)}
    return {**pages, "decision.md": render_decision(run)}


def rendered(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Pages of a release folder from its record, by the names of their files."""
    from jinja2 import TemplateError

    run = read_run(folder)
    try:
        return pages_of(run)
    except (*DAMAGE, TemplateError):
        file = Path(folder) / "private" / "run.json"
        raise damaged(file, "it lacks what the report shows") from None


def render_again(folder: str | os.PathLike[str]) -> list[Path]:
    """Render the pages of a release folder from its record, and put them in place."""
    pages = {Path(folder) / "private" / name: page for name, page in rendered(folder).items()}
    for file, page in pages.items():
        try:
            write_whole(page.encode(errors="backslashreplace"), file, private=True)
        except OSError as error:
            raise FileError(f"{file} cannot be written: {error.strerror}. Make room for it.") from None
    return list(pages)


# From a release folder back to a Release: the original is what is published and what was deleted.


def load_deletion(
    folder: str | os.PathLike[str], *, measure: AnyMeasure | Sequence[AnyMeasure] | None = None
) -> Release:
    """The release in a folder whose ties were deleted; `netveil.load_release` explains it.

    `measure` has measures that are the caller's own: they need not be found anywhere else.
    """
    run = read_run(folder)
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
    except DAMAGE:
        raise damaged(folder, "its records and its network do not belong together") from None


def _release(folder: Path, run: dict[str, Any], own: Mapping[str, Measure]) -> Release:
    """The release of a record; raises one of DAMAGE where tables, record and network do not fit."""
    table = read_pairs(folder / "private" / "labels.csv", ("original", "published"), "labels", AGAIN)
    deleted = read_pairs(folder / "private" / "deleted_edges.csv", ("source", "target"), "edges", AGAIN)
    original = _original(folder, run, table, deleted)
    curve = _curve(folder) if run["curve"] else ()
    release = Release(
        original,
        recorded_outcome(run, own, edge_finder(original), deleted, run["protected_edges"], curve),
        run["keep_labels"],
        command=run["command"],
        secret=recorded_secret(run),
    )
    published = [str(label) for label in release.published_labels]
    if published != [new for _, new in table] or [*map(dict, release.curve.rows)] != run["curve"]:
        raise ValueError
    return release


def _curve(folder: Path) -> list[dict[str, Any]]:
    """Points of the curve of a release folder."""
    missing = f"{folder} has no curve: there is no private/curve.json in it. Search for one with "
    file, shape = folder / "private" / "curve.json", {"points": list[CurveRecord]}
    points: list[dict[str, Any]] = read_private(file, shape, f"{missing}{option('curve', True)}.")["points"]
    return points


def _original(
    folder: Path, run: dict[str, Any], table: list[tuple[str, str]], deleted: list[tuple[str, str]]
) -> Network:
    """The original, with the node numbers that it had: those of the rows of the table of labels."""
    number_of, published_number_of = (
        {text: number for number, text in enumerate(column)} for column in zip(*table, strict=True)
    )
    files = find_release(folder)
    assert files is not None, "a folder is a release, or that is an error"
    public = read(files.network)
    people = np.array([published_number_of[str(label)] for label in public.labels], dtype=np.int64)
    pairs = np.array([(number_of[one], number_of[other]) for one, other in deleted], dtype=np.int64)
    published = public.attributes.only(run["kept_attributes"])
    person_to_public = np.argsort(people)
    original = Network.from_numbered_edges(
        np.concatenate((people[public.edges], pairs.reshape(-1, 2))),
        len(table),
        tuple(map(int, number_of)) if run["labels_are"] == "numbers" else tuple(number_of),
        name=run["network"],
        attributes=Attributes(  # the deleted edges, which come last, have none
            published.of_nodes(person_to_public).node,
            {name: [*values, *[None] * len(pairs)] for name, values in published.edge.items()},
        ),
    )
    if not len(number_of) == len(people) == len(table) or original.fingerprint != run["fingerprint"]:
        raise ValueError
    return replace(
        original,
        dropped=Dropped(**run["dropped"]),
        sha256=run["original_sha256"],
        file=run.get("input") or "",
        reading=None if run["reading"] is None else Reading.of_record(run["reading"]),
    )


def release_from_curve(
    network: Network,
    folder: str | os.PathLike[str],
    budget: str | int | float,
    asked: Mapping[str, Any],
    measure: Sequence[AnyMeasure] | None = None,
) -> Release:
    """The release of a point of the curve in a release folder, as `Release.at` gives it, without a search.

    `asked` holds those of measure, distance and k that the caller asked for: the curve must be about them.
    """
    check_labels(network)
    run = read_run(folder)
    for name, wanted in asked.items():
        if wanted != run.get(name):
            raise SettingError(
                f"{name} {wanted}: the curve of {folder} is for {name} {run.get(name)}; leave {name} out, or "
                f"search anew ({option('curve', True)})."
            )
    if run.get("fingerprint") != network.fingerprint:
        raise NetworkError(
            f"the curve of {folder} is about another network. Give that network, or search anew "
            f"({option('curve', True)})."
        )
    whole = replace(load_deletion(folder, measure=measure), original=network)
    release = whole.at(budget)
    try:
        _check_count(release)
        claimed = {point.budget: point.at_risk for point in whole.outcome.curve}
        if claimed[release.outcome.budget] != release.outcome.at_risk_after:
            raise ValueError
    except DAMAGE:
        raise damaged(folder, "its curve does not hold what its record tells") from None
    return release
