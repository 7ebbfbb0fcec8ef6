"""The cells of a large table, as numbers: read from the bytes, without a Python object for each cell.

Only tables in which nothing is unusual are read so: in UTF-8, without quotes, comments on top only, equally
many cells in each line and none of them empty. All others, mistakes among them, are for `cells` to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from netveil.files.tables.cells import Cells, has_special_start, spread
from netveil.files.tables.coded_column import CodedColumn, CodedTexts
from netveil.files.tables.lines import may_be_bared
from netveil.files.tables.one_line import ANY
from netveil.files.tables.plain_text import LinesInBytes, PlainText
from netveil.files.tables.separators import separator_of
from netveil.files.tables.text_table import TextTable
from netveil.kernels.arrays import IntMatrix
from netveil.listening import current_listener

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
    table, hears, row = TextTable(), current_listener(), 0
    for part in text.parts():
        stop = min(row + part.count(b"\n") + 1, len(codes))
        if not table.code(part, separator, codes[row:stop]):
            return None
        row = stop
        if hears is not None:
            hears(_SHARE_OF_CELLS * row / len(codes))
    return table.texts() if row == len(codes) else None
