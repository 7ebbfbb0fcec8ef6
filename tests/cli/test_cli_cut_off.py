"""Commands that are cut off in unusual moments, or cannot print: one line that says what is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import COMMAND

import netveil as nv
from clocks import Clock
from netveil.cli import entry
from netveil.cli.entry import handling_signals
from netveil.cli.progress import SECONDS_OF_ONE_SIGNAL, stopping_on_signals
from netveil.release.folder import ReleaseFolder
from netveil.search import Control
from waiting import HANG, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

QUICK = ("anonymize", "karate", "--algorithm", "es", "--budget", "4", "--seed", "1", "--out", "release")
BRIEF = ("--no-utility", "--no-audit", "--no-baselines")
KEPT = "the best so far is kept beside release: the same command with --resume goes on from it."


def interrupted(
    folder: Path, program: Sequence[str], number: signal.Signals = signal.SIGINT
) -> tuple[int, str]:
    """The exit code of a program that got a signal once it had made a file `ready`, and what it said."""
    process = subprocess.Popen(program, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        until((folder / "ready").exists, by=process)
        process.send_signal(number)
        _, said = process.communicate(timeout=HANG)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, said


# Python imports a module that takes for ever.
SLOW_IMPORT = """
import pathlib, sys, time, importlib.abc, threading

slow = sys.argv.pop(1)

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == slow:
            pathlib.Path("ready").touch()
            while True:
                time.sleep(0.02) if threading.current_thread() is threading.main_thread() else time.sleep(9e5)

sys.meta_path.insert(0, Slow())
from netveil.cli import main
sys.exit(main())
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("number", "module", "command"),
    [
        (signal.SIGINT, "igraph", "compare karate karate"),
        (signal.SIGTERM, "click", "networks"),
        (signal.SIGHUP, "click", "networks"),
    ],
    ids=["Ctrl-C", "SIGTERM", "SIGHUP"],
)
def test_a_signal_while_python_imports_is_told_in_one_line(
    tmp_path: Path, number: signal.Signals, module: str, command: str
) -> None:
    """Whatever the signal, and though a thread imports what does not end: no traceback, and no silence."""
    code, said = interrupted(tmp_path, (sys.executable, "-c", SLOW_IMPORT, module, *command.split()), number)

    assert (code, said.splitlines()[-1]) == (130, "netveil: interrupted; nothing was written.")


# A metric and an attack that never end, each in a thread of its pool.
ENDLESS_THREAD = """
import pathlib, sys, threading
from netveil.auditing.matching import run_matching
from netveil.cli import main
from netveil.registries import METRICS

def for_ever(*arguments):
    pathlib.Path("ready").touch()
    threading.Event().wait()

METRICS["lcc"].compare = for_ever
run_matching._Stage.trial = for_ever
sys.exit(main())
"""


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["compare karate karate", "audit karate karate --measure degree --quiet"])
def test_ctrl_c_does_not_wait_for_threads(tmp_path: Path, command: str) -> None:
    """Though one of them never ends."""
    code, said = interrupted(tmp_path, (sys.executable, "-c", ENDLESS_THREAD, *command.split()))

    assert (code, said.splitlines()[-1]) == (130, "netveil: interrupted; nothing was written.")


# A search that keeps its best at once and never ends; `abandon` and what follows never end either.
ENDLESS_SEARCH = """
import pathlib, sys, time
from netveil import workflow
from netveil.cli import main
from netveil.release.folder import ReleaseFolder
import numpy as np

def for_ever(network, job, control, start):
    control.keeper(np.array([3, 5]), 13)
    pathlib.Path("ready").touch()
    while True:
        time.sleep(0.01)
    yield

def abandon_for_ever(self):
    pathlib.Path("abandoning").touch()
    while True:
        time.sleep(0.01)

workflow.anonymizing = for_ever
if sys.argv[-1] == "--hang":
    sys.argv.pop()
    ReleaseFolder.abandon = abandon_for_ever
from netveil.cli import progress
progress.SECONDS_OF_ONE_SIGNAL = 0
sys.exit(main())
"""


@pytest.mark.thorough
@pytest.mark.parametrize("hangs", [False, True], ids=["second", "third"])
def test_a_further_ctrl_c_says_where_the_best_is(tmp_path: Path, hangs: bool) -> None:
    """The second one ends the command after it has cleaned up, the third one whatever it is doing."""
    program = [sys.executable, "-c", ENDLESS_SEARCH, *QUICK, "--quiet", *(["--hang"] if hangs else [])]
    process = subprocess.Popen(program, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        until((tmp_path / "ready").exists, by=process)
        process.send_signal(signal.SIGINT)
        until(lambda: "ShdPnd:\t0000000000000000" in Path(f"/proc/{process.pid}/status").read_text())
        process.send_signal(signal.SIGHUP)
        if hangs:
            until((tmp_path / "abandoning").exists, by=process)
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG)
    finally:
        process.kill()
        process.communicate()

    assert (process.returncode, said.strip()) == (130, f"netveil: interrupted; {KEPT}")
    kept = ReleaseFolder(tmp_path / "release").best_of_unfinished(nv.load("karate"))
    assert kept is not None and kept.tolist() == [3, 5]


def test_the_answers_to_one_two_and_three_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search stops, then the command ends, then the process; a signal sent twice at once is one."""
    ended: list[int] = []
    monkeypatch.setattr("netveil.cli.progress.end_at_once", lambda number, frame: ended.append(number))
    control, clock = Control(), Clock()
    with stopping_on_signals(control, clock):
        signal.raise_signal(signal.SIGHUP)
        assert control.asked_to_stop() == "interrupted"
        clock.spend(SECONDS_OF_ONE_SIGNAL + 0.1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert ended == []
        clock.spend(SECONDS_OF_ONE_SIGNAL + 0.1)
        signal.raise_signal(signal.SIGINT)

    assert ended == [signal.SIGINT]


def test_nohup_is_heard() -> None:
    """Whoever has a command ignore that its terminal is closed, means it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handling_signals(signal.default_int_handler):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_terminal_that_is_gone_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears what is told then, and the exit code is what it is."""

    class Gone:
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stderr", Gone())
    entry.say_what_is_left()

    assert entry.end_interrupted() == 130


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_takes_no_more_is_told_as_what_it_is(tmp_path: Path) -> None:
    """It is no defect of netveil; what was made is there, and the line says where."""
    with Path("/dev/full").open("w") as full:
        command = [*COMMAND, *QUICK, *BRIEF, "--quiet"]
        released = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)

    why = "the result cannot be printed: standard output takes no more (No space left on device)"
    assert (released.returncode, released.stderr) == (1, f"netveil: {why}; the release is in release.\n")
    assert (tmp_path / "release" / "private" / "run.json").is_file()


@pytest.mark.thorough
def test_a_reader_who_has_seen_enough_hears_nothing(tmp_path: Path) -> None:
    """As of `netveil networks | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*COMMAND, "networks"], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)

    assert (done.returncode, done.stderr) == (1, "")
