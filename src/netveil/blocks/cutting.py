"""Cut a network into blocks of nodes on disk."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil, sqrt
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import (
    DEGREES,
    MANIFEST,
    Blocks,
    EdgesOnDisk,
    Numbering,
    Pair,
    TiesOnDisk,
    check_room,
    sha256_of,
)
from netveil.errors import FileError, NetveilError, SettingError, is_whole, option
from netveil.files import ReadAs, arrow, parquet
from netveil.files.arrow_tables import ISOLATED, NODES, TableInFile, are_texts
from netveil.files.format import Columns
from netveil.files.labels import LOOKED_AT, each_once
from netveil.files.node_table import find_nodes
from netveil.files.read_write import format_of, kind_of_table
from netveil.files.staging import OutputFolder, hidden_folder
from netveil.files.storage import STDIN, StoredFile, split_name
from netveil.files.tables.cells import (
    LOOKED_AT_FIRST,
    VALUES,
    CodedColumn,
    CodedTexts,
    TextTable,
    coded_cells,
    is_missing,
    kind_of,
)
from netveil.files.tables.header import named_pairs
from netveil.files.tables.lines import SEPARATORS, Lines, parsed_separator, plain_text
from netveil.files.tables.people import FEWEST_LINES, MOST_REPEATS, SHORTEST_TIME, accounted, parsed_columns
from netveil.files.tables.table import TieTable, ties_in, with_account
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Dropped, Network
from netveil.opening import open_network
from netveil.reading import FIRST_TIES, Reading
from netveil.registries import FORMATS

# Names of people, numbered as they are met; on disk where they do not fit into memory.
#
# As long as they fit, names are in a dictionary. From then on, the names of a part get tickets, one after
# the other in the order in which they are met there, and go to files by their hash, with their tickets: all
# tickets of a name are in one file. There the first of them is found. By first tickets names are numbered,
# which is the order in which they are met in the whole; the ties of each part wait on disk for these
# numbers.


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


# Ties of a Parquet or Arrow file, some rows at a time: what `files.arrow_tables` makes of them all at once.
#
# Whatever is unusual about a file, mistakes among it, raises `NotStreamedError`: then it is read whole.


ROWS_AT_ONCE = 1 << 18
_UNUSUAL = "there is something unusual about it"


class NotStreamedError(Exception):
    """A file that is read whole; says why."""


def ties_of_arrow(file: str, format_name: str, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    """The network in a file of whole numbers or texts, without its name; `folder` is for files meanwhile."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise NotStreamedError("pyarrow is not installed") from None
    with _left_to_whole_reading("it cannot be read"):
        stored = StoredFile(file)
    with stored:
        with _left_to_whole_reading("it cannot be read"):
            if format_name == "parquet":
                table = parquet.table_in(stored, file, texts_in_lists=False)
            else:
                table = arrow.table_in(stored, file, mapped=True)
        return _ties(table, columns, folder)


