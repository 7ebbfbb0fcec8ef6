"""The finished runs of the paper's experiment, by network and algorithm, and what they come to."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import comb
from pathlib import Path
from statistics import fmean
from typing import Any

from netveil.experiments.store import csv_text
from netveil.studies.paper.published import GENETIC
from netveil.studies.study import Spread

# Is one algorithm better than another, or was it chance? The Wilcoxon rank-sum test, exact, ties included.
#
# The paper says "a Wilcoxon test" and no more. The signed-rank test of that name is for pairs, and runs of
# two algorithms are not paired: an equal seed makes them no more alike. With 5 pairs its two-sided p cannot
# be less than 1/16 either, so nothing could be significant at 5%. The rank-sum test (Mann and Whitney's U
# test) is the one for independent runs; with 5 against 5 its p can be as small as 2/252.


LEVEL = 0.05
"""A p below this is called significant. It is not corrected for the number of comparisons."""


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of the Wilcoxon rank-sum test, from all ways to deal the values out to the two.

    >>> rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 2 / 252
    True
    >>> rank_sum_p([4, 4], [4, 4])
    1.0
    """
    if not first or not second:
        raise ValueError("the test needs a value on both sides")
    ranks = _doubled_ranks([*first, *second])
    found = sum(ranks[: len(first)])
    ways = _ways_to_sums(ranks, len(first))
    lower = sum(count for total, count in ways.items() if total <= found)
    higher = sum(count for total, count in ways.items() if total >= found)
    return min(1.0, 2 * min(lower, higher) / comb(len(ranks), len(first)))


def smallest_p(first: int, second: int) -> float:
    """The smallest p that the test can give: 10% with 3 against 3 runs, 0.8% with 5 against 5."""
    return min(1.0, 2 / comb(first + second, first))


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value; equal ones share the mean of their ranks, so that twice it is whole."""
    return [
        sum(other < value for other in values) + sum(other <= value for other in values) + 1
        for value in values
    ]


def _ways_to_sums(ranks: Sequence[int], size: int) -> dict[int, int]:
    """For each sum, in how many ways `size` of the ranks add up to it."""
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] = ways[chosen].get(total + rank, 0) + count
    return ways[size]


Row = dict[str, Any]
"""A row of `netveil.experiments.results_table`."""

DEVIATIONS = 2  # a difference of more than so many standard deviations is worth a sentence


@dataclass(frozen=True)
class Group:
    """The runs of one algorithm, with one configuration, on one network."""

    network: str
    algorithm: str  # es, ua, ga or uga
    configuration: str | None  # of ga and uga
    rows: tuple[Row, ...]

    @property
    def left(self) -> list[int]:
        """Unique nodes left by each run."""
        return [row["unique_after"] for row in self.rows]

    @property
    def reductions(self) -> list[int]:
        """By how many unique nodes fewer each run has."""
        return [row["unique_before"] - row["unique_after"] for row in self.rows]

    def spread(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and deviation of something about each run; None without any."""
        return Spread.of(value(row) for row in self.rows)


@dataclass(frozen=True)
class PaperRuns:
    """The runs that a plan asked for, as far as they are finished."""

    rows: Sequence[Row]
    networks: Sequence[str]
    configurations: Sequence[str]

    def group(self, network: str, algorithm: str, configuration: str | None = None) -> Group:
        """The runs of this algorithm on this network; it may hold none."""
        name = algorithm if configuration is None else f"{algorithm}-{configuration}"
        rows = (row for row in self.rows if row["network"] == network and row["algorithm"] == name)
        return Group(network, algorithm, configuration, tuple(rows))

    def best(self, network: str, algorithm: str) -> Group:
        """What the paper's main part reports: of GA and UGA the configuration with the lowest mean."""
        if algorithm not in GENETIC:
            return self.group(network, algorithm)
        groups = [self.group(network, algorithm, each) for each in self.configurations]
        return min(groups, key=lambda group: fmean(group.left) if group.rows else float("inf"))


def lowest_average(folder: Path, group: Group) -> float | None:
    """The lowest mean of unique nodes over the steps of a baseline: averaged over runs first, as there.

    Steps that not all runs took, because some had solved the problem before, are left out. None without runs,
    or where the trace of one of them is missing or damaged: the mean of the others would be another figure.
    """
    traces = [_at_risk_by_step(folder / "runs" / row["run"] / "trace.csv") for row in group.rows]
    shared = set.intersection(*(set(trace) for trace in traces)) if traces else set()
    return min((fmean(trace[step] for trace in traces) for step in shared), default=None)


