"""Count in blocks: one task for each triple of blocks, which holds the edges of three pairs at most.

A triangle has its corners in one triple of blocks, so it is found by one task. What tasks have found on nodes
is added up by a task for each block, what they have found on edges by a task for each pair of blocks.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker
from netveil.anonymity.attackers import bounds
from netveil.anonymity.partition import documented
from netveil.blocks.manifest import Blocks, Pair, Triple, open_blocks
from netveil.errors import FileError, SettingError, option
from netveil.threads import available_cores

# Tasks: functions that are run somewhere, and what they hand to each other in files that all of them see.
#
# A task is a function of places and numbers. What it finds out it puts into a file that appears whole or
# not at all, under a name that follows from the numbers alone: run twice, because a worker died or seemed
# to, it puts the same file there again. So nothing is counted twice, and a task that needs what others
# found reads as much of it as it needs. What a task returns is small.


Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and what to call it with."""

Run: TypeAlias = Callable[[list[Task]], Iterator[tuple[int, Any]]]
"""Runs tasks: yields the number of each, once, and what it returned, in any order."""


def here(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """Run tasks on this machine, one after the other; each counts with all cores, if it can."""
    for number, (function, arguments) in enumerate(tasks):
        try:
            result = function(*arguments, threads=available_cores())
        except MemoryError:
            raise SettingError(
                f"this machine lacks memory for three blocks at once. Cut the network into more "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        yield number, result


class Place(NamedTuple):
    """Where tasks find the blocks, and where they put what they have found: the same for all of them."""

    folder: str
    cutting: str  # of the blocks that are meant
    found: str  # a folder for what is found

    def blocks(self) -> Blocks:
        """The blocks, if they are those that are to be counted."""
        blocks = open_blocks(self.folder)
        if blocks.cutting != self.cutting:
            raise FileError(
                f"{self.folder} holds other blocks than those that are being counted: they were cut again "
                f"meanwhile, or another machine has another folder in this place. Measure again, on a disk "
                f"that all share."
            )
        return blocks

    def put(self, name: str, found: NDArray[Any]) -> None:
        """Write what was found, whole or not at all; whole numbers that are not negative as narrow as can be.

        What is there already was written by the same task, and is the same.
        """
        file = Path(self.found, f"{name}.npy")
        part = file.with_name(f"{name}-{secrets.token_hex(6)}.part")
        try:
            try:
                with part.open("xb") as stream:
                    np.save(stream, narrow(found))
                part.replace(file)
            except BaseException:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise FileError(
                f"{self.found}: what was counted cannot be written there: {error.strerror or error}. It is "
                f"beside the blocks, where all workers must be able to write; make room, or move the blocks."
            ) from None

    def get(self, name: str) -> NDArray[Any]:
        """What was found, mapped into memory: only what is looked at is read."""
        file = Path(self.found, f"{name}.npy")
        try:
            found: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise FileError(
                f"{file}, which another worker wrote, cannot be read: all must see one disk. Measure again."
            ) from None
        return found

    def forget(self, names: str) -> None:
        """Remove what no further task needs, by a pattern of names."""
        for file in Path(self.found).glob(f"{names}.npy"):
            with suppress(OSError):
                file.unlink()


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them; they are not negative.

    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([3, 256])).dtype, narrow(np.array([2**40])).dtype
    (dtype('uint8'), dtype('uint16'), dtype('int64'))
    """
    most = int(numbers.max(initial=0))
    for kind in (np.uint8, np.uint16, np.int32):
        if most <= np.iinfo(kind).max:
            return numbers.astype(kind, copy=False)
    return numbers


class Stages:
    """Runs tasks stage after stage, and tells a listener which share of all of them is done."""

    def __init__(self, run: Run, listener: Callable[[float], None] | None = None) -> None:
        self._run, self._listener = run, listener
        self.tasks = 0  # that were run
        self._expected = 1

    def expect(self, tasks: int) -> None:
        """Say how many tasks there will be."""
        self._expected = max(1, tasks)

    def __call__(self, tasks: list[Task]) -> list[Any]:
        """What each task returned, whatever became of those that ran them; an error if one is missing."""
        results: list[Any] = [None] * len(tasks)
        missing = set(range(len(tasks)))
        for number, result in self._run(tasks):
            missing.remove(number)  # a KeyError, rather than to count anything twice
            results[number] = result
            self.tasks += 1
            if self._listener is not None:
                self._listener(min(1.0, self.tasks / self._expected))
        if missing:
            raise RuntimeError(f"{len(missing)} of {len(tasks)} tasks have no result")
        return results


def place_for(blocks: Blocks, found: Path) -> Place:
    """Where tasks find these blocks, and put what they find into a folder."""
    return Place(os.fspath(blocks.folder.absolute()), blocks.cutting, os.fspath(found.absolute()))


def count_on_nodes(place: Place, triple: Triple, threads: int = 1) -> None:
    """Find the triangles with a corner in each of three blocks: how many each of their nodes is in."""
    from netveil.kernels.triangles import Found, counted_in_threads

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}

    def room() -> Found:
        of_u, of_v, of_w = (np.zeros(blocks.size(block), np.int64) for block in triple)
        return Found(of_u, of_v, of_w, np.zeros(len(of_w), np.uint8))

    counts = {block: np.zeros(blocks.size(block), np.int64) for block in triple}
    for found in counted_in_threads(held[u, v], held[u, w], held[v, w], room, threads):
        for block, more in zip(triple, found[:3], strict=True):
            counts[block] += more
    place.put(_name("nodes", triple), np.concatenate(list(counts.values())))


def sum_on_nodes(place: Place, block: int, threads: int = 1) -> None:
    """Add up what was found on the nodes of a block; one thread is enough."""
    blocks = place.blocks()
    triangles = np.zeros(blocks.size(block), np.int64)
    for triple in blocks.triples():
        if block in triple:
            sizes = {each: blocks.size(each) for each in triple}
            triangles += _slice_of(place.get(_name("nodes", triple)), sizes, block)
    place.put(f"triangles-{block}", triangles)


def count_on_ties(place: Place, triple: Triple, threads: int = 1) -> None:
    """Find the triangles with a corner in each of three blocks: how many each of their edges is in."""
    from netveil.kernels.triangles import count_on_edges

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}
    counts = {pair: np.zeros(blocks.pairs[pair], np.int32) for pair in held}
    on = (counts[u, v], counts[u, w], counts[v, w])
    count_on_edges(held[u, v], held[u, w], held[v, w], *on, np.zeros(blocks.size(w), np.int64))
    place.put(_name("ties", triple), np.concatenate(list(counts.values())))


def sum_on_ties(place: Place, pair: Pair, threads: int = 1) -> None:
    """Add up what was found on the edges of a pair of blocks; one thread is enough."""
    blocks = place.blocks()
    triangles = np.zeros(blocks.pairs[pair], np.int32)
    for triple in blocks.triples():
        if pair in pairs_of(triple):
            sizes = {each: blocks.pairs[each] for each in pairs_of(triple)}
            triangles += _slice_of(place.get(_name("ties", triple)), sizes, pair)
    place.put(f"triangles-{pair[0]}-{pair[1]}", triangles)


def count_triangles_on_nodes(blocks: Blocks, place: Place, run: Stages) -> None:
    """Put the triangles of each node into `triangles-BLOCK` (nodes of the block)."""
    run([(count_on_nodes, (place, triple)) for triple in blocks.triples()])
    run([(sum_on_nodes, (place, block)) for block in range(blocks.block_count)])
    place.forget("nodes-*")


def count_triangles_on_ties(blocks: Blocks, place: Place, run: Stages) -> None:
    """Put the triangles of each edge into `triangles-BLOCK-BLOCK` (edges of the pair)."""
    run([(count_on_ties, (place, triple)) for triple in blocks.triples()])
    run([(sum_on_ties, (place, pair)) for pair in blocks.pairs])
    place.forget("ties-*")


def pairs_of(triple: Triple) -> tuple[Pair, ...]:
    """The pairs of blocks that the edges of a triple's triangles are in, each once."""
    u, v, w = triple
    return tuple(dict.fromkeys(((u, v), (u, w), (v, w))))


def _name(kind: str, triple: Triple) -> str:
    return "-".join([kind, *map(str, triple)])


def _slice_of(found: NDArray[Any], sizes: dict[Any, int], wanted: Any) -> NDArray[Any]:
    """Of numbers for several blocks or pairs, one after the other, those for the wanted one."""
    first = 0
    for each, size in sizes.items():
        if each == wanted:
            return found[first : first + size]
        first += size
    raise KeyError(wanted)


# The states of nodes in blocks, part by part: what each attacker knows of each node, and who is alike
# there.
#
# A part is a range of nodes of one block. Of each part the different states are written, each once with how
# many nodes have it, in an order by which those that may be equal to states of other parts are found:
# states are spread over partitions by a hash, and `classes` compares those of a partition, number by
# number.


BYTES_OF_A_NODE, BYTES_OF_AN_END = 150, 40  # that a part takes, for each of its nodes and ends of edges
LEAST_BYTES_OF_A_PART = 1 << 22
MOST_PARTITIONS = 1024
EDGES_AT_ONCE = 1 << 16

Known: TypeAlias = tuple[tuple[int, int], ...] | None
"""What an attacker knows: numbers, each so many times the degree and so many times the triangles; None for
the triangles on each edge of a node, as a multiset."""

RowsOfStates: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The state of node i is values[offsets[i]:offsets[i + 1]]: offsets, values."""


class Part(NamedTuple):
    """Some nodes of a block: ranks first..last-1."""

    number: int
    block: int
    first: int
    last: int


def parts_of(blocks: Blocks, with_ties: bool) -> list[Part]:
    """All nodes in parts that take about as much memory as counting in three blocks does at most."""
    most = max(map(blocks.bytes_of, blocks.triples()), default=0)
    bound = max(LEAST_BYTES_OF_A_PART, most)
    degrees = blocks.degrees()
    parts: list[Part] = []
    for block in range(blocks.block_count):
        ranks = blocks.ranks(block)
        if not blocks.size(block):
            continue
        of_each = BYTES_OF_A_NODE + BYTES_OF_AN_END * degrees[ranks].astype(np.int64) * with_ties
        part_of = (np.cumsum(of_each) - 1) // bound
        firsts = ranks.start + np.flatnonzero(np.diff(part_of, prepend=-1))
        for first, last in zip(firsts.tolist(), [*firsts[1:].tolist(), ranks.stop], strict=True):
            parts.append(Part(len(parts), block, first, last))
    return parts


def find_states(
    place: Place, part: Part, known: tuple[Known, ...], with_ties: bool, partitions: int, threads: int = 1
) -> None:
    """Put the different states of a part, to each attacker, and which of them each node has.

    `with_ties` says that triangles were counted on edges, else on nodes. One thread is enough.
    """
    blocks = place.blocks()
    degrees = blocks.degrees_between(part.first, part.last).astype(np.int64)
    on_ties = _triangles_on_ties(blocks, place, part, degrees) if with_ties else None
    triangles = np.zeros(0, np.int64)
    if on_ties is not None:
        before = np.concatenate(([0], np.cumsum(on_ties[1])))
        triangles = np.diff(before[on_ties[0]]) // 2  # a triangle is on two edges of each of its nodes
    elif any(per_triangle for each in known if each is not None for _, per_triangle in each):
        first = part.first - blocks.first_ranks[part.block]
        triangles = place.get(f"triangles-{part.block}")[first : first + len(degrees)].astype(np.int64)
    for attacker, numbers in enumerate(known):
        if numbers is None:
            assert on_ties is not None
            put_states(place, str(attacker), part, on_ties, partitions)
        else:
            columns = [
                per_degree * degrees + (per_triangle * triangles if per_triangle else 0)
                for per_degree, per_triangle in numbers
            ]
            put_states(place, str(attacker), part, rows_of_columns(columns), partitions)


def rows_of_columns(columns: list[NDArray[np.int64]]) -> RowsOfStates:
    """Rows of one length, from the numbers that stand in each place of them."""
    values = np.column_stack(columns)
    return np.arange(len(values) + 1) * values.shape[1], np.ascontiguousarray(values).ravel()


def put_states(place: Place, attacker: str, part: Part, rows: RowsOfStates, partitions: int) -> None:
    """Put the different states of a part, those of each partition together, and which of them each node has.

    `states-…`: all numbers of the states; `lengths-…`: how many each has; `often-…`: how many nodes have it;
    `bounds-…` (2, partitions + 1): where states and numbers of each partition begin; `state-of-…` (nodes).
    """
    from netveil.kernels.classes import classes_of_rows, hashes_of_rows

    offsets, values = rows
    class_of, classes = classes_of_rows(offsets, values)
    first_of = np.empty(classes, np.int64)
    first_of[class_of[::-1]] = np.arange(len(class_of))[::-1]  # the last one assigned is the first
    distinct = _taken(offsets, values, first_of)
    frozen = distinct[0].view()
    frozen.setflags(write=False)  # as those of a network are, or the kernel would be compiled for both
    partition_of = (hashes_of_rows(frozen, distinct[1]) >> np.uint64(32)) % np.uint64(partitions)
    order = np.argsort(partition_of, kind="stable")
    state_of = np.empty(classes, np.int64)
    state_of[order] = np.arange(classes)
    offsets, values = _taken(*distinct, order)
    begins = np.searchsorted(partition_of[order], np.arange(partitions + 1, dtype=np.uint64))
    name = f"{attacker}-{part.number}"
    place.put(f"states-{name}", values)
    place.put(f"lengths-{name}", np.diff(offsets))
    place.put(f"often-{name}", np.bincount(class_of, minlength=classes)[order])
    place.put(f"bounds-{name}", np.stack((begins, offsets[begins])))
    place.put(f"state-of-{name}", state_of[class_of])


def _taken(offsets: NDArray[np.int64], values: NDArray[np.int64], chosen: NDArray[np.int64]) -> RowsOfStates:
    """Some of the rows, in the order in which they are named."""
    lengths = np.diff(offsets)[chosen]
    taken = np.concatenate(([0], np.cumsum(lengths)))
    shift = np.repeat(offsets[:-1][chosen] - taken[:-1], lengths)
    shift += np.arange(len(shift))
    return taken, values[shift]


def _triangles_on_ties(blocks: Blocks, place: Place, part: Part, degrees: NDArray[np.int64]) -> RowsOfStates:
    """The triangles on each edge of each node of a part, in ascending order."""
    keys = np.empty(int(degrees.sum()), np.int64)  # a node in the upper 32 bits, triangles in the lower ones
    filled = 0
    first = part.first - blocks.first_ranks[part.block]
    last = part.last - blocks.first_ranks[part.block]
    for pair in blocks.pairs:
        if part.block in pair:
            for nodes, triangles in _ends_in(blocks, place, pair, part.block, first, last):
                if filled + len(nodes) > len(keys):
                    raise _unlike(blocks)
                keys[filled : filled + len(nodes)] = (nodes << 32) | triangles
                filled += len(nodes)
    if filled < len(keys):
        raise _unlike(blocks)
    keys.sort()
    keys &= 0xFFFF_FFFF
    return np.concatenate(([0], np.cumsum(degrees))), keys


def _ends_in(
    blocks: Blocks, place: Place, pair: Pair, block: int, first: int, last: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The edges of a pair with an end among nodes first..last-1 of a block: that end, and the triangles."""
    triangles = place.get(f"triangles-{pair[0]}-{pair[1]}")
    if pair[0] == block:
        offsets = blocks.offsets(pair)
        begin, end = offsets[[first, last]].tolist()
        for start in range(begin, end, EDGES_AT_ONCE):
            edges = np.arange(start, min(start + EDGES_AT_ONCE, end))
            row = np.searchsorted(offsets, edges, side="right") - 1
            yield row - first, triangles[edges].astype(np.int64)
    if pair[1] == block:
        rows = blocks.rows(pair)
        for start in range(0, len(rows.targets), EDGES_AT_ONCE):
            targets = rows.targets[start : start + EDGES_AT_ONCE]
            chosen = np.flatnonzero((targets >= first) & (targets < last))
            yield (
                targets[chosen].astype(np.int64) - first,
                triangles[start : start + EDGES_AT_ONCE][chosen].astype(np.int64),
            )


def _unlike(blocks: Blocks) -> FileError:
    return FileError(
        f"{blocks.folder}: degrees and edges differ; cut the network again with `netveil blocks`."
    )


# From the states of parts to classes of nodes: a task for each partition of the states.
#
# Equal states are in the same partition, whatever part they are from, so that a partition says by itself
# how many nodes look alike. `figures` then tells each part about its nodes.


CLASSES_OF_A_PARTITION = 1 << 32  # at most: classes of all partitions have numbers of their own


def find_classes(
    place: Place, attacker: str, parts: int, partition: int, width: int, threads: int = 1
) -> int:
    """How many classes the states of a partition make; one thread is enough.

    Puts `classes-…` and `sizes-…`, of each state, one part after the other, and `begins-…` (parts + 1), where
    those of each part begin. With `width`, all states are so long, and `all-…` are those of the partition,
    each once, with how many nodes have it behind.
    """
    from netveil.kernels.classes import classes_of_rows

    lengths, often, states, begins = [], [], [], [0]
    for part in range(parts):
        name = f"{attacker}-{part}"
        (first, last), (begin, end) = place.get(f"bounds-{name}")[:, partition : partition + 2].tolist()
        begins.append(begins[-1] + last - first)
        if first < last:
            lengths.append(np.array(place.get(f"lengths-{name}")[first:last], np.int64))
            often.append(np.array(place.get(f"often-{name}")[first:last], np.int64))
            states.append(np.array(place.get(f"states-{name}")[begin:end], np.int64))
    offsets = np.concatenate(([0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))))
    values = np.concatenate([np.zeros(0, np.int64), *states])
    del states
    class_of, classes = classes_of_rows(offsets, values)
    sizes = np.zeros(classes, np.int64)
    np.add.at(sizes, class_of, np.concatenate([np.zeros(0, np.int64), *often]))
    name = f"{attacker}-{partition}"
    place.put(f"begins-{name}", np.array(begins))
    place.put(f"classes-{name}", class_of)
    place.put(f"sizes-{name}", sizes[class_of])
    if width:
        distinct = np.empty((classes, width + 1), np.int64)
        distinct[class_of, :width] = values.reshape(-1, width)
        distinct[:, width] = sizes
        place.put(f"all-{name}", distinct)
    return classes


