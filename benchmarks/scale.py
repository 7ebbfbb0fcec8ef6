"""What large networks cost, an edge: CPU time, and the peak of memory of a process of its own.

    python benchmarks/scale.py                 # 10^5 and 10^6 edges
    python benchmarks/scale.py --large         # and 10^7
    python benchmarks/scale.py --against ../other/.venv/bin/python    # another checkout beside this one

The networks have nine ties a person, half of them with heavy-tailed ends and half inside groups of 40. Time
is that of reading alone, without imports. Memory is that of the whole process; what it takes before it reads
anything stands in the last line, and weighs less the larger a network is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

GROUP = 40
LINES_AT_ONCE = 100_000
READING = """
import resource, sys, time
import netveil as nv
nv.read(sys.argv[2])  # loads all that is needed
began = time.process_time()
nv.read(sys.argv[1])
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
TABLES = {
    "CSV, whole numbers": ("csv", "%d,%d\n"),
    "CSV, names": ("csv", "person%d,person%d\n"),
    "Parquet, whole numbers": ("parquet", ""),
}


class Cost(NamedTuple):
    """Of one process."""

    seconds: float
    memory: int


def pairs_of(edges: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The ends of so many ties, from 1,000,000 on, in an order that means nothing."""
    people, half, draw = edges // 9, edges // 2, np.random.default_rng(1)
    tails = np.column_stack((people * draw.random(half) ** 3, people * draw.random(half) ** 2))
    groups = draw.integers(0, people // GROUP, edges - half)[:, None] * GROUP
    inside = groups + draw.integers(0, GROUP, (edges - half, 2))
    pairs = np.concatenate((tails.astype(np.int64), inside)) + 1_000_000
    return draw.permutation(pairs)


def write(file: Path, line: str, edges: int) -> None:
    """A table of ties."""
    pairs = pairs_of(edges)
    if not line:
        import pyarrow
        import pyarrow.parquet

        columns = [pyarrow.array(column, type=pyarrow.int32()) for column in pairs.T]
        pyarrow.parquet.write_table(pyarrow.table(columns, names=["source", "target"]), file)
        return
    with file.open("w", encoding="ascii") as stream:
        stream.write("source,target\n")
        for start in range(0, edges, LINES_AT_ONCE):
            part = pairs[start : start + LINES_AT_ONCE].tolist()
            stream.write("".join(line % tuple(pair) for pair in part))


def reading(against: str | None, file: Path, small: Path) -> Cost:
    """Of reading a file, after a small one of the same sort, here or by the Python of another checkout."""
    environment = dict(os.environ)
    if against is not None:
        environment.pop("PYTHONPATH", None)  # it may say where this checkout is
    command = [against or sys.executable, "-c", READING, str(file), str(small)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, memory = done.stdout.split()[-2:]
    return Cost(float(seconds), int(memory))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true", help="10^7 edges too")
    parser.add_argument("--against", metavar="PYTHON", help="that of another checkout")
    options = parser.parse_args()
    beside = [options.against] * (options.against is not None)
    told = " theirs: µs, bytes | ours / theirs: µs, bytes |" if beside else ""
    print(f"| reading | edges | CPU µs an edge | bytes an edge |{told}")
    print("|---|---|---|---|" + "---|---|" * len(beside))
    idle: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, (suffix, line) in TABLES.items():
            small = Path(folder) / f"small.{suffix}"
            write(small, line, 200_000)  # enough for the compiled reader
            idle.add(f"{reading(None, small, small).memory >> 20} MiB for {name}")
            for edges in (10**5, 10**6, *[10**7] * options.large):
                file = Path(folder) / f"large.{suffix}"
                write(file, line, edges)
                costs = [reading(python, file, small) for python in (None, *beside)]
                cells = [f"{cost.seconds / edges * 1e6:.2f} | {cost.memory / edges:.0f}" for cost in costs]
                cells[1:] = [cell.replace(" | ", ", ") for cell in cells[1:]]
                if beside:
                    time = costs[0].seconds / costs[1].seconds
                    cells.append(f"{time:.2f}, {costs[0].memory / costs[1].memory:.2f}")
                print(f"| {name} | {edges:,} | {' | '.join(cells)} |", flush=True)
    print(f"\nA process that read 200,000 edges: {', '.join(sorted(idle))}")


if __name__ == "__main__":
    main()
