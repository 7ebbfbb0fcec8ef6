"""What netveil asks where a file can be read in two ways: never a guess, always the options to give."""

from __future__ import annotations

from collections.abc import Sequence

from netveil.errors import FileError

LINES_SHOWN = 4
CELLS_SHOWN = 8
WIDEST_CELL = 30  # characters of a cell that are shown


def question(file: str, unclear: str, remedy: str, lines: Sequence[Sequence[str]] = ()) -> FileError:
    """Error that says what is unclear about a file and which options settle it.

    Its notes show the first lines as they were seen, a bar between cells. They are no part of the message,
    which may be logged, and so names nobody.
    """
    error = FileError(f"{file}: {unclear}. {remedy}")
    for cells in lines[:LINES_SHOWN]:
        more = " | …" if len(cells) > CELLS_SHOWN else ""
        error.add_note(f"    {' | '.join(map(_shortened, cells[:CELLS_SHOWN]))}{more}")
    return error


def _shortened(cell: str) -> str:
    shown = " ".join(cell.split())
    return shown if len(shown) <= WIDEST_CELL else f"{shown[: WIDEST_CELL - 1]}…"
