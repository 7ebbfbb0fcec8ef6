"""Proposals of the annealing: deletions, restorations, and swaps of the two.

A flip that touches few nodes costs few of them their lookalikes. So edges on few triangles are preferred, by
taking the best of several draws, and so are swaps of edges that touch nearly the same (`draw_alike`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.proposal import (
    StepColumn,
    WalkScene,
    forget_places,
    touch_ends,
    touch_opposite,
)
from netveil.kernels.annealing.walk_state import (
    NONE,
    CellColumn,
    Mesh,
    NodeColumn,
    PlaceColumn,
    Unlisted,
    WalkCount,
    WalkEdges,
    WalkNodes,
    size_of,
)
from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.basics import next_below, next_unit
from netveil.kernels.compiled import inlined, shared
from netveil.kernels.states import risk_when_left

# Edges that touch nearly the same nodes: swapping them moves hardly anybody who could lose a lookalike.
#
# To flip an edge moves its ends and their common neighbours. An edge and another one at one of its ends
# have many of these in common: where the one is restored and the other deleted, those stay as they are.


UNKNOWN = np.int64(-2)  # in the first place of a row that is not written yet
ALIKE_DRAWS = 3  # of a row: some of its edges are deleted already
MOST_CANDIDATES = 200  # edges at each end that are looked at
MOST_TRIANGLES = 256  # an edge on more is alike to none: it would take too long to tell
OF_CROWD = 0.05  # what it counts that a node is touched which has lookalikes to spare; 1 for others
OF_END = 4.0  # how many times as much it counts for an end, whose contacts change too
OF_SHARED_END = 0.5  # how much for the shared end, where only its triangles change


@inlined
def draw_alike(scene: WalkScene, restored: int, random: Words) -> int:
    """An edge to delete instead of a deleted one, that touches nearly the same; NONE if none is found."""
    people, edges, alike = scene.people, scene.edges, scene.edges.alike
    if alike.shape[0] == 0:
        return NONE
    if alike[restored, 0] == UNKNOWN:
        costs, cells = scene.proposal.alike_costs, people.states.cells
        _find_alike(scene.mesh, scene.k, people.nodes, cells, edges.incident, alike, costs, restored)
    for _ in range(ALIKE_DRAWS):
        removed = np.int64(alike[restored, next_below(random, alike.shape[1])])
        if removed >= 0 and scene.present[removed]:
            return removed
    return NONE


@shared
def _find_alike(
    mesh: Mesh,
    k: int,
    nodes: IntMatrix,
    cells: IntMatrix,
    incident: IntVector,
    alike: IntMatrix,
    costs: NDArray[np.float64],
    edge: int,
) -> None:
    """Write the row of an edge: those at its ends for which a swap moves the least, the best first.

    What it counts that somebody is moved is told from who has lookalikes now; it is not looked at again.
    `costs` (edges in a row) is scratch.
    """
    ends, first_row, triangles = mesh.ends, mesh.first_row, mesh.triangles
    length = alike.shape[1]
    for place in range(length):
        costs[place] = np.inf
        alike[edge, place] = NONE
    begin, end = first_row[edge], first_row[edge + 1]
    if end - begin > MOST_TRIANGLES:
        return
    own = 0.0
    for row in range(begin, end):
        nodes[triangles[row, 2], NodeColumn.PLACE] = 0
        own += _weight(nodes, cells, k, triangles[row, 2])
    for side in range(2):
        shared, far = ends[edge, side], ends[edge, 1 - side]
        own_far = _weight(nodes, cells, k, far)
        first, last = nodes[shared, NodeColumn.FIRST_EDGE], nodes[shared, NodeColumn.LAST_EDGE]
        step = (last - first) // MOST_CANDIDATES or 1
        for number in range((last - first + step - 1) // step):
            other = np.int64(incident[first + number * step])
            other_begin, other_end = first_row[other], first_row[other + 1]
            if other == edge or other_end - other_begin > MOST_TRIANGLES:
                continue
            other_far = ends[other, 0] if ends[other, 1] == shared else ends[other, 1]
            cost = own + OF_END * (own_far + _weight(nodes, cells, k, other_far))
            for row in range(other_begin, other_end):
                node = triangles[row, 2]
                cost += _weight(nodes, cells, k, node) * (1 if nodes[node, NodeColumn.PLACE] < 0 else -1)
            if other_end - other_begin != end - begin:
                cost += OF_SHARED_END * _weight(nodes, cells, k, shared)
            if cost < costs[length - 1]:
                spot = length - 1
                while spot > 0 and cost < costs[spot - 1]:
                    costs[spot], alike[edge, spot] = costs[spot - 1], alike[edge, spot - 1]
                    spot -= 1
                costs[spot], alike[edge, spot] = cost, other
    for row in range(begin, end):
        nodes[triangles[row, 2], NodeColumn.PLACE] = -1


@inlined
def _weight(nodes: IntMatrix, cells: IntMatrix, k: int, node: int) -> float:
    """Weight of moving a node: small where it has lookalikes to spare."""
    return 1.0 if cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] <= k else OF_CROWD


DELETED, THERE = np.int64(0), np.int64(1)  # as in `present`
LANDING = 0.2  # share of proposals that bring a node at risk among lookalikes
LANDING_LOOKS = np.int64(48)  # edges of the node that are looked at for such a one
FEWER_THAN_ANY = np.int64(1) << 62  # triangles
ALIKE_SWAPS = 0.4  # share of the others that swap edges which touch nearly the same nodes
EQUAL_SWAPS = 0.15  # share of the others that swap edges of a node on the same number of triangles
EQUAL_DRAWS = 15  # edges that are looked at for such a one
PAIR_SHIFTS = 0.1  # share of the others that do the same at two lookalikes
AROUND_RISK = 0.3  # share of the others that flip something at or over against a node at risk
AT_PARTNER = 0.3  # share of these that do so at its partner
ALIKE_AROUND = 0.5  # share of those with a deleted edge that swap it with one that touches nearly the same
DRAWS = np.int64(5)  # edges drawn at a node: the one on fewest triangles counts
ANY = 0.1  # share of edges drawn far away that are on however many triangles
DELETING = 0.3  # share of proposals, below the budget, that flip one edge, mostly to delete it
RESTORING = 0.3  # share of proposals with a deleted edge that only restore it
SHARING = 0.6  # share that swap it with one at one of its ends; the others swap with one far away
RESTORED_AROUND, SWAPPED_AROUND, SWAPPED_NEARBY = 0.5, 0.65, 0.85  # the same around a node at risk, added up


@inlined
def draw_near(
    incident: IntVector, edge_triangles: NDArray[np.int32], first: int, last: int, draws: int, random: Words
) -> int:
    """Draw edges of incident[first:last] and take the one on the fewest triangles; NONE if it is empty."""
    if first == last:
        return NONE
    chosen = np.int64(incident[first + next_below(random, last - first)])
    for _ in range(draws - 1):
        other = np.int64(incident[first + next_below(random, last - first)])
        if edge_triangles[other] < edge_triangles[chosen]:
            chosen = other
    return chosen


@inlined
def draw_far(poor_first: IntVector, quantiles: NDArray[np.int64], random: Words) -> int:
    """A movable edge, those on few triangles more often."""
    if next_unit(random) < ANY:
        return np.int64(poor_first[next_below(random, poor_first.shape[0])])
    place = next_below(random, quantiles.shape[0] - 1)
    first, last = quantiles[place], quantiles[place + 1]
    return np.int64(poor_first[first + next_below(random, last - first)])


@inlined
def draw_risky(nodes: IntMatrix, cells: IntMatrix, k: int, count: int, random: Words) -> int:
    """Draw one of the first `count` nodes listed as risky; NONE if it is no longer at risk."""
    if count == 0:
        return NONE
    node = np.int64(nodes[next_below(random, count), NodeColumn.RISKY])
    return node if cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k else NONE


@inlined
def propose(scene: WalkScene, room: bool, random: Words) -> int:
    """One or two flips; writes `flips`, restorations first; returns how many, 0 if none was found."""
    mesh, k, present, people, edges, proposal = scene
    nodes, cells, flips, counts = people.nodes, people.states.cells, proposal.flips, edges.counts
    if next_unit(random) < LANDING:
        node = draw_risky(nodes, cells, k, counts[WalkCount.LISTED], random)
        if node >= 0:
            count = flips_that_land(people, k, edges, flips, node, room, random)
            if count > 0:
                return count
    restored = NONE
    if counts[WalkCount.DELETED] > 0:
        restored = np.int64(edges.deleted[next_below(random, counts[WalkCount.DELETED])])
        removed = NONE
        if next_unit(random) < ALIKE_SWAPS:
            removed = draw_alike(scene, restored, random)
        elif next_unit(random) < EQUAL_SWAPS:
            # At the same node, mostly the hub, whose state then hardly changes.
            node = _draw_end(mesh.ends, nodes, restored, 0.85, random)
            removed = _on_as_many(nodes, edges, restored, node, THERE, np.int64(1), random)
        if removed >= 0:
            return write_flips(flips, restored, removed)
    if next_unit(random) < PAIR_SHIFTS:
        count = flips_of_pair(scene, restored, room, random)
        if count > 0:
            return count
    if next_unit(random) < AROUND_RISK:
        node = draw_risky(nodes, cells, k, counts[WalkCount.LISTED], random)
        if node >= 0:
            if next_unit(random) < AT_PARTNER:
                node = np.int64(nodes[node, NodeColumn.PARTNER])
            near, removed, chance = NONE, NONE, next_unit(random)
            deletes = room and chance < DELETING
            if not deletes:
                near = _edge_around(mesh, present, nodes, edges, node, DELETED, random)
                if near >= 0 and next_unit(random) < ALIKE_AROUND:
                    removed = draw_alike(scene, near, random)
                if near >= 0 and removed < 0 and chance >= SWAPPED_AROUND:
                    removed = _swapped_with(scene, near, chance < SWAPPED_NEARBY, random)
                elif near >= 0 and removed < 0 and chance >= RESTORED_AROUND:
                    deletes = True
            if deletes:
                removed = _edge_around(mesh, present, nodes, edges, node, THERE, random)
            count = write_flips(flips, near, removed)
            if count > 0:
                return count
    if restored < 0 or (room and next_unit(random) < DELETING):
        return write_flips(flips, draw_far(edges.poor_first, edges.quantiles, random), NONE)
    removed, chance = NONE, next_unit(random)
    if chance >= RESTORING:
        removed = _swapped_with(scene, restored, chance < RESTORING + SHARING, random)
    return write_flips(flips, restored, removed)


@inlined
def flips_that_land(
    people: WalkNodes, k: int, edges: WalkEdges, flips: IntVector, node: int, room: bool, random: Words
) -> int:
    """A deletion, restoration or swap after which a node at risk has lookalikes; writes `flips`, how many.

    Of the edges that do, among some at the node, the one on fewest triangles.
    """
    nodes, incident, edge_triangles = people.nodes, edges.incident, edges.edge_triangles
    start = np.int64(nodes[node, NodeColumn.FIRST_EDGE])
    middle = np.int64(nodes[node, NodeColumn.FIRST_DELETED])
    end = np.int64(nodes[node, NodeColumn.LAST_EDGE])
    more_degree, more_triangles = np.int64(0), np.int64(0)
    restored, first, last, sign = NONE, start, middle, np.int64(-1)
    chance = next_unit(random)
    if middle < end and (chance >= DELETING or not room):
        if chance < DELETING + RESTORING:
            first, last, sign = middle, end, np.int64(1)
        else:
            restored = np.int64(incident[middle + next_below(random, end - middle)])
            more_degree, more_triangles = np.int64(1), np.int64(edge_triangles[restored])
    if first == last or (sign < 0 and restored < 0 and not room):
        return np.int64(0)
    degree = nodes[node, NodeColumn.DEGREE] + more_degree + sign
    triangles = nodes[node, NodeColumn.TRIANGLES] + more_triangles
    chosen, fewest = NONE, FEWER_THAN_ANY
    place = first + next_below(random, last - first)
    for _ in range(last - first if last - first < LANDING_LOOKS else LANDING_LOOKS):
        edge = np.int64(incident[place])
        on = np.int64(edge_triangles[edge])
        place += 1
        if place == last:
            place = first
        if on >= fewest or (restored >= 0 and on == more_triangles):
            continue
        if size_of(people.states, degree, triangles + sign * on) >= k - 1:
            chosen, fewest = edge, on
    if chosen < 0:
        return np.int64(0)
    if sign > 0:
        return write_flips(flips, chosen, NONE)
    return write_flips(flips, restored, chosen)


@inlined
def flips_of_pair(scene: WalkScene, restored: int, room: bool, random: Words) -> int:
    """Flip an edge of each of two lookalikes, both on as many triangles; writes `flips`, returns how many."""
    edges, nodes, present = scene.edges, scene.people.nodes, scene.present
    edge = restored
    if restored < 0 or (room and next_unit(random) < 0.5):
        edge = draw_far(edges.poor_first, edges.quantiles, random)
    node = _draw_end(scene.mesh.ends, nodes, edge, 0.7, random)
    partner = np.int64(nodes[node, NodeColumn.PARTNER])
    if partner == node or nodes[partner, NodeColumn.CELL] != nodes[node, NodeColumn.CELL]:
        return np.int64(0)
    other = _on_as_many(nodes, edges, edge, partner, np.int64(present[edge]), np.int64(0), random)
    if other < 0 or other == edge:
        return np.int64(0)
    return write_flips(scene.proposal.flips, edge, other)


@inlined
def _swapped_with(scene: WalkScene, restored: int, nearby: bool, random: Words) -> int:
    """An edge to delete instead of one, at one of its ends or far away; NONE if none was found."""
    edges, nodes = scene.edges, scene.people.nodes
    if nearby:
        end = scene.mesh.ends[restored, next_below(random, 2)]
        first, last = nodes[end, NodeColumn.FIRST_EDGE], nodes[end, NodeColumn.FIRST_DELETED]
        return draw_near(edges.incident, edges.edge_triangles, first, last, DRAWS, random)
    removed = draw_far(edges.poor_first, edges.quantiles, random)
    return removed if scene.present[removed] else NONE


@inlined
def write_flips(flips: IntVector, restored: int, removed: int) -> int:
    """Write the edges that are not NONE; returns how many."""
    count = np.int64(0)
    if restored >= 0:
        flips[0] = restored
        count = np.int64(1)
    if removed >= 0 and removed != restored:
        flips[count] = removed
        count += 1
    return count


@inlined
def _draw_end(ends: IntMatrix, nodes: IntMatrix, edge: int, of_hub: float, random: Words) -> int:
    """Draw an end of an edge; with chance `of_hub` the one with more contacts."""
    u, v = np.int64(ends[edge, 0]), np.int64(ends[edge, 1])
    u_is_hub = nodes[u, NodeColumn.DEGREE] > nodes[v, NodeColumn.DEGREE]
    return u if u_is_hub == (next_unit(random) < of_hub) else v


@inlined
def _on_as_many(
    nodes: IntMatrix, edges: WalkEdges, edge: int, node: int, is_there: int, most: int, random: Words
) -> int:
    """Draw an edge of a node on as many triangles as this one, or `most` off, that is there or is deleted."""
    first, last = nodes[node, NodeColumn.FIRST_EDGE], nodes[node, NodeColumn.FIRST_DELETED]
    if is_there == DELETED:
        first, last = last, nodes[node, NodeColumn.LAST_EDGE]
    chosen = NONE
    if first < last:
        for _ in range(EQUAL_DRAWS):
            other = np.int64(edges.incident[first + next_below(random, last - first)])
            difference = abs(np.int64(edges.edge_triangles[other]) - edges.edge_triangles[edge])
            if difference == 0:
                return other
            if difference <= most:
                chosen = other
    return chosen


@inlined
def _edge_around(
    mesh: Mesh,
    present: NDArray[np.uint8],
    nodes: IntMatrix,
    edges: WalkEdges,
    node: int,
    is_there: int,
    random: Words,
) -> int:
    """An edge at a node, or one that closes a triangle with two of its, that is there or is deleted."""
    incident = edges.incident
    first, last = nodes[node, NodeColumn.FIRST_EDGE], nodes[node, NodeColumn.FIRST_DELETED]
    if next_unit(random) < 0.5 or last == first or not mesh.listed:
        draws = np.int64(1)
        if is_there == THERE:
            draws += next_below(random, 4)
        else:
            first, last = last, nodes[node, NodeColumn.LAST_EDGE]
        return draw_near(incident, edges.edge_triangles, first, last, draws, random)
    for _ in range(8):
        edge = incident[first + next_below(random, last - first)]
        opposite, _ = draw_opposite(mesh, node, edge, random)
        if opposite < 0 or edges.places[opposite, PlaceColumn.AT_FIRST_END] < 0:
            continue
        if present[opposite] == is_there:
            return opposite
    return NONE


@inlined
def draw_opposite(mesh: Mesh, node: int, edge: int, random: Words) -> tuple[int, int]:
    """Over against a node, an edge that closes a triangle with this one of the node's, and the third edge."""
    first, last = mesh.first_row[edge], mesh.first_row[edge + 1]
    if first == last:
        return NONE, NONE
    row = first + next_below(random, last - first)
    one, other = np.int64(mesh.triangles[row, 0]), np.int64(mesh.triangles[row, 1])
    at_node = mesh.ends[one, 0] == node or mesh.ends[one, 1] == node
    return (other, one) if at_node else (one, other)


