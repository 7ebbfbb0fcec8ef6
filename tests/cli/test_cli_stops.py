"""How a search ends before it is done: by time, by a signal, or by a kill; and how it goes on."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMAND, netveil

from releases import leave_out_report
from waiting import HANG, until

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
    """A process that has said something on standard error; killed at the end if need be."""
    process = subprocess.Popen(
        [*program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if having_said in line:
                break
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
    """Stopping by the clock is a success: exit code 0."""
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
    """A program that calls the command line keeps its own."""
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    netveil("anonymize", "karate", "--algorithm", "es")
    netveil("anonymize", "karate", "--budget", "abc")

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