def _ties(table: TableInFile, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    with _left_to_whole_reading("its columns of people are not clear"):
        chosen = table.people(columns)
    with _left_to_whole_reading(_UNUSUAL):
        announced, isolated = table.announced(NODES), table.announced(ISOLATED) or 0
    check_room(folder, table.rows)
    reader = _Reader([table.schema.field(place).type for place in chosen.places], announced, folder)
    ties, rows = TiesOnDisk(folder), 0
    beginning: list[tuple[str, str]] = []
    for ends in _slices(table.batches(chosen)):
        with _left_to_whole_reading(_UNUSUAL):
            first, second = reader.filled(*ends)
            if rows < LOOKED_AT:
                labels = (
                    each.slice(0, LOOKED_AT - rows).cast("string").to_pylist() for each in (first, second)
                )
                beginning += zip(*labels, strict=True)
            rows += len(first)
            pairs = reader.whole(first, second) if reader.names is None else None
        ties.add(reader.named(first, second) if pairs is None else pairs)
    if not rows or reader.gaps != isolated:
        raise NotStreamedError(_UNUSUAL)
    for pairs in reader.names.later() if reader.names is not None else ():
        ties.add(pairs)
    found = ties.sorted(announced)
    return replace(
        found,
        dropped=Dropped(found.dropped.self_loops - isolated, found.dropped.duplicates),
        notes=table.account(rows),
        reading=table.reading(chosen, each_once(beginning)),
    )


class _Reader:
    """Turns rows of two columns into numbers of nodes."""

    def __init__(self, kinds: Sequence[Any], announced: int | None, folder: Path) -> None:
        import pyarrow

        self._announced = announced
        self.gaps = 0  # rows of people without ties
        are_whole = all(pyarrow.types.is_integer(kind) and kind != pyarrow.uint64() for kind in kinds)
        if not are_whole and not (are_texts(kinds) and announced is None):
            raise NotStreamedError("its columns hold neither whole numbers nor texts alone")
        self._numbering = Numbering()
        self.names = None if are_whole else Names(folder)

    def filled(self, first: Any, second: Any) -> tuple[Any, Any]:
        """Both columns without a gap, numbers as they are and texts as such."""
        import pyarrow
        import pyarrow.compute

        if self.names is not None:
            first, second = (each.cast(pyarrow.large_string()) for each in (first, second))
        if self._announced is None and second.null_count:
            self.gaps += second.null_count
            second = pyarrow.compute.if_else(second.is_null(), first.cast(second.type), second)
        if first.null_count or second.null_count:
            raise NotStreamedError("a cell has no value")
        return first, second

    def whole(self, first: Any, second: Any) -> IntMatrix:
        """The ties of some rows of whole numbers."""
        pairs = np.empty((len(first), 2), np.int64)
        pairs[:, 0], pairs[:, 1] = first.to_numpy(), second.to_numpy()
        if self._announced is None:
            return self._numbering.of(pairs)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= self._announced):
            raise NotStreamedError("a number is that of no node")
        return pairs

    def named(self, first: Any, second: Any) -> IntMatrix:
        """The ties of some rows of texts; none if they have to wait."""
        import pyarrow

        assert self.names is not None
        encoded = pyarrow.concat_arrays([first, second]).dictionary_encode()
        codes: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64).reshape(2, -1).T
        first_at = np.empty(len(encoded.dictionary), np.int64)
        first_at[codes.ravel()[::-1]] = np.arange(codes.size)[::-1]  # the last one assigned is the first
        texts = encoded.dictionary.to_pylist()
        if "" in texts:
            raise NotStreamedError("a cell has no value")
        return self.names.numbered(texts, first_at, codes)


