"""Scripts: the command and the Python lines that do the same as a run of the page."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from netveil.job import Anonymization, Job, Synthesis
from netveil.web.data_folder import ListedRelease, Record, Run
from netveil.web.forms import POLICY, policy_file
from netveil.web.running import PROTECTED
from netveil.web.state import PageState

OUT_OF_A_ZIP = (
    "To have exactly this release again, unpack both zips into one folder: the second Python lines load it."
)
ASKED_OF_TABLES = ("columns", "separator", "header", "encoding", "nominations")


@dataclass(frozen=True)
class Source:
    """Network that a run starts from, as a script names it."""

    network: str  # a file, or a built-in network
    is_builtin: bool
    asked: Record  # how the file is to be read

    def words(self, command: str) -> list[str]:
        """The beginning of a command about the network."""
        words = ["netveil", command, self.network]
        for name, value in self.asked.items():
            if isinstance(value, bool):
                words.append(f"--{name}" if value else f"--no-{name}")
            else:
                told = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                words += [f"--{name.replace('_', '-')}", told]
        return words

    def opened(self) -> str:
        """The Python line that reads the network."""
        call = "load" if self.is_builtin else "read"
        return f"network = nv.{call}({self.network!r}{_arguments(self.asked)})"


def _script(command: str, python: str, repeats: bool, note: str = "", kind: str = "search") -> Record:
    """A command and Python lines; `repeats`: they do what `does` says, or the note says why not."""
    does = "draw the same ties" if kind == "synthetic" else "delete the same ties"
    return {"command": command, "python": python, "repeats": repeats, "note": note, "does": does}


def source_of(given: Record) -> Source:
    """Network of a worker's order as a script names it."""
    if given["kind"] == "builtin":
        return Source(given["name"], True, {})
    persons = given.get("persons") or {"shown": None, "key": None}
    said = {**given["asked"], "persons": persons["shown"], "persons_key": persons["key"]}
    asked = {name: value for name, value in said.items() if value is not None}
    return Source(given["shown"], bool(given.get("is_builtin")), asked)


def reading_to_ask(reading: Record | None) -> Record:
    """Options to read the original of a release as it was read then."""
    if reading is None or reading["format"] != "edge-list":
        return {}
    by_itself = (None, "blanks and marks")  # what netveil finds by itself, and has no name for
    return {name: reading[name] for name in ASKED_OF_TABLES if reading.get(name) not in by_itself}


def out_folder(name: str, kind: str = "search") -> str:
    """Name of a release's folder in a script."""
    return f"{name}-{'synthetic' if kind == 'synthetic' else 'release'}"


JOBS: dict[str, type[Job]] = {"search": Anonymization, "point": Anonymization, "synthetic": Synthesis}
"""Kind of job that a run of each kind does."""


def _job(options: Record, kind: str = "search") -> Job:
    """The job of a run as a script asks for it: what must stay and a policy of one's own are in files."""
    policy = options.get("policy")
    files = {"policy": None if policy is None else policy_file(policy)[0]}
    if "protect" in options:
        files["protect"] = PROTECTED if options["protect"].strip() else None
    return JOBS[kind].from_document({**options, **files})


def _arguments(given: Record) -> str:
    return "".join(f", {name}={value!r}" for name, value in given.items())


def command_for(
    source: Source, options: Record, out: str, kind: str = "search", *, resume: bool = False
) -> str:
    """The command of a run."""
    job, going_on = _job(options, kind), ["--resume"] if resume else []
    return shlex.join([*source.words(job.command), *job.words(), *going_on, "--out", out])


def command_for_point(source: Source, options: Record, budget: int, curve: str, out: str) -> str:
    """The command that takes a point of the curve of a release."""
    point = ["--from-curve", curve, "--budget", str(budget)]
    labels = ["--keep-labels"] if options["keep_labels"] else []
    policy = ["--policy", policy_file(options["policy"])[0]] if options["policy"] else []
    return shlex.join([*source.words("anonymize"), *point, *labels, *policy, "--out", out])


def python_for(source: Source, options: Record, extension: str, out: str, kind: str = "search") -> str:
    """The Python lines of a run; the function has the name of the command."""
    job = _job(options, kind)
    given = job.arguments("attackers", "search", "release")
    said = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    called = f"release = nv.{job.command}(\n    network,\n{said})"
    return f"import netveil as nv\n\n{source.opened()}\n{called}\n{_saved(job, extension, out)}"


