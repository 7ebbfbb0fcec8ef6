"""What hangs is found by its quiet; what works, however slowly, is not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import waiting
from waiting import busy_seconds, descendants, ended_when_quiet, until

only_where_told = pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="the system does not tell how busy processes are"
)
SLEEPS = (sys.executable, "-c", "import time; time.sleep(10**6)")
WORKS = (sys.executable, "-c", "while True: pass")


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


@only_where_told
def test_a_process_that_works_is_not_quiet() -> None:
    """Nor is one that others keep from working: it waits for a core."""
    process = subprocess.Popen(WORKS)
    try:
        before = busy_seconds(os.getpid())
        with ended_when_quiet(quiet=0.5, every=0.1):
            until(lambda: busy_seconds(os.getpid()) > before + 2)
            assert process.poll() is None
        assert process.pid in descendants(os.getpid())
    finally:
        process.kill()
        process.wait()


def test_who_ends_early_is_told_with_what_was_waited_for() -> None:
    """As the test says it."""
    with subprocess.Popen([sys.executable, "-c", ""], text=True) as ended:
        ended.wait(waiting.HANG)
        with pytest.raises(AssertionError, match=r"ended before .*threading\.active_count\(\) == 0"):
            until(lambda: threading.active_count() == 0, by=ended)
