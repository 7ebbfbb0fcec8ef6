"""The study `paper`: run the paper's experiment, or what is missing of it; write tables, figures and a page.

DIR/runs, DIR/failed    the experiment, a folder a run
DIR/tuning              successive halving, a file a network and algorithm
DIR/tables, DIR/figures what came out of them
DIR/index.html          all of it beside the published values
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from netveil._version import __version__
from netveil.charts import AFTER, INK, RISK
from netveil.errors import NetveilError
from netveil.fetching import PAPER, find_network
from netveil.files.storage import store
from netveil.formatting import counted
from netveil.network import Network
from netveil.opening import load
from netveil.plotting import bare, png_file, style, svg_for_page
from netveil.studies import paper_tables as tables
from netveil.studies.plan import Plan, PlanError, check_count_of_seeds, planned_algorithm, planned_network
from netveil.studies.study import Conclusion, RunOptions, StudyRuns
from netveil.studies.tables import Spread, Table, versions_of
from netveil.studies.tuning import TuningResult, tune
from netveil.studies.tuning_folder import draw_halving
from netveil.threads import available_cores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_METRICS = ("clustering", "path_length", "lcc", "centrality", "communities")
"""Metrics of Figure 2; its edges deleted are in every run."""

SEEDS, QUICK_SEEDS = 5, 2
QUICK_CONFIGURATIONS = ("conf2",)
QUICK_NETWORKS = ("fb-reed98", "blogs", "grqc")  # the others take as long again as these three
STAND_INS = ("demo", "karate")  # built in: used by the quick version where no network of the paper is there

DRAWN, FINALISTS, TUNING_SEED = 50, 8, 1  # configurations of the 432 to tune, and how many run to the end
TUNING = f"{DRAWN} configurations, {FINALISTS} left"


@dataclass(frozen=True)
class PaperAgain:
    """The paper's experiment: its networks, configurations and number of seeds."""

    networks: tuple[Network, ...]
    seeds: int
    configurations: tuple[str, ...] = tables.CONFIGURATIONS
    quick: bool = False

    @cached_property
    def plan(self) -> Plan:
        """The runs: every network × {ES, UA, GA and UGA with each configuration} × seeds, 5% of the edges.

        GA and UGA run twice, as netveil has them and faithful to the paper.
        """
        genetic = [
            planned_algorithm(algorithm, config=prefix + configuration)
            for algorithm, prefix, configuration in product(
                tables.GENETIC, tables.SOURCES.values(), self.configurations
            )
        ]
        return Plan(
            name="paper",
            networks=self.networks,
            algorithms=(planned_algorithm("es"), planned_algorithm("ua"), *genetic),
            seeds=tuple(range(1, self.seeds + 1)),
            metrics=PAPER_METRICS,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the networks."""
        return tuple(network.name for network in self.networks)

    @property
    def scope(self) -> str:
        """What is run, in words, for every table and figure: nobody takes a small version for the whole."""
        seeds = counted(self.seeds, "seed")
        if not self.quick:
            return f"{seeds}, {counted(len(self.configurations), 'configuration')} of GA and UGA, twice each"
        networks = (
            f"{len(self.networks)} of the paper's {len(tables.TITLES)} networks"
            if tables.TITLES.keys() >= set(self.names)
            else f"networks NOT the paper's ({', '.join(self.names)})"
        )
        return f"QUICK: {seeds} instead of {SEEDS}, {', '.join(self.configurations)} only, {networks}"

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Tune, and write the tables, the figures and the page, as far as runs are finished."""
        interrupted = runs.interrupted
        written: dict[str, Any] = {"page": None, "tables": [], "figures": []}
        if not interrupted and runs.rows and not (options.share is not None and runs.missing):
            tunings = [] if self.quick else self.tuned(options)
            interrupted = options.stop.asked_to_stop() is not None
            if not interrupted:
                options.tell("writing tables and figures")
                written = self.write(runs, tunings)
        words = f"{runs.left} still to be done, and then the tables."
        if written["page"] is not None:
            where = f"{runs.folder}/tables, {runs.folder}/figures"
            words = f"{self.scope}\npage: {written['page']}\ntables and figures: {where}"
        incomplete = f"{runs.left} missing; the same command without --collect runs what is."
        document = {
            "plan": "paper",
            "out": str(runs.folder),
            "quick": self.quick,
            "scope": self.scope,
            "networks": list(self.names),
            "seeds": self.seeds,
            "configurations": list(self.configurations),
            "summary": None if runs.summary is None else asdict(runs.summary),
            "missing": runs.missing,
            **written,
        }
        return Conclusion(
            document, words, interrupted, incomplete if runs.missing and not options.run else None
        )

    def tuned(self, options: RunOptions) -> list[TuningResult]:
        """GA and UGA tuned on the paper's three networks; what is in the folder is not done again.

        Nothing is begun unless `options.run`, nor after `options.stop`.
        """
        by_name = {network.name: network for network in self.networks}
        results: list[TuningResult] = []
        for name, algorithm in product(filter(by_name.get, tables.TUNED_NETWORKS), tables.GENETIC):
            file = options.folder / "tuning" / f"{algorithm}-{name}.json"
            if file.exists():
                results.append(TuningResult.from_dict(json.loads(file.read_bytes())))
            elif options.run and options.stop.asked_to_stop() is None:
                options.tell(f"tuning {algorithm.upper()} on {name}")
                result = tune(
                    by_name[name],
                    algorithm=algorithm,
                    configurations=DRAWN,
                    finalists=FINALISTS,
                    seed=TUNING_SEED,
                    workers=options.workers,
                    control=options.stop,
                )
                if not result.interrupted:
                    file.parent.mkdir(exist_ok=True)
                    store(json.dumps(result.to_dict()).encode(), str(file))
                    results.append(result)
        return results

    def write(self, finished: StudyRuns, tunings: Sequence[TuningResult]) -> dict[str, Any]:
        """Write every table and figure, and the page; returns their paths."""
        folder, scope = finished.folder, self.scope
        runs = tables.PaperRuns(finished.rows, self.names, self.configurations)
        items: list[Table | PaperFigure] = [
            tables.properties_table(self.networks, scope),
            tables.reductions_table(runs, self.seeds, scope),
            utility_figure(runs, scope),
            runtime_figure(runs, scope),
            tables.numbers_table(runs, scope),
            tables.configurations_table(runs, scope),
            *([halving_figure(tunings, TUNING)] if tunings else ()),
        ]
        written: dict[str, Any] = {"page": str(folder / "index.html"), "tables": [], "figures": []}
        for item in items:
            kind = "tables" if isinstance(item, Table) else "figures"
            (folder / kind).mkdir(exist_ok=True)
            for suffix, content in item.files().items():
                written[kind].append(str(folder / kind / f"{item.name}.{suffix}"))
                store(content, written[kind][-1])
        page = rendered(
            items,
            scope=scope,
            quick=self.quick,
            missing=f"{finished.missing:,} of {counted(len(finished.wanted), 'run')}"
            * bool(finished.missing),
            is_tuned=bool(tunings),
            command=f"netveil experiment paper{' --quick' * self.quick} --seeds {self.seeds}",
            machine=f"{counted(len(runs.rows), 'run')} by netveil {versions_of(runs.rows)}, Python "
            f"{platform.python_version()}, {platform.machine()}, {counted(available_cores(), 'core')}",
        )
        store(page.encode(), written["page"])
        return written


def rendered(items: Sequence[Table | PaperFigure], **told: Any) -> str:
    """Render the self-contained page; further values of the template are given by name."""
    from netveil.report.page import templates

    template = templates("netveil.studies").get_template("paper.html")
    return template.render(version=__version__, items=items, **told)


def planned(seeds: int | None = None, quick: bool = False) -> PaperAgain:
    """The whole experiment or the quick one, with its networks loaded.

    The whole fetches what is not on this machine. The quick one fetches nothing: it takes three of the
    networks as far as they are there, else the others, and built-in ones if there is none.
    """
    chosen = (QUICK_SEEDS if quick else SEEDS) if seeds is None else seeds
    check_count_of_seeds(chosen)
    found, problems = {}, []
    for known in PAPER:
        try:
            found[known.name] = planned_network(known.name, find_network(known.name, download=not quick))
        except NetveilError as error:
            problems.append(error.message)
    if quick:
        networks = [found[name] for name in QUICK_NETWORKS if name in found] or list(found.values())
        networks = networks or [planned_network(name, load(name)) for name in STAND_INS]
        return PaperAgain(tuple(networks), chosen, QUICK_CONFIGURATIONS, quick=True)
    if problems:
        raise PlanError([*problems, "Or try `netveil experiment paper --quick`, which takes what is there."])
    return PaperAgain(tuple(found.values()), chosen)


# Figures: utility (2), runtime (3), and successive halving (appendix).


COLOURS = dict(zip(tables.PAPER_ALGORITHMS, ("#7d8894", "#c98a1b", AFTER, RISK), strict=True))
MARKS = dict(zip(tables.PAPER_ALGORITHMS, "osD^", strict=True))
BETWEEN_ALGORITHMS = 0.13  # networks are 1 apart
ROUNDS_AFTER = 4  # as many generations as lie between halvings, shown of the finalists' further way


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

    with style(name):
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(scope, fontsize=8)
        draw(figure)
        return PaperFigure(name, title, f"{caption} {scope}", svg_for_page(figure), png_file(figure))


def draw_panels(figure: Figure, runs: tables.PaperRuns, panels: Sequence[tables.Panel], columns: int) -> None:
    """Draw means ± standard deviations: algorithms side by side, faithful ones hollow, a legend for all."""
    titles = list(map(tables.title_of, runs.networks))
    for number, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(-(-len(panels) // columns), columns, number)
        bare(axes)
        axes.set_title(panel.title, fontsize=9)
        if panel.unchanged is None:
            axes.set_yscale("log", nonpositive="clip")
        else:
            axes.axhline(panel.unchanged, color=INK, lw=0.8, ls="--", alpha=0.6)
        for place, (algorithm, source) in enumerate(tables.CONTENDERS):
            groups = [runs.best(network, algorithm, source) for network in runs.networks]
            spreads = [Spread.of(map(panel.value, group.rows)) for group in groups]
            shift = (place - (len(tables.CONTENDERS) - 1) / 2) * BETWEEN_ALGORITHMS
            known = [(place + shift, each) for place, each in enumerate(spreads) if each is not None]
            axes.errorbar(
                [x for x, _ in known],
                [spread.mean for _, spread in known],
                yerr=[spread.deviation or 0.0 for _, spread in known],
                fmt=MARKS[algorithm],
                color=COLOURS[algorithm],
                markerfacecolor="none" if source == tables.FAITHFUL else None,
                label=groups[0].title,
                markersize=4.5,
                capsize=2,
                elinewidth=1.2,
            )
        axes.set_xticks(range(len(titles)), titles, rotation=28, ha="right")
        axes.set_xlim(-0.5, len(titles) - 0.5)
        axes.grid(visible=False, axis="x")
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)


def utility_figure(runs: tables.PaperRuns, scope: str) -> PaperFigure:
    """Figure 2: six panels; the dashed line is a network without any deletion."""
    caption = (
        "Mean ± one standard deviation of each algorithm on each network; GA and UGA with the "
        "configuration of Table 1. Dashed: nothing deleted."
    )
    size = (10.5, 5.6)
    return picture(
        *("figure-2-utility", "Figure 2: utility", caption, scope, size),
        lambda figure: draw_panels(figure, runs, tables.UTILITY, columns=3),
    )


def runtime_figure(runs: tables.PaperRuns, scope: str) -> PaperFigure:
    """Figure 3: seconds on a logarithmic scale."""
    caption = f"Mean ± one standard deviation, logarithmic scale. {tables.ABOUT_RUNTIME}"
    return picture(
        *("figure-3-runtime", "Figure 3: runtime", caption, scope, (6.2, 3.6)),
        lambda figure: draw_panels(figure, runs, [tables.RUNTIME], columns=1),
    )


def halving_figure(results: Sequence[TuningResult], scope: str) -> PaperFigure:
    """Networks in rows, GA at the left and UGA at the right; a line a configuration, finalists in colour."""
    networks = list(dict.fromkeys(result.network for result in results))

    def draw(figure: Figure) -> None:
        for result in results:
            row, column = networks.index(result.network), tables.GENETIC.index(result.algorithm)
            axes = figure.add_subplot(
                len(networks), len(tables.GENETIC), row * len(tables.GENETIC) + column + 1
            )
            last = result.halvings[-1] if result.halvings else 0
            draw_halving(axes, result, until=last + ROUNDS_AFTER * result.every)
            axes.set_title(f"{result.algorithm.upper()}, {tables.title_of(result.network)}", fontsize=9)
            axes.set_ylim(0, 1.15 * result.at_risk_before)

    caption = (
        f"Best objective (unique nodes, and a penalty over the budget; cut off above) of the "
        f"{len(results[0].curves)} configurations drawn from the {results[0].grid_size}. Dotted lines: "
        f"halvings; in colour those that ran to the end, which is further right."
    )
    size = (9, 2.6 * len(networks))
    return picture("figure-halving", "Appendix: successive halving", caption, scope, size, draw)
