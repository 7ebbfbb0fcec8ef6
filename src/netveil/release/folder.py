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
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

from netveil.errors import FileError
from netveil.files import write_published
from netveil.files.storage import write_new, write_whole
from netveil.release.recorded import DAMAGE, read_run as read_run
from netveil.release.records import Clock, curve_record, local_time, public_record, run_record
from netveil.release.release import Release
from netveil.release.search_folder import SearchFolder
from netveil.report import Evidence, render, render_sign_off
from netveil.spreadsheet_cells import csv_table
from netveil.utility import Comparison


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
