"""Tables of studies: Markdown and LaTeX for people, CSV with unrounded numbers for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from netveil.formatting import MISSING, csv_table

MOST_IN_A_COLUMN = 5  # a table with more columns takes the whole width of a page in two columns

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "{}&%$#_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "±": r"$\pm$"}
    | {"×": r"$\times$", "†": r"$\dag$"}
)
_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "|*_<\\"})  # a bar ends a cell


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of some runs; of a sample, so that its square is divided by runs - 1."""

    mean: float
    deviation: float | None  # None for a single run
    runs: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """Mean and deviation of the values that are not None; None if there are none."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        return cls(fmean(known), stdev(known) if len(known) > 1 else None, len(known))


def shown(spread: Spread | None, form: str = ",.0f") -> str:
    """Mean and deviation as text, and a dash where there are none.

    >>> shown(Spread(335.2, 16.8, 5)), shown(None)
    ('335 ± 17', '–')
    """
    if spread is None:
        return MISSING
    mean = format(spread.mean, form)
    return mean if spread.deviation is None else f"{mean} ± {spread.deviation:{form}}"


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and its numbers for CSV by what follows the name of the column there."""

    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)  # empty: the text stands in the CSV too
    bold: bool = False


def spread_cell(spread: Spread | None, form: str = ",.0f", bold: bool = False, more: str = "") -> Cell:
    """The cell of a mean ± deviation; `more` follows it."""
    numbers = {} if spread is None else {"": spread.mean, " sd": spread.deviation, " runs": spread.runs}
    return Cell(shown(spread, form) + more, numbers or {"": None}, bold)


@dataclass(frozen=True)
class Table:
    """A table of a study."""

    name: str  # of its files
    title: str
    note: str  # how to read it
    scope: str  # what was run: part of the note, and of every row of the CSV file
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    labels: int = 2  # columns that are texts, at the left

    def files(self) -> dict[str, bytes]:
        """Contents of its files, by suffix."""
        return {"md": self.markdown().encode(), "csv": self.csv().encode(), "tex": self.latex().encode()}

    def records(self) -> list[dict[str, Any]]:
        """Rows as the CSV file has them, numbers unrounded; a row may lack what others have."""
        found = []
        for row in self.rows:
            record: dict[str, Any] = {}
            for column, cell in zip(self.columns, row, strict=True):
                record |= {column + more: value for more, value in (cell.numbers or {"": cell.text}).items()}
            found.append(record | {"scope": self.scope})
        return found

    def csv(self) -> str:
        """The records as CSV, what is not known left empty."""
        records = self.records()
        fullest_first = sorted(records, key=len, reverse=True)
        columns = dict.fromkeys(key for record in fullest_first for key in record)
        return csv_table(columns, ([record.get(column) for column in columns] for record in records))

    def markdown(self) -> str:
        r"""The table in GitHub's Markdown, with its title and note.

        >>> row = (Cell("a|b"), Cell("1", bold=True))
        >>> print(Table("t", "Title", "A note.", "1 run", ("name", "value"), [row], 1).markdown(), end="")
        ## Title
        <BLANKLINE>
        | name | value |
        | :-- | --: |
        | a\|b | **1** |
        <BLANKLINE>
        A note. 1 run
        """
        columns, *rows = self._texts(_MARKDOWN, "**{}**")
        title, note = (text.translate(_MARKDOWN) for text in (self.title, f"{self.note} {self.scope}"))
        return f"## {title}\n\n{markdown_table(columns, rows, self.labels)}\n{note}\n"

    def latex(self) -> str:
        """The table in LaTeX; it needs the package booktabs."""
        environment = "table*" if len(self.columns) > MOST_IN_A_COLUMN else "table"
        head, *rows = (" & ".join(line) + r" \\" for line in self._texts(_LATEX, r"\textbf{{{}}}"))
        caption = f"{self.title}. {self.note} {self.scope}".translate(_LATEX)
        lines = [
            "% needs \\usepackage{booktabs}",
            rf"\begin{{{environment}}}",
            *(r"\centering", r"\footnotesize", r"\setlength{\tabcolsep}{3.5pt}"),
            rf"\caption{{{caption}}}",
            rf"\label{{tab:netveil-{self.name}}}",
            rf"\begin{{tabular}}{{@{{}}{'l' * self.labels}{'r' * (len(self.columns) - self.labels)}@{{}}}}",
            *(r"\toprule", head, r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}",
            rf"\end{{{environment}}}",
        ]
        return "\n".join(lines) + "\n"

    def _texts(self, escapes: Mapping[int, str], bold: str) -> list[list[str]]:
        """Texts of the head and of all cells, escaped; `bold` is the form of bold ones."""
        return [
            [(bold if cell.bold else "{}").format(cell.text.translate(escapes)) for cell in row]
            for row in (tuple(map(Cell, self.columns)), *self.rows)
        ]


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], labels: int = 1) -> str:
    """Lines of a table in Markdown; `labels` columns are texts, at the left."""
    rule = [":--"] * labels + ["--:"] * (len(columns) - labels)
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, rule, *rows))


def versions_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Versions of netveil by which runs were made, from rows of `results_table`."""
    return ", ".join(sorted({str(row["version"]) for row in rows if "version" in row}))
