"""Surroundings of nodes, G_d(v), and the edges around some nodes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector, Words
from netveil.kernels.basics import first_at_least, mixed, sort_part
from netveil.kernels.compiled import compiled, in_place, internal


@compiled
def mark_around(csr: Csr, nodes: IntVector, opposite: bool, marks: NDArray[np.uint8]) -> None:
    """Mark the edges at these nodes, and if `opposite` those that close a triangle with two of them.

    Writes 1 into `marks` (m), by the numbers of edges in `csr`. O(edges at the neighbours of these nodes).
    """
    offsets, neighbours, edge_numbers = csr
    is_near = np.zeros(offsets.shape[0] - 1, np.uint8)
    for node in nodes:
        for place in range(offsets[node], offsets[node + 1]):
            marks[edge_numbers[place]] = 1
            is_near[neighbours[place]] = 1
        if opposite:
            for place in range(offsets[node], offsets[node + 1]):
                near = neighbours[place]
                for further in range(offsets[near], offsets[near + 1]):
                    if is_near[neighbours[further]]:
                        marks[edge_numbers[further]] = 1
        for place in range(offsets[node], offsets[node + 1]):
            is_near[neighbours[place]] = 0


@compiled
def mark_closing(csr: Csr, pairs: NDArray[np.int64], marks: NDArray[np.uint8]) -> None:
    """Mark the edges that close triangles with these edges, which are pairs of nodes (some, 2).

    Writes 1 into `marks` (m). For each: O(lower degree · log higher degree).
    """
    offsets, neighbours, edge_numbers = csr
    for number in range(pairs.shape[0]):
        few, many = pairs[number, 0], pairs[number, 1]
        if offsets[few + 1] - offsets[few] > offsets[many + 1] - offsets[many]:
            few, many = many, few
        place, end = offsets[many], offsets[many + 1]
        for near in range(offsets[few], offsets[few + 1]):
            place = first_at_least(neighbours, neighbours[near], place, end)
            if place < end and neighbours[place] == neighbours[near]:
                marks[edge_numbers[near]] = 1
                marks[edge_numbers[place]] = 1


# The surroundings of nodes: G_d(v), the subgraph induced by the nodes within distance d of v, v included.
#
# All kernels here look at one node after the other, and only at the edges that `present` (m, by edge
# number) says are there. Their cost is the sum over the surroundings of all degrees in them.


R = TypeVar("R")

ROOM = np.int64(64)  # entries at first, where nobody knows how many there will be
NODES_WORTH_A_THREAD = 200  # below, starting a thread costs more than it saves


class Ball(NamedTuple):
    """The nodes around a root; made once and filled for one root after the other."""

    place_of: NDArray[np.int64]  # (n): a node's place in `order`; n for those who are not around
    order: NDArray[np.int64]  # (n): the nodes around, nearest first
    starts: NDArray[np.int64]  # (d + 2): order[starts[l]:starts[l + 1]] are at distance l


@internal
def empty_ball(nodes: int, distance: int) -> Ball:
    """Room for the surroundings in a network of so many nodes."""
    place_of, order = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for node in range(nodes):  # np.full takes longer to compile than all the rest here
        place_of[node] = nodes
    return Ball(place_of, order, np.zeros(distance + 2, np.int64))


@internal
def fill_ball(csr: Csr, present: NDArray[np.uint8], root: int, ball: Ball) -> None:
    """Find who is around `root`. Writes `ball`, which must be empty."""
    place_of, order, starts = ball.place_of, ball.order, ball.starts
    n = place_of.shape[0]
    order[0] = root
    place_of[root] = 0
    starts[1] = 1
    met = 1
    for step in range(1, starts.shape[0] - 1):
        for index in range(starts[step - 1], starts[step]):
            v = order[index]
            for place in range(csr.offsets[v], csr.offsets[v + 1]):
                w = csr.neighbours[place]
                if place_of[w] == n and present[csr.edge_numbers[place]]:
                    place_of[w] = met
                    order[met] = w
                    met += 1
        starts[step + 1] = met


@internal
def clear_ball(ball: Ball) -> None:
    """Empty the ball. Writes `ball`, only where it was filled."""
    for index in range(ball.starts[-1]):
        ball.place_of[ball.order[index]] = ball.place_of.shape[0]


@internal
def with_room(values: NDArray[np.int64], filled: int, needed: int) -> NDArray[np.int64]:
    """`values` if it has room for as many as needed; else a longer array with its first `filled` ones."""
    if needed <= values.shape[0]:
        return values
    longer = np.empty(2 * needed, np.int64)
    for place in range(filled):
        longer[place] = values[place]
    return longer


def ball_numbers(csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int) -> NDArray[np.int64]:
    """Rows (nodes of G_1, edges of G_1, nodes of G_2, edges of G_2, …, edges of G_distance), one a node."""
    n = len(csr.offsets) - 1
    ball = Ball(np.full(n, n), np.empty(n, np.int64), np.zeros(distance + 2, np.int64))
    numbers = np.empty((len(nodes), 2 * distance), np.int64)
    write_ball_numbers(csr, present, nodes, ball, numbers)
    return numbers


@in_place
def write_ball_numbers(
    csr: Csr, present: NDArray[np.uint8], nodes: IntVector, ball: Ball, numbers: NDArray[np.int64]
) -> None:
    """Write the rows of `ball_numbers`; `ball` is empty before and afterwards."""
    for row in range(nodes.shape[0]):
        fill_ball(csr, present, nodes[row], ball)
        ends = 0
        for step in range(1, ball.starts.shape[0] - 1):
            nearer, last = ball.starts[step], ball.starts[step + 1]
            for index in range(nearer, last):
                v = ball.order[index]
                for place in range(csr.offsets[v], csr.offsets[v + 1]):
                    # Edges among those at the same distance are met from both ends, others from one.
                    other = ball.place_of[csr.neighbours[place]]
                    found = np.int64(other < nearer) + np.int64(other < last)
                    ends += found * np.int64(present[csr.edge_numbers[place]])
            numbers[row, 2 * step - 2] = last
            numbers[row, 2 * step - 1] = ends // 2
        clear_ball(ball)


@compiled
def ball_degrees(
    csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The degrees inside G_1, …, G_distance of each node, as rows: offsets (nodes + 1) and values.

    A row has for each distance how many different degrees there are, then each of them, ascending, and how
    often: rows are equal exactly when the multisets are, at every distance.
    """
    n = csr.offsets.shape[0] - 1
    ball = empty_ball(n, distance)
    among_nearer = np.empty(n, np.int64)  # neighbours that are no farther from the root, by place
    degree = np.empty(n, np.int64)  # all neighbours, by place
    how_often = np.zeros(n, np.int64)  # by degree
    offsets = np.zeros(nodes.shape[0] + 1, np.int64)
    values = np.empty(ROOM, np.int64)
    filled = np.int64(0)
    for row in range(nodes.shape[0]):
        fill_ball(csr, present, nodes[row], ball)
        for step in range(distance + 1):
            last = ball.starts[step + 1]
            for index in range(ball.starts[step], last):
                v = ball.order[index]
                nearer, all_there = 0, 0
                for place in range(csr.offsets[v], csr.offsets[v + 1]):
                    there = np.int64(present[csr.edge_numbers[place]])
                    all_there += there
                    nearer += there * np.int64(ball.place_of[csr.neighbours[place]] < last)
                among_nearer[index] = nearer
                degree[index] = all_there
        for step in range(1, distance + 1):
            found = np.int64(0)
            for index in range(ball.starts[step + 1]):
                # Only those at the border have neighbours outside.
                inside = among_nearer[index] if index >= ball.starts[step] else degree[index]
                found += how_often[inside] == 0
                how_often[inside] += 1
            values = with_room(values, filled, filled + 2 * found + 1)
            values[filled] = found
            filled += 1
            for inside in range(ball.starts[step + 1]):
                if how_often[inside] > 0:
                    values[filled] = inside
                    values[filled + 1] = how_often[inside]
                    how_often[inside] = 0
                    filled += 2
        offsets[row + 1] = filled
        clear_ball(ball)
    return offsets, values[:filled].copy()


