"""Columns of texts in a table of pyarrow as codes: each different text is looked at once a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.files.arrow_columns import EXTRA
from netveil.files.compact_labels import CompactLabels
from netveil.files.extra import imported
from netveil.files.tables.coded_column import CodedLabels
from netveil.files.tables.text_table import TextTable

if TYPE_CHECKING:
    import pyarrow

_NUL = 0  # in no text that is read here


class TextCodes:
    """The different texts in some columns."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._table = TextTable()

    def labels(self, codes: NDArray[np.int64]) -> CompactLabels:
        """The texts of some codes."""
        return CodedLabels(self._table.texts(), codes)

    def codes(self, column: pyarrow.Array) -> NDArray[np.int64] | None:
        """The codes in a batch of a column, 0 where there is no text; None for unusual texts.

        Those are empty, have blanks around them, or hold what no line of a table can.
        """
        arrow = imported("pyarrow", EXTRA, self.file)
        if not arrow.types.is_dictionary(column.type):
            column = column.cast(arrow.large_string()).dictionary_encode()
        coded = self._coded(column.dictionary)
        if coded is None:
            return None
        places = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return coded[places].astype(np.int64) if len(coded) else np.zeros(len(column), np.int64)

    def _coded(self, texts: pyarrow.Array) -> NDArray[np.int32] | None:
        """The codes of texts, each of which comes once."""
        arrow = imported("pyarrow", EXTRA, self.file)
        compute = imported("pyarrow.compute", EXTRA, self.file)
        codes = np.empty((len(texts), 1), np.int32)
        if texts.null_count:
            return None
        if not len(texts):
            return codes[:, 0]
        texts = texts.cast(arrow.large_string())
        lines = arrow.ListArray.from_arrays([0, len(texts)], texts)
        line_break = arrow.scalar("\n", type=arrow.large_string())
        joined = compute.binary_join(lines, line_break)[0].as_buffer().to_pybytes()
        if not self._table.code(joined, _NUL, codes):
            return None
        # A text that holds a line break, or blanks that were left out, makes another sum.
        letters = len(joined) - (len(texts) - 1)
        is_whole = joined.count(b"\n") == len(texts) - 1
        return codes[:, 0] if is_whole and self._table.lengths[codes].sum() == letters else None
