"""Tables for a terminal: cells in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence


def in_columns(rows: Sequence[Sequence[str]], left: int = 1, gap: str = "  ") -> list[str]:
    """A line for each row: the first `left` columns flush left, the others flush right.

    >>> in_columns([["", "before", "after"], ["edges", "78", "75"], ["nodes", "34", "34"]])
    ['       before  after', 'edges      78     75', 'nodes      34     34']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