def _slices(batches: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Both columns, some rows at a time, once they are known to be undamaged."""
    while True:
        with _left_to_whole_reading(_UNUSUAL):
            batch = next(batches, None)
            for column in batch or ():
                column.validate(full=True)
        if batch is None:
            return
        for start in range(0, len(batch[0]), ROWS_AT_ONCE):
            yield batch[0].slice(start, ROWS_AT_ONCE), batch[1].slice(start, ROWS_AT_ONCE)


@contextmanager
def _left_to_whole_reading(why: str) -> Iterator[None]:
    """Whatever is wrong is told when the file is read whole."""
    import pyarrow

    try:
        yield
    except (NetveilError, pyarrow.ArrowException, OSError, ValueError):
        raise NotStreamedError(why) from None


# Ties of a plain table of two columns, such as CSV, some lines at a time.
#
# How the table is to be read is found out from its beginning, by the rules of `files.tables`. All other
# lines must then be such that the rules would say the same of the whole: two cells in each, no quotes, no
# other separator anywhere, labels of one kind. Whatever is not like that raises `NotStreamedError`: then
# the file is read whole.


BYTES_AT_ONCE = 1 << 23
BYTES_OF_A_LINE = 8  # about, for the room that ties will take
LONGEST_TAIL = 1000  # bytes of line ends, at the end of the file
LONGEST_NUMBER = 18  # digits that fit into 64 bits
_NO_BREAK_SPACE = b"\xc2\xa0"


class Beginning(NamedTuple):
    """How a table is read, by its first lines."""

    table: TieTable
    separator: str
    lines: Lines  # an account of the lines above the table
    texts: CodedTexts  # of its cells
    codes: IntMatrix  # (ties, 2): the two people of each tie among the first, by their texts


def ties_of_table(file: str, asked: ReadAs, folder: Path) -> EdgesOnDisk:
    """The network in a table, without its name; `folder` is for files meanwhile."""
    check_room(folder, Path(file).stat().st_size // BYTES_OF_A_LINE)
    stop, empty = _end_of_lines(file)
    parts = _parts(file, stop)
    try:
        begun = _beginning(next(parts, b""), file, asked)
    except NetveilError:  # told when it is read whole
        raise NotStreamedError("it is not clear from its beginning how to read it") from None
    table = begun.table
    people, ties = _People(begun, folder), TiesOnDisk(folder)
    ties.add(people.numbered(begun.texts, begun.codes))
    for content in parts:
        texts, codes = _cells(content, begun.separator)
        ties.add(people.numbered(texts, codes[:, list(table.people)]))
    for pairs in people.later():
        ties.add(pairs)
    people.check(table, asked)
    account = with_account(table, begun.lines._replace(empty=begun.lines.empty + empty))
    reading = Reading(
        "edge-list",
        separator=table.separator,
        columns=table.people_names,
        header=table.has_header,
        encoding="UTF-8",
        first=tuple(zip(table.first[:FIRST_TIES], table.second[:FIRST_TIES], strict=True)),
        dropped=account.dropped,
        oddities=account.oddities,
    )
    return replace(ties.sorted(), reading=reading)


def _end_of_lines(file: str) -> tuple[int, int]:
    """Where the last line with cells ends, and how many empty lines are below it."""
    with Path(file).open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - LONGEST_TAIL))
        tail = stream.read()
    line_ends = tail[len(tail.rstrip(b"\r\n")) :]
    if len(line_ends) == len(tail):
        raise NotStreamedError("it ends with empty lines")
    return size - len(line_ends), max(line_ends.count(b"\n") - 1, 0)


def _parts(file: str, stop: int) -> Iterator[bytes]:
    """The bytes of a file up to a place, some whole lines at once, each time without the last line end."""
    rest, place = b"", 0
    with Path(file).open("rb") as stream:
        while place < stop:
            block = stream.read(min(BYTES_AT_ONCE, stop - place))
            place += len(block)
            if place >= stop or not block:
                yield rest + block
                return
            lines, line_end, rest = (rest + block).rpartition(b"\n")
            if line_end:
                yield lines.removesuffix(b"\r")
            elif len(rest) > 2 * BYTES_AT_ONCE:
                raise NotStreamedError("its lines are very long")


def _beginning(content: bytes, file: str, asked: ReadAs) -> Beginning:
    """What the first lines tell; NetveilError where that is not clear."""
    text = plain_text(content)
    if text is None or "nodes:" in text.top or asked.encoding is not None:
        raise NotStreamedError("there is something unusual about its beginning")
    is_other = any(
        each.opening is not None and each.opening.match(text.beginning) for each in FORMATS.values()
    )
    if is_other or (asked.format is None and kind_of_table(content, file, asked) != "edge-list"):
        raise NotStreamedError("it is no table of ties")
    cells = coded_cells(text, file, None if asked.separator is None else parsed_separator(asked.separator))
    if cells is None or cells.width != 2:
        raise NotStreamedError("only plain tables of two columns can be streamed")
    table = ties_in(cells, file, columns=asked.columns, header=asked.header)
    below = content.find(b"\n", text.start) if table.has_header else text.start
    _check_other_separators(content[below:], cells.separator)
    first, second = table.first, table.second
    if not (isinstance(first, CodedColumn) and isinstance(second, CodedColumn) and len(first)):
        raise NotStreamedError("there are no ties at its beginning")
    codes = np.column_stack((first.codes, second.codes))
    return Beginning(table, cells.separator, text.lines, cells.texts, codes)


def _check_other_separators(content: bytes, separator: str) -> None:
    """Raise if the lines could be split in another way, too, or hold what is left to those who read whole."""
    if any(mark.encode() in content for mark in SEPARATORS if mark != separator):
        raise NotStreamedError("it holds several separators")


def _cells(content: bytes, separator: str) -> tuple[CodedTexts, IntMatrix]:
    """The different cells of some lines, and which of them stand in each."""
    if b'"' in content or content.count(b"\r") != content.count(b"\r\n"):
        raise NotStreamedError("it holds quotes")
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError:
            raise NotStreamedError("it is not in UTF-8") from None
        if _NO_BREAK_SPACE in content:
            raise NotStreamedError("it holds several separators")
    _check_other_separators(content, separator)
    codes = np.empty((content.count(b"\n") + 1, 2), np.int32)
    table = TextTable()
    if not table.code(content, ord(separator), codes):
        raise NotStreamedError("not all its lines have two cells")
    return table.texts(), codes


class _People:
    """The people of a table, numbered as they are met, and what must be known of all their labels."""

    def __init__(self, begun: Beginning, folder: Path) -> None:
        texts = begun.texts.some(np.unique(begun.codes))
        self._whole = Numbering() if all(map(_is_number, texts)) else None
        self._names = Names(folder, watched=begun.table.cells.row(0))
        self._are_in: NDArray[np.bool_] = np.zeros((2, 1024), bool)  # who stands in each column
        self._all_digits = True
        self._lines = 0
        first = begun.texts.some(begun.codes[:1].ravel())
        later = set(begun.texts.some(np.unique(begun.codes[1:])))
        self._first_comes_again = any(label in later for label in first) or first[0] == first[1]

    def numbered(self, texts: CodedTexts, codes: IntMatrix) -> IntMatrix:
        """The numbers of the people in some lines; of none if they have to wait for `later`."""
        met, first_at, places = np.unique(codes.ravel(), return_index=True, return_inverse=True)
        labels = texts.some(met)
        self._all_digits = self._all_digits and bool(texts.are_digits[met].all())
        if self._whole is None:
            pairs = self._names.numbered(labels, first_at, places.reshape(-1, 2))
        elif all(map(_is_number, labels)):
            numbers = np.array(list(map(int, labels)), np.int64)
            pairs = self._whole.of(numbers[places].reshape(-1, 2))
        else:
            raise NotStreamedError("its labels are of several kinds")
        self._note(pairs)
        return pairs

    def later(self) -> Iterator[IntMatrix]:
        """The numbers of the people in all lines that had to wait."""
        for pairs in self._names.later():
            self._note(pairs)
            yield pairs

    def _note(self, pairs: IntMatrix) -> None:
        """Keep account of who stands in which column."""
        people = int(pairs.max(initial=-1)) + 1
        while people > self._are_in.shape[1]:
            self._are_in = np.concatenate((self._are_in, np.zeros_like(self._are_in)), axis=1)
        for column in range(2):
            self._are_in[column, pairs[:, column]] = True
        self._lines += len(pairs)

    def check(self, table: TieTable, asked: ReadAs) -> None:
        """Raise unless all labels are such that the beginning has told how to read the table."""
        people = int(self._are_in.any(axis=0).sum())
        if people > FEWEST_LINES and not self._are_in.all(axis=0).any():
            raise NotStreamedError("nobody stands in both its columns")
        for column in (table.first, table.second):
            looked_at = [column[place] for place in range(min(LOOKED_AT_FIRST, len(column)))]
            if not self._all_digits and not any(kind_of(label) == "text" for label in looked_at):
                raise NotStreamedError("its labels are of several kinds")
        for column, are_in in zip(
            (table.first, table.second), self._are_in.sum(axis=1).tolist(), strict=True
        ):
            are_long = all(len(label) >= SHORTEST_TIME for label in column[:LOOKED_AT_FIRST])
            if (
                self._all_digits
                and are_long
                and are_in > FEWEST_LINES
                and are_in >= MOST_REPEATS * self._lines
            ):
                raise NotStreamedError("its numbers may be times")
        by_name = asked.columns is not None and any(
            not each.isdigit() for each in parsed_columns(asked.columns)
        )
        if asked.header is None and not by_name and not self._header_is_sure(table):
            raise NotStreamedError("its beginning does not tell whether it has a header")

    def _header_is_sure(self, table: TieTable) -> bool:
        """Whether the whole table would tell the same of its first line as its beginning does."""
        names = table.cells.row(0)
        if named_pairs(names):
            return table.has_header and not self._names.met_watched
        if any(kind_of(name) in VALUES for name in names):
            return not table.has_header
        if not table.has_header:
            return self._first_comes_again
        return self._all_digits and not any(map(is_missing, names))


def _is_number(label: str) -> bool:
    """Whether a label is a number as it is written by everybody: 7, but not 07 or +7."""
    return (
        label.isascii()
        and label.isdigit()
        and len(label) <= LONGEST_NUMBER
        and (label[0] != "0" or label == "0")
    )


EDGES_AT_ONCE = 1 << 20
LEAST_BLOCKS, MOST_BLOCKS = 4, 200
BYTES_OF_A_TASK = 256 << 20  # of edges that a task holds, about, where nobody says how many blocks to make
BYTES_ON_DISK = 12  # an edge, while blocks are made; a third of that in the end


class BlocksFolder(OutputFolder):
    """Where blocks are going to be."""

    kind = "folder of blocks"

    def is_result(self, entries: set[str]) -> bool:
        """An older one, or an empty folder."""
        return MANIFEST in entries or not entries


def cut_network(
    network: Network | EdgesOnDisk,
    out: str | os.PathLike[str],
    blocks: int | None = None,
    *,
    given: str | None = None,
    overwrite: bool = False,
    listener: Callable[[float], None] | None = None,
) -> Blocks:
    """Write the blocks of a network to a new private folder, which appears whole or not at all.

    Beside the network it takes 28 bytes a node, about 100 MB for a million edges at once, and 30 bytes for
    each edge of a pair of blocks. `given` is how the user called the network; `listener` hears the share that
    is done.
    """
    from netveil.kernels.triangles import rank_of, ranked

    folder = BlocksFolder(out, overwrite=overwrite)
    blocks = usual_blocks(network.edge_count) if blocks is None else checked_blocks(blocks)
    _check_room(folder.path, network.edge_count)
    node_of_rank = ranked(network.degrees)
    degrees = network.degrees[node_of_rank].astype(np.int32)
    first_ranks = cut_ranks(degrees, blocks)
    with folder.filled() as staging:
        staging.chmod(0o700)
        np.save(staging / DEGREES, degrees)
        pairs, fingerprint = _sort_into_pairs(network, rank_of(node_of_rank), first_ranks, staging, listener)
        made = Blocks(
            folder=staging,
            cutting=secrets.token_hex(8),
            given=network.name if given is None else given,
            name=network.name,
            node_count=network.node_count,
            first_ranks=tuple(first_ranks.tolist()),
            pairs=pairs,
            dropped=network.dropped,
            notes=network.notes,
            reading=network.reading,
            sha256=network.sha256,
            fingerprint=fingerprint,
        )
        for pair in pairs:
            _write_rows(made, pair)
        (staging / MANIFEST).write_text(made.to_json(), encoding="utf-8")
    return made


def usual_blocks(edges: int) -> int:
    """So many that the edges of three pairs, some twice as large as others, are about `BYTES_OF_A_TASK`."""
    return min(max(LEAST_BLOCKS, ceil(sqrt(48 * edges / BYTES_OF_A_TASK))), MOST_BLOCKS)


def checked_blocks(blocks: int) -> int:
    """The number of blocks itself, if it makes sense."""
    if not is_whole(blocks) or not 1 <= blocks <= MOST_BLOCKS:
        raise SettingError(f"{option('number', blocks)}: give a whole number of blocks, 1 to {MOST_BLOCKS}.")
    return int(blocks)


def cut_ranks(degrees: IntVector, blocks: int) -> NDArray[np.int64]:
    """First ranks (blocks + 1) of blocks with about as many ends of edges, given falling degrees (n)."""
    ends = np.cumsum(degrees.astype(np.int64) + 1)  # 1: a node takes room though it has no edge
    total = int(ends[-1]) if len(ends) else 0
    # A block ends with the node that fills it: a hub that has more than a share is alone in one.
    first_ranks = 1 + np.searchsorted(ends, np.linspace(0, total, blocks + 1))
    first_ranks[0], first_ranks[-1] = 0, len(degrees)
    return np.minimum(first_ranks, len(degrees))


def _check_room(path: Path, edges: int) -> None:
    """Raise if the disk has no room for the blocks."""
    place = next(each for each in [path.absolute(), *path.absolute().parents] if each.exists())
    free, needed = shutil.disk_usage(place).free, BYTES_ON_DISK * edges
    if free < needed:
        raise FileError(
            f"{path}: blocks of {edges:,} edges need {needed:,} bytes while they are made, and the disk has "
            f"{free:,} free. Choose a folder on another disk ({option('out')})."
        )


def _sort_into_pairs(
    network: Network | EdgesOnDisk,
    rank: IntVector,
    first_ranks: NDArray[np.int64],
    folder: Path,
    listener: Callable[[float], None] | None,
) -> tuple[dict[Pair, int], str]:
    """Write each edge to the unsorted file of its pair of blocks; how many each has, and the fingerprint."""
    blocks = len(first_ranks) - 1
    edges_of = np.zeros(blocks * blocks, np.int64)
    digest = hashlib.sha256(str(network.node_count).encode())
    for first in range(0, network.edge_count, EDGES_AT_ONCE):
        if isinstance(network, Network):
            edges = network.edges[first : first + EDGES_AT_ONCE]
        else:
            edges = network.edges_between(first, first + EDGES_AT_ONCE)
        digest.update(np.ascontiguousarray(edges, dtype="<i8").tobytes())
        ends = np.sort(rank[edges], axis=1)[:, ::-1]  # the row, then the target
        block = np.searchsorted(first_ranks, ends, side="right") - 1
        pair_of = (block[:, 0] * blocks + block[:, 1]).astype(np.uint16)
        entries = (ends - first_ranks[block]).astype(np.int32)[np.argsort(pair_of, kind="stable")]
        here = np.bincount(pair_of, minlength=blocks * blocks)
        edges_of += here
        bounds = np.concatenate(([0], np.cumsum(here)))
        for pair in np.flatnonzero(here).tolist():
            with _unsorted(folder, divmod(pair, blocks)).open("ab") as file:
                file.write(entries[bounds[pair] : bounds[pair + 1]].tobytes())
        if listener is not None:
            listener(min(1.0, (first + EDGES_AT_ONCE) / network.edge_count))
    pairs = {divmod(pair, blocks): int(edges_of[pair]) for pair in np.flatnonzero(edges_of).tolist()}
    return pairs, digest.hexdigest()


def _unsorted(folder: Path, pair: Pair) -> Path:
    return folder / f"unsorted-{pair[0]:03}-{pair[1]:03}"


def _write_rows(blocks: Blocks, pair: Pair) -> None:
    """Write the lengths of all rows of a pair, then their targets, row after row, from the unsorted file."""
    unsorted = _unsorted(blocks.folder, pair)
    rows, targets = np.fromfile(unsorted, dtype=np.int32).reshape(-1, 2).T
    lengths = np.bincount(rows, minlength=blocks.size(pair[0])).astype(np.int32)
    np.save(blocks.file(pair), np.concatenate((lengths, targets[np.argsort(rows, kind="stable")])))
    unsorted.unlink()


# Cut a file into blocks without holding its network: ties are streamed to disk, and sorted there.
#
# What cannot be streamed is read whole, and cut as a network in memory is: the blocks are the same.


class CutFile(NamedTuple):
    """A network that was cut, and how it was read."""

    blocks: Blocks
    read_whole: str  # why it was not streamed; empty if it was


def cut_file(
    network: str | os.PathLike[str],
    out: str | os.PathLike[str],
    blocks: int | None = None,
    *,
    read_as: ReadAs | None = None,
    overwrite: bool = False,
    listener: Callable[[float], None] | None = None,
) -> CutFile:
    """Write the blocks of the network in a file, or of one that netveil has, to a new private folder.

    Parquet and Arrow files of whole numbers or texts, and plain tables of two columns, are streamed: memory
    is for a million ties, about 110 bytes a person and at most 256 MB of names: others are on disk. All else
    is read whole.
    """
    given, asked = os.fspath(network), ReadAs() if read_as is None else read_as
    if blocks is not None:
        checked_blocks(blocks)
    folder = BlocksFolder(out, overwrite=overwrite)  # before anything is read
    with folder.telling(), hidden_folder(folder.path) as meanwhile:
        try:
            edges = streamed_edges(given, asked, meanwhile)
        except NotStreamedError as error:
            why = str(error)
        else:
            return CutFile(
                cut_network(edges, out, blocks, given=given, overwrite=overwrite, listener=listener), ""
            )
    whole = open_network(given, asked)
    return CutFile(cut_network(whole, out, blocks, given=given, overwrite=overwrite, listener=listener), why)


def streamed_edges(file: str, asked: ReadAs, folder: Path) -> EdgesOnDisk:
    """The network in a file, on disk in a folder; NotStreamedError if it must be read whole."""
    if file == STDIN or not Path(file).is_file():
        raise NotStreamedError("it is no file")
    try:
        chosen = format_of(file, asked.format)
        said = asked.for_format(chosen.name, chosen.options)
    except NetveilError:
        raise NotStreamedError("there is something unusual about it") from None
    name, _, compression = split_name(file)
    if compression:
        raise NotStreamedError("it is compressed")
    if find_nodes(Path(file)) is not None:
        raise NotStreamedError("its people are in a table of their own")
    if chosen.name == "edge-list":
        found = ties_of_table(file, asked, folder)
    elif chosen.name in ("parquet", "arrow"):
        found = ties_of_arrow(file, chosen.name, said.get("columns"), folder)
    else:
        raise NotStreamedError(f"files of the format {chosen.name} cannot be streamed")
    found = replace(found, name=name, sha256=sha256_of(file))
    assert found.reading is not None
    # What is odd about a network is told by its size, its degrees and what was dropped, which `found` has.
    return replace(found, reading=accounted(cast("Network", found), found.reading))
