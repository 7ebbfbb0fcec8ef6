"""Processes that tests start, and a Dask scheduler with workers on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from waiting import HANG, until

SCHEDULER = (sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
WORKER = (sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny")


@contextmanager
def started(*command: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process whose words go to a file in the folder, `….log`; killed at the end if need be."""
    with (folder / f"{time.monotonic_ns()}.log").open("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,  # so that a signal to its group is one to it and its workers
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def said(folder: Path) -> str:
    """All that processes in a folder have said so far."""
    return "".join(log.read_text(encoding="utf-8") for log in folder.glob("*.log"))


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running scheduler, and its address."""
    file = folder / "scheduler.json"
    command = (*SCHEDULER, "--no-dashboard", "--scheduler-file", str(file))
    with started(*command, folder=folder) as process:
        until(file.is_file, by=process)
        until(lambda: "address" in file.read_text(encoding="utf-8"), by=process)
        yield process, json.loads(file.read_text(encoding="utf-8"))["address"]


@contextmanager
def workers(
    address: str, folder: Path, count: int, **environment: str
) -> Iterator[list[subprocess.Popen[str]]]:
    """Worker processes that the scheduler knows, and that are gone afterwards."""
    with ExitStack() as stack:
        command = (*WORKER, address, "--no-dashboard", "--death-timeout", str(HANG))
        already = said(folder).count("Registered to")
        processes = [
            stack.enter_context(started(*command, folder=folder, **environment)) for _ in range(count)
        ]
        until(lambda: said(folder).count("Registered to") >= already + count)
        yield processes
        for process in processes:
            process.terminate()
            process.wait(HANG)