@internal
def links_inside(
    csr: Csr, present: NDArray[np.uint8], ball: Ball, links_from: NDArray[np.int64], links: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The edges inside a filled ball, nodes by their places: those of place p are links_from[p]:….

    Writes `links_from` (n + 1) and `links`, or a longer array where that is too short; returns the one used.
    """
    around = ball.starts[-1]
    filled = np.int64(0)
    for index in range(around):
        v = ball.order[index]
        links_from[index] = filled
        links = with_room(links, filled, filled + csr.offsets[v + 1] - csr.offsets[v])
        for place in range(csr.offsets[v], csr.offsets[v + 1]):
            # Written without asking and kept if it counts: a branch here is wrong every other time.
            other = ball.place_of[csr.neighbours[place]]
            links[filled] = other
            filled += np.int64(other < around) * np.int64(present[csr.edge_numbers[place]])
    links_from[around] = filled
    return links


@internal
def colour_ball(ball: Ball, links_from: NDArray[np.int64], links: NDArray[np.int64]) -> Words:
    """Colours (nodes around), by place, that depend on the shape of the ball alone: colour refinement.

    A node's first colour is its distance from the root. In each round it takes on those of its neighbours,
    until a round tells no more nodes apart. Nothing is written.
    """
    around = ball.starts[-1]
    colours = np.empty(around, np.uint64)
    fresh = np.empty(around, np.uint64)
    for step in range(ball.starts.shape[0] - 1):
        for index in range(ball.starts[step], ball.starts[step + 1]):
            colours[index] = mixed(np.uint64(step))
    size = 4
    while size < 2 * around:
        size *= 2
    table = np.empty(size, np.int64)  # 1 + the first place with the colour that is kept here; 0 where none is
    before, now = 0, 1
    while now > before:
        for index in range(around):
            total = mixed(colours[index])
            for link in range(links_from[index], links_from[index + 1]):
                total += colours[links[link]]
            fresh[index] = mixed(total)
        colours, fresh = fresh, colours
        table[:] = 0
        before, now = now, 0
        for index in range(around):
            slot = np.int64(colours[index] & np.uint64(size - 1))
            while table[slot] > 0 and colours[table[slot] - 1] != colours[index]:
                slot = (slot + 1) & (size - 1)
            if table[slot] == 0:
                table[slot] = index + 1
                now += 1
    return colours


def ball_shapes(csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int) -> Words:
    """A number (nodes) for the shape of G_distance seen from its root: the same for isomorphic ones.

    As colour refinement cannot tell all shapes apart, different ones may have the same number as well.
    """
    return shapes_and_drawings(csr, present, nodes, distance, False)[0]


def ball_drawings(
    csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """G_distance of each node drawn in a standard way, as rows: offsets (nodes + 1) and values.

    The root is number 0, then nodes go by distance and by colour. A row is the number b of nodes around and
    then each edge {x, y}, x < y, as x * b + y, ascending. Equal rows prove that surroundings are isomorphic.
    Isomorphic ones mostly have equal rows: they may differ where nodes have the same colour.
    """
    _, offsets, values = shapes_and_drawings(csr, present, nodes, distance, True)
    return offsets, values


@compiled
def shapes_and_drawings(
    csr: Csr, present: NDArray[np.uint8], nodes: IntVector, distance: int, is_drawn: bool
) -> tuple[Words, NDArray[np.int64], NDArray[np.int64]]:
    """Numbers as of `ball_shapes`, and rows as of `ball_drawings`, empty if nothing is drawn."""
    n = csr.offsets.shape[0] - 1
    ball = empty_ball(n, distance)
    links_from = np.empty(n + 1, np.int64)
    links = np.empty(ROOM, np.int64)
    shapes = np.empty(nodes.shape[0], np.uint64)
    by_colour = np.empty(n, np.int64)  # places, by distance and colour
    number = np.empty(n, np.int64)  # by place: where it stands in that order
    scratch = np.empty(n, np.int64)
    offsets = np.zeros(nodes.shape[0] + 1, np.int64)
    values = np.empty(ROOM, np.int64)
    filled = np.int64(0)
    for row in range(nodes.shape[0]):
        fill_ball(csr, present, nodes[row], ball)
        links = links_inside(csr, present, ball, links_from, links)
        colours = colour_ball(ball, links_from, links)
        total = np.uint64(0)
        for colour in colours:
            total += mixed(colour)
        shapes[row] = mixed(total)
        if is_drawn:
            around = ball.starts[-1]
            for index in range(around):
                by_colour[index] = index
            for step in range(distance + 1):
                sort_part(by_colour, ball.starts[step], ball.starts[step + 1], colours, scratch)
            for index in range(around):
                number[by_colour[index]] = index
            values = with_room(values, filled, filled + 1 + links_from[around] // 2)
            values[filled] = around
            filled += 1
            for x in range(around):
                scratch[x] = filled  # where the next edge of x goes
                for link in range(links_from[by_colour[x]], links_from[by_colour[x] + 1]):
                    filled += np.int64(x < number[links[link]])
            for y in range(around):  # ascending, so that the edges of each x are
                for link in range(links_from[by_colour[y]], links_from[by_colour[y] + 1]):
                    x = number[links[link]]
                    if x < y:
                        values[scratch[x]] = x * around + y
                        scratch[x] += 1
            offsets[row + 1] = filled
        clear_ball(ball)
    return shapes, offsets, values[:filled].copy()


def in_threads(
    kernel: Callable[[Csr, NDArray[np.uint8], IntVector, int], R],
    csr: Csr,
    nodes: IntVector,
    distance: int,
    threads: int,
) -> list[R]:
    """Results of a kernel of this module for `nodes` of the whole network, part after part, in order."""
    present = np.ones(len(csr.neighbours) // 2, np.uint8)
    workers = max(1, min(threads, len(nodes) // NODES_WORTH_A_THREAD))
    if workers == 1:
        return [kernel(csr, present, nodes, distance)]
    # Several parts a thread: surroundings differ in size, and who is done first takes the next part.
    parts = np.array_split(nodes, min(8 * workers, len(nodes) // NODES_WORTH_A_THREAD))
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda part: kernel(csr, present, part, distance), parts))
