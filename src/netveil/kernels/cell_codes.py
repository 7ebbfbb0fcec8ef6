"""Cells of a text as numbers: equal cells have one number, and numbers go up as cells are first met.

The text is a table as bytes, part by part, in which nothing has to be decided any more: one separator,
equally many cells in every line, none of them empty or in quotes. Whatever is not like that is left to the
caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.basics import mixed
from netveil.kernels.compiled import compiled, inlined

LINE_BREAK, RETURN, TAB, BLANK, QUOTE, HASH, PERCENT, ZERO, NINE = 10, 13, 9, 32, 34, 35, 37, 48, 57
SHORT = 8  # bytes of a cell that fit into its key
FREE_LOOKS = 1 << 10
MOST_LOOKS = 32  # at slots a cell, in a table that fills them well


class CellTable(NamedTuple):
    """The different cells that were met, by their codes, and slots in which a cell finds its code.

    Arrays have room for all cells of a part before it is read.
    """

    keys: Words  # (slots, a power of 2): of the cell in that slot, 0 where there is none
    codes: NDArray[np.int32]  # (slots): its code
    starts: NDArray[np.int64]  # (codes): where in `texts` it begins,
    lengths: NDArray[np.int32]  # (codes): how many bytes it has there,
    are_digits: NDArray[np.bool_]  # (codes): and whether all of them are digits
    texts: NDArray[np.uint8]  # all of them in the order of their codes, with a line break behind each


MET, LOOKS, USED = 0, 1, 2
"""Places in `counts`: codes, looks at slots that others had taken, and bytes of `texts`."""


@inlined
def key_of(text: NDArray[np.uint8], start: int, length: int) -> np.uint64:
    """A number for a cell: itself if it is short, else one that few others have. Never 0.

    The last byte tells the two apart: it is the first letter of a short cell, and 0 for all others.
    """
    word, whole = np.uint64(0), np.uint64(0)
    for place in range(length):
        word |= np.uint64(text[start + place]) << np.uint64(8 * (place % SHORT))
        if place % SHORT == SHORT - 1 and length > SHORT:
            whole = mixed(whole ^ word)
            word = np.uint64(0)
    return word if length <= SHORT else long_key(whole, word, length)


@inlined
def long_key(whole: np.uint64, rest: np.uint64, length: int) -> np.uint64:
    """The key of a cell that is not short, from its words, mixed one by one, and the rest of its letters."""
    return (mixed(mixed(whole ^ rest) ^ np.uint64(length)) << np.uint64(8)) | np.uint64(1 << 8)


@inlined
def are_same(text: NDArray[np.uint8], one: int, texts: NDArray[np.uint8], other: int, length: int) -> bool:
    """Whether places of two texts have the same bytes."""
    same = 0
    while same < length and text[one + same] == texts[other + same]:
        same += 1
    return same == length


@inlined
def are_all_digits(text: NDArray[np.uint8], start: int, length: int) -> bool:
    """Whether all bytes of a cell are digits."""
    digits = 0
    while digits < length and ZERO <= text[start + digits] <= NINE:
        digits += 1
    return digits == length


@compiled
def fill_larger(table: CellTable, old_keys: Words, old_codes: NDArray[np.int32]) -> None:
    """Put all keys and codes of a smaller table into a larger, empty one. Writes its `keys` and `codes`."""
    keys, codes = table.keys, table.codes
    mask = keys.shape[0] - 1
    for old in range(old_keys.shape[0]):
        if old_keys[old] != np.uint64(0):
            slot = np.int64(mixed(old_keys[old]) & np.uint64(mask))
            while keys[slot] != np.uint64(0):
                slot = (slot + 1) & mask
            keys[slot] = old_keys[old]
            codes[slot] = old_codes[old]


@compiled
def code_cells(
    text: NDArray[np.uint8],
    stop: int,
    separator: int,
    table: CellTable,
    counts: NDArray[np.int64],
    cell_codes: IntMatrix,
) -> int:
    """The codes of all cells of text[:stop], which are lines. Writes `cell_codes` (rows, columns).

    Cells not met before go into `table`; writes that and `counts`. Returns the rows that were read: it stops
    at a line with more or fewer cells, an empty one, a quote, a control character or a # or % in front; and
    where codes collide so often that somebody must have meant it. O(bytes).
    """
    keys, codes, starts, lengths, are_digits, texts = table
    rows, width = cell_codes.shape
    met, looks, used = counts[MET], counts[LOOKS], counts[USED]
    most = looks + MOST_LOOKS * (rows * width + FREE_LOOKS)
    mask = keys.shape[0] - 1
    place, row = 0, 0
    while row < rows:
        for column in range(width):
            while place < stop and text[place] != separator and (text[place] == BLANK or text[place] == TAB):
                place += 1
            first = place
            word, whole, shift = np.uint64(0), np.uint64(0), np.uint64(0)
            while place < stop and text[place] != separator and text[place] != LINE_BREAK:
                byte = text[place]
                if byte == QUOTE or (byte == TAB and separator == BLANK):
                    return row
                if byte < BLANK and byte != TAB:
                    if byte == RETURN and place + 1 < stop and text[place + 1] == LINE_BREAK:
                        break
                    return row
                if shift == np.uint64(64):  # another letter behind eight
                    whole = mixed(whole ^ word)
                    word, shift = np.uint64(0), np.uint64(0)
                word |= np.uint64(byte) << shift
                shift += np.uint64(8)
                place += 1
            end = place
            at_end = end == stop or text[end] != separator
            if end == first or at_end != (column == width - 1):
                return row
            if column == 0 and (text[first] == HASH or text[first] == PERCENT):
                return row
            place = end + 1
            if end < stop and text[end] == RETURN:
                place += 1
            length = end - first
            if text[end - 1] == BLANK or text[end - 1] == TAB:
                while text[end - 1] == BLANK or text[end - 1] == TAB:
                    end -= 1
                length = end - first
                key = key_of(text, first, length)
            elif length <= SHORT:
                key = word
            else:
                if shift == np.uint64(64):
                    whole = mixed(whole ^ word)
                    word = np.uint64(0)
                key = long_key(whole, word, length)
            slot = np.int64(mixed(key) & np.uint64(mask))
            while keys[slot] != np.uint64(0):
                if keys[slot] == key and (
                    length <= SHORT
                    or (
                        lengths[codes[slot]] == length
                        and are_same(text, first, texts, starts[codes[slot]], length)
                    )
                ):
                    break
                slot = (slot + 1) & mask
                looks += 1
                if looks > most:
                    return row
            if keys[slot] == np.uint64(0):
                keys[slot], codes[slot] = key, met
                starts[met], lengths[met] = used, length
                are_digits[met] = are_all_digits(text, first, length)
                for letter in range(length):
                    texts[used + letter] = text[first + letter]
                texts[used + length] = LINE_BREAK
                used += length + 1
                met += 1
            cell_codes[row, column] = codes[slot]
        row += 1
        counts[MET], counts[LOOKS], counts[USED] = met, looks, used
    return row


@compiled
def number_as_met(first: IntVector, second: IntVector, number: IntVector, pairs: IntMatrix) -> int:
    """Number the codes in two columns (rows) in the order in which they are met row by row; returns how many.

    Writes the new number of each code into `number` (codes), -1 where it is in neither column, and those of
    each row into `pairs` (rows, 2). O(codes + rows).
    """
    number[:] = -1
    met = 0
    for row in range(first.shape[0]):
        if number[first[row]] < 0:
            number[first[row]] = met
            met += 1
        if number[second[row]] < 0:
            number[second[row]] = met
            met += 1
        pairs[row, 0] = number[first[row]]
        pairs[row, 1] = number[second[row]]
    return met
