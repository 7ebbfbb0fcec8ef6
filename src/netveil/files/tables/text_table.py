"""The different texts of a large file, each with a code, in the order in which they are met part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil.files.tables.coded_column import CodedTexts
from netveil.kernels.arrays import IntMatrix

if TYPE_CHECKING:
    from netveil.kernels.cell_codes import CellTable

MOST_CODES = 1 << 30
_FIRST_SLOTS = 1 << 10


class TextTable:
    """Texts that were met; memory is for each once."""

    def __init__(self) -> None:
        from netveil.kernels.cell_codes import CellTable

        self._counts = np.zeros(3, np.int64)
        self._table = CellTable(
            np.zeros(_FIRST_SLOTS, np.uint64),
            np.empty(_FIRST_SLOTS, np.int32),
            np.empty(0, np.int64),
            np.empty(0, np.int32),
            np.empty(0, np.bool_),
            np.empty(0, np.uint8),
        )

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many bytes each text has, by its code."""
        from netveil.kernels.cell_codes import MET

        return self._table.lengths[: self._counts[MET]]

    def code(self, part: bytes, separator: int, codes: IntMatrix) -> bool:
        """Write the codes of the cells of some lines into `codes` (rows, columns); blanks around are no part.

        False, with work left undone, where a line is not like the others, or codes are too many.
        """
        from netveil.kernels.cell_codes import MET, USED, code_cells

        counts = self._counts
        self._table = _with_room(
            self._table, int(counts[MET]), codes.size, int(counts[USED]), len(part) + codes.size
        )
        text = np.frombuffer(part, np.uint8)
        read = code_cells(text, len(part), separator, self._table, counts, codes)
        return bool(read == len(codes) and counts[MET] <= MOST_CODES)

    def texts(self) -> CodedTexts:
        """All of them."""
        from netveil.kernels.cell_codes import MET, USED

        table, met, used = self._table, int(self._counts[MET]), int(self._counts[USED])
        return CodedTexts(
            table.texts[:used].tobytes(),
            table.starts[:met].copy(),
            table.lengths[:met].copy(),
            table.are_digits[:met].copy(),
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