# Guided chains: bring a node at risk among lookalikes as cheaply as can be, then whom that harmed.


MOST_LANDINGS = np.int64(100)  # deletions, restorations and swaps that are looked at, each
MOST_OPPOSITE = 40  # edges over against the node that are looked at
NOISE = 0.2  # so that the best is not always the same


@inlined
def land(
    scene: WalkScene,
    unlisted: Unlisted | None,
    node: int,
    made: int,
    room: int,
    reward: float,
    limit: float,
    random: Words,
) -> int:
    """Add the one or two flips that bring a node among k - 1 others at the least estimated cost.

    What each costs is estimated in nodes at risk, less the reward for deletions, and must be below the limit.
    Writes `flips` after those that are `made`; returns how many flips there are then.
    """
    mesh, k, present, people, edges, proposal = scene
    nodes, flips, steps = people.nodes, proposal.flips, proposal.steps
    incident, edge_triangles, states = edges.incident, edges.edge_triangles, people.states
    start = np.int64(nodes[node, NodeColumn.FIRST_EDGE])
    middle = np.int64(nodes[node, NodeColumn.FIRST_DELETED])
    degree, triangles = np.int64(nodes[node, NodeColumn.DEGREE]), np.int64(nodes[node, NodeColumn.TRIANGLES])
    there, gone = middle - start, np.int64(nodes[node, NodeColumn.LAST_EDGE]) - middle
    best_restored, best_removed, best_cost = NONE, NONE, limit
    deletions = there if there < MOST_LANDINGS else MOST_LANDINGS
    restorations = gone if gone < MOST_LANDINGS else MOST_LANDINGS
    swaps, opposite = 0, 0
    if there > 0 and gone > 0:
        swaps = MOST_LANDINGS
    if there > 0 and mesh.listed and mesh.counted:
        for more in (-1, 1):
            if size_of(states, degree, triangles + more) >= k - 1:
                opposite = MOST_OPPOSITE
    place = start + next_below(random, there)
    for number in range(deletions + restorations + swaps + opposite):
        restored, removed = NONE, NONE
        more_degree, more_triangles = 0, 0
        if number < deletions:
            removed = np.int64(incident[place])
            place += 1
            if place == middle:
                place = start
        elif number < deletions + restorations:
            restored = np.int64(incident[middle + number - deletions])
        elif number < deletions + restorations + swaps:
            restored = np.int64(incident[middle + next_below(random, gone)])
            removed = np.int64(incident[start + next_below(random, there)])
        else:
            edge = incident[start + next_below(random, there)]
            over_against, third = draw_opposite(mesh, node, edge, random)
            if over_against < 0 or edges.places[over_against, PlaceColumn.AT_FIRST_END] < 0:
                continue
            if present[third] == 0:
                continue
            if present[over_against]:
                removed, more_triangles = over_against, -1
            else:
                restored, more_triangles = over_against, 1
        if more_triangles == 0:
            if removed >= 0:
                more_degree -= 1
                more_triangles -= edge_triangles[removed]
            if restored >= 0:
                more_degree += 1
                more_triangles += edge_triangles[restored]
        if more_degree == 0 and more_triangles == 0:
            continue
        if size_of(states, degree + more_degree, triangles + more_triangles) < k - 1:
            continue
        is_made = False
        for done in range(made):
            is_made = is_made or flips[done] == restored or flips[done] == removed
        more_deleted = np.int64(removed >= 0) - np.int64(restored >= 0)
        if is_made or more_deleted > room:
            continue
        cost = next_unit(random) * NOISE - reward * more_deleted
        # And how many more nodes it puts at risk, as if each touched node moved alone.
        found = np.int64(0)
        for which in range(2):
            edge = removed
            if which == 0:
                edge = restored
            if edge >= 0:
                sign = 1 - 2 * np.int64(present[edge])
                closed, found = touch_opposite(mesh, unlisted, present, nodes, steps, edge, found)
                found = touch_ends(mesh.ends, nodes, steps, edge, sign, sign * closed, found)
        forget_places(nodes, steps, found)
        for touched in range(found):
            degrees = np.int64(steps[touched, StepColumn.DEGREE])
            closed = np.int64(steps[touched, StepColumn.TRIANGLES])
            if degrees == 0 and closed == 0:
                continue
            other = np.int64(steps[touched, StepColumn.NODE])
            degrees += nodes[other, NodeColumn.DEGREE]
            closed += nodes[other, NodeColumn.TRIANGLES]
            size = np.int64(states.cells[nodes[other, NodeColumn.CELL], CellColumn.SIZE])
            joined = size_of(states, degrees, closed)
            cost += risk_when_left(size, k) - risk_when_left(joined + 1, k)
            if cost > best_cost:
                break
        if cost < best_cost:
            best_restored, best_removed, best_cost = restored, removed, cost
    count = made
    if best_restored >= 0:
        flips[count] = best_restored
        count += 1
    if best_removed >= 0:
        flips[count] = best_removed
        count += 1
    return count


@inlined
def broken_node(
    nodes: IntMatrix, cells: IntMatrix, k: int, steps: IntMatrix, moved: int, random: Words
) -> int:
    """Draw a node at risk among those that moved, or that they left; NONE if there is none."""
    chosen, count = NONE, 0
    for move in range(2 * moved):
        node = np.int64(steps[move // 2, StepColumn.MOVED])
        if move % 2 == 1:
            node = np.int64(cells[steps[move // 2, StepColumn.FROM_CELL], CellColumn.FIRST])
        if node >= 0 and cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k:
            count += 1
            if next_below(random, count) == 0:
                chosen = node
    return chosen
