"""How a command ends before it is done: by time, signal, kill or full disk; what is left, how it goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import COMMAND, mistake, netveil, write

import netveil as nv
from clocks import Clock
from netveil.cli import entry
from netveil.cli.entry import handling_signals
from netveil.cli.progress import SECONDS_OF_ONE_SIGNAL, stopping_on_signals
from netveil.release.folder import ReleaseFolder
from netveil.search import Control
from netveil.search.problem import check_memory
from releases import leave_out_report
from waiting import HANG, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

BRIEF = ("--no-utility", "--no-audit", "--no-baselines")
ENDLESS = ("anonymize", "demo", "--effort", "10000", "--seed", "1", "--out", "release")
CONTENTS = {
    *("public", "public/network.txt", "public/about.json", "private", "private/report.html"),
    *("private/decision.md", "private/sign-off.html", "private/people_at_risk.csv", "private/labels.csv"),
    *("private/deleted_edges.csv", "private/run.json", "private/decision.json"),
    *("public/README.md", "public/datapackage.json", "public/datacite.json"),
}


# The command line with short audits, as in all tests: see conftest.py.
SHORT_AUDITS = """
import sys
import netveil.api
import netveil.release.gather
from netveil.auditing.matching import run_matching
from netveil.cli import main
from netveil.utility import compare

run_matching.MOST_MARKS = dict.fromkeys(run_matching.MOST_MARKS, 1)
"""
AUDITING_BRIEFLY = (sys.executable, "-c", f"{SHORT_AUDITS}\nsys.exit(main())\n")

# The same, in which to compare two networks takes for ever.
COMPARING_FOR_EVER = (
    sys.executable,
    "-c",
    f"""{SHORT_AUDITS}
def for_ever(compare):
    def compare_for_ever(*arguments, **options):
        compare(*arguments, **options)  # so that nothing is left to compile
        print("comparing", file=sys.stderr, flush=True)
        while True:
            compare(*arguments, **options)

    return compare_for_ever

