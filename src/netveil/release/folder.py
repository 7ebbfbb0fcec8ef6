"""The release folder: public/ to publish, private/ to keep. It appears whole or not at all.

    RELEASE/public/   network.<ext>  about.json, and nodes.<ext> beside a .csv or .tsv network
    RELEASE/private/  0700, its files 0600: report.html  sign-off.html  people_at_risk.csv  labels.csv
                      deleted_edges.csv  run.json, and curve.json where there is one

While a search runs, its best solution is kept in a hidden folder beside the release to come, and at its end
all that it found (`search_folder.py`): a crash or a kill loses a few seconds of work at most.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from netveil.anonymity import AnyMeasure, Measure, attackers_of
from netveil.attributes import Attributes
from netveil.errors import FileError, NetveilError, either_way
from netveil.files import find_release, read, write_published
from netveil.files.read_write import read_pairs
from netveil.files.storage import write_new, write_whole
from netveil.formatting import csv_table
from netveil.kernels.arrays import IntVector
from netveil.network import Dropped, Network
from netveil.reading import Reading
from netveil.release.records import (
    DAMAGE,
    Clock,
    EdgesByLabel,
    UnknownEdgeError,
    curve_record,
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
from netveil.release.search_folder import SearchFolder
from netveil.report import Evidence, render, render_sign_off
from netveil.utility import Comparison

# Other releases of the same network beside a release: two of them can be laid on each other.


MOST_FOLDERS = 1_000  # that are looked into; in a folder with more, releases need not be found
MOST_RECORDS = 100  # that are read
RECORD = Path("private", "run.json")


class _Record(NamedTuple):
    """What tells whether two releases are of one network, and whether they are the same."""

    fingerprint: object  # of the original
    published: tuple[object, ...]  # what decides the published network, but for the numbers of its nodes


def warning_of_others(folder: Path) -> str | None:
    """What to say where another release of the same network is beside this one, which has been written."""
    beside = next(releases_beside(folder), None)
    if beside is None:
        return None
    both = either_way(
        f"netveil.audit_together(original, [{str(beside)!r}, {str(folder)!r}])",
        f"netveil audit ORIGINAL {beside} {folder}",
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
    if this is None:
        return
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
        if record and record.fingerprint == this.fingerprint and record.published != this.published:
            yield other


def _record(folder: Path) -> _Record | None:
    """What the private record of a release says, if it can be read."""
    try:
        run = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        table = folder / "private" / "deleted_edges.csv"
        deleted = table.read_bytes() if table.is_file() else None
        return _Record(run["fingerprint"], (deleted, run.get("keep_labels"), run.get("kept_attributes")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


class ReleaseFolder(SearchFolder):
    """Where a release is going to be: claimed before the search, filled after it."""

    kind = "release"

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
            published = _write_public(release, staging / "public", extension, evidence.comparison)
            run = run_record(release, evidence, command, published, clock)
            _write_private(release, staging / "private", run)
        self.forget()
        return self.path


def render_again(folder: str | os.PathLike[str]) -> list[Path]:
    """Render the report and the page to sign of a release folder from its record, and put them in place."""
    private, pages = Path(folder) / "private", rendered(folder)
    for name, page in pages.items():
        try:
            _write_text(private / name, page)
        except OSError as error:
            file = private / name
            raise FileError(f"{file} cannot be written: {error.strerror}. Make room for it.") from None
    return [private / name for name in pages]


def rendered(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The report and the page to sign of a release folder from its record, by the names of the files."""
    from jinja2 import TemplateError

    run = read_run(folder)
    try:
        return _pages(run)
    except (*DAMAGE, TemplateError):
        damaged = f"{Path(folder) / 'private' / 'run.json'} is damaged: it lacks what the report shows."
        raise FileError(f"{damaged} Make the release again.") from None


def _pages(run: dict[str, Any]) -> dict[str, str]:
    """What people read of a run, by the names of the files."""
    return {"report.html": render(run), "sign-off.html": render_sign_off(run)}


def _write_public(release: Release, folder: Path, extension: str, comparison: Comparison | None) -> str:
    """Write the public part; returns the SHA-256 of the network's file."""
    folder.mkdir()
    network = folder / f"network.{extension}"
    write_published(release.network, network)
    _write_new(folder / "about.json", _json(public_record(release, comparison)), private=False)
    return hashlib.sha256(network.read_bytes()).hexdigest()


def _write_private(release: Release, folder: Path, run: dict[str, Any]) -> None:
    # Whoever reads it can undo the anonymization: nobody but its owner shall.
    folder.mkdir(mode=0o700)
    _write_new(folder / "run.json", _json(run))
    _write_csv(folder / "labels.csv", ("original", "published"), release.labels.items())
    _write_csv(folder / "deleted_edges.csv", ("source", "target"), release.deleted_edges)
    _write_new(folder / "people_at_risk.csv", release.people.to_csv())
    if release.outcome.curve:
        _write_new(folder / "curve.json", json.dumps(curve_record(release), ensure_ascii=False) + "\n")
    for name, page in _pages(run).items():
        _write_new(folder / name, page)


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _write_csv(path: Path, header: tuple[str, str], rows: Iterable[tuple[Hashable, Hashable]]) -> None:
    _write_new(path, csv_table(header, rows))


def _write_new(path: Path, text: str, *, private: bool = True) -> None:
    # A file name that is not UTF-8 comes as lone surrogates, which only an escape can hold.
    write_new(text.encode(errors="backslashreplace"), path, private=private)


def _write_text(path: Path, text: str) -> None:
    write_whole(text.encode(errors="backslashreplace"), path, private=True)


# From a release folder back to a Release: the original is what is published and what was deleted.


AGAIN = "Make the release again."


def load_release(
    folder: str | os.PathLike[str], *, measure: AnyMeasure | Sequence[AnyMeasure] | None = None
) -> Release:
    """The release in a folder that `netveil.save` or the command line wrote, to go on working with it.

    `measure` has measures of your own that it was made against, where they are functions without a module.
    Labels come back as text, or as numbers if all were whole numbers. Of the deleted edges no attributes are
    kept, of a long search not every step of its history, and `graph` is a Network.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     release = nv.anonymize(nv.load("karate"), budget=4, seed=1)
    ...     folder = nv.save(release, f"{place}/saved", utility=False, audit=False, baselines=False)
    ...     nv.load_release(folder)
    Release('karate', 15 → 5 at risk, 4 of 78 edges deleted)
    """
    run = _private_record(Path(folder))
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


def _private_record(folder: Path) -> dict[str, Any]:
    """The record of the run; a public part alone is told apart from what is no release at all."""
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
    if "fingerprint" not in run and "report" in run:
        raise FileError(
            f"{folder} was written by an older netveil, which did not keep what is needed to load it. "
            f"Make the release again, with the command in private/run.json."
        )
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
    """Those of the published network for the original; the deleted edges, which come last, have none."""
    node: dict[str, list[Any]] = {name: [None] * nodes for name in published.node}
    for name, values in published.node.items():
        for person, value in zip(people.tolist(), values, strict=True):
            node[name][person] = value
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
