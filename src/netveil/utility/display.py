"""A comparison for people to read: as text on a terminal, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from netveil.columns import in_columns
from netveil.digits import change, figure
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
    changed = change(finding.change, finding.relative_change)
    return finding.title, figure(finding.before), figure(finding.after), changed, which_way
