"""Faults by count: lets the first file operation of a command fail, then the second, and so on to the last.

    python tests/faults/sweep.py [--stride N] [--only SCENARIO]

Each command runs in a child, forked after everything is imported and compiled. After each fault, what is on
the disk must be the state before or the state after, nothing private may be readable by others, and one more
ordinary command must leave nothing behind. Prints what was done, and every promise that was broken.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

from injection import KILLED, KINDS, Injector
from scenarios import ALLOWED, SCENARIOS, Scenario, copied, make_quick

from netveil.cli import main

UNTOUCHED = 77  # exit code of a child in which nothing went wrong
SMALL_FILES = (0, 100, 1_000, 4_000)  # bytes that a file may have on a disk that is nearly full


def in_child(folder: Path, work: Callable[[], int]) -> tuple[int, str]:
    """The exit code of a forked child, and what it said; it works in the folder."""
    reader, writer = os.pipe()  # not a file, to which limits would apply
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.dup2(writer, 1)
            os.dup2(writer, 2)
            os.close(writer)
            os.chdir(folder)
            code = work()
            sys.stdout.flush()
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said


def faulty(scenario: Scenario, folder: Path, number: int, kind: str) -> Callable[[], int]:
    """The command with a fault; tells by its exit code if it never came to that."""

    def work() -> int:
        injector = Injector(str(folder), number, kind)
        injector.install()
        code = main(scenario.command)
        return UNTOUCHED if injector.count < number and code == 0 else code

    return work


def nearly_full(scenario: Scenario, most: int) -> Callable[[], int]:
    """The command on a disk on which no file can be larger."""

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        return main(scenario.command)

    return work


def open_to_others(folder: Path) -> list[str]:
    """Files that others can read though they are private: all but the published ones, plans and grids."""
    return [
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and not _is_public(file.relative_to(folder)) and _can_be_opened(file, folder)
    ]


def _is_public(file: Path) -> bool:
    return "public" in file.parts or file.parts[0] == "cache" or file.name in ("plan.toml", "grid.toml")


def _can_be_opened(file: Path, folder: Path) -> bool:
    way = [file, *(parent for parent in file.parents if parent.is_relative_to(folder) and parent != folder)]
    return all(stat.S_IMODE(each.lstat().st_mode) & 0o077 for each in way)


def broken(scenario: Scenario, folder: Path, code: int, said: str) -> Iterator[str]:
    """Every promise that does not hold after a fault."""
    state = scenario.state(folder)
    if state not in ALLOWED[scenario.name]:
        yield f"it left {state}"
    yield from (f"others can read {file}" for file in open_to_others(folder))
    if "Traceback" in said or "a defect of netveil" in said:
        yield f"it said: {said.strip()[-300:]}"
    if code not in (0, 1, 2, KILLED, UNTOUCHED):
        yield f"it ended with {code}: {said.strip()[-300:]}"
    code, said = in_child(folder, lambda: main(scenario.again))
    if code != 0:
        yield f"the next command ended with {code}: {said.strip()[-300:]}"
    left = {path.name for path in folder.iterdir()}
    hidden = {str(path.relative_to(folder)) for path in folder.rglob(".*")}
    if left != scenario.leaves or hidden:
        yield f"the next command left {sorted(left ^ scenario.leaves)} {sorted(hidden)}"


def sweep(scenario: Scenario, place: Path, stride: int) -> tuple[Counter[str], list[str]]:
    """Every fault of a scenario; returns how many there were of each kind, and what was broken."""
    template, folder = place / "template", place / "work"
    template.mkdir(parents=True)
    os.environ["NETVEIL_CACHE"] = str(folder / "cache")
    os.chdir(template)
    os.environ["NETVEIL_REGISTER"] = ""
    with redirect_stdout(io.StringIO()):
        scenario.prepare(template)
    os.environ["NETVEIL_REGISTER"] = str(folder / "register.json")
    done: Counter[str] = Counter()
    wrong: list[str] = []
    for kind in KINDS:
        number = 1
        while True:
            code, said = in_child(copied(template, folder), faulty(scenario, folder, number, kind))
            if code == UNTOUCHED:
                break
            done[kind] += 1
            wrong += (
                f"{scenario.name}, operation {number}, {kind}: {each}"
                for each in broken(scenario, folder, code, said)
            )
            number += stride
    for most in SMALL_FILES[:: 1 if stride == 1 else 3]:
        code, said = in_child(copied(template, folder), nearly_full(scenario, most))
        done["full disk"] += 1
        wrong += (f"{scenario.name}, {most} bytes: {each}" for each in broken(scenario, folder, code, said))
    return done, wrong


def run(stride: int, only: str | None) -> int:
    """Sweep all scenarios; returns the exit code."""
    make_quick()
    results = {}
    with tempfile.TemporaryDirectory() as place:
        for scenario in SCENARIOS:
            if only in (None, scenario.name):
                warm = Path(place) / scenario.name / "warm"
                warm.mkdir(parents=True)
                os.environ["NETVEIL_CACHE"] = str(warm / "cache")
                os.environ["NETVEIL_REGISTER"] = str(warm / "register.json")
                os.chdir(warm)
                with redirect_stdout(io.StringIO()):
                    scenario.prepare(warm)
                    main(scenario.command)
                done, wrong = sweep(scenario, Path(place) / scenario.name, stride)
                results[scenario.name] = {"faults": dict(done), "broken": wrong}
                print(f"{scenario.name}: {dict(done)}, {len(wrong)} broken", file=sys.stderr, flush=True)
        os.chdir("/")
    print(json.dumps(results, indent=1))
    return 1 if any(result["broken"] for result in results.values()) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--only")
    given = parser.parse_args()
    sys.exit(run(given.stride, given.only))
