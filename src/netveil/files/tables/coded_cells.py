"""The cells of a large table, as numbers: read from the bytes, without a Python object for each cell.

Only tables in which nothing is unusual are read so: in UTF-8, without quotes, comments on top only, equally
many cells in each line and none of them empty. All others, mistakes among them, are for `cells` to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil.files.tables.cells import Cells, has_special_start, spread
from netveil.files.tables.coded_column import CodedColumn, CodedTexts
from netveil.files.tables.lines import may_be_bared
from netveil.files.tables.one_line import ANY
from netveil.files.tables.plain_text import LinesInBytes, PlainText
from netveil.files.tables.separators import separator_of
from netveil.kernels.arrays import IntMatrix
from netveil.listening import current_listener

if TYPE_CHECKING:
    from netveil.kernels.cell_codes import CellTable

MOST_CODES = 1 << 30
_FIRST_SLOTS = 1 << 10
_SHARE_OF_CELLS = 0.7  # of the work; the rest is to make a network of them


@dataclass(frozen=True, kw_only=True)
class CodedCells(Cells):
    """The cells of a table, each as the code of a text."""

    codes: IntMatrix  # (rows, columns)
    texts: CodedTexts

    @cached_property
    def _columns(self) -> list[CodedColumn]:
        return [CodedColumn(codes, self.texts) for codes in self.codes.T]

    def column(self, place: int) -> CodedColumn:
        """The cells of one column."""
        return self._columns[place]

    def row(self, place: int) -> list[str]:
        """The cells of one row."""
        return self.texts.some(self.codes[place])


def coded_cells(text: PlainText, file: str, separator: str | None = None) -> CodedCells | None:
    """The cells in a text; None if there is anything unusual about them, or only one in a line."""
    lines = LinesInBytes(text)
    if may_be_bared(lines[0]) or has_special_start(lines[0]):
        return None
    chosen = separator or separator_of(spread(lines), file)
    width = lines[0].count(chosen) + 1
    if chosen == ANY or not chosen.isascii() or width < 2:
        return None
    numbers = text.line_numbers
    codes = np.empty((len(numbers), width), dtype=np.int32)
    found = _coded(text, ord(chosen), codes)
    if found is None:
        return None
    return CodedCells(
        flat=[],
        width=width,
        line_numbers=numbers,
        separator=chosen,
        shortest=width,
        shortest_line=numbers[0],
        longest_line=numbers[0],
        codes=codes,
        texts=found,
    )


def _coded(text: PlainText, separator: int, codes: IntMatrix) -> CodedTexts | None:
    """Write the code of each cell into `codes` (rows, columns); None where a line is not like the others."""
    from netveil.kernels.cell_codes import MET, USED, code_cells

    table, counts = _empty_table(), np.zeros(3, np.int64)
    hears, row = current_listener(), 0
    for part in text.parts():
        stop = min(row + part.count(b"\n") + 1, len(codes))
        rows = codes[row:stop]
        table = _with_room(table, int(counts[MET]), rows.size, int(counts[USED]), len(part) + rows.size)
        read = code_cells(np.frombuffer(part, np.uint8), len(part), separator, table, counts, rows)
        if read < stop - row or counts[MET] > MOST_CODES:
            return None
        row = stop
        if hears is not None:
            hears(_SHARE_OF_CELLS * row / len(codes))
    if row < len(codes):
        return None
    met, used = int(counts[MET]), int(counts[USED])
    return CodedTexts(
        table.texts[:used].tobytes(),
        table.starts[:met].copy(),
        table.lengths[:met].copy(),
        table.are_digits[:met].copy(),
    )


def _empty_table() -> CellTable:
    from netveil.kernels.cell_codes import CellTable

    return CellTable(
        np.zeros(_FIRST_SLOTS, np.uint64),
        np.empty(_FIRST_SLOTS, np.int32),
        np.empty(0, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.bool_),
        np.empty(0, np.uint8),
    )


def _with_room(table: CellTable, met: int, cells: int, used: int, letters: int) -> CellTable:
    """A table with room for so many cells and letters more, and slots for twice as many cells."""
    from netveil.kernels.cell_codes import fill_larger

    if met + cells > len(table.starts):
        columns = [_longer(column, met + cells) for column in (table.starts, table.lengths, table.are_digits)]
        table = table._replace(starts=columns[0], lengths=columns[1], are_digits=columns[2])
    if used + letters > len(table.texts):
        table = table._replace(texts=_longer(table.texts, used + letters))
    if 2 * (met + cells) > len(table.keys):
        slots = 1 << (2 * (met + cells)).bit_length()
        larger = table._replace(keys=np.zeros(slots, np.uint64), codes=np.empty(slots, np.int32))
        fill_larger(larger, table.keys, table.codes)
        return larger
    return table


def _longer(array: NDArray[Any], least: int) -> NDArray[Any]:
    """The same with room for more behind it, which takes no memory before it is written."""
    longer = np.empty(max(least, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer
