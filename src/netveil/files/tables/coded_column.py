"""A column of a large table: a number for each cell, and each text once.

It is a sequence of texts like any other, so that all rules for columns hold for it as they are. The functions
here do what rules do with all cells of a column at once, for columns of both sorts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import overload

import numpy as np
from numpy.typing import NDArray

from netveil.files.compact_labels import CompactLabels
from netveil.kernels.arrays import IntMatrix, IntVector

_FEW = 1000  # cells that are looked at before all texts are made
_BLOCK = 100_000
_LETTERS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class CodedTexts:
    """The texts of a table by their codes: none is empty, none is there twice."""

    content: bytes  # in UTF-8, in the order of their codes, with a line break behind each
    starts: NDArray[np.int64]  # in the content, of each
    lengths: NDArray[np.int32]
    are_digits: NDArray[np.bool_]  # which of them are nothing but digits

    def __len__(self) -> int:
        return len(self.starts)

    def some(self, codes: IntVector) -> list[str]:
        """The texts of some codes."""
        texts: list[str] = []
        for first in range(0, len(codes), _BLOCK):  # a list of places takes more memory than some texts
            part = codes[first : first + _BLOCK]
            starts = self.starts[part]
            places = zip(starts.tolist(), (starts + self.lengths[part]).tolist(), strict=True)
            texts += [self.content[start:end].decode() for start, end in places]
        return texts

    @cached_property
    def all(self) -> list[str]:
        """All of them in the order of their codes."""
        return self.content[:-1].decode().split("\n") if self.content else []


class CodedColumn(Sequence[str]):
    """The cells of one column. None is empty or holds a line break."""

    def __init__(self, codes: IntVector, texts: CodedTexts) -> None:
        self.codes = codes
        self.texts = texts
        self._parts: dict[tuple[int, int, int], CodedColumn] = {}  # with all that is known of them

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> CodedColumn: ...
    def __getitem__(self, place: int | slice) -> str | CodedColumn:
        if not isinstance(place, slice):
            return self.texts.some(self.codes[place : place + 1 or None])[0]
        part = place.indices(len(self))
        return self._parts.setdefault(part, CodedColumn(self.codes[place], self.texts))

    def __iter__(self) -> Iterator[str]:
        yield from self.texts.some(self.codes[:_FEW])  # which settle most questions
        for start in range(_FEW, len(self), _BLOCK):
            yield from map(self.texts.all.__getitem__, self.codes[start : start + _BLOCK].tolist())

    def __contains__(self, text: object) -> bool:
        if self.holds_digits_only and not (isinstance(text, str) and text.isdigit()):
            return False
        return text in self.distinct

    @cached_property
    def are_met(self) -> NDArray[np.bool_]:
        """Of all codes, which are in this column."""
        met = np.zeros(len(self.texts), dtype=bool)
        met[self.codes] = True
        return met

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The different cells."""
        return frozenset(compress(self.texts.all, self.are_met.tolist()))

    @cached_property
    def holds_digits_only(self) -> bool:
        """Whether all cells are nothing but the digits 0 to 9."""
        return bool(self.texts.are_digits[self.are_met].all())


class CodedLabels(CompactLabels):
    """Some texts of a table, in an order of their own."""

    def __init__(self, texts: CodedTexts, codes: IntVector) -> None:
        self._texts, self._codes = texts, codes

    def __len__(self) -> int:
        return len(self._codes)

    def some(self, places: slice) -> list[str]:
        """The labels in some places."""
        return self._texts.some(self._codes[places])

    def beyond_ascii(self) -> Iterator[str]:
        """Labels that hold a character that is not ASCII; no text is made of others."""
        texts = self._texts
        if texts.content.isascii():
            return
        letters, are_beyond = np.frombuffer(texts.content, np.uint8), np.zeros(len(texts), dtype=bool)
        for start in range(0, len(letters), _LETTERS_AT_ONCE):
            places = start + np.flatnonzero(letters[start : start + _LETTERS_AT_ONCE] > 127)
            are_beyond[np.searchsorted(texts.starts, places, side="right") - 1] = True
        codes = self._codes[are_beyond[self._codes]]
        for start in range(0, len(codes), _BLOCK):
            yield from texts.some(codes[start : start + _BLOCK])


def distinct(column: Sequence[str]) -> Set[str]:
    """The different cells of a column."""
    return column.distinct if isinstance(column, CodedColumn) else set(column)


def without_repeats(column: Sequence[str]) -> Collection[str]:
    """The cells of a column: each once where that is known already, else all as they are."""
    return column.distinct if isinstance(column, CodedColumn) else column


def are_known_digits(column: Sequence[str]) -> bool:
    """Whether it is known, without looking at any, that all cells are digits, and that there are some."""
    return isinstance(column, CodedColumn) and len(column) > 0 and column.holds_digits_only


def are_disjoint(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether no cell of one column is in the other."""
    if isinstance(first, CodedColumn) and isinstance(second, CodedColumn):
        return not (first.are_met & second.are_met).any()
    return set(first).isdisjoint(second)


def shared_cells(column: Sequence[str], others: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many different cells a column has, the empty one apart, and how many of them others have too."""
    if isinstance(column, CodedColumn):
        met = np.zeros_like(column.are_met)
        for other in others:
            if isinstance(other, CodedColumn):  # as all columns of a table are, or none
                met |= other.are_met
        return int(column.are_met.sum()), int((column.are_met & met).sum())
    cells = set(column) - {""}
    return len(cells), len(cells.intersection(chain.from_iterable(others)))


def each_row_comes_again(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether in each row of two columns there is a cell that these columns have once more."""
    if isinstance(first, CodedColumn) and isinstance(second, CodedColumn):
        times = np.zeros(len(first.texts), dtype=np.int64)
        for column in (first, second):
            times += np.bincount(column.codes, minlength=len(times))
        again = times > 1
        return bool((again[first.codes] | again[second.codes]).all())
    counts = Counter(chain(first, second))
    return all(counts[one] > 1 or counts[other] > 1 for one, other in zip(first, second, strict=True))


def numbered(first: Sequence[str], second: Sequence[str]) -> tuple[Sequence[str], IntMatrix]:
    """The labels in two columns in the order in which they are met row by row, and each row as numbers."""
    if isinstance(first, CodedColumn) and isinstance(second, CodedColumn):
        from netveil.kernels.cell_codes import number_as_met

        number = np.empty(len(first.texts), dtype=np.int32)
        pairs = np.empty((len(first), 2), dtype=np.int32)
        met = number_as_met(first.codes, second.codes, number, pairs)
        codes = np.flatnonzero(number >= 0)
        as_met = np.empty(met, dtype=np.int64)
        as_met[number[codes]] = codes
        return CodedLabels(first.texts, as_met), pairs
    met_labels = list(chain.from_iterable(zip(first, second, strict=True)))
    number_of = {label: number for number, label in enumerate(dict.fromkeys(met_labels))}
    numbers = np.fromiter(map(number_of.__getitem__, met_labels), dtype=np.int64, count=len(met_labels))
    return tuple(number_of), numbers.reshape(-1, 2)