def _at_risk_by_step(file: Path) -> dict[int, int]:
    """The nodes at risk after each step of a run; none if the file cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return {int(row["step"]): int(row["at_risk"]) for row in csv.DictReader(stream)}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):  # not there, no number, no column, cut off
        return {}


# A table and how it is written: Markdown, LaTeX and HTML for people, CSV with unrounded numbers.


OURS, PUBLISHED = "netveil", "published"  # whose figures a row shows
MOST_IN_A_COLUMN = 5  # a table with more columns takes the whole width of a page in two columns

_LATEX = {
    **{character: f"\\{character}" for character in "{}&%$#_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "†": r"$\dag$",
    "≈": r"$\approx$",
    "–": "--",
    "−": "$-$",
    "μ": r"$\mu$",
    "λ": r"$\lambda$",
}


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Table:
    """A table as people read it, and its numbers as records."""

    name: str  # of its files
    title: str
    note: str  # how to read it, and what was run
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    records: tuple[Mapping[str, Any], ...]  # with the same keys; None is what is not known
    labels: int = 1  # columns that are texts, at the left


def markdown(table: Table) -> str:
    """The table in GitHub's Markdown, with its title and note."""
    rule = [":--"] * table.labels + ["--:"] * (len(table.columns) - table.labels)
    lines = [[_marked(column) for column in table.columns], rule, *_texts(table, _marked, "**{}**")]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {_marked(table.title)}\n\n{body}\n\n{_marked(table.note)}\n"


def latex(table: Table) -> str:
    """The table in LaTeX; it needs the package booktabs."""
    rows = _texts(table, _escaped, r"\textbf{{{}}}")
    environment = "table*" if len(table.columns) > MOST_IN_A_COLUMN else "table"
    lines = [
        "% needs \\usepackage{booktabs}",
        rf"\begin{{{environment}}}",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{3.5pt}",
        rf"\caption{{{_escaped(table.title)}. {_escaped(table.note)}}}",
        rf"\label{{tab:netveil-{table.name}}}",
        rf"\begin{{tabular}}{{@{{}}{'l' * table.labels}{'r' * (len(table.columns) - table.labels)}@{{}}}}",
        r"\toprule",
        " & ".join(map(_escaped, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """The records as CSV, numbers unrounded, what is not known left empty."""
    return csv_text(table.records[0] if table.records else (), (record.values() for record in table.records))


def html(table: Table) -> str:
    """The table as a part of a page."""
    kinds = [' class="label"'] * table.labels + [""] * (len(table.columns) - table.labels)
    heads = zip(kinds, table.columns, strict=True)
    head = "".join(f'<th scope="col"{kind}>{escape(column)}</th>' for kind, column in heads)
    rows = "\n".join(_html_row(row, table.labels) for row in table.rows)
    return (
        f'<p class="note">{escape(table.note)}</p>\n'
        f'<div class="wide"><table aria-label="{escape(table.title)}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _texts(table: Table, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """The texts of the cells; `bold` is the form of those that are."""
    return [
        [bold.format(escaped(cell.text)) if cell.bold else escaped(cell.text) for cell in row]
        for row in table.rows
    ]


def _html_row(row: tuple[Cell, ...], labels: int) -> str:
    """A row; one with published figures is marked, to be drawn in softer ink."""
    cells = []
    for place, cell in enumerate(row):
        text = f"<strong>{escape(cell.text)}</strong>" if cell.bold else escape(cell.text)
        cells.append(f'<th scope="row">{text}</th>' if place < labels else f"<td>{text}</td>")
    published = any(cell.text == PUBLISHED for cell in row[:labels])
    start = '<tr class="published">' if published else "<tr>"
    return f"{start}{''.join(cells)}</tr>"


def _escaped(text: str) -> str:
    """Text for LaTeX.

    >>> _escaped("5% of R&D ± 2")
    '5\\\\% of R\\\\&D $\\\\pm$ 2'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _marked(text: str) -> str:
    """Text for Markdown, in which a bar ends a cell."""
    return "".join(f"\\{character}" if character in "|*_<\\" else character for character in text)


TABLE_FORMATS = {"md": markdown, "csv": comma_separated, "tex": latex}
"""What is written of each table, by the suffix of the file."""


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(map(Cell, texts))
