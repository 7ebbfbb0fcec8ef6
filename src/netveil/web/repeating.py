"""The command and the Python lines that do the same as a run: a click becomes a script."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from netveil.job import Anonymization
from netveil.web.state import Hall
from netveil.web.stored import Kept, Run, record_of

OUT_OF_A_ZIP = (
    "To have exactly this release again, unpack both zips into one folder: the second Python lines load it."
)


@dataclass(frozen=True)
class Source:
    """What a run starts from, as a script names it."""

    network: str  # a file, or a built-in network
    is_builtin: bool
    asked: dict[str, Any]  # how the file is to be read


@dataclass(frozen=True)
class Lines:
    """What does the same."""

    command: str
    python: str
    repeats: bool  # whether it deletes the same edges
    note: str = ""  # why not, in words, and what does

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"command": self.command, "python": self.python, "repeats": self.repeats, "note": self.note}


PROTECTED = "protected.txt"


def _job(options: Mapping[str, Any]) -> Anonymization:
    """The job of a run as a script asks for it: what must stay is in a file."""
    return Anonymization.from_document(
        {**options, "protect": PROTECTED if options["protect"].strip() else None}
    )


def command_for(source: Source, options: dict[str, Any], out: str, *, resume: bool = False) -> str:
    """The command of a search."""
    words = ["netveil", "anonymize", source.network, *_reading_words(source), *_job(options).words()]
    return shlex.join([*words, *(["--resume"] if resume else []), "--out", out])


def command_for_point(source: Source, options: dict[str, Any], budget: int, curve: str, out: str) -> str:
    """The command that takes a point of the curve of a release."""
    words = ["netveil", "anonymize", source.network, *_reading_words(source), "--from-curve", curve]
    words += ["--budget", str(budget)]
    words += ["--keep-labels"] if options["keep_labels"] else []
    return shlex.join([*words, "--out", out])


def python_for(source: Source, options: dict[str, Any], extension: str, out: str) -> str:
    """The same in Python."""
    return "\n".join(
        ["import netveil as nv", "", _opened(source), _anonymized(options), _saved(options, extension, out)]
    )


def python_for_point(budget: int, options: dict[str, Any], extension: str, out: str) -> str:
    """Lines below those of a release with a curve: the release of one of its points."""
    return f"release = release.at({budget})\n{_saved(options, extension, out)}"


def python_to_load(out: str) -> str:
    """Lines that load a release from its folder."""
    return f"import netveil as nv\n\nrelease = nv.load_release({out!r})"


def why_not_again(options: dict[str, Any], figures: dict[str, Any] | None) -> str:
    """Why the same search need not find the same again; nothing where it does."""
    if figures is None:
        return ""
    reason = ""
    if figures["stopped_by"] == "interrupted":
        reason = "it was stopped by hand"
    elif figures["resumed"]:
        reason = "it went on from an earlier search that was cut off"
    elif options["time"] is not None:
        reason = "a clock ended it, and how far a search gets in that time depends on the machine"
    if not reason:
        return ""
    return f"This search cannot be repeated step by step: {reason}. These lines search again. {OUT_OF_A_ZIP}"


def _opened(source: Source) -> str:
    if source.is_builtin:
        return f"network = nv.load({source.network!r})"
    said = "".join(f", {name}={value!r}" for name, value in source.asked.items())
    return f"network = nv.read({source.network!r}{said})"


def _anonymized(options: dict[str, Any]) -> str:
    given = _job(options).arguments("attackers", "search", "release")
    said = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    return f"release = nv.anonymize(\n    network,\n{said})"


def _saved(options: dict[str, Any], extension: str, out: str) -> str:
    suffix = {} if extension == "txt" else {"extension": extension}
    said = "".join(
        f", {name}={value!r}" for name, value in {**suffix, **_job(options).arguments("report")}.items()
    )
    return f"nv.save(release, {out!r}{said})"


def _reading_words(source: Source) -> list[str]:
    words: list[str] = []
    for name, value in source.asked.items():
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return words


# The lines for each run and release: what to name in them, and whether they give the same again.


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
        needs.append({"name": PROTECTED, "sha256": None, "where": "in the private zip"})
    return needs
