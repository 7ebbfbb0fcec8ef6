"""The folder of a tuning, which only its owner can open. It appears whole or not at all.

DIR/winner.toml     the best settings, for `anonymize --config`
DIR/tuning.json     all that happened: `TuningResult.from_dict` reads it
DIR/results.csv     one row for each configuration, the best first
DIR/halving.svg     the figure, and the same as halving.png
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.charts import BEFORE, COLOURS
from netveil.errors import FileError
from netveil.files.staging import OUT, OutputFolder
from netveil.files.storage import write_new
from netveil.formatting import MISSING, counted, csv_table, in_columns
from netveil.plotting import bare, png_file, style, svg_file
from netveil.studies.tuning import Curve, TuningResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def differing(curves: Sequence[Curve]) -> list[str]:
    """The settings in which these configurations differ."""
    first = curves[0].settings
    return [name for name in first if any(curve.settings[name] != first[name] for curve in curves)]


ELIMINATED, HALVING = BEFORE, "#c9d1d9"
MOST_NAMED = len(COLOURS)  # finalists in the legend


def halving_figure(result: TuningResult) -> dict[str, bytes]:
    """The paper's figure as `svg` and `png`: nodes at risk by generation, a line a configuration."""
    from matplotlib.figure import Figure

    with style("halving"):
        figure = Figure(figsize=(7.0, 3.8), layout="constrained")
        axes = figure.subplots()
        draw_halving(axes, result)
        axes.set_title(result.algorithm.upper(), fontsize=9)
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], frameon=False, fontsize=7)  # the best first
        return {"svg": svg_file(figure), "png": png_file(figure)}


def draw_halving(axes: Axes, result: TuningResult, until: int | None = None) -> None:
    """Draw the curves of one tournament, up to a generation if given; several make the paper's figure."""
    best_first = result.best_first
    finalists = [curve for curve in best_first if curve.eliminated_at is None]
    shown = None if until is None else until + 1
    for step in result.halvings:
        axes.axvline(step, color=HALVING, lw=0.8, ls=":", zorder=0)
    for curve in reversed(best_first):  # the best on top
        if curve.eliminated_at is not None:
            axes.plot(curve.objectives[:shown], color=ELIMINATED, lw=0.7, alpha=0.8, zorder=1)
            if until is None or curve.generations <= until:
                axes.plot([curve.generations], [curve.objective], ".", color=ELIMINATED, ms=3, zorder=1)
    varied = differing(finalists)
    for place in range(len(finalists) - 1, -1, -1):
        curve, named = finalists[place], place < MOST_NAMED
        settings = ", ".join(f"{name} {told(curve.settings[name])}" for name in varied)
        axes.plot(
            curve.objectives[:shown],
            color=COLOURS[place] if named else COLOURS[-1],
            lw=1.8 if place == 0 else 1.1,
            label=f"{curve.score:,}: {settings}" if named else None,
            zorder=3 if place == 0 else 2,
        )
    steps = "generations" if result.counts_generations else "steps"
    at_risk = "unique nodes" if result.k == 2 else "nodes at risk"
    axes.set(xlabel=f"number of {steps}", ylabel=f"number of {at_risk}", xlim=(0, until))
    if until is None:
        axes.set_ylim(0, None)
    bare(axes)


ROWS_SHOWN = 10


