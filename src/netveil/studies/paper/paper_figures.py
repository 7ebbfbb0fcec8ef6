"""The paper's figures with the tables of their numbers: utility (2), runtime (3), and tuning (appendix)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.charts import AFTER, INK, RISK, bare, png_file, style, svg_for_page
from netveil.errors import FileError
from netveil.files.storage import store
from netveil.network import Network
from netveil.studies.paper.paper_tables import ABOUT, PANELS, PaperRuns, Row, seconds_of
from netveil.studies.paper.published import (
    FAITHFUL,
    GENETIC,
    OURS,
    PAPER_ALGORITHMS,
    PUBLISHED,
    TOP,
    TUNED_NETWORKS,
    title_of,
)
from netveil.studies.store import read_json
from netveil.studies.study import RunOptions, Spread, recorded
from netveil.studies.tables import Cell, Table, cells, table
from netveil.studies.tuning import TuningResult, tune
from netveil.studies.tuning_folder import as_in_paper, draw_halving

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = dict(zip(PAPER_ALGORITHMS, ("#7d8894", "#c98a1b", AFTER, RISK), strict=True))
MARKS = dict(zip(PAPER_ALGORITHMS, "osD^", strict=True))
BETWEEN_ALGORITHMS = 0.13  # networks are 1 apart


@dataclass(frozen=True)
class PaperFigure:
    """A figure as SVG and PNG, with its title and caption."""

    name: str  # of its files
    title: str
    caption: str
    svg: str  # its ink is the page's text colour
    png: bytes

    def files(self) -> dict[str, bytes]:
        """Contents of its files, by suffix."""
        return {"svg": self.svg.encode(), "png": self.png}


def picture(
    name: str, title: str, caption: str, scope: str, size: tuple[float, float], draw: Callable[[Figure], None]
) -> PaperFigure:
    """Draw a figure that says what was run; the same bytes every time."""
    from matplotlib.figure import Figure

    with style("-".join(name.split("-")[:2])):
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(scope, fontsize=8)
        draw(figure)
        return PaperFigure(name, title, f"{caption} {scope}", svg_for_page(figure), png_file(figure))


def dots(axes: Axes, runs: PaperRuns, value: Callable[[Row], float | None]) -> None:
    """Draw mean ± standard deviation of a value: algorithms side by side, faithful ones hollow."""
    for place, network in enumerate(runs.networks):
        groups = runs.contenders(network)
        for number, group in enumerate(groups):
            spread = group.spread(value)
            if spread is None:
                continue
            axes.errorbar(
                place + (number - (len(groups) - 1) / 2) * BETWEEN_ALGORITHMS,
                spread.mean,
                yerr=spread.deviation or 0.0,
                fmt=MARKS[group.algorithm],
                color=COLOURS[group.algorithm],
                markerfacecolor="none" if group.source == FAITHFUL else None,
                label=group.title,
                markersize=4.5,
                capsize=2,
                elinewidth=1.2,
            )
    titles = list(map(title_of, runs.networks))
    axes.set_xticks(range(len(titles)), titles, rotation=28, ha="right")
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.grid(visible=False, axis="x")


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels."""
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))  # each network brings all of them
    figure.legend(once.values(), once, loc="outside lower center", ncols=len(once), frameon=False)


# Figure 3: how long the algorithms take, mean ± standard deviation.


