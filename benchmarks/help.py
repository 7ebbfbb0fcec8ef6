"""What help costs: the CPU time of `--help` of every command, beside that of `python -c "import click"`.

    python benchmarks/help.py
    python benchmarks/help.py --repeats 20

Each is run several times in turn with the others, and the least time counts: the start of the interpreter is
in all of them. The goal is three times `import click` at most.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from netveil.cli import COMMANDS
from processes import cpu_and_all_seconds

PYTHON, NETVEIL = sys.executable, str(Path(sys.executable).with_name("netveil"))
YARDSTICK = "import click"
WHAT = {
    YARDSTICK: [PYTHON, "-c", "import click"],
    "import netveil": [PYTHON, "-c", "import netveil"],
    "netveil --help": [NETVEIL, "--help"],
    **{
        f"netveil {name} --help": [NETVEIL, *name.split(), "--help"] for name in (*COMMANDS, "networks fetch")
    },
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    rounds = [
        {what: cpu_and_all_seconds(command)[0] for what, command in WHAT.items()} for _ in range(repeats)
    ]
    least = {what: min(each[what] for each in rounds) for what in WHAT}
    print("| what | CPU, ms | times `import click` |\n|---|---|---|")
    for what, seconds in least.items():
        print(f"| `{what}` | {1000 * seconds:.0f} | {seconds / least[YARDSTICK]:.1f} |")


if __name__ == "__main__":
    main()
