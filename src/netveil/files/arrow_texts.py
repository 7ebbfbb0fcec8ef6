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
        self._last: pyarrow.Array | None = None  # texts that were coded,
        self._codes_of_last: NDArray[np.int32] | None = None  # and their codes; None if these are 0, 1, 2, …

    def labels(self, codes: NDArray[np.int64]) -> CompactLabels:
        """The texts of some codes."""
        return CodedLabels(self._table.texts(), codes)

    def codes(self, column: pyarrow.Array) -> NDArray[np.int64] | None:
        """The codes in a batch of a column, 0 where there is no text; None for damage and unusual texts.

        Those are empty, have blanks around them, or hold what no line of a table can.
        """
        arrow = imported("pyarrow", EXTRA, self.file)
        try:
            if not arrow.types.is_dictionary(column.type):
                column.validate(full=True)
                column = column.cast(arrow.large_string()).dictionary_encode()
            column.validate()
            if not self._code(column.dictionary):
                return None
        except (arrow.ArrowException, ValueError):
            return None
        gaps_filled = column.indices.fill_null(0) if column.null_count else column.indices
        places: NDArray[np.int64] = gaps_filled.to_numpy(zero_copy_only=False).astype(np.int64)
        if not len(column.dictionary):
            return places if column.null_count == len(column) else None
        if len(places) and (places.min() < 0 or places.max() >= len(column.dictionary)):
            return None
        return places if self._codes_of_last is None else self._codes_of_last[places].astype(np.int64)

    def _code(self, texts: pyarrow.Array) -> bool:
        """Have the codes of texts, which are mostly the same for both columns and all batches of a file."""
        if self._last is not None and self._last.equals(texts):
            return True
        texts.validate(full=True)
        codes = self._coded(texts)
        if codes is None:
            return False
        self._last = texts
        self._codes_of_last = None if np.array_equal(codes, np.arange(len(codes))) else codes
        return True

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
