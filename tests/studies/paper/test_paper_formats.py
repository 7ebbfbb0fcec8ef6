"""Tables as files: Markdown that keeps its columns, LaTeX that is balanced, CSV with all digits."""

from __future__ import annotations

import csv
import io
import re

import pytest
from paper_rows import made_up_runs

from netveil.studies.paper.figures import runtime_table, utility_table
from netveil.studies.paper.runs import Cell, Table, comma_separated, html, latex, markdown
from netveil.studies.paper.tables import configurations_table, reductions_table, statements_table

NASTY = r"50% & more_of #1 {x} $y$ \z ~ ^ | < > ± † – μ + λ *"
RUNS = made_up_runs()
TABLES = [
    Table(
        "nasty",
        NASTY,
        NASTY,
        (NASTY, "number"),
        ((Cell(NASTY), Cell("1", bold=True)),),
        ({"text": NASTY, "number": 1 / 3},),
    ),
    configurations_table(RUNS, "scope"),
    reductions_table(RUNS, 5, "scope"),
    runtime_table(RUNS, "scope"),
    statements_table(RUNS, "scope"),
    utility_table(RUNS, "scope"),
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


@every_table
def test_latex_is_balanced_and_every_row_has_its_cells(table: Table) -> None:
    """Braces close, environments end, rows have one & fewer than columns, and nothing is left unescaped."""
    text = latex(table)
    plain = text.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    begun, ended = (re.findall(rf"\\{word}{{([\w*]+)}}", text) for word in ("begin", "end"))

    assert depth == 0
    assert begun == list(reversed(ended))
    assert len(rows) == 1 + len(table.rows)
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == len(table.columns) - 1
        assert len(re.findall(r"(?<!\\)\$", row)) % 2 == 0
        assert not re.search(r"(?<!\\)[%#_~^|]", row)
    specification = re.search(r"begin{tabular}{@{}(\w+)@{}}", text)
    assert specification and len(specification[1]) == len(table.columns)
    assert text.isascii() or not set(text) & set("±†–×μλ|")


@every_table
def test_markdown_keeps_its_columns(table: Table) -> None:
    """Header, rule and rows have as many cells as there are columns."""
    lines = [line for line in markdown(table).splitlines() if line.startswith("| ")]

    assert len(lines) == 2 + len(table.rows)
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == len(table.columns) + 1


@every_table
def test_csv_gives_the_records_back(table: Table) -> None:
    """Numbers as Python writes them, so that nothing is lost."""
    read = list(csv.DictReader(io.StringIO(comma_separated(table))))

    assert read == [
        {name: "" if value is None else str(value) for name, value in record.items()}
        for record in table.records
    ]
    assert len({tuple(record) for record in table.records}) == 1


@every_table
def test_html_shows_all_cells(table: Table) -> None:
    """As many cells as rows times columns, labels as headings, and no text taken for markup."""
    text = html(table)

    assert text.count("<td>") + text.count('<th scope="row">') == len(table.rows) * len(table.columns)
    assert "< " not in text


def test_bold_is_bold_everywhere() -> None:
    """The best of a row, in each format."""
    table = TABLES[0]

    assert "**1**" in markdown(table)
    assert r"\textbf{1}" in latex(table)
    assert "<strong>1</strong>" in html(table)