def sort_states(place: Place, attacker: str, partitions: int, width: int, threads: int = 1) -> None:
    """Put the states of all partitions, in ascending order, with how many nodes have each: `all-…`."""
    found = [np.array(place.get(f"all-{attacker}-{partition}"), np.int64) for partition in range(partitions)]
    every = np.concatenate(found)
    place.put(f"all-{attacker}", every[np.lexsort(every[:, width - 1 :: -1].T)])


def find_states_to_all(place: Place, part: Part, attackers: int, partitions: int, threads: int = 1) -> None:
    """Put the states of a part to all attackers together: to which class each of them assigns a node."""
    columns = []
    for attacker in map(str, range(attackers)):
        numbers = np.concatenate(
            [
                classes.astype(np.int64) + CLASSES_OF_A_PARTITION * partition
                for partition, classes in enumerate(_of_part(place, "classes", attacker, part, partitions))
            ]
        )
        columns.append(numbers[place.get(f"state-of-{attacker}-{part.number}")])
    put_states(place, "all", part, rows_of_columns(columns), partitions)


def lookalikes_in(
    place: Place, attacker: str, part: Part, partitions: int, fuzzy: Fraction | None, width: int
) -> NDArray[np.int64]:
    """How many look like each node of a part to an attacker, itself included."""
    state_of = place.get(f"state-of-{attacker}-{part.number}")
    if fuzzy is None:
        sizes = np.concatenate(_of_part(place, "sizes", attacker, part, partitions))
        alike: NDArray[np.int64] = sizes[state_of].astype(np.int64)
        return alike
    from netveil.kernels.classes import counts_within

    states = np.array(place.get(f"states-{attacker}-{part.number}"), np.int64).reshape(-1, width)
    every = np.array(place.get(f"all-{attacker}"), np.int64)
    lowest, highest = bounds(_two_columns(states), fuzzy)
    counts = counts_within(lowest, highest, _two_columns(every[:, :width]), every[:, width].copy())
    similar: NDArray[np.int64] = counts[state_of]
    return similar


