"""The lines for each run and release: what to name in them, and whether they give the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netveil.web.hall import Hall
from netveil.web.keeping.releases import Kept, record_of
from netveil.web.keeping.runs import Run
from netveil.web.lines import (
    Lines,
    Source,
    command_for,
    command_for_point,
    python_for,
    python_for_point,
    python_to_load,
    why_not_again,
)

ASKED_OF_TABLES = ("columns", "separator", "header", "encoding")


def source_of(given: dict[str, Any]) -> Source:
    """How a script names the network that workers are told of."""
    if given["kind"] == "builtin":
        return Source(given["name"], True, {})
    asked = {name: value for name, value in given["asked"].items() if value is not None}
    return Source(given["shown"], bool(given.get("is_builtin")), asked)


def reading_to_ask(reading: dict[str, Any] | None) -> dict[str, Any]:
    """How to have a table read as it was: what a release remembers of its original."""
    if reading is None or reading["format"] != "edge-list":
        return {}
    asked = {name: reading[name] for name in ASKED_OF_TABLES if reading[name] is not None}
    if asked.get("separator") == "blanks and marks":  # what netveil finds by itself, and has no name for
        del asked["separator"]
    return asked


def out_folder(name: str) -> str:
    """What a script calls the folder of a release."""
    return f"{name}-release"


def command_of(source: Source, options: dict[str, Any], name: str) -> str:
    """The command that does the same as a run that is still to come, for its record."""
    return command_for(source, options, out_folder(name))


def lines_of_run(hall: Hall, run: Run) -> dict[str, Any]:
    """The lines for a run in any state."""
    lines = _of_point(hall, run) if run.kind == "point" else _of_search(hall, run)
    return {**lines.to_dict(), "needs": _needs(hall, run)}


def _of_search(hall: Hall, run: Run) -> Lines:
    source, out = source_of(run.given), out_folder(run.name)
    if run.state == "cut-off":
        command = command_for(source, run.options, str(hall.runs.folder_of(run)), resume=True)
        note = "This search was cut off: the command goes on from its best, as the page does with “resume”."
        return Lines(command, python_for(source, run.options, run.extension, out), False, note)
    why = why_not_again(run.options, run.figures)
    python = python_for(source, run.options, run.extension, out)
    if why:
        python += (
            f"\n\n# Exactly this release, from both zips unpacked into one folder:\n{python_to_load(out)}"
        )
    return Lines(command_for(source, run.options, out), python, not why, why)


def _of_point(hall: Hall, run: Run) -> Lines:
    """Two steps where the search for the curve was a run of this page, too."""
    assert run.budget is not None
    source, out = source_of(run.given), f"{run.name}-point-release"
    searched = next((each for each in hall.runs.all() if each.id == run.source), None)
    curve = out_folder(run.name) if searched else str(run.source_folder)
    command = command_for_point(source, run.options, run.budget, curve, out)
    python = python_for_point(run.budget, run.options, run.extension, out)
    if searched is None:
        note = "The curve is in the release folder that is named here."
        return Lines(command, f"{python_to_load(curve)}\n{python}", True, note)
    before = _of_search(hall, searched)
    return Lines(f"{before.command}\n{command}", f"{before.python}\n{python}", before.repeats, before.note)


def lines_of_release(hall: Hall, kept: Kept) -> dict[str, Any]:
    """The lines for a release; of one that the page did not make, the command in its record."""
    run = next((each for each in hall.runs.all() if each.id == kept.id), None)
    if run is not None:
        return lines_of_run(hall, run)
    record, folder = record_of(kept), str(kept.folder) if kept.source == "folder" else out_folder(kept.name)
    command = str(record.get("command") or "")
    note = "The command is the one in the release's record." if command else "Its record names no command."
    lines = Lines(command, python_to_load(folder), False, note)
    return {**lines.to_dict(), "needs": []}


def _needs(hall: Hall, run: Run) -> list[dict[str, Any]]:
    """The files that a script needs beside it."""
    needs = []
    source = source_of(run.given)
    if not source.is_builtin:
        needs.append(
            {"name": Path(source.network).name, "sha256": (run.figures or {}).get("original_sha256")}
        )
    if hall.runs.protected_file(run) is not None:
        needs.append({"name": "protected.txt", "sha256": None, "where": "in the private zip"})
    return needs
