"""What the paper's figures have in common: a colour and a mark for each algorithm, files, legends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.errors import FileError
from netveil.experiments import NetworkSpec
from netveil.files.json_records import DamagedRecordError, any_record, read_record
from netveil.files.storage import store
from netveil.formatting import AFTER, INK, RISK, bare, png_file, style, svg_for_page
from netveil.search import Control
from netveil.studies.paper.published import GENETIC, PAPER_ALGORITHMS, TOP, TUNED_NETWORKS, title_of
from netveil.studies.paper.runs import OURS, PUBLISHED, Cell, Group, PaperRuns, Row, Table, cells
from netveil.studies.study import Spread, existing, recorded, shown
from netveil.tuning import TuningResult, tune
from netveil.tuning.folder import draw_halving

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = dict(zip(PAPER_ALGORITHMS, ("#7d8894", "#c98a1b", AFTER, RISK), strict=True))
MARKS = dict(zip(PAPER_ALGORITHMS, "osD^", strict=True))
BETWEEN_ALGORITHMS = 0.17  # networks are 1 apart


@dataclass(frozen=True)
class Picture:
    """A figure as both files, and what is to be said about it."""

    name: str  # of its files
    title: str
    caption: str
    svg: str  # its ink is the page's text colour
    png: bytes


def picture(figure: Figure, name: str, title: str, caption: str) -> Picture:
    """The figure, drawn; the same bytes every time."""
    return Picture(name, title, caption, svg_for_page(figure), png_file(figure))


def dots(axes: Axes, runs: PaperRuns, value: Callable[[Row], float | None]) -> None:
    """Mean ± standard deviation of something about each run: algorithms side by side over each network."""
    for number, algorithm in enumerate(PAPER_ALGORITHMS):
        shift = (number - (len(PAPER_ALGORITHMS) - 1) / 2) * BETWEEN_ALGORITHMS
        drawn = [
            (place + shift, spread.mean, spread.deviation or 0.0)
            for place, network in enumerate(runs.networks)
            if (spread := runs.best(network, algorithm).spread(value)) is not None
        ]
        axes.errorbar(
            [place for place, _, _ in drawn],
            [mean for _, mean, _ in drawn],
            yerr=[deviation for _, _, deviation in drawn],
            fmt=MARKS[algorithm],
            color=COLOURS[algorithm],
            markersize=4.5,
            capsize=2,
            elinewidth=1.2,
            label=algorithm.upper(),
        )
    titles = list(map(title_of, runs.networks))
    axes.set_xticks(range(len(titles)), titles, rotation=28, ha="right")
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.grid(visible=False, axis="x")


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)


# Figure 3: how long the algorithms take, mean ± standard deviation.


ABOUT = (
    "Wall-clock seconds of the search alone, on one thread, while other runs of the experiment go on beside "
    "it. The paper has no numbers in its text, only that GA and UGA take substantially longer than the "
    "others, and UGA longer."
)


def about_times(workers: int | None) -> str:
    """What the seconds depend on; `workers` is how many runs were side by side in this call, if any ran."""
    asked = "as many as there were workers (all cores by default)"
    beside = asked if workers is None else f"{workers:,} at a time in the last call"
    return (
        "Figure 3 shows wall-clock seconds, with runs side by side on the machine that ran them, "
        f"{beside}. They share its memory and caches, and whatever else it did meanwhile made them longer; "
        "runs done at different times may not be comparable, and a difference may be the machine's and not "
        "the algorithm's. For seconds to quote, run everything with --workers 1 on a machine that does "
        "nothing else."
    )


def seconds_of(row: Row) -> float:
    """Of the search, without reading, compiling and measuring utility."""
    return float(row["seconds"])


def runtime_figure(runs: PaperRuns, scope: str) -> Picture:
    """Seconds on a logarithmic scale."""
    from matplotlib.figure import Figure

    with style("figure-3"):
        figure = Figure(figsize=(6.2, 3.6), layout="constrained")
        figure.suptitle(scope, fontsize=8)
        axes = figure.add_subplot()
        bare(axes)
        axes.set_yscale("log", nonpositive="clip")
        dots(axes, runs, seconds_of)
        axes.set_ylabel("seconds a run")
        legend_below(figure, axes)
        caption = f"Mean ± one standard deviation, logarithmic scale. {ABOUT} {scope}"
        return picture(figure, "figure-3-runtime", "Figure 3: runtime", caption)


def runtime_table(runs: PaperRuns, scope: str) -> Table:
    """The numbers of the figure."""
    rows, records = [], []
    for network in runs.networks:
        row = []
        for algorithm in PAPER_ALGORITHMS:
            group = runs.best(network, algorithm)
            spread = group.spread(seconds_of)
            row.append(Cell(shown(spread, ",.3f")))
            records.append(
                {
                    "network": network,
                    "algorithm": algorithm,
                    "configuration": group.configuration,
                    **recorded(spread, "mean_seconds"),
                    "scope": scope,
                }
            )
        rows.append((*cells(title_of(network)), *row))
    return Table(
        name="figure-3-runtime",
        title="Figure 3 in numbers: runtime",
        note=f"Mean ± standard deviation. {ABOUT} {scope}",
        columns=("network", *(f"{algorithm.upper()}, seconds" for algorithm in PAPER_ALGORITHMS)),
        rows=tuple(rows),
        records=tuple(records),
    )


# Figure 2: what anonymization costs, six panels of mean ± standard deviation.


@dataclass(frozen=True)
class Panel:
    """One of the six: what it shows of a run."""

    name: str
    title: str
    value: Callable[[Row], float | None]
    unchanged: float  # the value of a network without any deletion
    form: str  # of its figures

    def distance(self, runs: Group) -> float | None:
        """How far the mean of some runs is from a network without any deletion; None without runs."""
        spread = runs.spread(self.value)
        return None if spread is None else abs(spread.mean - self.unchanged)


def _relative(metric: str) -> Callable[[Row], float | None]:
    """The change of a metric as a percentage of what it was."""

    def value(row: Row) -> float | None:
        before, change = row[f"{metric}_before"], row[f"{metric}_change"]
        return None if change is None or not before else 100 * change / before

    return value


def _percent(column: str) -> Callable[[Row], float | None]:
    return lambda row: None if row[column] is None else 100 * row[column]


PANELS = (
    Panel("edges_deleted", "edges deleted (%)", _percent("deleted_share"), 0.0, ",.2f"),
    Panel("clustering", "clustering coefficient, change (%)", _relative("clustering"), 0.0, ",.2f"),
    Panel("path_length", "average path length, change (%)", _relative("path_length"), 0.0, ",.2f"),
    Panel("lcc", "largest component, change (% of nodes)", _percent("lcc_change"), 0.0, ",.2f"),
    Panel("centrality", "most central nodes, share kept", lambda row: row["centrality_score"], 1.0, ",.3f"),
    Panel("communities", "communities, NMI", lambda row: row["communities_score"], 1.0, ",.3f"),
)
"""In the paper's order: three properties, three downstream tasks."""


