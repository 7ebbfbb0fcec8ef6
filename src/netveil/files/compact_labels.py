"""Labels of many people, as texts that are made when somebody looks at them.

A Python text takes 50 bytes and more, and a network may have many millions of people of whom few are named.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 100_000


class CompactLabels(Sequence[str]):
    """Labels that are kept as arrays. Equal to a tuple of the same texts."""

    @abstractmethod
    def some(self, places: slice) -> list[str]:
        """The labels in some places."""

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(self.some(place))
        at = range(len(self))[place]
        return self.some(slice(at, at + 1))[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self.some(slice(start, start + _AT_ONCE))

    def beyond_ascii(self) -> Iterable[str]:
        """Labels that hold a character that is not ASCII."""
        return (label for label in self if not label.isascii())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | CompactLabels):
            return NotImplemented
        return len(self) == len(other) and all(
            one == another for one, another in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<labels of {len(self):,} nodes>"


class NumberLabels(CompactLabels):
    """Labels that are whole numbers, each as its digits.

    >>> labels = NumberLabels(np.array([30, -7, 500]))
    >>> labels[1], labels == ("30", "-7", "500"), labels[1:]
    ('-7', True, ('-7', '500'))
    """

    def __init__(self, numbers: NDArray[np.integer[Any]]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def some(self, places: slice) -> list[str]:
        """The labels in some places."""
        return list(map(str, self._numbers[places].tolist()))

    def beyond_ascii(self) -> Iterable[str]:
        """Nothing: digits are ASCII."""
        return ()

    def narrow(self) -> NDArray[np.integer[Any]]:
        """The numbers, in 32 bits where all of them fit."""
        bounds = np.iinfo(np.int32)
        fit = not len(self) or (self._numbers.min() >= bounds.min and self._numbers.max() <= bounds.max)
        return self._numbers.astype(np.int32) if fit else self._numbers
