"""Tables of studies, as Markdown and LaTeX for people and as CSV with unrounded numbers for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from netveil.formatting import csv_table

MOST_IN_A_COLUMN = 5  # a table with more columns takes the whole width of a page in two columns

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}&%$#_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "−": "$-$"}
    | {"±": r"$\pm$", "×": r"$\times$", "†": r"$\dag$", "≈": r"$\approx$", "μ": r"$\mu$", "λ": r"$\lambda$"}
)
_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "|*_<\\"})  # a bar ends a cell


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
    r"""The table in GitHub's Markdown, with its title and note.

    >>> print(markdown(Table("t", "Title", "A note.", ("name", "value"), (cells("a|b", "1"),), ())), end="")
    ## Title
    <BLANKLINE>
    | name | value |
    | :-- | --: |
    | a\|b | 1 |
    <BLANKLINE>
    A note.
    """
    title, note, *columns = (text.translate(_MARKDOWN) for text in (table.title, table.note, *table.columns))
    rule = [":--"] * table.labels + ["--:"] * (len(columns) - table.labels)
    lines = [columns, rule, *_texts(table, _MARKDOWN, "**{}**")]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {title}\n\n{body}\n\n{note}\n"


def latex(table: Table) -> str:
    """The table in LaTeX; it needs the package booktabs."""
    title, note, *columns = (text.translate(_LATEX) for text in (table.title, table.note, *table.columns))
    environment = "table*" if len(columns) > MOST_IN_A_COLUMN else "table"
    head, *rows = (" & ".join(line) + r" \\" for line in (columns, *_texts(table, _LATEX, r"\textbf{{{}}}")))
    lines = [
        "% needs \\usepackage{booktabs}",
        rf"\begin{{{environment}}}",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{3.5pt}",
        rf"\caption{{{title}. {note}}}",
        rf"\label{{tab:netveil-{table.name}}}",
        rf"\begin{{tabular}}{{@{{}}{'l' * table.labels}{'r' * (len(columns) - table.labels)}@{{}}}}",
        *(r"\toprule", head, r"\midrule", *rows, r"\bottomrule"),
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """The records as CSV, numbers unrounded, what is not known left empty."""
    return csv_table(table.records[0] if table.records else (), (record.values() for record in table.records))


def _texts(table: Table, escapes: Mapping[int, str], bold: str) -> list[list[str]]:
    """Texts of the cells, escaped; `bold` is the form of bold ones."""
    return [
        [(bold if cell.bold else "{}").format(cell.text.translate(escapes)) for cell in row]
        for row in table.rows
    ]


TABLE_FORMATS = {"md": markdown, "csv": comma_separated, "tex": latex}
"""Formats in which each table is written, by the suffix of the file."""
