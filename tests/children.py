"""The processes that tests start: they are changed as the tests' own, and none outlives the test run."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

HERE = Path(__file__).parent
MARK = "NETVEIL_TEST_RUN"  # in the environment of all processes of a test run


def prepare_children() -> None:
    """Once for each test run; the workers of xdist inherit it."""
    if MARK in os.environ:
        return
    hear_signals()
    end_with_us(uuid4().hex)
    places = (str(HERE / "in_children"), os.environ.get("PYTHONPATH", ""))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    pictures = tempfile.TemporaryDirectory(prefix="netveil-pictures-")
    atexit.register(pictures.cleanup)
    os.environ["NETVEIL_TEST_PICTURES"] = pictures.name


def hear_signals() -> None:
    """Who is started in the background, or by nohup, ignores Ctrl-C or SIGHUP, and all its children do."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def end_with_us(mark: str) -> None:
    """Kill all processes that inherit a mark from now on when this process ends, however it ends.

    By a process that reads from us until there is nobody to write: so it hears of a `kill -9`, too.
    """
    if sys.platform.startswith("linux"):
        command = [sys.executable, "-I", "-S", str(HERE / "ending.py"), f"{MARK}={mark}"]
        watcher = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        atexit.register(watcher.communicate)
    os.environ[MARK] = mark