def utility_figure(runs: PaperRuns, scope: str) -> Picture:
    """The six panels; the dashed line is a network without any deletion."""
    from matplotlib.figure import Figure

    with style("figure-2"):
        figure = Figure(figsize=(10.5, 5.6), layout="constrained")
        figure.suptitle(scope, fontsize=8)
        for number, panel in enumerate(PANELS, start=1):
            axes = figure.add_subplot(2, 3, number)
            bare(axes)
            axes.axhline(panel.unchanged, color=INK, lw=0.8, ls="--", alpha=0.6)
            dots(axes, runs, panel.value)
            axes.set_title(panel.title, fontsize=9)
        legend_below(figure, axes)
        return picture(
            figure,
            "figure-2-utility",
            "Figure 2: utility",
            "Mean ± one standard deviation of each algorithm on each network; GA and UGA with the "
            f"configuration of Table 1. Dashed: nothing deleted. {scope}",
        )


def utility_table(runs: PaperRuns, scope: str) -> Table:
    """The numbers of the figure; in each column the best algorithm of a network in bold."""
    rows, records = [], []
    for network in runs.networks:
        groups = [runs.best(network, algorithm) for algorithm in PAPER_ALGORITHMS]
        for group in groups:
            row = []
            for panel in PANELS:
                spread = group.spread(panel.value)
                distances = existing(panel.distance(other) for other in groups)
                closest = spread is not None and panel.distance(group) == min(distances)
                row.append(Cell(shown(spread, panel.form), bold=closest))
                records.append(
                    {
                        "network": network,
                        "algorithm": group.algorithm,
                        "configuration": group.configuration,
                        "metric": panel.name,
                        "meaning": panel.title,
                        **recorded(spread, "mean"),
                        "scope": scope,
                    }
                )
            rows.append((*cells(title_of(network), group.algorithm.upper()), *row))
    return Table(
        name="figure-2-utility",
        title="Figure 2 in numbers: utility",
        note=f"Mean ± standard deviation; in bold the algorithm that changes a network least. {scope}",
        columns=("network", "algorithm", *(panel.title for panel in PANELS)),
        rows=tuple(rows),
        records=tuple(records),
        labels=2,
    )


# The appendix's tuning: successive halving of 50 configurations, then 5 runs of each of the eight left.


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
        _percent_left(record["initial_rate"]),
        str(record["crossover"]),
        *(_percent_left(record[name]) for name in ("mutation_rate", "mutation_decay")),
        _SELECTIONS[record["parental_selection"]],
        _SELECTIONS[record["environmental_selection"]],
        spread.text(),
    )


def _percent_left(rate: float) -> str:
    """A rate as the paper prints it.

    >>> _percent_left(0.000025), _percent(0.02), _percent(0.0)
    ('0.0025%', '2%', '0')
    """
    return f"{100 * rate:.10g}%" if rate else "0"
