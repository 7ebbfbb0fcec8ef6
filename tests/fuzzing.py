"""Damaged files (damaging.py) are read: what is wrong with what comes of it?

`make fuzz` runs this module: it goes on until it is stopped, or for `--seconds`, and keeps what it finds in a
folder. Each file is read in a process of its own kind, so that a crash, a hang or a hunger for memory is a
finding too.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from damaging import NAME, Input, inputs, seeds_of
from netveil.errors import LONGEST_MESSAGE, NetveilError
from netveil.files import FORMATS, Format, ReadAs
from netveil.files.read_write import kind_of_table

TOKEN = re.compile("qz", re.IGNORECASE)  # in every label of the seeds, and in nothing else

MOST_CPU_SECONDS = 60  # for one small file: only what hangs takes them, on any machine
MOST_MEMORY = 6 << 30  # bytes of address space of a process that reads
BATCH = 500


def wrong_with(given: Input) -> str | None:
    """What is wrong with how a damaged file is read; None if it is a network or an error as it should be."""
    chosen = FORMATS[given.format_name]
    wrong = _wrong_with_call(lambda: _read_checked(chosen, given.content))
    if wrong is None and given.format_name in ("edge-list", "matrix", "adjacency-list"):
        wrong = _wrong_with_call(lambda: kind_of_table(given.content, NAME, ReadAs()))
    return wrong


def _read_checked(chosen: Format, content: bytes) -> None:
    network = chosen.read(content, NAME)
    assert len(network.labels) == network.node_count
    assert network.degrees.sum() == 2 * network.edge_count


def _wrong_with_call(call: Callable[[], object]) -> str | None:
    try:
        call()
    except NetveilError as error:
        return wrong_with_message(error)
    except Exception as error:
        return f"{type(error).__name__} instead of an error for users"
    return None


def wrong_with_message(error: NetveilError) -> str | None:
    """What is wrong with a message: not one plain line of bounded length, or the name of somebody in it."""
    for message in (str(error), error.for_command_line()):
        if not message.isprintable():
            return "a message of several lines, or with characters that act on a terminal"
        if len(message) > 10 * LONGEST_MESSAGE:
            return f"a message of {len(message)} characters"
        if TOKEN.search(message):
            return "a label in a message"
    return None


def _read_many(format_name: str, seed: int, progress: Path) -> None:
    """Read a batch of files, in a process that ends if one of them takes too long or too much memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number, given in zip(range(BATCH), inputs(format_name, seed)):  # noqa: B905 - the second has no end
        progress.write_bytes(given.content)
        signal.setitimer(signal.ITIMER_PROF, MOST_CPU_SECONDS)  # whose signal ends a process
        wrong = wrong_with(given)
        if wrong:
            _keep(progress.parent, given, wrong)
            print(f"  {format_name}, input {number} of seed {seed}: {wrong}", flush=True)
    progress.unlink()


def _keep(folder: Path, given: Input, wrong: str) -> None:
    name = f"{given.format_name}-{hashlib.sha256(given.content).hexdigest()[:12]}"
    (folder / name).write_bytes(given.content)
    (folder / f"{name}.txt").write_text(wrong + "\n", encoding="utf-8")


def fuzz(seconds: float, folder: Path, first_seed: int) -> int:
    """Damage and read files until the time is up; returns how many findings are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("fork")
    for name in FORMATS:
        seeds_of(name)  # imports what its reader needs once, for all processes
        FORMATS[name].read(seeds_of(name)[0], NAME)
    end, tried, seed = time.monotonic() + seconds, 0, first_seed
    while time.monotonic() < end:
        for name in FORMATS:
            progress = folder / f".{name}.{os.getpid()}"
            process = context.Process(target=_read_many, args=(name, seed, progress))
            process.start()
            process.join()
            tried += BATCH
            if process.exitcode and progress.exists():
                wrong = f"the process ended ({process.exitcode}): a crash, a hang, or all memory"
                _keep(folder, Input(name, progress.read_bytes()), wrong)
                print(f"  {name}, seed {seed}: {wrong}", flush=True)
                progress.unlink()
        seed += 1
        findings = len(list(folder.glob("*.txt")))
        print(
            f"{tried:,} inputs, seeds {first_seed} to {seed - 1}: {findings} findings in {folder}", flush=True
        )
    return len(list(folder.glob("*.txt")))


def main() -> int:
    """Read the options, and fuzz."""
    parser = argparse.ArgumentParser(description="Damage files of every format, and read them.")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="how long; until Ctrl-C if not given"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="folder for what is found"
    )
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first batch")
    given = parser.parse_args()
    try:
        return 1 if fuzz(given.seconds, given.findings, given.seed) else 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
