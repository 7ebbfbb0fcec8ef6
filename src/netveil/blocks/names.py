"""Names of people, numbered as they are met; on disk where they do not fit into memory.

As long as they fit, names are in a dictionary. From then on, the names of a part get tickets, one after the
other in the order in which they are met there, and go to files by their hash, with their tickets: all tickets
of a name are in one file. There the first of them is found. By first tickets names are numbered, which is the
order in which they are met in the whole; the ties of each part wait on disk for these numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix

BYTES_IN_MEMORY = 256 << 20
"""Of the names in a dictionary, about."""

BYTES_OF_A_NAME = 120  # there, beside its letters
TICKETS_AT_ONCE = 1 << 20
_FILES, _BITS = 64, 6  # that names are spread over at once, and the bits of a hash that say which
_ALL_BITS = 60
_FIRSTS, _NUMBERS, _WAITING, _NAMES = "first-tickets", "numbers", "waiting", "names"


class _Part(NamedTuple):
    """Ties that wait."""

    ticket: int  # the first of its names
    names: int
    ties: int


class Names:
    """The different names in a file, which come part by part. `folder` is for files meanwhile."""

    def __init__(self, folder: Path, watched: Iterable[str] = ()) -> None:
        self._folder, self._watched = folder, frozenset(watched)
        self.met_watched = False  # whether one of those names was met
        self._number_of: dict[str, int] = {}
        self._bytes = 0
        self._tickets = 0  # given, once names are on disk
        self._parts: list[_Part] = []

    def numbered(self, names: Sequence[str], first_at: NDArray[np.int64], codes: IntMatrix) -> IntMatrix:
        """The numbers of the nodes in pairs of places among different names, each first met at `first_at`.

        No pairs at all once names do not fit into memory: then `later` has them.
        """
        self.met_watched = self.met_watched or not self._watched.isdisjoint(names)
        order = np.argsort(first_at)
        as_met = [names[place] for place in order.tolist()]
        if not self._tickets:
            return self._in_memory(as_met, names)[codes]
        place_of = np.empty(len(order), np.int32)
        place_of[order] = np.arange(len(order))
        with (self._folder / _WAITING).open("ab") as file:
            file.write(place_of[codes].tobytes())
        self._parts.append(_Part(self._tickets, len(as_met), len(codes)))
        self._give_tickets(as_met)
        return np.empty((0, 2), np.int32)

    def later(self) -> Iterator[IntMatrix]:
        """The numbers of the nodes in all parts that had to wait, part by part."""
        if not self._parts:
            return
        numbers = self._numbers()
        offset = 0
        for part in self._parts:
            places = np.fromfile(self._folder / _WAITING, np.int32, 2 * part.ties, offset=offset)
            offset += places.nbytes
            yield numbers[part.ticket : part.ticket + part.names][places.reshape(-1, 2)]

    def _in_memory(self, as_met: Sequence[str], names: Sequence[str]) -> NDArray[np.int32]:
        """The number of each name; all names go to disk if they have become too many."""
        known = self._number_of
        for name in as_met:
            if name not in known:
                known[name] = len(known)
                self._bytes += BYTES_OF_A_NAME + len(name)
        numbers = np.fromiter((known[name] for name in names), np.int32, len(names))
        if self._bytes > BYTES_IN_MEMORY:
            every = list(known)  # as they were met: numbers are tickets
            self._number_of = {}
            for start in range(0, len(every), TICKETS_AT_ONCE):
                self._give_tickets(every[start : start + TICKETS_AT_ONCE])
        return numbers

    def _give_tickets(self, names: Sequence[str]) -> None:
        tickets = np.arange(self._tickets, self._tickets + len(names))
        _spread([name.encode() for name in names], tickets, self._folder / _NAMES, 0)
        self._tickets += len(names)

    def _numbers(self) -> NDArray[np.int32]:
        """The number of the name with each ticket, mapped from a file."""
        firsts = np.memmap(self._folder / _FIRSTS, np.int64, "w+", shape=(self._tickets,))
        numbers = np.memmap(self._folder / _NUMBERS, np.int32, "w+", shape=(self._tickets,))
        _note_firsts(self._folder / _NAMES, _BITS, firsts)
        people = 0
        for start in range(0, self._tickets, TICKETS_AT_ONCE):
            first = np.array(firsts[start : start + TICKETS_AT_ONCE])
            is_new = first == np.arange(start, start + len(first))
            new = np.flatnonzero(is_new)
            numbers[start + new] = np.arange(people, people + len(new))
            people += len(new)
            old = np.flatnonzero(~is_new)
            numbers[start + old] = numbers[first[old]]
        return numbers


def _spread(names: Sequence[bytes], tickets: NDArray[np.int64], beginning: Path, shift: int) -> None:
    """Append names and their tickets to files that begin with that name, by some bits of the names' hashes.

    Python hashes texts differently in each process, so that nobody can choose names that go to one file.
    """
    hashes = np.fromiter(map(hash, names), np.int64, len(names))
    file_of = (hashes >> shift) & (_FILES - 1)
    order = np.argsort(file_of, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(file_of, minlength=_FILES)))).tolist()
    for number in range(_FILES):
        here = order[bounds[number] : bounds[number + 1]]
        if len(here):
            some = [names[place] for place in here.tolist()]
            letters = b"".join(some)
            with _file(beginning, number).open("ab") as file:
                file.write(np.array([len(some), len(letters)], np.int64).tobytes())
                file.write(tickets[here].tobytes())
                file.write(np.fromiter(map(len, some), np.int64, len(some)).tobytes())
                file.write(letters)


def _file(beginning: Path, number: int) -> Path:
    return beginning.with_name(f"{beginning.name}-{number}")


def _spread_names(file: Path) -> Iterator[tuple[NDArray[np.int64], list[bytes]]]:
    """Tickets and names as they were appended to a file."""
    with file.open("rb") as stream:
        while head := stream.read(16):
            count, size = np.frombuffer(head, np.int64).tolist()
            tickets, lengths = (np.frombuffer(stream.read(8 * count), np.int64) for _ in range(2))
            letters, ends = stream.read(size), np.cumsum(lengths)
            places = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
            yield tickets, [letters[start:end] for start, end in places]


def _note_firsts(beginning: Path, bits: int, firsts: NDArray[np.int64]) -> None:
    """Write the first ticket of its name for each ticket in some files, which are removed.

    `bits` of hashes have been used to spread names over files: those in one may be too many again.
    """
    for file in [_file(beginning, number) for number in range(_FILES)]:
        if not file.exists():
            continue
        if not _found(file, firsts, BYTES_IN_MEMORY if bits < _ALL_BITS else None):
            for tickets, names in _spread_names(file):
                _spread(names, tickets, file, bits)
            _note_firsts(file, bits + _BITS, firsts)
        file.unlink()


def _found(file: Path, firsts: NDArray[np.int64], most: int | None) -> bool:
    """Write first tickets from one file; False, with work left undone, if its names take more than `most`."""
    first_of: dict[bytes, int] = {}
    taken = 0
    for tickets, names in _spread_names(file):
        for name, ticket in zip(names, tickets.tolist(), strict=True):
            if name not in first_of:
                first_of[name] = ticket
                taken += BYTES_OF_A_NAME + len(name)
        if most is not None and taken > most:
            return False
        firsts[tickets] = [first_of[name] for name in names]
    return True
