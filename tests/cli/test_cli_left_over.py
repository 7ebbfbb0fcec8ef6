"""What a command that was cut off leaves behind, what the next one makes of it, and what a mistake costs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import mistake, netveil, write

import netveil as nv
from netveil.release.folder import ReleaseFolder
from netveil.search.problem import check_memory
from waiting import HANG

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")


QUICK = ("anonymize", "karate", "--algorithm", "es", "--budget", "4", "--seed", "1", "--out", "release")
BRIEF = ("--no-utility", "--no-audit", "--no-baselines")


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
    """What was found answers the very same request only."""
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
    """Without --overwrite; and with it, if the mistake is elsewhere."""
    netveil("anonymize", "people.csv", "--budget", "1", "--seed", "1", "--out", "release")

    assert "release exists already" in mistake(folder, "anonymize", "people.csv", "--out", "release")
    mistake(folder, "anonymize", "people.csv", "--out", "release", "--overwrite", "--budget", "abc")
