"""Processes that tests start are like the tests' own, end with it, and are found when they hang."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import waiting
from netveil.auditing.matching import run_matching
from netveil.plotting import Picture
from netveil.search.annealing import targets
from waiting import ended_when_quiet, until

LOOKS = """\
import os, sys
assert "netveil" not in sys.modules
from netveil.auditing.matching import run_matching
from netveil.plotting import Picture
from netveil.search.annealing import targets
import igraph
assert "matplotlib.pyplot" not in sys.modules
print(run_matching.MOST_MARKS, targets.FEWEST_PROPOSALS, Picture.svg.__qualname__, os.fsync.__qualname__)
"""

# A run that starts a process, which starts another that would wait for ever.
RUN = """\
import subprocess, sys, time
sys.path.insert(0, {here!r})
from children import end_with_us
end_with_us("a test of a test run")
waits = "open('pid', 'w').write(str(__import__('os').getpid())); __import__('time').sleep(10**6)"
starts = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], start_new_session=True)"
subprocess.Popen([sys.executable, "-c", starts, waits])
time.sleep(10**6)
"""


@pytest.mark.thorough
def test_what_is_changed_for_tests_is_changed_in_other_processes() -> None:
    """As it is here."""
    said = subprocess.run([sys.executable, "-c", LOOKS], capture_output=True, text=True, check=True).stdout

    assert said.split("} ") == [
        str(run_matching.MOST_MARKS)[:-1],
        f"{targets.FEWEST_PROPOSALS} {Picture.svg.__qualname__} {os.fsync.__qualname__}\n",
    ]
    assert targets.FEWEST_PROPOSALS == 200_000


def test_no_module_of_tests_searches_when_it_is_imported(searched_for_by_modules: list[object]) -> None:
    """Every process of a test run imports them all, and would search again."""
    assert searched_for_by_modules == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is looked for in /proc")
def test_a_run_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    """Not even one of another session that another process has started."""
    code = RUN.format(here=str(Path(__file__).parent))
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) as run:
        try:
            until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
            process = Path("/proc") / (tmp_path / "pid").read_text()
            assert lives(process)
        finally:
            run.kill()
    until(lambda: not lives(process))


def lives(process: Path) -> bool:
    """Whether a process in /proc is more than what its parent has not asked for yet."""
    try:
        return "\nState:\tZ" not in (process / "status").read_text()
    except OSError:
        return False


only_where_told = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="the system does not tell how busy processes are"
)
SLEEPS = (sys.executable, "-c", "import time; time.sleep(10**6)")


@only_where_told
def test_a_process_that_sleeps_is_killed_and_what_was_waited_for_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also for whoever waits for something else than its end."""
    monkeypatch.setattr(
        waiting, "AWAKE", 5.0
    )  # on a busy machine we ourselves wait for a core to look at all
    with subprocess.Popen(SLEEPS, text=True) as sleeping, ended_when_quiet(quiet=0.5, every=0.1):
        with pytest.raises(AssertionError, match=r"never until\(lambda: the_sun_rises\)|ended before"):
            the_sun_rises = False
            until(lambda: the_sun_rises)
        assert sleeping.wait(waiting.HANG) == -9


def test_who_ends_early_is_told_with_what_was_waited_for() -> None:
    """As the test says it."""
    with subprocess.Popen([sys.executable, "-c", ""], text=True) as ended:
        ended.wait(waiting.HANG)
        with pytest.raises(AssertionError, match=r"ended before .*threading\.active_count\(\) == 0"):
            until(lambda: threading.active_count() == 0, by=ended)