def runtime_figure(runs: PaperRuns, scope: str) -> PaperFigure:
    """Seconds on a logarithmic scale."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        bare(axes)
        axes.set_yscale("log", nonpositive="clip")
        dots(axes, runs, seconds_of)
        axes.set_ylabel("seconds a run")
        legend_below(figure, axes)

    caption = f"Mean ± one standard deviation, logarithmic scale. {ABOUT}"
    return picture("figure-3-runtime", "Figure 3: runtime", caption, scope, (6.2, 3.6), draw)


# Figure 2: what anonymization costs, six panels of mean ± standard deviation.


def utility_figure(runs: PaperRuns, scope: str) -> PaperFigure:
    """The six panels; the dashed line is a network without any deletion."""

    def draw(figure: Figure) -> None:
        for number, panel in enumerate(PANELS, start=1):
            axes = figure.add_subplot(2, 3, number)
            bare(axes)
            axes.axhline(panel.unchanged, color=INK, lw=0.8, ls="--", alpha=0.6)
            dots(axes, runs, panel.value)
            axes.set_title(panel.title, fontsize=9)
        legend_below(figure, axes)

    caption = (
        "Mean ± one standard deviation of each algorithm on each network; GA and UGA with the "
        "configuration of Table 1. Dashed: nothing deleted."
    )
    return picture("figure-2-utility", "Figure 2: utility", caption, scope, (10.5, 5.6), draw)


# The appendix's tuning: successive halving of 50 configurations, then 5 runs of each of the eight left.


DRAWN = 50  # configurations, of the 432
FINALISTS = 8  # run to the end
RUNS = 5  # further ones of each finalist, with other seeds; as many as the paper has, whatever --seeds is
SHOWN = 3  # the best of them
SEED = 1
ROUNDS_AFTER = 4  # as many generations as lie between halvings, shown of the finalists' further way

SETTINGS_TOLD = (
    *("initial_rate", "crossover", "mutation_rate", "mutation_decay"),
    *("parental_selection", "environmental_selection"),
)


def tuned(
    networks: Sequence[Network], options: RunOptions, runs: int = RUNS, configurations: int = DRAWN
) -> list[TuningResult]:
    """GA and UGA tuned on each network; what is in the folder is not done again.

    Nothing is begun unless `options.run`, nor after `options.stop`; what was finished by then is returned.
    """
    folder, stop = options.folder / "tuning", options.stop
    results: list[TuningResult] = []
    for network in networks:
        for algorithm in GENETIC:
            if stop.asked_to_stop() is not None:
                return results
            file = folder / f"{algorithm}-{network.name}.json"
            result = _earlier(file, network, runs, configurations)
            if result is None and options.run:
                options.tell(f"tuning {algorithm.upper()} on {network.name}")
                result = tune(
                    network,
                    algorithm=algorithm,
                    configurations=configurations,
                    finalists=FINALISTS,
                    runs=runs,
                    seed=SEED,
                    workers=options.workers,
                    control=stop,
                )
                if result.interrupted:
                    return results
                folder.mkdir(parents=True, exist_ok=True)
                document = {**result.to_dict(), "fingerprint": network.fingerprint}
                store((json.dumps(document, indent=1) + "\n").encode(), str(file))
            if result is not None:
                results.append(result)
    return results


def _earlier(file: Path, network: Network, runs: int, configurations: int) -> TuningResult | None:
    """The result in this file, if it is whole and was made by the same settings."""
    try:
        document = read_json(file, dict[str, Any])
        result = TuningResult.from_dict(document)
    except (OSError, ValueError, FileError):
        return None
    found = (document.get("fingerprint"), result.runs, len(result.curves), result.finalists, result.seed)
    return result if found == (network.fingerprint, runs, configurations, FINALISTS, SEED) else None


def halving_figure(results: Sequence[TuningResult], scope: str) -> PaperFigure:
    """Networks in rows, GA at the left and UGA at the right; a line a configuration, finalists in colour."""
    networks = list(dict.fromkeys(result.network for result in results))

    def draw(figure: Figure) -> None:
        for result in results:
            row, column = networks.index(result.network), GENETIC.index(result.algorithm)
            axes = figure.add_subplot(len(networks), len(GENETIC), row * len(GENETIC) + column + 1)
            last = result.halvings[-1] if result.halvings else 0
            draw_halving(axes, result, until=last + ROUNDS_AFTER * result.every)
            axes.set_title(f"{result.algorithm.upper()}, {title_of(result.network)}", fontsize=9)
            axes.set_ylim(0, 1.15 * result.at_risk_before)

    caption = (
        f"Best objective (unique nodes, and a penalty over the budget; cut off above) of the "
        f"{len(results[0].curves)} configurations drawn from the {results[0].grid_size}. Dotted lines: "
        f"halvings; in colour those that ran to the end, which is further right."
    )
    size = (9, 2.6 * len(networks))
    return picture("figure-halving", "Appendix: successive halving", caption, scope, size, draw)


def top_table(results: Sequence[TuningResult], scope: str) -> Table:
    """The three best configurations of each network, ours and the published ones."""
    records: list[dict[str, Any]] = []
    networks = dict.fromkeys((*TUNED_NETWORKS, *(result.network for result in results)))
    for algorithm, network in product(GENETIC, networks):
        place = {"algorithm": algorithm, "network": network}
        ours = [each for each in results if (each.algorithm, each.network) == (algorithm, network)]
        theirs = [each for each in TOP if ours and (each.algorithm, each.network) == (algorithm, network)]
        for curve in (curve for result in ours for curve in result.best_first[:SHOWN]):
            spread = Spread.of(curve.further_at_risk or (curve.at_risk,))
            records.append(place | _record(OURS, curve.number, curve.settings, spread))
        for top in theirs:
            settings = {**asdict(top), "environmental_selection": "plus"}
            spread = Spread(top.unique, top.deviation, 5)
            records.append(place | _record(PUBLISHED, top.number, settings, spread))
    runs = results[0].runs
    ranked = f"each run {runs} times more with other seeds" if runs > 1 else "by the run that left them"
    return table(
        "top-configurations",
        "Appendix: the three best configurations",
        f"Of {FINALISTS} configurations that successive halving left, {ranked}. "
        "The paper chose its eight by hand after the halving, to keep slow "
        "starters with a decaying mutation rate; here the halving alone decides. Number: in the grid of "
        "432, or as the paper numbers them. RW: roulette wheel, TS: tournament of 5.",
        scope,
        (
            *("algorithm", "network", "source", "number", "initial rate", "crossover", "mutation rate"),
            *("decay", "parents", "survivors", "unique nodes left"),
        ),
        map(_row, records),
        records,
        labels=3,
    )


def _record(source: str, number: int, settings: Mapping[str, Any], spread: Spread | None) -> dict[str, Any]:
    """A configuration: whose it is, its settings that the paper prints, and unique nodes left."""
    told = {name: settings[name] for name in SETTINGS_TOLD}
    return {"source": source, "number": number, **told, **recorded(spread, "mean_unique")}


def _row(record: dict[str, Any]) -> tuple[Cell, ...]:
    spread = Spread(record["mean_unique"], record["deviation"], record["runs"])
    return cells(
        record["algorithm"].upper(),
        title_of(record["network"]),
        record["source"],
        str(record["number"]),
        *(as_in_paper(record[name]) for name in SETTINGS_TOLD),
        spread.text(),
    )
