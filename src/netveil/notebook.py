"""Results as notebooks show them: a sentence, a small table, remarks. Everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 30
"""A notebook is to be read: longer tables are cut, and say so."""


def html_view(
    sentence: str = "",
    header: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
    remarks: Iterable[str] = (),
) -> str:
    """What a result shows of itself.

    >>> html_view("2 < 3", ["round", "people"], [["1", "15"]], ["so"])
    '<p>2 &lt; 3</p><table><tr><th>round</th><th>people</th></tr><tr><td>1</td><td>15</td></tr></table><ul><li>so</li></ul>'
    """  # noqa: E501
    listed = list(rows)
    lines = [_row(header, "th"), *(_row(row, "td") for row in listed[:MOST_ROWS])]
    more = (
        [f"and {len(listed) - MOST_ROWS:,} more rows; to_pandas() has all"] if len(listed) > MOST_ROWS else []
    )
    items = "".join(f"<li>{escape(remark)}</li>" for remark in [*more, *remarks])
    return (
        (f"<p>{escape(sentence)}</p>" if sentence else "")
        + (f"<table>{''.join(lines)}</table>" if header else "")
        + (f"<ul>{items}</ul>" if items else "")
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
