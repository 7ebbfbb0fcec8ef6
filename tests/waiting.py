"""Waiting for what must happen, however long a slow or busy machine takes.

What hangs is told by its quiet, not by a clock: for minutes neither this process nor any that it started has
run, or waited for a core. Whoever works is seen to work, however slowly.
"""

from __future__ import annotations

import faulthandler
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HANG = 900.0  # seconds that only what hangs can take, though it is not quiet
QUIET = 120.0  # seconds in which nobody did anything
AWAKE = 0.2  # of one core, on average: servers and browsers that wait take less

_found_quiet: list[float] = []  # when that was the case


def until(happened: Callable[[], bool], by: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to happen, as long as the process lives that is to do it."""
    end, quiet_before = time.monotonic() + HANG, len(_found_quiet)
    while not happened():
        assert by is None or by.poll() is None or happened(), f"the process ended before {told(happened)}"
        hangs = len(_found_quiet) > quiet_before or time.monotonic() > end
        assert not hangs, f"something hangs: never {told(happened)}"
        time.sleep(0.02)


def told(happened: Callable[[], bool]) -> str:
    """What is waited for, as the test says it."""
    try:
        return " ".join(inspect.getsource(happened).split())
    except (OSError, TypeError):
        return repr(happened)


@contextmanager
def ended_when_quiet(quiet: float = QUIET, every: float = 5.0) -> Iterator[None]:
    """While this lasts, kill the processes that we started if all of us are quiet for so long.

    Whoever waits for one of them is told so by that, and where: its stack is printed. Only where the system
    tells how busy processes are. What counts is how often we have looked: a machine may stand still itself.
    """
    if not Path("/proc/self/schedstat").exists():
        yield
        return
    over = threading.Event()

    def watch() -> None:
        since, then, looks = time.monotonic(), busy_seconds(os.getpid()), 0
        while not over.wait(every):
            now, busy = time.monotonic(), busy_seconds(os.getpid())
            looks += 1
            # A process that has ended takes its time along.
            if busy < then or busy - then > AWAKE * (now - since):
                since, then, looks = now, busy, 0
            elif looks * every >= quiet:
                _found_quiet.append(now)
                kill_what_we_started(f"nobody did anything for {now - since:.0f} s")
                since, then, looks = time.monotonic(), busy_seconds(os.getpid()), 0

    watcher = threading.Thread(target=watch, name="waiting.watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def kill_what_we_started(why: str) -> None:
    """And say where we wait for it; first only a browser, so that servers of other tests live on."""
    started = descendants(os.getpid())
    started = [each for each in started if is_of_browser(each)] or started
    if started and sys.__stderr__ is not None:
        print(f"something hangs ({why}), so what was started is killed; we are here:", file=sys.__stderr__)
        faulthandler.dump_traceback(file=sys.__stderr__)
    for number in started:
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)


def is_of_browser(number: int) -> bool:
    """Whether a process is Chromium; Playwright's own lives on, and tells that it is gone."""
    try:
        return Path(f"/proc/{number}/comm").read_text().startswith("chrom")
    except OSError:
        return False


def descendants(number: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{number}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found + [each for child in found for each in descendants(child)]


def busy_seconds(number: int) -> float:
    """How long a process and those below it have run or waited for a core, in all their threads."""
    busy = 0
    for each in (number, *descendants(number)):
        with suppress(OSError):
            for thread in Path(f"/proc/{each}/task").iterdir():
                with suppress(OSError):
                    ran, waited, _ = (thread / "schedstat").read_text().split()
                    busy += int(ran) + int(waited)
    return busy / 1e9
