"""A table and how it is written: Markdown, LaTeX and HTML for people, CSV with unrounded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from netveil.experiments.store import csv_text

OURS, PUBLISHED = "netveil", "published"  # whose figures a row shows
MOST_IN_A_COLUMN = 5  # a table with more columns takes the whole width of a page in two columns

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
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
    rows = [
        [f"**{_marked(cell.text)}**" if cell.bold else _marked(cell.text) for cell in row]
        for row in table.rows
    ]
    lines = [[_marked(column) for column in table.columns], rule, *rows]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {_marked(table.title)}\n\n{body}\n\n{_marked(table.note)}\n"


def latex(table: Table) -> str:
    """The table in LaTeX; it needs the package booktabs."""
    rows = [
        [rf"\textbf{{{_escaped(cell.text)}}}" if cell.bold else _escaped(cell.text) for cell in row]
        for row in table.rows
    ]
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
