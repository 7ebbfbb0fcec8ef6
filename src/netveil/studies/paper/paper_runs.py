"""Finished runs of the paper's experiment by network and algorithm, their statistics, and tables of them.

`PaperRuns` → `Group` → `Spread`, `rank_sum_p` → `Table` → Markdown, LaTeX, HTML and unrounded CSV
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import comb
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from netveil.formatting import csv_table
from netveil.studies.paper.published import GENETIC
from netveil.studies.study import Spread

Row = dict[str, Any]
"""A row of `netveil.studies.results_table`."""

DEVIATIONS = 2  # a difference of more than so many standard deviations is worth a sentence


@dataclass(frozen=True)
class Group:
    """Runs of one algorithm, with one configuration, on one network."""

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
        """Reduction of unique nodes by each run."""
        return [row["unique_before"] - row["unique_after"] for row in self.rows]

    def spread(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and deviation of a value of each run; None without runs."""
        return Spread.of(value(row) for row in self.rows)


@dataclass(frozen=True)
class PaperRuns:
    """Finished runs of the paper's plan."""

    rows: Sequence[Row]
    networks: Sequence[str]
    configurations: Sequence[str]

    def group(self, network: str, algorithm: str, configuration: str | None = None) -> Group:
        """Runs of this algorithm on this network; there may be none."""
        name = algorithm if configuration is None else f"{algorithm}-{configuration}"
        rows = (row for row in self.rows if row["network"] == network and row["algorithm"] == name)
        return Group(network, algorithm, configuration, tuple(rows))

    def best(self, network: str, algorithm: str) -> Group:
        """Runs that the paper's main part reports: of GA and UGA the configuration with the lowest mean."""
        if algorithm not in GENETIC:
            return self.group(network, algorithm)
        groups = [self.group(network, algorithm, each) for each in self.configurations]
        return min(groups, key=lambda group: fmean(group.left) if group.rows else float("inf"))


def lowest_average(folder: Path, group: Group) -> float | None:
    """Lowest mean of unique nodes over the steps of a baseline, averaged over runs first, as in the paper.

    Steps that not all runs took, because some had solved the problem before, are left out. None without runs,
    or where the trace of one of them is missing or damaged: the mean of the others would be another figure.
    """
    traces = [_at_risk_by_step(folder / "runs" / row["run"] / "trace.csv") for row in group.rows]
    shared = set.intersection(*(set(trace) for trace in traces)) if traces else set()
    return min((fmean(trace[step] for trace in traces) for step in shared), default=None)


def _at_risk_by_step(file: Path) -> dict[int, int]:
    """Nodes at risk after each step of a run; empty if the file cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return {int(row["step"]): int(row["at_risk"]) for row in csv.DictReader(stream)}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):  # not there, no number, no column, cut off
        return {}


# Is one algorithm better than another, or was it chance? The Wilcoxon rank-sum test, exact, ties included.
#
# The paper says "a Wilcoxon test" and no more. The signed-rank test of that name is for pairs, and runs of
# two algorithms are not paired: an equal seed makes them no more alike. With 5 pairs its two-sided p cannot
# be less than 1/16 either, so nothing could be significant at 5%. The rank-sum test (Mann and Whitney's U
# test) is the one for independent runs; with 5 against 5 its p can be as small as 2/252. scipy's exact test
# does not know ties.


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
    values, size = [*first, *second], len(first)
    # Equal values share the mean of their ranks; twice a rank is whole.
    ranks = [sum((other < value) + (other <= value) for other in values) + 1 for value in values]
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]  # by size of a choice: sum → ways to it
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] = ways[chosen].get(total + rank, 0) + count
    found = sum(ranks[:size])
    lower = sum(count for total, count in ways[size].items() if total <= found)
    higher = sum(count for total, count in ways[size].items() if total >= found)
    return min(1.0, 2 * min(lower, higher) / comb(len(ranks), size))


def smallest_p(first: int, second: int) -> float:
    """Smallest p that the test can give: 10% with 3 against 3 runs, 0.8% with 5 against 5."""
    return min(1.0, 2 / comb(first + second, first))


# Tables and their formats.


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


class Cell(NamedTuple):
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

    def files(self) -> dict[str, bytes]:
        """Contents of its files, by suffix."""
        return {suffix: form(self).encode() for suffix, form in TABLE_FORMATS.items()}


def table(
    name: str,
    title: str,
    note: str,
    scope: str,
    columns: Iterable[str],
    rows: Iterable[Sequence[Cell]],
    records: Iterable[Mapping[str, Any]],
    labels: int = 1,
) -> Table:
    """A table whose note and records say what was run, unless a record has a scope of its own."""
    scoped = ({**record, "scope": record.get("scope", scope)} for record in records)
    return Table(
        name, title, f"{note} {scope}", tuple(columns), tuple(map(tuple, rows)), tuple(scoped), labels
    )


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(map(Cell, texts))


def markdown(table: Table) -> str:
    """The table in GitHub's Markdown, with its title and note."""
    rule = [":--"] * table.labels + ["--:"] * (len(table.columns) - table.labels)
    lines = [[_marked(column) for column in table.columns], rule, *_texts(table, _marked, "**{}**")]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {_marked(table.title)}\n\n{body}\n\n{_marked(table.note)}\n"


def latex(table: Table) -> str:
    """The table in LaTeX; it needs the package booktabs."""
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
        *(" & ".join(row) + r" \\" for row in _texts(table, _escaped, r"\textbf{{{}}}")),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """The records as CSV, numbers unrounded, what is not known left empty."""
    return csv_table(table.records[0] if table.records else (), (record.values() for record in table.records))


def html(table: Table) -> str:
    """The table as a part of a page; rows with published figures are marked, to be drawn in softer ink."""
    kinds = [' class="label"'] * table.labels + [""] * (len(table.columns) - table.labels)
    heads = zip(kinds, table.columns, strict=True)
    head = "".join(f'<th scope="col"{kind}>{escape(column)}</th>' for kind, column in heads)
    rows = []
    for row, texts in zip(table.rows, _texts(table, escape, "<strong>{}</strong>"), strict=True):
        labels = "".join(f'<th scope="row">{text}</th>' for text in texts[: table.labels])
        values = "".join(f"<td>{text}</td>" for text in texts[table.labels :])
        mark = ' class="published"' * any(cell.text == PUBLISHED for cell in row[: table.labels])
        rows.append(f"<tr{mark}>{labels}{values}</tr>")
    body = "\n".join(rows)
    return (
        f'<p class="note">{escape(table.note)}</p>\n'
        f'<div class="wide"><table aria-label="{escape(table.title)}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _texts(table: Table, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """Texts of the cells, escaped; `bold` is the form of bold ones."""
    return [
        [bold.format(escaped(cell.text)) if cell.bold else escaped(cell.text) for cell in row]
        for row in table.rows
    ]


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
"""Formats in which each table is written, by the suffix of the file."""
