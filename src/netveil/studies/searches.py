"""The study `searches`: every algorithm on every network of a folder, beside what others published.

Rows, one a run → `Entry`, one an algorithm and budget → a page of Markdown with tables, and a figure

Random addition and random rewiring, which others use, are beside them: nothing is searched for, so they are
done when the page is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from math import nan
from pathlib import Path
from statistics import fmean, median

import numpy as np

from netveil.anonymity import anonymity_of, attackers_of
from netveil.charts import COLOURS, INK
from netveil.errors import FileError, SettingError, option
from netveil.files import format_of
from netveil.formatting import counted
from netveil.network import Network
from netveil.opening import open_network
from netveil.plotting import bare, style, svg_file
from netveil.search import ALGORITHMS
from netveil.search.budget import budget_in_edges
from netveil.studies.plan import Plan, planned_algorithm, planned_network
from netveil.studies.study import PageStudy, Row, StudyPage
from netveil.studies.tables import Spread, markdown_table, shown, versions_of

BUDGETS, QUICK_BUDGETS = ("1%", "2%", "5%"), ("5%",)
SEEDS, QUICK_SEEDS = 3, 1
SECONDS: dict[str, tuple[float, ...]] = {"annealing": (1.0, 10.0), "ga": (10.0,), "uga": (10.0,)}
"""Times of algorithms that go on as long as one likes; the others run to their end."""


PUBLISHED = {
    "greedy": (0.735, 0.447),
    "class-targeted, no rounds": (0.835, 0.438),
    "class-targeted": (0.857, 1.160),
}
"""Figures of a paper by method, on networks and machines of its own: mean reduction, median seconds."""
PUBLISHED_BUDGET, PUBLISHED_IN = "5%", "OptiAnon (Alkema et al. 2026): 17 networks, C++"


@dataclass(frozen=True)
class Entry:
    """Result of a search at a budget, over all networks."""

    algorithm: str
    budget: str
    reduction: Spread | None  # share of the nodes at risk that no longer are, over networks
    seconds: float | None  # median over networks; None where nothing is searched for

    @property
    def left(self) -> float:
        """Share that is left at risk, in per cent."""
        return 100.0 if self.reduction is None else 100 * (1 - self.reduction.mean)


def perturbed(network: Network, deleted: int, added: int, rng: np.random.Generator) -> Network:
    """The network without so many random edges, and with so many new ones among random pairs.

    None of the new ones was there before. Addition deletes nothing; rewiring deletes as many as it adds (Hay
    et al. 2007). Where fewer pairs are free, fewer are added.
    """
    nodes, edges = network.node_count, network.edges.astype(np.int64)
    taken = set(map(tuple, np.sort(edges, axis=1).tolist()))
    all_there = min(len(edges) + added, nodes * (nodes - 1) // 2)
    new = []
    while len(taken) < all_there:
        pair = tuple(sorted(rng.integers(nodes, size=2).tolist()))
        if pair[0] != pair[1] and pair not in taken:
            taken.add(pair)
            new.append(pair)
    kept = edges[rng.permutation(len(edges))[deleted:]]
    return Network.from_numbered_edges([*kept.tolist(), *new], nodes)


def perturbations(plan: Plan) -> Iterator[Row]:
    """Rows of random addition and random rewiring, as many edges as the budget has."""
    attackers = attackers_of("count")
    for network in plan.networks:
        before = anonymity_of(network, attackers, 2).at_risk
        for budget in plan.budgets:
            edges = budget_in_edges(budget, network.edge_count)
            for name, deleted in (("random addition", 0), ("random rewiring", edges)):
                for seed in plan.seeds:
                    changed = perturbed(network, deleted, edges, np.random.default_rng(seed))
                    after = anonymity_of(changed, attackers, 2).at_risk
                    run = {"network": network.name, "algorithm": name, "budget": budget, "seed": seed}
                    yield {**run, "at_risk_before": before, "at_risk_after": after, "seconds": None}


def entries_of(rows: Sequence[Row], budgets: Sequence[str]) -> list[Entry]:
    """Result of each algorithm at each budget, the best at the largest budget first."""
    found = []
    for budget in budgets:
        for algorithm in dict.fromkeys(str(row["algorithm"]) for row in rows):
            by_network: dict[str, list[Row]] = {}
            for row in rows:
                if (row["algorithm"], row["budget"]) == (algorithm, budget) and row["at_risk_before"]:
                    by_network.setdefault(row["network"], []).append(row)
            reductions = (
                fmean(1 - row["at_risk_after"] / row["at_risk_before"] for row in runs)
                for runs in by_network.values()
            )
            times = (Spread.of(row["seconds"] for row in runs) for runs in by_network.values())
            known = [time.mean for time in times if time is not None]
            found.append(Entry(algorithm, budget, Spread.of(reductions), median(known) if known else None))
    return sorted(found, key=lambda each: (-budgets.index(each.budget), each.left))


def summarize(rows: Sequence[Row], budgets: Sequence[str], quick: bool = False) -> StudyPage:
    """Page with tables for each budget, the largest first, and a figure of the largest."""
    entries = entries_of(rows, budgets)
    networks = list(dict.fromkeys(str(row["network"]) for row in rows))
    scope = (
        f"{'QUICK: ' * quick}{counted(len(networks), 'network')}, "
        f"{counted(len({row['seed'] for row in rows}), 'seed')}, k = 2 against `count`, one thread, by "
        f"netveil {versions_of(rows)}. Times are those of the machines that ran it."
    )
    parts = [f"# Searches\n\n{scope}\n\n![left against seconds](searches.svg)\n"]
    for budget in reversed(budgets):
        there = [entry for entry in entries if entry.budget == budget]
        parts.append(f"## {budget} of the ties\n\n{_summary_table(there, budget)}")
        lines = []
        for name in networks:
            here = [row for row in rows if (row["network"], row["budget"]) == (name, budget)]
            left = (
                Spread.of(row["at_risk_after"] for row in here if row["algorithm"] == entry.algorithm)
                for entry in there
            )
            lines.append([name, f"{here[0]['at_risk_before']:,}", *map(shown, left)])
        table = markdown_table(["network", "at first", *(entry.algorithm for entry in there)], lines)
        parts.append(f"People left at risk, mean ± deviation over seeds:\n\n{table}")
    figure = _figure([entry for entry in entries if entry.budget == budgets[-1]], budgets[-1])
    return StudyPage("\n".join(parts), {"searches.svg": figure}, {"entries": list(map(asdict, entries))})


def _summary_table(entries: Sequence[Entry], budget: str) -> str:
    """A row an algorithm; the published ones last."""
    lines = []
    for each in entries:
        seconds = "" if each.seconds is None else f"{each.seconds:,.2f}"
        lines.append([each.algorithm, shown(each.reduction, ".1%"), seconds, "measured"])
    for method, (reduction, took) in PUBLISHED.items() if budget == PUBLISHED_BUDGET else ():
        lines.append([f"*{method}*", f"{reduction:.1%}", f"{took:.2f}", f"published: {PUBLISHED_IN}"])
    heads = ["search", "fewer at risk, mean ± deviation over networks", "seconds, median", ""]
    return markdown_table(heads, lines)


def _figure(entries: Sequence[Entry], budget: str) -> bytes:
    """Draw the share that is left against seconds, both on log scales; published figures as open marks."""
    from matplotlib.figure import Figure

    with style("searches"):
        figure = Figure(figsize=(6.5, 4.2), layout="constrained")
        axes = figure.subplots()
        for index, each in enumerate(each for each in entries if each.seconds):
            colour = COLOURS[index % len(COLOURS)]
            axes.plot([each.seconds or nan], [each.left or nan], "o", color=colour, label=each.algorithm)
        published = PUBLISHED.items() if budget == PUBLISHED_BUDGET else ()
        for mark, (method, (reduction, took)) in zip("s^D", published, strict=False):
            label, left = f"{method} (published)", 100 * (1 - reduction)
            axes.plot(took, left, mark, color=INK, fillstyle="none", label=label)
        bare(axes)
        axes.set(xscale="log", yscale="log", xlabel="seconds, median over networks")
        axes.set_ylabel(f"left at risk with {budget} deleted, % (mean)")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        return svg_file(figure)


def planned(seeds: int | None, quick: bool, networks: str | None) -> PageStudy:
    """All algorithms on all networks of a folder."""
    if networks is None:
        raise SettingError(f"searches: name a folder of networks with {option('networks', 'FOLDER')}.")
    algorithms = [
        planned_algorithm(name, name=name if seconds is None else f"{name} {seconds:g} s", time=seconds)
        for name in ALGORITHMS
        for seconds in SECONDS.get(name, (None,))
    ]
    algorithms.append(
        planned_algorithm("class-targeted", name="class-targeted, no rounds", settings={"rounds": 0})
    )
    plan = Plan(
        name="searches",
        networks=tuple(_networks(Path(networks))),
        algorithms=tuple(algorithms),
        budgets=QUICK_BUDGETS if quick else BUDGETS,
        seeds=tuple(range(1, 1 + (seeds or (QUICK_SEEDS if quick else SEEDS)))),
    )
    return PageStudy(plan, lambda rows: summarize([*rows, *perturbations(plan)], plan.budgets, quick))


def _networks(folder: Path) -> list[Network]:
    """The networks in a folder by name; files whose suffix names no format are passed over."""
    if not folder.is_dir():
        raise FileError(f"{folder}: not a folder. Give one with a file for each network.")
    files: dict[str, Path] = {}
    for file in sorted(each for each in folder.iterdir() if each.is_file()):
        with suppress(FileError):
            format_of(str(file))
            if file.stem in files:
                raise SettingError(f"{folder}: two files are called {file.stem}; rename one.")
            files[file.stem] = file
    if not files:
        raise FileError(
            f"{folder}: no file in it has the suffix of a network's format, such as .csv or .txt."
        )
    opened = map(partial(open_network, original=True), map(str, files.values()))
    return list(map(planned_network, files, opened))
