"""A tournament in words and rows: for a terminal, for a spreadsheet, and as a preset."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from netveil.columns import in_columns
from netveil.spreadsheet_cells import csv_table
from netveil.tuning.result import Curve, TuningResult, differing
from netveil.words import counted

ROWS_SHOWN = 10
AT_RISK, OBJECTIVE, NOT_COUNTED = "at risk", "objective", "–"
COLUMNS = (
    *("rank", "configuration"),
    *("eliminated_at", "generations", "objective", "at_risk", "further_runs", "mean", "sd"),
    *("stopped_by", "evaluations", "seconds"),
)


def summary(result: TuningResult) -> str:
    """What was tried, the best configurations, and in what they differ."""
    shown = result.best_first[:ROWS_SHOWN]
    steps = "generations" if result.counts_generations else "steps"
    tried = (
        f"{len(result.curves):,} of {counted(result.grid_size, 'configuration')} of {result.algorithm} tried"
    )
    to_the_end = "" if result.interrupted else ", all to the end"
    halved = f", halved every {result.every:,} {steps}" if result.halvings else to_the_end
    lines = [
        f"{tried}{halved}, seed {result.seed}: {result.seconds:.0f} s.",
        f"Of {result.nodes:,} people {result.at_risk_before:,} were at risk; "
        f"the best configuration leaves {result.winner.score:,.4g}.",
        "",
        *_rows(shown, steps),
    ]
    same = [
        f"{name} = {told(shown[0].settings[name])}"
        for name in shown[0].settings
        if name not in differing(shown)
    ]
    if any(curve.at_risk is None for curve in shown):
        lines += [
            "",
            f"{AT_RISK}: people at risk in the end; {NOT_COUNTED} where one was eliminated before.",
            f"{OBJECTIVE}: the best by then, people at risk plus edges beyond the budget.",
        ]
    if same and len(shown) > 1:
        lines += [f"The same in all of these: {', '.join(same)}."]
    if result.interrupted:
        lines.insert(0, "Interrupted: this is the best found so far.")
    return "\n".join(lines)


def _rows(shown: tuple[Curve, ...], steps: str) -> list[str]:
    """The table, with a column for each setting that is not the same in all rows."""
    varied = differing(shown)
    header = ["", "no.", *varied, AT_RISK, OBJECTIVE, steps, "ended"]
    # A long name takes two lines.
    table = [[name[: name.find("_") + 1] for name in header], [name[name.find("_") + 1 :] for name in header]]
    for place, curve in enumerate(shown, start=1):
        cells = [told(curve.settings[name]) for name in varied]
        found = [_at_risk(curve), f"{curve.objective:,}", f"{curve.generations:,}", curve.stopped_by]
        table.append([str(place), str(curve.number), *cells, *found])
    return in_columns(table, left=0)


def _at_risk(curve: Curve) -> str:
    """Nodes at risk in the end; with their standard deviation where there were several runs."""
    if curve.at_risk is None:
        return NOT_COUNTED
    if curve.deviation is None:
        return f"{curve.score:,.4g}"
    return f"{curve.score:,.1f} ± {curve.deviation:,.1f}"


def results_csv(result: TuningResult) -> str:
    """One row for each configuration, the best first."""
    rows = (
        (
            *(rank, curve.number, *map(told, curve.settings.values())),
            *(curve.eliminated_at, curve.generations, curve.objective, curve.at_risk),
            len(curve.further_at_risk),
            None if curve.at_risk is None else round(curve.score, 3),
            None if curve.deviation is None else round(curve.deviation, 3),
            *(curve.stopped_by, curve.evaluations, curve.seconds),
        )
        for rank, curve in enumerate(result.best_first, start=1)
    )
    return csv_table((*COLUMNS[:2], *result.winner.settings, *COLUMNS[2:]), rows)


def preset_text(result: TuningResult) -> str:
    """The winner's settings as a TOML file that `anonymize --config` takes: all of them, default or not."""
    winner = result.winner
    lines = [
        f"# Settings of {result.algorithm} found by `netveil tune`, version {result.version}, "
        f"seed {result.seed}.",
        f"# The best of {counted(len(result.curves), 'configuration')}: {winner.score:,.4g} people at risk "
        f"instead of {result.at_risk_before:,}, with {counted(result.budget, 'edge')} to delete at most.",
        f"# To use it: netveil anonymize NETWORK --algorithm {result.algorithm} --config winner.toml",
    ]
    if result.interrupted:
        lines.insert(1, "# Interrupted: the tournament was stopped before its end; others may be better.")
    return (
        "\n".join([*lines, *(f"{name} = {_toml(value)}" for name, value in winner.settings.items())]) + "\n"
    )


def told(value: Any) -> str:
    """A value of a setting, without an exponent: 0.00001, not 1e-05."""
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


def _toml(value: Any) -> str:
    """A value of a setting, as TOML has it."""
    if isinstance(value, float):
        return np.format_float_positional(value, trim="0")
    return json.dumps(value, ensure_ascii=False)