def _saved(job: Job, extension: str, out: str) -> str:
    suffix = {} if extension == "txt" else {"extension": extension}
    return f"nv.save(release, {out!r}{_arguments({**suffix, **job.arguments('report')})})"


def _loaded(out: str) -> str:
    """Python lines that load a release from its folder."""
    return f"import netveil as nv\n\nrelease = nv.load_release({out!r})"


def why_not_again(options: Record, figures: Record | None) -> str:
    """Why the same search need not find the same again; nothing where it does."""
    if figures is None:
        return ""
    if figures["stopped_by"] == "interrupted":
        reason = "it was stopped by hand"
    elif figures["resumed"]:
        reason = "it went on from an earlier search that was cut off"
    elif options["time"] is not None:
        reason = "a clock ended it, and how far a search gets in that time depends on the machine"
    else:
        return ""
    return f"This search cannot be repeated step by step: {reason}. These lines search again. {OUT_OF_A_ZIP}"


def lines_of_run(state: PageState, run: Run) -> Record:
    """The script for a run in any state, and the files that it needs beside it."""
    needs, source = [], source_of(run.given)
    if not source.is_builtin:
        sha256 = (run.figures or {}).get("original_sha256")
        needs.append({"name": Path(source.network).name, "sha256": sha256})
    if "persons" in source.asked:
        needs.append({"name": source.asked["persons"], "sha256": None})
    if state.runs.protected_file(run) is not None:
        needs.append({"name": PROTECTED, "sha256": None, "where": "in the private zip"})
    if (policy := run.options.get("policy")) is not None and (text := policy_file(policy)[1]):
        needs.append({"name": POLICY, "sha256": None, "where": "below", "text": text})
    script = _point_script(state, run) if run.kind == "point" else _whole_script(state, run)
    return {**script, "needs": needs}


def _whole_script(state: PageState, run: Run) -> Record:
    """The script of a search, or of a synthetic network, which the same seed draws again."""
    source, out, note = source_of(run.given), out_folder(run.name, run.kind), ""
    command = command_for(source, run.options, out, run.kind)
    python = python_for(source, run.options, run.extension, out, run.kind)
    if run.kind == "search" and run.state == "cut-off":
        command = command_for(source, run.options, str(state.runs.folder_of(run)), resume=True)
        note = "This search was cut off: the command goes on from its best, as the page does with “resume”."
    elif run.kind == "search" and (note := why_not_again(run.options, run.figures)):
        python += f"\n\n# Exactly this release, from both zips unpacked into one folder:\n{_loaded(out)}"
    return _script(command, python, not note, note, run.kind)


def _point_script(state: PageState, run: Run) -> Record:
    """Two steps where the search for the curve was a run of this page, too."""
    assert run.budget is not None
    out, searched = f"{run.name}-point-release", state.runs.find(run.source)
    curve = out_folder(run.name) if searched else str(run.source_folder)
    command = command_for_point(source_of(run.given), run.options, run.budget, curve, out)
    python = f"release = release.at({run.budget})\n{_saved(_job(run.options), run.extension, out)}"
    if searched is None:
        note = "The curve is in the release folder that is named here."
        return _script(command, f"{_loaded(curve)}\n{python}", True, note)
    before = _whole_script(state, searched)
    return before | {"command": f"{before['command']}\n{command}", "python": f"{before['python']}\n{python}"}


def lines_of_release(state: PageState, release: ListedRelease) -> Record:
    """The script for a release; of one that the page did not make, the command in its record."""
    run = state.runs.find(release.id)
    if run is not None:
        return lines_of_run(state, run)
    command = str(release.record().get("command") or "")
    folder = str(release.folder) if release.source == "folder" else out_folder(release.name)
    note = "The command is the one in the release's record." if command else "Its record names no command."
    python = _loaded(folder)
    if release.figures.get("kind") == "synthetic":
        python = f"import netveil as nv\n\nnetwork = nv.read('{folder}/public/network.{release.extension}')"
    return {**_script(command, python, False, note), "needs": []}
