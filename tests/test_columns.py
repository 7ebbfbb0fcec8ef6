"""Tables for a terminal: what is in the same column lines up."""

from __future__ import annotations

from netveil.formatting import in_columns

ROWS = [["measure", "people", "share"], ["count", "1,204", "5%"], ["ego", "7", ""]]


def test_the_first_column_is_flush_left_and_the_others_are_flush_right() -> None:
    """As wide as the widest cell, two blanks between, none at the end of a line."""
    assert in_columns(ROWS) == [
        "measure  people  share",
        "count     1,204     5%",
        "ego           7",
    ]


def test_more_columns_can_be_flush_left_or_none() -> None:
    """With another gap, too."""
    assert in_columns(ROWS, left=3, gap=" ") == ["measure people share", "count   1,204  5%", "ego     7"]
    assert in_columns(ROWS, left=0)[1:] == ["  count   1,204     5%", "    ego       7"]


def test_no_rows_are_no_lines() -> None:
    """And not an error."""
    assert in_columns([]) == []
