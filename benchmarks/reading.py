"""CPU seconds to read a million ties, as multiples of splitting the same text into words.

    python benchmarks/reading.py
    python benchmarks/reading.py --against ../other/.venv/bin/python    # another checkout beside this one

Each table is read three times in a process of its own; the quickest counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

SCRIPT = """
import random, sys, time
from netveil.files.edge_list import read

def best(work):
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)

draw = random.Random(1)
pairs = [(draw.randrange(100_000), draw.randrange(100_000)) for _ in range(1_000_000)]
line = {"numbers": "%d %d\\n", "names and weights": "p%d,p%d,0.5\\n"}[sys.argv[1]]
text = "".join(line % pair for pair in pairs)
print(best(lambda: read(text.encode(), "ties.txt")) / best(lambda: text.replace(",", " ").split()))
"""
TABLES = ("numbers", "names and weights")


def multiple(python: str, table: str) -> float:
    """How often the text could be split while its network is read."""
    done = subprocess.run([python, "-c", SCRIPT, table], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", metavar="PYTHON", help="that of another checkout")
    against = parser.parse_args().against
    for name in TABLES:
        here = multiple(sys.executable, name)
        beside = "" if against is None else f", {here / multiple(against, name):.2f} times the other checkout"
        print(f"{name:20} {here:.1f} times splitting it{beside}")
