"""Benchmarks: each module prints one table in Markdown. `python -m benchmarks` lists them.

A module has a `main(argv)`; the first line of its docstring is what the list shows. Figures are ratios of two
things measured in one run wherever they can be: machines differ and are busy, and both sides meet the same.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import netveil as nv


def parser_of(module: str, doc: str | None) -> argparse.ArgumentParser:
    """Parser of a benchmark's options, whose help is the module's docstring."""
    return argparse.ArgumentParser(
        prog=f"python -m {module}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def header(*columns: str) -> None:
    """Print the first two lines of a table."""
    row(*columns)
    row(*["---"] * len(columns))


def row(*cells: object) -> None:
    """Print a line of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def listed(text: str) -> list[str]:
    """Values between commas."""
    return text.split(",")


def opened(given: str) -> nv.Network:
    """A network in a file, or a built-in one."""
    return nv.read(given) if Path(given).is_file() else nv.load(given)


def best_of(
    repeats: int, task: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        began = clock()
        task()
        times.append(clock() - began)
    return min(times)


def mean_and_each(values: Iterable[int]) -> str:
    """Mean of some values, with each of them in brackets."""
    each = list(values)
    return f"{sum(each) / len(each):.1f} ({', '.join(map(str, each))})"
