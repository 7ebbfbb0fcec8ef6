"""Experiments that have a name instead of a plan: what they are told, and what they must be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from netveil.experiments.plan import TaskShare
from netveil.experiments.run_experiment import ExperimentListener
from netveil.search import Control


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a user asked for on the command line, for an experiment that has a name instead of a plan."""

    out: Path | None = None
    workers: int | None = None
    dask: str | None = None
    share: TaskShare | None = None
    collect: bool = False
    parquet: bool = False
    quick: bool = False
    seeds: int | None = None
    as_json: bool = False
    quiet: bool = False
    stop: Control | None = None  # hears of Ctrl-C
    listener: ExperimentListener | None = None  # shows how far it has come


class NamedExperiment(Protocol):
    """An experiment that comes with netveil."""

    def __call__(self, options: Options) -> int:
        """Run it; returns the exit code."""