def summary(result: TuningResult) -> str:
    """Configurations tried, the best of them in a table, and the settings that they share."""
    best = result.best_first[:ROWS_SHOWN]
    varied = differing(best)
    steps = "generations" if result.counts_generations else "steps"
    halved = f"halved every {result.every:,} {steps}" if result.halvings else "all to the end"
    lines = ["Interrupted: this is the best found so far."] if result.interrupted else []
    lines += [
        f"{len(result.curves):,} of {counted(result.grid_size, 'configuration')} of {result.algorithm} "
        f"tried, {halved}, seed {result.seed}: {result.seconds:.0f} s.",
        f"Of {result.nodes:,} people {result.at_risk_before:,} were at risk; "
        f"the best configuration leaves {result.winner.score:,}.",
        "",
    ]
    header = ["", "no.", *varied, "at risk", "objective", steps, "ended"]
    # A long name takes two lines.
    table = [[name[: name.find("_") + 1] for name in header], [name[name.find("_") + 1 :] for name in header]]
    for place, curve in enumerate(best, start=1):
        cells = [told(curve.settings[name]) for name in varied]
        at_risk = MISSING if curve.at_risk is None else f"{curve.at_risk:,}"  # eliminated before
        found = [at_risk, f"{curve.objective:,}", f"{curve.generations:,}", curve.stopped_by]
        table.append([str(place), str(curve.number), *cells, *found])
    lines += in_columns(table, left=0)
    same = [f"{name} = {told(value)}" for name, value in best[0].settings.items() if name not in varied]
    if same and len(best) > 1:
        lines.append(f"The same in all of these: {', '.join(same)}.")
    return "\n".join(lines)


def results_csv(result: TuningResult) -> str:
    """One row for each configuration, the best first."""
    settings = result.winner.settings
    found = ("eliminated_at", "generations", "objective", "at_risk", "stopped_by", "evaluations", "seconds")
    rows = (
        (rank, curve.number, *map(told, curve.settings.values()), *(getattr(curve, name) for name in found))
        for rank, curve in enumerate(result.best_first, start=1)
    )
    return csv_table(("rank", "configuration", *settings, *found), rows)


def preset_text(result: TuningResult) -> str:
    """The winner's settings as a TOML file that `anonymize --config` takes: all of them, default or not."""
    winner = result.winner
    lines = [
        f"# Settings of {result.algorithm} found by `netveil tune`, version {result.version}, "
        f"seed {result.seed}.",
        f"# The best of {counted(len(result.curves), 'configuration')}: {winner.score:,} people at risk "
        f"instead of {result.at_risk_before:,}, with {counted(result.budget, 'edge')} to delete at most.",
        f"# To use it: netveil anonymize NETWORK --algorithm {result.algorithm} --config winner.toml",
    ]
    if result.interrupted:
        lines.insert(1, "# Interrupted: the tournament was stopped before its end; others may be better.")
    lines += [f"{name} = {_toml(value)}" for name, value in winner.settings.items()]
    return "\n".join(lines) + "\n"


def told(value: Any) -> str:
    """A value of a setting, without an exponent: 0.00001, not 1e-05."""
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


def _toml(value: Any) -> str:
    """A value of a setting, as TOML has it."""
    if isinstance(value, float):
        return np.format_float_positional(value, trim="0")
    return json.dumps(value, ensure_ascii=False)


PRESET, RECORD = "winner.toml", "tuning.json"
FILES = {PRESET, RECORD, "results.csv", "halving.svg", "halving.png"}


class TuningFolder(OutputFolder):
    """Folder for a tuning: checked before the work, filled after it."""

    kind = "tuning"
    is_private = True

    @property
    def preset(self) -> Path:
        """File with the winner's settings."""
        return self.path / PRESET

    def save(self, result: TuningResult) -> Path:
        """Write everything; an older tuning is replaced in one step, and only if that was asked."""
        figure = halving_figure(result)
        record = json.dumps(result.to_dict(), ensure_ascii=False) + "\n"
        contents = {
            PRESET: preset_text(result).encode(),
            RECORD: record.encode(errors="backslashreplace"),
            "results.csv": results_csv(result).encode(),
            "halving.svg": figure["svg"],
            "halving.png": figure["png"],
        }
        with self.filled() as staging:
            for name, content in contents.items():
                write_new(content, staging / name, private=True)
        return self.path

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay; fails now, not after the work."""
        super().check()
        parent = next(folder for folder in self.path.absolute().parents if folder.exists())
        if not (parent.is_dir() and os.access(parent, os.W_OK)):
            raise FileError(f"{self.path} cannot be written. Choose another folder{OUT}.")

    def is_result(self, entries: set[str]) -> bool:
        """Whether these are the files of a tuning, or there are none."""
        return entries <= FILES and (not entries or RECORD in entries)
