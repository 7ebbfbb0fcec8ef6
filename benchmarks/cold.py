"""What a first run costs: CPU seconds of commands with nothing compiled yet, and with all compiled.

    python benchmarks/cold.py
    python benchmarks/cold.py --against ../other-checkout/.venv/bin/python --repeats 3

With `--against`, the same commands of another checkout, whose Python this is, in turn with ours: the last
column is ours over theirs, both cold. CPU seconds, for they depend little on what else the machine does; the
least of the repeats counts. Whoever has all compiled does not notice that there is more of it: run this.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ANONYMIZE = ["anonymize", "karate", "--seed", "1", "--time", "1", "--threads", "1", "--out", "release"]
WITHOUT = ["--no-utility", "--no-audit"]
COMMANDS = {
    "measure": ["measure", "karate"],
    "anonymize, without utility and audit": [*ANONYMIZE, *WITHOUT],
    "anonymize": ANONYMIZE,
    "anonymize, limits": [*ANONYMIZE, *WITHOUT, "--keep", "clustering=20%"],
    "anonymize, against vertex-refinement": [*ANONYMIZE, *WITHOUT, "--measure", "vertex-refinement"],
    "anonymize with uga": [*ANONYMIZE, *WITHOUT, "--algorithm", "uga"],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", help="the Python of another checkout")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", type=int, help="so many of the commands, from the first")
    options = parser.parse_args()
    pythons = [sys.executable] if options.against is None else [sys.executable, options.against]
    print("| command | cold, CPU s | warm, CPU s |" + " theirs cold | ours / theirs |" * (len(pythons) - 1))
    print("|---|---|---|" + "---|---|" * (len(pythons) - 1))
    for what, command in list(COMMANDS.items())[: options.only]:
        rounds = [
            [cold_and_warm(str(Path(python).absolute()), command) for python in pythons]
            for _ in range(options.repeats)
        ]
        (cold, warm), *others = (
            (min(each[place][0] for each in rounds), min(each[place][1] for each in rounds))
            for place in range(len(pythons))
        )
        line = f"| {what} | {cold:.1f} | {warm:.1f} |"
        print(line + "".join(f" {theirs:.1f} | {cold / theirs:.2f} |" for theirs, _ in others), flush=True)


def cold_and_warm(python: str, command: list[str]) -> tuple[float, float]:
    """CPU seconds of a command with an empty compile cache, and once more."""
    with tempfile.TemporaryDirectory() as folder:
        first = cpu_seconds(python, command, folder)
        return first, cpu_seconds(python, command, folder)


def cpu_seconds(python: str, command: list[str], folder: str) -> float:
    """The time that a command computes, in itself and for it in the system; its files are in the folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder, "compiled"))}
    overwrite = ["--overwrite"] if "--out" in command else []
    process = subprocess.Popen(
        [python, "-m", "netveil", *command, *overwrite, "--quiet"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
