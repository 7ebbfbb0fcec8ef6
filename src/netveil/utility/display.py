"""A comparison for people to read: as text on a terminal, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from netveil.columns import in_columns
from netveil.digits import change, figure
from netveil.utility.metric import Finding

HEADER = ("", "before", "after", "change", "better")


def text_table(metrics: Mapping[str, Finding]) -> str:
    """Figures in columns, one metric a line."""
    rows = [HEADER, *(_cells(finding) for finding in metrics.values())]
    return "\n".join(in_columns(rows))


def html_table(metrics: Mapping[str, Finding], remarks: Sequence[str]) -> str:
    """A table and a list of remarks; everything is escaped."""
    rows = [HEADER, *(_cells(finding) for finding in metrics.values())]
    lines = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(rows, ["th", *["td"] * len(metrics)], strict=True)
    ]
    remarked = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return f"<table>{''.join(lines)}</table>" + (f"<ul>{remarked}</ul>" if remarked else "")


def _cells(finding: Finding) -> tuple[str, ...]:
    which_way = finding.better.split()[0]  # 'higher is better': the header says the rest
    changed = change(finding.change, finding.relative_change)
    return finding.title, figure(finding.before), figure(finding.after), changed, which_way
