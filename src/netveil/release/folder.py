"""The release folder: public/ to publish, private/ to keep. It appears whole or not at all.

    RELEASE/public/   network.<ext>  about.json, and nodes.<ext> beside a .csv or .tsv network
    RELEASE/private/  report.html  sign-off.html  people_at_risk.csv  labels.csv  deleted_edges.csv  run.json,
                      and curve.json where there is one

While a search runs, its best solution is kept in a hidden folder beside the release to come, so that a crash
or a kill loses a few seconds of work at most.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from netveil.errors import FileError, NetworkError, SettingError, option
from netveil.files import write_published
from netveil.files.staging import OutputFolder
from netveil.files.storage import write_whole
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.records import Clock, curve_record, local_time, public_record, run_record
from netveil.release.release import Release
from netveil.report import Evidence, render, render_sign_off
from netveil.utility import Comparison


class ReleaseFolder(OutputFolder):
    """Where a release is going to be: claimed before the search, filled after it."""

    kind = "release"

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        super().__init__(path, overwrite=overwrite)
        self._made: list[Path] = []  # folders that were not there before, innermost first

    def is_result(self, entries: set[str]) -> bool:
        """Whether this is a release, or an empty folder."""
        has_public = (self.path / "public" / "about.json").is_file()
        return not entries or (entries <= {"public", "private"} and has_public)

    def claim(self) -> None:
        """Make the hidden folder of the search; fails now, not after the search, if it cannot be written."""
        try:
            with self.telling():
                folders = (self.unfinished, *self.unfinished.parents)
                self._made += (folder for folder in folders if not folder.exists())
                # It holds the edges to be deleted: private, like what comes of it.
                self.unfinished.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not os.access(self.unfinished, os.W_OK):
                    raise PermissionError
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
        record = {
            "fingerprint": network.fingerprint,
            "at_risk": at_risk,
            "deleted_edges": deleted_edges.tolist(),
        }
        with suppress(OSError):  # a search goes on though a full disk leaves it without a net
            _write_text(self.unfinished / "best.json", json.dumps(record))

    def best_of_unfinished(self, network: Network) -> IntVector | None:
        """The edges that a search for this folder was to delete when it was cut off, if one was."""
        try:
            record = json.loads((self.unfinished / "best.json").read_text(encoding="utf-8"))
            original, deleted = record["fingerprint"], record["deleted_edges"]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        if original != network.fingerprint:
            raise NetworkError(
                f"{self.path}: the search that was cut off here was about another network. "
                f"Give that network, or leave out {option('resume', True)}."
            )
        return np.array(deleted, dtype=np.int64)

    def was_cut_off(self) -> bool:
        """Whether an earlier search for this folder left a solution behind."""
        try:
            return (self.unfinished / "best.json").is_file()
        except OSError:  # a name that cannot be
            return False

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
        shutil.rmtree(self.unfinished, ignore_errors=True)
        return self.path

    def abandon(self) -> None:
        """Undo the claim, unless a best is kept, of this or an earlier search: one may go on from it."""
        if self.was_cut_off():
            return
        shutil.rmtree(self.unfinished, ignore_errors=True)
        for folder in self._made:
            with suppress(OSError):  # gone already, or somebody else has put something in it
                folder.rmdir()


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The private record of a release folder."""
    file = Path(folder) / "private" / "run.json"
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise FileError(
            f"{folder} is not a release: it has no private/run.json. Give a release folder."
        ) from None
    except (ValueError, RecursionError):
        raise FileError(f"{file} is damaged: it is not JSON. Make the release again.") from None
    if not isinstance(record, dict) or not record.keys() >= {"history", "report"}:
        raise FileError(f"{file} is damaged: it is not the record of a run. Make the release again.")
    return record


def render_again(folder: str | os.PathLike[str]) -> list[Path]:
    """Render the report and the page to sign of a release folder from its record, and put them in place."""
    from jinja2 import TemplateError

    private, run = Path(folder) / "private", read_run(folder)
    try:
        pages = _pages(run)
    except (LookupError, TypeError, ValueError, AttributeError, TemplateError):
        damaged = f"{private / 'run.json'} is damaged: it lacks what the report shows."
        raise FileError(f"{damaged} Make the release again.") from None
    for name, page in pages.items():
        try:
            _write_text(private / name, page)
        except OSError as error:
            file = private / name
            raise FileError(f"{file} cannot be written: {error.strerror}. Make room for it.") from None
    return [private / name for name in pages]


def _pages(run: dict[str, Any]) -> dict[str, str]:
    """What people read of a run, by the names of the files."""
    return {"report.html": render(run), "sign-off.html": render_sign_off(run)}


def _write_public(release: Release, folder: Path, extension: str, comparison: Comparison | None) -> str:
    """Write the public part; returns the SHA-256 of the network's file."""
    folder.mkdir()
    network = folder / f"network.{extension}"
    write_published(release.network, network)
    _write_json(folder / "about.json", public_record(release, comparison))
    return hashlib.sha256(network.read_bytes()).hexdigest()


def _write_private(release: Release, folder: Path, run: dict[str, Any]) -> None:
    # Whoever reads it can undo the anonymization: nobody but its owner shall.
    folder.mkdir(mode=0o700)
    _write_json(folder / "run.json", run)
    _write_csv(folder / "labels.csv", ("original", "published"), release.labels.items())
    _write_csv(folder / "deleted_edges.csv", ("source", "target"), release.deleted_edges)
    _write_text(folder / "people_at_risk.csv", release.people.to_csv())
    if release.outcome.curve:
        _write_text(folder / "curve.json", json.dumps(curve_record(release), ensure_ascii=False) + "\n")
    for name, page in _pages(run).items():
        _write_text(folder / name, page)


def _write_json(path: Path, record: dict[str, Any]) -> None:
    _write_text(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def _write_csv(path: Path, header: tuple[str, str], rows: Iterable[tuple[Hashable, Hashable]]) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _write_text(path: Path, text: str) -> None:
    # A file name that is not UTF-8 comes as lone surrogates, which only an escape can hold.
    write_whole(text.encode(errors="backslashreplace"), path)
