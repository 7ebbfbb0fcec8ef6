"""Small plans, and what their runs found, for the tests of experiments."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

NETVEIL = (sys.executable, "-m", "netveil")

SMALL = """\
name = "small"
seeds = 2
budgets = ["5%", 6]
metrics = ["clustering", "lcc"]
networks = ["karate", "people.csv"]
algorithms = ["es", {name = "quick", algorithm = "ga", config = "conf1", settings = {patience = 2}}]
"""

# Nobody in a circle but the two at its ends has another degree.
PEOPLE = "anna,bob\nbob,cleo\ncleo,dan\ndan,eve\neve,finn\nfinn,gus\ngus,anna\nanna,cleo\nhal,ida\nida,anna\n"

# A measure that waits once three runs are finished, for as long as there is a file `halfway`, so that there
# is a middle to stop in; one by which no search is ever done, that says by a file `under way` that there is
# one; one that ends its process; and one that fails until there is a file `mended`.
MEASURES = """\
import os, time

def waiting(network):
    while os.path.exists("halfway") and len([run for run in os.listdir("out/runs") if run[0] != "."]) >= 3:
        time.sleep(0.02)
    return network.degrees.tolist()

calls = 0

def endless(network):
    global calls
    calls += 1
    if calls == 300:
        open("under way", "w").close()
    return list(range(network.node_count))

def deadly(network):
    os._exit(1)

def failing(network):
    if not os.path.exists("mended"):
        raise ValueError("not mended\\nyet")
    return network.degrees.tolist()
"""
WITH_A_MIDDLE = 'networks = ["karate"]\nalgorithms = ["es"]\nmeasures = ["mymeasures:waiting"]\nseeds = 12\n'
ENDLESS = """\
networks = ["karate"]
algorithms = [{algorithm = "ga", settings = {population = 4, offspring = 4, patience = 1000000000}}]
measures = ["mymeasures:endless"]
seeds = 2
"""

TIMES = {"seconds", "run_seconds"}


def study(folder: Path, plan: str = SMALL) -> Path:
    """A plan, and what belongs to it, in a folder; returns the plan's file."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "mymeasures.py").write_text(MEASURES, encoding="utf-8")
    (folder / "halfway").touch()
    file = folder / "plan.toml"
    file.write_text(plan, encoding="utf-8")
    return file


def findings(folder: Path) -> dict[str, Any]:
    """All that the runs in a folder found, by run, without how long they took."""
    found = {}
    for run in sorted((folder / "runs").iterdir()):
        assert sorted(file.name for file in run.iterdir()) == [
            "deleted_edges.csv",
            "result.json",
            "settings.json",
            "trace.csv",
        ]
        with (run / "trace.csv").open(encoding="utf-8", newline="") as file:
            trace = [without_times(row) for row in csv.DictReader(file)]
        settings, result = (
            without_times(json.loads((run / name).read_text(encoding="utf-8")))
            for name in ("settings.json", "result.json")
        )
        deleted = (run / "deleted_edges.csv").read_text(encoding="utf-8")
        found[run.name] = (settings, result, trace, deleted)
    return found


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    """A row less what differs from one time to the next."""
    return {name: value for name, value in row.items() if name not in TIMES}


def finished(folder: Path) -> set[str]:
    """The names of the runs in a folder."""
    runs = folder / "runs"
    return {run.name for run in runs.iterdir() if run.name[0] != "."} if runs.is_dir() else set()


def worker_processes(parent: int) -> list[int]:
    """The worker processes of a process."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def lives(process: int) -> bool:
    """Whether a process is still there, and not just its entry in the table."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
