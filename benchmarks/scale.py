"""What large networks cost to read and to measure, an edge: CPU time, and the peak of memory of a process.

    python benchmarks/scale.py                 # 10^5 and 10^6 edges
    python benchmarks/scale.py --large         # and 10^7
    python benchmarks/scale.py --huge          # 10^8 alone, in Parquet
    python benchmarks/scale.py --against ../other/.venv/bin/python    # another checkout beside this one

The networks are those of `scale_tables.py`. A process reads and measures a small network first, so that all
is compiled and loaded, then a large one: time is that of reading (the least of three times) and of measuring
(`count`) alone, memory the most that the process held, less what it held before. The last column compares the
time to read what `netveil convert` made of the CSV file with that of the CSV file itself.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scale_tables import LINES, write_csv, write_parquet

MEASURING = """
import sys, time
import netveil as nv

def most():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(status.read().partition("VmHWM:")[2].split()[0]) * 1024

def timed(work, *given):
    began = time.process_time()
    found = work(*given)
    return found, time.process_time() - began

nv.measure(nv.read(sys.argv[2]))
before = most()
network, reading = timed(nv.read, sys.argv[1])
after_reading = most()
measuring = timed(nv.measure, network)[1]
after_both, edges = most(), network.edge_count
for _ in range(2):
    del network
    network, again = timed(nv.read, sys.argv[1])
    reading = min(reading, again)
print(reading, measuring, after_reading - before, after_both - before, edges)
"""
CONVERTED, CONVERTED_TO = "converted", (".parquet", ".arrow")


class Cost(NamedTuple):
    """Of one process."""

    reading: float  # CPU seconds
    measuring: float
    reading_memory: int  # bytes
    memory: int
    edges: int  # of the network, each once

    def cells(self) -> str:
        """An edge, as a row of the table has it."""
        times = " | ".join(f"{seconds / self.edges * 1e6:.2f}" for seconds in (self.reading, self.measuring))
        sizes = " | ".join(f"{size / self.edges:.0f}" for size in (self.reading_memory, self.memory))
        return f"{times} | {sizes}"


TABLES: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "CSV, whole numbers": ("csv", partial(write_csv, line=LINES["numbers"])),
    "CSV, names": ("csv", partial(write_csv, line=LINES["names"])),
    "Parquet, whole numbers": ("parquet", write_parquet),
}


def cost(against: str | None, file: Path, small: Path) -> Cost:
    """Of a file, after a small one of the same sort, here or by the Python of another checkout."""
    environment = dict(os.environ)
    if against is not None:
        environment.pop("PYTHONPATH", None)  # it may say where this checkout is
    command = [against or sys.executable, "-c", MEASURING, str(file), str(small)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    reading, measuring, reading_memory, memory, edges = done.stdout.split()[-5:]
    return Cost(float(reading), float(measuring), int(reading_memory), int(memory), int(edges))


def convert(file: Path, small: Path, suffix: str) -> tuple[Path, Path]:
    """Both files as `netveil convert` writes them."""
    made = []
    for each in (file, small):
        other = each.with_name(f"{CONVERTED}-{each.stem}{suffix}")
        command = [sys.executable, "-m", "netveil", "convert", str(each), "--out", str(other), "--overwrite"]
        subprocess.run(command, capture_output=True, check=True)
        made.append(other)
    return made[0], made[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true", help="10^7 edges too")
    parser.add_argument("--huge", action="store_true", help="10^8 edges, in Parquet, and nothing else")
    parser.add_argument("--against", metavar="PYTHON", help="that of another checkout")
    parser.add_argument("--folder", metavar="DIR", help="for the files; 10^8 edges take a gigabyte")
    options = parser.parse_args()
    sizes = [10**8] if options.huge else [10**5, 10**6, *[10**7] * options.large]
    tables = {name: made for name, made in TABLES.items() if made[0] == "parquet" or not options.huge}
    print(
        "| table | rows | reading: CPU µs an edge | measuring | reading: bytes an edge | both | converted |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name, (suffix, write) in tables.items():
            small, file = Path(folder, f"small.{suffix}"), Path(folder, f"large.{suffix}")
            write(small, 200_000)  # enough for the compiled reader
            for rows in sizes:
                write(file, rows)
                _print_rows(name, rows, file, small, options.against)


def _print_rows(name: str, rows: int, file: Path, small: Path, against: str | None) -> None:
    ours = cost(None, file, small)
    print(f"| {name} | {rows:,} | {ours.cells()} | |", flush=True)
    for suffix in CONVERTED_TO if file.suffix == ".csv" else ():
        again = cost(None, *convert(file, small, suffix))
        ratio = f"{again.reading / ours.reading:.2f}"
        print(f"| {name}, converted to {suffix} | {rows:,} | {again.cells()} | {ratio} |", flush=True)
    if against is not None:
        theirs = cost(against, file, small)
        ratio = f"ours / theirs {ours.reading / theirs.reading:.2f}, {ours.memory / theirs.memory:.2f}"
        print(f"| {name}, the other | {rows:,} | {theirs.cells()} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