netveil.release.gather.comparing = for_ever(compare)
sys.exit(main())
""",
)


@contextmanager
def running(
    folder: Path, *arguments: str, having_said: str = "edges deleted", program: Sequence[str] = COMMAND
) -> Iterator[subprocess.Popen[str]]:
    """A process that has said something on standard error, or made a file `ready`; killed in the end."""
    process = subprocess.Popen(
        [*program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        if having_said:
            next(line for line in process.stderr if having_said in line)
        else:
            until((folder / "ready").exists, by=process)
        yield process
    finally:
        process.kill()
        process.communicate()


def run_of(release: Path) -> dict[str, Any]:
    """The private record of a release that must be complete."""
    assert {str(path.relative_to(release)) for path in release.rglob("*")} == CONTENTS
    record: dict[str, Any] = json.loads((release / "private" / "run.json").read_text(encoding="utf-8"))
    return record


@pytest.mark.parametrize(
    ("number", "program", "arguments"),
    [
        pytest.param(signal.SIGINT, AUDITING_BRIEFLY, ("--json",), marks=pytest.mark.thorough),
        (signal.SIGTERM, COMMAND, BRIEF),
    ],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_a_signal_stops_the_search_and_the_best_so_far_is_released(
    tmp_path: Path, number: signal.Signals, program: Sequence[str], arguments: tuple[str, ...]
) -> None:
    """Exit code 130, and standard output is what it always is: one JSON document, or words that say so."""
    with running(tmp_path, *ENDLESS, *arguments, program=program) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG)

    run = run_of(tmp_path / "release")
    assert process.returncode == 130
    assert "Traceback" not in err
    if "--json" in arguments:
        assert json.loads(out)["stopped_by"] == "interrupted"
    else:
        assert "\n\nInterrupted: this is the best found so far.\n" in out
    assert run["stopped_by"] == "interrupted"
    assert run["deleted"] <= run["budget"] == 832
    assert 0 < run["at_risk_after"] <= min(run["at_risk_before"], run["history"][0]["objective"])
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.thorough
def test_a_signal_after_the_search_leaves_out_the_utility(tmp_path: Path) -> None:
    """What was found is released all the same, and audited; what it cost is not in it."""
    options = ("anonymize", "karate", *ENDLESS[2:], "--time", "0.2", "--budget", "5")
    with running(tmp_path, *options, having_said="comparing", program=COMPARING_FOR_EVER) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG)

    about = json.loads((tmp_path / "release" / "public" / "about.json").read_text(encoding="utf-8"))
    assert process.returncode == 130
    assert "Traceback" not in err
    assert run_of(tmp_path / "release")["stopped_by"] == "time"
    assert about["utility"].keys() == {"edges_published", "edges_deleted"}
    assert run_of(tmp_path / "release")["report"]["audit"]["attacks"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_time_is_a_limit_of_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)

    said = netveil(*ENDLESS, "--time", "0.3", "--no-utility", "--json")

    assert (said.code, said.json["stopped_by"]) == (0, "time")
    assert said.json["seconds"] >= 0.3
    assert run_of(tmp_path / "release")["stopped_by"] == "time"


@pytest.mark.thorough
def test_a_killed_search_leaves_no_release_and_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its best is kept in a hidden folder, found by --resume, and gone when there is a release."""
    best_kept = tmp_path / ".release.unfinished" / "best.json"
    with running(tmp_path, *ENDLESS) as process:
        until(best_kept.is_file, by=process)
        process.kill()
        process.wait()

    kept = json.loads(best_kept.read_text(encoding="utf-8"))
    assert [path.name for path in tmp_path.iterdir()] == [".release.unfinished"]
    assert len(kept["deleted_edges"]) <= 832

    monkeypatch.chdir(tmp_path)
    again = netveil(*ENDLESS)
    assert again.code == 2
    assert "--resume" in again.err and "--overwrite" in again.err
    assert json.loads(best_kept.read_text(encoding="utf-8")) == kept

    resumed = netveil(*ENDLESS, "--resume", "--time", "0.3", *BRIEF, "--json")
    assert resumed.code == 0
    assert resumed.json["at_risk_after"] <= kept["at_risk"] < resumed.json["at_risk_before"]
    assert run_of(tmp_path / "release")["history"][0]["objective"] <= kept["at_risk"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_what_was_kept_is_forgotten_where_it_is_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--overwrite after a kill searches from nothing, and so does --resume with nothing that can be read."""
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    for option, texts in {"--overwrite": ["{}"], "--resume": ["", "[]", "{}", '{"fingerprint": 3}']}.items():
        for text in texts:
            kept = tmp_path / ".release.unfinished" / "best.json"
            kept.parent.mkdir(mode=0o700)
            kept.write_text(text)

            assert netveil("anonymize", "karate", "--algorithm", "es", "--out", "release", option).code == 0
            assert [path.name for path in tmp_path.iterdir()] == ["release"]
            shutil.rmtree(tmp_path / "release")


def test_handlers_of_signals_are_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    netveil("anonymize", "karate", "--algorithm", "es")
    netveil("anonymize", "karate", "--budget", "abc")

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


QUICK = ("anonymize", "karate", "--algorithm", "es", "--budget", "4", "--seed", "1", "--out", "release")
KEPT = "the best so far is kept beside release: the same command with --resume goes on from it."


NOTHING = (130, "netveil: interrupted; nothing was written.")


def interrupted(
    folder: Path, program: str, *words: str, number: signal.Signals = signal.SIGINT
) -> tuple[int, str]:
    """The exit code of a program that got a signal once it was ready, and the last line that it said."""
    with running(folder, *words, having_said="", program=(sys.executable, "-c", program)) as process:
        process.send_signal(number)
        _, said = process.communicate(timeout=HANG)
    return process.returncode, said.splitlines()[-1]


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
    assert interrupted(tmp_path, SLOW_IMPORT, module, *command.split(), number=number) == NOTHING


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
    assert interrupted(tmp_path, ENDLESS_THREAD, *command.split()) == NOTHING


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
    program = (sys.executable, "-c", ENDLESS_SEARCH)
    words = [*QUICK, "--quiet", *(["--hang"] if hangs else [])]
    with running(tmp_path, *words, having_said="", program=program) as process:
        process.send_signal(signal.SIGINT)
        until(lambda: "ShdPnd:\t0000000000000000" in Path(f"/proc/{process.pid}/status").read_text())
        process.send_signal(signal.SIGHUP)
        if hangs:
            until((tmp_path / "abandoning").exists, by=process)
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG)

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
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*COMMAND, "networks"], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)

    assert (done.returncode, done.stderr) == (1, "")


def test_a_disk_that_is_full_at_the_end_leaves_what_was_found(
    caplog: pytest.LogCaptureFixture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the release and --resume, which then needs no new search."""

    def full(run: object) -> str:
        raise OSError(28, "No space left on device", "/somewhere/hidden")

    with monkeypatch.context() as patch:
        patch.setattr("netveil.release.folder.render", full)
        said = netveil(*QUICK, "--quiet")
    assert said.code == 2
    assert said.err == (
        "netveil: release cannot be written: No space left on device. Make room; what the search found is "
        "kept, and --resume goes on from it.\n"
    )

    monkeypatch.setattr("netveil.workflow.searching", lambda *job: pytest.fail("searched anew"))
    resumed = netveil(*QUICK, "--resume", "--keep-labels", "--json")

    assert nv.load_release(folder / "release").keep_labels  # which no search depends on
    assert (resumed.code, resumed.json["at_risk_after"]) == (0, 12)
    assert "had come to its end" in caplog.text
    assert {path.name for path in folder.iterdir()} == {"people.csv", "release"}


def test_another_request_searches_anew_from_what_was_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for change in ("--seed 2", "--time 9", "--measure degree", "--k 3"):
        with monkeypatch.context() as patch:
            patch.setattr("netveil.workflow.gather", _fail)
            netveil(*QUICK, "--quiet", "--overwrite")
        shutil.rmtree(folder / "release", ignore_errors=True)
        said = netveil(*QUICK, *change.split(), "--resume", "--json")

        assert (said.code, said.json["resumed"]) == (0, True), change


def _fail(*arguments: object, **options: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("wrong", ["at risk", "an edge twice", "secret"])
def test_what_was_found_is_checked_by_a_recount(
    wrong: str, caplog: pytest.LogCaptureFixture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a record that says something else than is true, nothing is released."""
    with monkeypatch.context() as patch:
        patch.setattr("netveil.workflow.gather", _fail)
        netveil(*QUICK, "--quiet")
    kept = folder / ".release.unfinished" / "best.json"
    record = json.loads(kept.read_text())
    if wrong == "at risk":
        record["outcome"]["at_risk_after"] = 0
    elif wrong == "secret":
        record["secret"] = "00"
    else:
        record["deleted_edges"][1] = record["deleted_edges"][0]
    kept.write_text(json.dumps(record))

    said = netveil(*QUICK, "--resume", "--json")

    assert said.code == 0 and said.json["at_risk_after"] > 0
    assert "best.json is damaged" in caplog.text


def test_a_limit_of_memory_is_told_before_the_search() -> None:
    """As much as can be known: that there is no room; a network of more edges needs more of it."""
    with pytest.raises(
        nv.NetworkError, match=r"karate: a search takes at least \d+ MB of memory, and 0 MB are"
    ):
        check_memory(nv.load("karate"), lambda: 10)
    check_memory(nv.load("karate"), lambda: 400_000_000)
    check_memory(nv.load("karate"), lambda: None)


@pytest.mark.thorough
def test_too_little_memory_to_begin_with_is_told(tmp_path: Path) -> None:
    """Where not even the libraries fit: no defect of netveil, and nothing is left."""
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (300_000_000,) * 2)\n"
    program = f"{limited}from netveil.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *QUICK, *BRIEF]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG)

    assert said.returncode in (1, 2)
    assert "memory" in said.stderr and "defect" not in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_remainder_is_swept_and_a_whole_one_kept(folder: Path) -> None:
    """A slip in the next command costs nothing; what was kept of another network is of no use, and stays."""
    kept = folder / ".release.unfinished"
    kept.mkdir(mode=0o700)  # as the compiler leaves it when it ends the process for lack of memory
    assert netveil(*QUICK, "--budget", "abc").code == 2
    assert list(folder.iterdir()) == [folder / "people.csv"]

    kept.mkdir(mode=0o700)
    write(kept / "best.json", "{}")
    command = ("anonymize", "people.csv", "--out", "release")
    assert "--resume" in mistake(folder, *command)
    mistake(folder, *command, "--overwrite", "--budget", "abc")
    mistake(folder, *command, "--resume", "--budget", "abc")
    write(kept / "best.json", '{"fingerprint": "another", "at_risk": 1, "deleted_edges": [0]}')
    assert "was about another network" in mistake(folder, *command, "--resume")


def test_another_netveil_at_the_same_folder_is_told(folder: Path) -> None:
    """Two at once would take each other's work for left over."""
    held = ReleaseFolder("release")
    held.claim()
    held.keep_best(nv.load("karate"), np.array([1]), at_risk=9)

    for options in ((), ("--resume",), ("--overwrite",)):
        assert "release: another netveil is working on it" in netveil(*QUICK, *options).err
    held.abandon()
    assert netveil(*QUICK, "--resume").code == 0


def test_a_release_that_exists_stays_as_it_is(folder: Path) -> None:
    netveil("anonymize", "people.csv", "--budget", "1", "--seed", "1", "--out", "release")

    assert "release exists already" in mistake(folder, "anonymize", "people.csv", "--out", "release")
    mistake(folder, "anonymize", "people.csv", "--out", "release", "--overwrite", "--budget", "abc")
