"""A comparison for people to read: as text on a terminal, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netveil.columns import in_columns
from netveil.notebook import html_view
from netveil.utility.metric import Finding

HEADER = ("", "before", "after", "change", "better")


def text_table(metrics: Mapping[str, Finding]) -> str:
    """Figures in columns, one metric a line."""
    rows = [HEADER, *(_cells(finding) for finding in metrics.values())]
    return "\n".join(in_columns(rows))


def html_table(metrics: Mapping[str, Finding], remarks: Sequence[str]) -> str:
    """A table and a list of remarks; everything is escaped."""
    rows = [_cells(finding) for finding in metrics.values()]
    return html_view("", HEADER, rows, remarks)


def _cells(finding: Finding) -> tuple[str, ...]:
    which_way = finding.better.split()[0]  # 'higher is better': the header says the rest
    return finding.title, _number(finding.before), _number(finding.after), _change(finding), which_way


def _number(number: float | None) -> str:
    if number is None:
        return "–"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.4f}"


def _change(finding: Finding) -> str:
    """A share, unless it would be of nothing or of more than all."""
    if finding.change is None:
        return "–"
    if finding.change == 0:
        return "same"
    if finding.relative_change is not None and abs(finding.relative_change) <= 1:
        return f"{finding.relative_change:+.2%}"
    return f"{finding.change:+,}" if isinstance(finding.change, int) else f"{finding.change:+,.4f}"
