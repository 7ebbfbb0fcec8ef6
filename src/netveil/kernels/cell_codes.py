"""Cells of a text as numbers: equal cells have one number, and numbers go up as cells are first met.

The text is a table as bytes, in which nothing has to be decided any more: one separator, equally many cells
in every line, none of them empty or in quotes. Whatever is not like that is left to the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.random import mixed

LINE_BREAK, RETURN, TAB, BLANK, QUOTE, HASH, PERCENT, ZERO, NINE = 10, 13, 9, 32, 34, 35, 37, 48, 57
SHORT = 8  # bytes of a cell that fit into its key
FIRST_SLOTS = 1 << 10
MOST_LOOKS = 32  # at slots a cell, in a table that fills them well
MOST_CODES = 1 << 30


class CellCodes(NamedTuple):
    """What was found; the codes of cells are in the array that the caller handed in."""

    rows: int  # that were read: fewer than there are, if one of them is not like the others
    starts: NDArray[np.int64]  # (codes): where in the text each code was first met,
    lengths: NDArray[np.int32]  # (codes): how many bytes it has there,
    are_digits: NDArray[np.bool_]  # (codes): and whether all of them are digits


@inlined
def key_of(text: NDArray[np.uint8], start: int, length: int) -> np.uint64:
    """A number for a cell: itself if it is short, else one that few others have. Never 0.

    The last byte tells the two apart: it is the first letter of a short cell, and 0 for all others.
    """
    key = np.uint64(0)
    if length <= SHORT:
        for place in range(length):
            key |= np.uint64(text[start + place]) << np.uint64(8 * place)
        return key
    word = np.uint64(length)
    for place in range(length):
        word ^= np.uint64(text[start + place]) << np.uint64(8 * (place % SHORT))
        if place % SHORT == SHORT - 1:
            word = mixed(word)
    return (mixed(word) << np.uint64(8)) | np.uint64(1 << 8)


@inlined
def are_same(text: NDArray[np.uint8], one: int, other: int, length: int) -> bool:
    """Whether two places of the text have the same bytes."""
    same = 0
    while same < length and text[one + same] == text[other + same]:
        same += 1
    return same == length


@inlined
def are_all_digits(text: NDArray[np.uint8], start: int, length: int) -> bool:
    """Whether all bytes of a cell are digits."""
    digits = 0
    while digits < length and ZERO <= text[start + digits] <= NINE:
        digits += 1
    return digits == length


@inlined
def fill_slots(keys: Words, codes: NDArray[np.int32], old_keys: Words, old_codes: NDArray[np.int32]) -> None:
    """Put all keys and codes of a smaller table into a larger, empty one. Writes `keys` and `codes`."""
    mask = keys.shape[0] - 1
    for old in range(old_keys.shape[0]):
        if old_keys[old] != np.uint64(0):
            slot = np.int64(mixed(old_keys[old]) & np.uint64(mask))
            while keys[slot] != np.uint64(0):
                slot = (slot + 1) & mask
            keys[slot] = old_keys[old]
            codes[slot] = old_codes[old]


@inlined
def end_of_cell(text: NDArray[np.uint8], start: int, stop: int, separator: int) -> int:
    """Where a cell ends: at a separator, at the end of a line or of the text; -1 if it is unusual."""
    place = start
    while place < stop and text[place] != separator and text[place] != LINE_BREAK:
        byte = text[place]
        if byte == QUOTE or (byte == TAB and separator == BLANK):
            return -1
        if byte < BLANK and byte != TAB:
            if byte == RETURN and place + 1 < stop and text[place + 1] == LINE_BREAK:
                return place
            return -1
        place += 1
    return place


@compiled
def code_cells(
    text: NDArray[np.uint8], start: int, stop: int, separator: int, cell_codes: IntMatrix
) -> CellCodes:
    """The codes of all cells of text[start:stop]. Writes `cell_codes` (rows, columns), as far as it gets.

    It stops at a line with more or fewer cells, an empty one, a quote, a control character or a # or % in
    front; and where codes collide so often that somebody must have meant it. O(bytes).
    """
    rows, width = cell_codes.shape
    keys = np.zeros(FIRST_SLOTS, np.uint64)
    codes = np.empty(FIRST_SLOTS, np.int32)
    starts = np.empty(FIRST_SLOTS // 2, np.int64)
    lengths = np.empty(FIRST_SLOTS // 2, np.int32)
    are_digits = np.empty(FIRST_SLOTS // 2, np.bool_)
    met, looks, place, row = 0, 0, start, 0
    while row < rows:
        for column in range(width):
            while place < stop and text[place] != separator and (text[place] == BLANK or text[place] == TAB):
                place += 1
            first, end = place, end_of_cell(text, place, stop, separator)
            at_end = end == stop or (end >= 0 and text[end] != separator)
            if end <= first or at_end != (column == width - 1):
                return CellCodes(row, starts[:met], lengths[:met], are_digits[:met])
            if column == 0 and (text[first] == HASH or text[first] == PERCENT):
                return CellCodes(row, starts[:met], lengths[:met], are_digits[:met])
            place = end + 1
            if end < stop and text[end] == RETURN:
                place += 1
            while text[end - 1] == BLANK or text[end - 1] == TAB:
                end -= 1
            length = end - first
            key = key_of(text, first, length)
            mask = keys.shape[0] - 1
            slot = np.int64(mixed(key) & np.uint64(mask))
            while keys[slot] != np.uint64(0):
                if keys[slot] == key and (
                    length <= SHORT
                    or (lengths[codes[slot]] == length and are_same(text, starts[codes[slot]], first, length))
                ):
                    break
                slot = (slot + 1) & mask
                looks += 1
            if keys[slot] == np.uint64(0):
                keys[slot], codes[slot] = key, met
                starts[met], lengths[met] = first, length
                are_digits[met] = are_all_digits(text, first, length)
                met += 1
            cell_codes[row, column] = codes[slot]
            if met == starts.shape[0]:
                larger_keys = np.zeros(2 * keys.shape[0], np.uint64)
                larger_codes = np.empty(2 * keys.shape[0], np.int32)
                fill_slots(larger_keys, larger_codes, keys, codes)
                keys, codes = larger_keys, larger_codes
                starts = np.concatenate((starts, np.empty(met, np.int64)))
                lengths = np.concatenate((lengths, np.empty(met, np.int32)))
                are_digits = np.concatenate((are_digits, np.empty(met, np.bool_)))
        row += 1
        if looks > MOST_LOOKS * (row * width + FIRST_SLOTS) or met > MOST_CODES:
            return CellCodes(row - 1, starts[:met], lengths[:met], are_digits[:met])
    return CellCodes(row, starts[:met], lengths[:met], are_digits[:met])


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
