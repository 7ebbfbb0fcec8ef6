"""What is done while file operations fail: each command that writes, and what its folder may hold then."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import netveil as nv
import netveil.fetching as fetching
from netveil.cli import main
from netveil.fetching import CATALOGUE, FetchableNetwork
from netveil.release import folder as release_folder
from netveil.release.folder import ReleaseFolder
from netveil.studies import tuning_folder

BRIEF = ("--no-utility", "--no-audit", "--quiet", "--threads", "1", "--algorithm", "es")
ANONYMIZE = ("anonymize", "karate", "--budget", "4", "--seed", "1", *BRIEF, "--out", "release")
PLAN = 'networks = ["karate"]\nalgorithms = ["es"]\nbudgets = [2, 3]\nseeds = 1\n'
GRID = "patience = [1, 2]\npopulation = [4]\n"
TINY = b"1 2\n2 3\n3 4\n4 1\n1 5\n"
PUBLIC = {"network.txt", "about.json", "README.md", "datapackage.json", "datacite.json"}
PRIVATE = {
    "report.html",
    "sign-off.html",
    "people_at_risk.csv",
    "labels.csv",
    "deleted_edges.csv",
    "run.json",
    "decision.json",
    "decision.md",
}
RUN = {"settings.json", "trace.csv", "result.json", "deleted_edges.csv"}
TUNING = {"winner.toml", "tuning.json", "results.csv", "halving.svg", "halving.png"}


@dataclass(frozen=True)
class Scenario:
    """A command, what is there before it, and what must be true whatever happens to it."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path], None]
    state: Callable[[Path], str]  # of the folder: 'before', 'after', or what is wrong
    again: tuple[str, ...]  # one more ordinary command
    leaves: frozenset[str]  # names in the folder after that


def _nothing(folder: Path) -> None:
    return


def _plan(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)


def _grid(folder: Path) -> None:
    (folder / "grid.toml").write_text(GRID)


def _old_release(folder: Path) -> None:
    network = nv.load("karate")
    release = nv.anonymize(network, 2, seed=9, algorithm="es", threads=1)
    nv.save(release, folder / "release", utility=False, audit=False)


def _cut_off(folder: Path) -> None:
    place = ReleaseFolder(folder / "release")
    place.claim()
    place.keep_best(nv.load("karate"), np.array([3, 5]), at_risk=13)
    place.abandon()


def _old_tuning(folder: Path) -> None:
    _grid(folder)
    assert main([*TUNE, "--seed", "3"]) == 0


def release_state(folder: Path) -> str:
    """Whether there is no release, the old one, or the new one, whole."""
    release, register = folder / "release", folder / "register.json"
    if register.exists() and not json.loads(register.read_text())["releases"]:
        return "half a register"
    if not release.exists():
        return "none"
    found = {part: {file.name for file in (release / part).iterdir()} for part in ("public", "private")}
    if found != {"public": PUBLIC, "private": PRIVATE}:
        return f"half a release: {found}"
    run = json.loads((release / "private" / "run.json").read_text())
    edges = len((release / "private" / "deleted_edges.csv").read_text().splitlines()) - 1
    labels = len((release / "private" / "labels.csv").read_text().splitlines()) - 1
    whole = edges == run["deleted"] and labels == run["nodes"]
    return {9: "old", 1: "new"}[run["seed"]] if whole else "a release that does not agree"


def experiment_state(folder: Path) -> str:
    """Every run that is there is whole."""
    runs = folder / "out" / "runs"
    for run in runs.iterdir() if runs.is_dir() else ():
        if not run.name.startswith(".") and {file.name for file in run.iterdir()} != RUN:
            return f"half a run: {run.name}"
    return "whole"


def tuning_state(folder: Path) -> str:
    """Whether there is no tuning, the old one or the new one, whole."""
    out = folder / "tuned"
    if not out.exists():
        return "none"
    if {file.name for file in out.iterdir()} != TUNING:
        return "half a tuning"
    return {3: "old", 1: "new"}[json.loads((out / "tuning.json").read_text())["seed"]]


def cache_state(folder: Path) -> str:
    """A file with its record is what was fetched; without one it does not count."""
    cache = folder / "cache"
    if not (cache / "tiny.json").exists():
        return "none"
    return "whole" if (cache / "tiny.txt").read_bytes() == TINY else "a record of what is not there"


TUNE = (
    *("tune", "karate", "--algorithm", "ga", "--grid", "grid.toml", "--configurations", "2", "--workers"),
    *("1", "--budget", "2", "--quiet", "--out", "tuned"),
)
EXPERIMENT = ("experiment", "plan.toml", "--out", "out", "--workers", "1", "--quiet")
OVERWRITE = (*ANONYMIZE, "--overwrite")
RETUNE, FETCH = (*TUNE, "--seed", "1", "--overwrite"), ("networks", "fetch", "tiny")

RELEASED = frozenset({"release", "register.json"})

SCENARIOS = [
    Scenario("anonymize", ANONYMIZE, _nothing, release_state, OVERWRITE, RELEASED),
    Scenario("overwrite", OVERWRITE, _old_release, release_state, OVERWRITE, RELEASED),
    Scenario("resume", (*ANONYMIZE, "--resume"), _cut_off, release_state, OVERWRITE, RELEASED),
    Scenario("experiment", EXPERIMENT, _plan, experiment_state, EXPERIMENT, frozenset({"out", "plan.toml"})),
    Scenario("tune", RETUNE, _old_tuning, tuning_state, RETUNE, frozenset({"tuned", "grid.toml"})),
    Scenario("fetch", FETCH, _nothing, cache_state, FETCH, frozenset({"cache"})),
]
FRESH, REPLACED = {"none", "new"}, {"old", "new"}
ALLOWED = {"anonymize": FRESH, "resume": FRESH, "overwrite": REPLACED, "tune": REPLACED}
ALLOWED |= {"experiment": {"whole"}, "fetch": {"none", "whole"}}


def make_quick() -> None:
    """Leave out what takes long and writes nothing: pictures, long searches, the web."""
    setattr(release_folder, "render", lambda run: "a report")  # noqa: B010 - mypy knows no such name
    setattr(tuning_folder, "halving_figure", lambda result: {"svg": b"<svg/>", "png": b"png"})  # noqa: B010
    setattr(fetching, "download", lambda *arguments: TINY)  # noqa: B010
    CATALOGUE["tiny"] = FetchableNetwork(
        name="tiny", title="Five people.", address="http://localhost/tiny.txt", member=None, nodes=5, edges=5,
        unique=2, citation="nobody",
    )  # fmt: skip


def copied(template: Path, folder: Path) -> Path:
    """A fresh copy of what is there before."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder, symlinks=True)
    return folder
