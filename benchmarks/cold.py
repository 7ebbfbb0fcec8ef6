"""What a first run costs: seconds of commands with nothing compiled yet (cold), and with all compiled (warm).

    python benchmarks/cold.py
    python benchmarks/cold.py --against ../other-checkout/.venv/bin/python --repeats 3

With `--against`, the same commands of another checkout, whose Python this is, in turn with ours: the last
column is ours over theirs, in CPU seconds, both cold: they depend little on what else the machine does. The
least of the repeats counts. Whoever has all compiled does not notice that there is more of it: run this.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from processes import cpu_and_all_seconds

ANONYMIZE = ["anonymize", "karate", "--seed", "1", "--time", "1", "--threads", "1", "--out", "release"]
WITHOUT = ["--no-utility", "--no-audit"]
COMMANDS = {
    "measure": ["measure", "karate"],
    "anonymize, without utility and audit": [*ANONYMIZE, *WITHOUT],
    "anonymize": ANONYMIZE,
    "anonymize, limits": [*ANONYMIZE, *WITHOUT, "--keep", "clustering=20%"],
    "anonymize, against vertex-refinement": [*ANONYMIZE, *WITHOUT, "--measure", "vertex-refinement"],
    "anonymize with uga": [*ANONYMIZE, *WITHOUT, "--algorithm", "uga"],
    "anonymize demo": ["anonymize", "demo", "--seed", "1", "--time", "2", "--out", "release"],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", help="the Python of another checkout")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", action="append", choices=COMMANDS, help="this command; repeatable")
    options = parser.parse_args()
    pythons = [sys.executable] if options.against is None else [sys.executable, options.against]
    print("| command | cold, CPU s | warm, CPU s | cold, s | warm, s |", end="")
    print(" theirs cold, CPU s | ours / theirs |" * (len(pythons) - 1))
    print("|---|---|---|---|---|" + "---|---|" * (len(pythons) - 1))
    for what in options.only or COMMANDS:
        command = COMMANDS[what]
        rounds = [
            [cold_and_warm(str(Path(python).absolute()), command) for python in pythons]
            for _ in range(options.repeats)
        ]
        ours, *others = (
            [min(times) for times in zip(*each, strict=True)] for each in zip(*rounds, strict=True)
        )
        print(f"| {what} | " + " | ".join(f"{seconds:.1f}" for seconds in ours) + " |", end="")
        print("".join(f" {theirs[0]:.1f} | {ours[0] / theirs[0]:.2f} |" for theirs in others), flush=True)


def cold_and_warm(python: str, command: list[str]) -> tuple[float, float, float, float]:
    """Seconds of a command with an empty compile cache, and once more: CPU cold, warm; all cold, warm."""
    with tempfile.TemporaryDirectory() as folder:
        (cold_cpu, cold), (warm_cpu, warm) = (run(python, command, folder) for _ in range(2))
        return cold_cpu, warm_cpu, cold, warm


def run(python: str, command: list[str], folder: str) -> tuple[float, float]:
    """CPU seconds and all seconds of a command; its files and what it compiles are in the folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "compiled"))}
    overwrite = ["--overwrite"] if "--out" in command else []
    whole = [python, "-m", "netveil", *command, *overwrite, "--quiet"]
    return cpu_and_all_seconds(whole, Path(folder), environment)


if __name__ == "__main__":
    main()
