"""The appendix's tuning: successive halving of 50 configurations, then 5 runs of each of the eight left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from netveil.charts import style
from netveil.errors import FileError
from netveil.experiments import NetworkSpec
from netveil.files.json_records import DamagedRecordError, any_record, read_record
from netveil.files.storage import store
from netveil.search import Control
from netveil.studies.paper.drawing import Picture, picture
from netveil.studies.paper.formats import OURS, PUBLISHED, Cell, Table, cells
from netveil.studies.paper.published import GENETIC, TOP, TUNED_NETWORKS
from netveil.studies.paper.scope import title_of
from netveil.studies.spread import Spread, recorded
from netveil.tuning import TuningResult, tune
from netveil.tuning.figure import draw_halving

CONFIGURATIONS = 50  # drawn from the 432
FINALISTS = 8  # run to the end
RUNS = 5  # further ones of each finalist, with other seeds; as many as the paper has, whatever --seeds is
SHOWN = 3  # the best of them
SEED = 1
ROUNDS_AFTER = 4  # as many generations as lie between halvings, shown of the finalists' further way

SETTINGS_TOLD = (
    *("initial_rate", "crossover", "mutation_rate", "mutation_decay"),
    *("parental_selection", "environmental_selection"),
)
_SELECTIONS = {"roulette": "RW", "tournament": "TS", "plus": "(μ + λ)"}


def tuned(
    networks: Sequence[NetworkSpec],
    folder: Path,
    runs: int,
    *,
    configurations: int = CONFIGURATIONS,
    run: bool = True,
    workers: int | None = None,
    stop: Control | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> list[TuningResult]:
    """GA and UGA tuned on each network; what is in the folder is not done again. Without `run`, only that.

    Stops when `stop` says so; what was finished by then is kept and returned.
    """
    results: list[TuningResult] = []
    for network in networks:
        for algorithm in GENETIC:
            if stop is not None and stop.asked_to_stop() is not None:
                return results
            file = folder / f"{algorithm}-{network.name}.json"
            result = _earlier(file, network, runs, configurations)
            if result is None and run:
                tell(f"tuning {algorithm.upper()} on {network.name}")
                result = tune(
                    network.network,
                    algorithm=algorithm,
                    configurations=configurations,
                    finalists=FINALISTS,
                    runs=runs,
                    seed=SEED,
                    workers=workers,
                    control=stop,
                )
                if result.interrupted:
                    return results
                folder.mkdir(parents=True, exist_ok=True)
                document = {**result.to_dict(), "fingerprint": network.network.fingerprint}
                store((json.dumps(document, indent=1) + "\n").encode(), str(file))
            if result is not None:
                results.append(result)
    return results


def _earlier(file: Path, network: NetworkSpec, runs: int, configurations: int) -> TuningResult | None:
    """The result in this file, if there is one and it is the one that is wanted."""
    try:
        document = read_record(file, any_record)
        result = TuningResult.from_dict(document)
    except (OSError, DamagedRecordError, FileError):
        return None
    found = (document.get("fingerprint"), result.runs, len(result.curves), result.finalists, result.seed)
    return result if found == (network.network.fingerprint, runs, configurations, FINALISTS, SEED) else None


def halving_figure(results: Sequence[TuningResult], scope: str) -> Picture:
    """Networks in rows, GA at the left and UGA at the right; a line a configuration, finalists in colour."""
    from matplotlib.figure import Figure

    networks = list(dict.fromkeys(result.network for result in results))
    with style("figure-halving"):
        figure = Figure(figsize=(9, 2.6 * len(networks)), layout="constrained")
        figure.suptitle(scope, fontsize=8)
        for result in results:
            row, column = networks.index(result.network), GENETIC.index(result.algorithm)
            axes = figure.add_subplot(len(networks), len(GENETIC), row * len(GENETIC) + column + 1)
            last = result.halvings[-1] if result.halvings else 0
            draw_halving(axes, result, until=last + ROUNDS_AFTER * result.every)
            axes.set_title(f"{result.algorithm.upper()}, {title_of(result.network)}", fontsize=9)
            axes.set_ylim(0, 1.15 * result.at_risk_before)
        return picture(
            figure,
            "figure-halving",
            "Appendix: successive halving",
            f"Best objective (unique nodes, and a penalty over the budget; cut off above) of the "
            f"{len(results[0].curves)} configurations drawn from the {results[0].grid_size}. Dotted lines: "
            f"halvings; in colour those that ran to the end, which is further right. {scope}",
        )


def top_table(results: Sequence[TuningResult], scope: str) -> Table:
    """The three best configurations of each network, ours and the published ones."""
    records: list[dict[str, Any]] = []
    for algorithm in GENETIC:
        for network in dict.fromkeys((*TUNED_NETWORKS, *(result.network for result in results))):
            place = {"algorithm": algorithm, "network": network}
            ours = [each for each in results if (each.algorithm, each.network) == (algorithm, network)]
            theirs = [each for each in TOP if ours and (each.algorithm, each.network) == (algorithm, network)]
            for curve in (curve for result in ours for curve in result.best_first[:SHOWN]):
                spread = Spread.of(curve.further_at_risk or (curve.at_risk,))
                found = _record(OURS, curve.number, curve.settings, spread)
                records.append({**place, **found, "scope": scope})
            for top in theirs:
                settings = {**asdict(top), "environmental_selection": "plus"}
                found = _record(PUBLISHED, top.number, settings, Spread(top.unique, top.deviation, 5))
                records.append({**place, **found, "scope": scope})
    return Table(
        name="top-configurations",
        title="Appendix: the three best configurations",
        note=(
            f"Of {FINALISTS} configurations that successive halving left, {_runs_told(results[0].runs)}. "
            "The paper chose its eight by hand after the halving, to keep slow "
            "starters with a decaying mutation rate; here the halving alone decides. Number: in the grid of "
            f"432, or as the paper numbers them. RW: roulette wheel, TS: tournament of 5. {scope}"
        ),
        columns=(
            *("algorithm", "network", "source", "number", "initial rate", "crossover", "mutation rate"),
            *("decay", "parents", "survivors", "unique nodes left"),
        ),
        rows=tuple(map(_row, records)),
        records=tuple(records),
        labels=3,
    )


def _runs_told(runs: int) -> str:
    """On which runs the ranking rests: with 1 there is no further one.

    >>> _runs_told(1), _runs_told(5)
    ('by the run that left them', 'each run 5 times more with other seeds')
    """
    return f"each run {runs} times more with other seeds" if runs > 1 else "by the run that left them"


def _record(source: str, number: int, settings: Mapping[str, Any], spread: Spread | None) -> dict[str, Any]:
    """Whose configuration this is, its settings that the paper tells, and what it comes to."""
    told = {name: settings[name] for name in SETTINGS_TOLD}
    return {"source": source, "number": number, **told, **recorded(spread, "mean_unique")}


def _row(record: dict[str, Any]) -> tuple[Cell, ...]:
    spread = Spread(record["mean_unique"], record["deviation"], record["runs"])
    return cells(
        record["algorithm"].upper(),
        title_of(record["network"]),
        record["source"],
        str(record["number"]),
        _percent(record["initial_rate"]),
        str(record["crossover"]),
        *(_percent(record[name]) for name in ("mutation_rate", "mutation_decay")),
        _SELECTIONS[record["parental_selection"]],
        _SELECTIONS[record["environmental_selection"]],
        spread.text(),
    )


def _percent(rate: float) -> str:
    """A rate as the paper prints it.

    >>> _percent(0.000025), _percent(0.02), _percent(0.0)
    ('0.0025%', '2%', '0')
    """
    return f"{100 * rate:.10g}%" if rate else "0"