def _two_columns(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """States with a second number, 0, where there is only one."""
    if states.shape[1] > 1:
        return np.ascontiguousarray(states)
    return np.column_stack((states[:, 0], np.zeros(len(states), np.int64)))


def _of_part(place: Place, what: str, attacker: str, part: Part, partitions: int) -> list[NDArray[Any]]:
    """What the partitions have found about the states of a part, in the order of these."""
    found = []
    for partition in range(partitions):
        name = f"{attacker}-{partition}"
        first, last = place.get(f"begins-{name}")[part.number : part.number + 2].tolist()
        found.append(place.get(f"{what}-{name}")[first:last])
    return found


# The figures of a network in blocks: what `Anonymity` says of one in memory, without arrays of nodes.


Sizes = dict[int, int]
"""Number of lookalikes → how many nodes have that many."""


@dataclass(frozen=True)
class BlockAnonymity:
    """Who can be singled out in a network in blocks: how many people, not which."""

    network: str
    nodes: int
    edges: int
    measure: str
    distance: int
    k: int
    fuzzy: Fraction | None
    twins: bool
    classes: int  # number of equivalence classes
    class_sizes: Sizes  # in ascending order
    edges_at_risk: int | None  # edges with an end at risk; None to one of several attackers
    attackers: tuple[Attacker, ...]
    each: tuple[BlockAnonymity, ...] = ()  # to each attacker alone, where there are several

    @property
    def unique(self) -> int:
        """Nodes without any lookalike."""
        return self._with_fewer(2)

    @property
    def at_risk(self) -> int:
        """Nodes with fewer than k lookalikes, themselves included."""
        return self._with_fewer(self.k)

    @property
    def uniqueness(self) -> float:
        """The share of nodes at risk."""
        return self.at_risk / self.nodes if self.nodes else 0.0

    def _with_fewer(self, lookalikes: int) -> int:
        return sum(nodes for size, nodes in self.class_sizes.items() if size < lookalikes)

    def to_dict(self) -> dict[str, object]:
        """The figures under their names in the contract."""
        return documented(self)


class Asked(NamedTuple):
    """What a task must know of an attacker to tell how many look like a node."""

    fuzzy: Fraction | None
    width: int  # numbers of a state; 0 where states differ in that


def judge_part(
    place: Place, part: Part, asked: tuple[Asked, ...], partitions: int, k: int, threads: int = 1
) -> list[Sizes]:
    """How many nodes of a part have how many lookalikes: to each attacker, and to the one who knows most.

    Puts `risk-…`, whether each node is at risk. One thread is enough.
    """
    to_each = [
        lookalikes_in(place, str(attacker), part, partitions, fuzzy, width)
        for attacker, (fuzzy, width) in enumerate(asked)
    ]
    fewest = reduce(np.minimum, to_each)
    place.put(f"risk-{part.number}", fewest < k)
    return [
        dict(zip(*(found.tolist() for found in np.unique(lookalikes, return_counts=True)), strict=True))
        for lookalikes in (*to_each, fewest)
    ]


def edges_touching(
    place: Place, pair: Pair, rows_in: Sequence[int], targets_in: Sequence[int], threads: int = 1
) -> int:
    """How many edges of a pair of blocks have an end at risk, by the parts that its blocks are in."""
    rows = place.blocks().rows(pair)
    of_rows, of_targets = (
        np.concatenate([place.get(f"risk-{part}") for part in parts]).astype(bool)
        for parts in (rows_in, targets_in)
    )
    return int(np.count_nonzero(np.repeat(of_rows, np.diff(rows.offsets)) | of_targets[rows.targets]))


def summed(sizes: Sequence[Sizes]) -> Sizes:
    """The figures of all parts together.

    >>> summed([{2: 4, 1: 1}, {1: 2}])
    {1: 3, 2: 4}
    """
    total: Counter[int] = Counter()
    for part in sizes:
        total.update(part)
    return dict(sorted(total.items()))
