"""One walk of the annealing: its arrays, the partner that each node is to look like, and its schedule.

`new_walk` puts a problem into the arrays that kernels walk on, `new_plain_walk` does so for states that are
no sums over degree and triangles. `find_partners` says whom each node is nearest to: a node at risk costs by
its gap to that partner. A `Schedule` tells how temperature, costs and budget change during a walk, and fits
itself to the problem, so that nobody has to tune it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing import walk_state as kernel
from netveil.kernels.annealing.anneal import PlainWalk
from netveil.kernels.annealing.moves import UNKNOWN
from netveil.kernels.annealing.proposal import MOST_FLIPS
from netveil.kernels.annealing.walk_state import (
    NODE_COLUMNS,
    Leg,
    LimitState,
    NodeColumn,
    Numbers,
    PlaceColumn,
    PointRows,
    Walk,
    WalkCount,
    WalkNodes,
    count_cells,
    find_nearest,
)
from netveil.kernels.arrays import IntVector
from netveil.kernels.limits import clustering_sum, pieces_of
from netveil.kernels.states import Total
from netveil.search.problem import Problem


def find_partners(people: WalkNodes, k: int) -> None:
    """Make the (k - 1)-th nearest other node the partner of each; writes partners and back references."""
    nodes, numbers = people.nodes, people.states.numbers
    partners = nearest(numbers, nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES], k)
    nodes[:, NodeColumn.PARTNER] = partners
    nodes[:, NodeColumn.POINTING] = np.argsort(partners, kind="stable")
    pointing = np.bincount(partners, minlength=len(nodes))
    nodes[:, NodeColumn.LAST_POINTING] = np.cumsum(pointing)
    nodes[:, NodeColumn.FIRST_POINTING] = nodes[:, NodeColumn.LAST_POINTING] - pointing


def nearest(numbers: Numbers, degrees: IntVector, triangles: IntVector, k: int) -> IntVector:
    """The (k - 1)-th nearest other node of each (n), by the gap that `walk_state.py` defines."""
    counts = np.column_stack((degrees, triangles)).astype(np.int64)
    first = counts @ np.array(numbers[:2]) * numbers.first_unit
    second = counts @ np.array(numbers[2:4]) - numbers.usual[degrees]
    in_rows = np.lexsort((second, first))
    firsts, starts = np.unique(first[in_rows], return_index=True)
    rows = PointRows(firsts, np.append(starts, len(degrees)), second[in_rows])
    places, scratch = np.empty(len(degrees), dtype=np.int64), np.empty((2, k - 1), dtype=np.int64)
    find_nearest(rows, scratch[0], scratch[1], places)
    partners = np.empty(len(degrees), dtype=np.int64)
    partners[in_rows] = in_rows[places]
    return partners


# Puts a problem into the arrays that an annealing chain walks on.


MOST_CELLS = 1 << 23  # with a cell for each possible state, 64 MB a chain; with more, they are hashed
SMALLEST_TABLE = 1 << 20  # cells where they are hashed
FIRST_UNIT = 10  # triangles that a difference of one in degree is worth: about what an edge brings
USUAL = 0.6  # share of them that is taken to go along with the degree
FEW_CONTACTS = 3  # nodes with no more say nothing about how triangles grow with degree
FIRST_REWARD = 0.5  # of a deletion, in multiples of the temperature
HUBS = 0.1  # share of the nodes that are best connected
TRIANGLE_EXPONENT = -1.5  # an edge on t triangles, or that touches t nodes, is drawn as (1 + t) to this power
QUANTILES = 4096  # parts of the edges, from poor to rich
ALIKE = 16  # edges that touch most nearly the same, of which a swap draws one
MOST_WITH_ALIKE = 1 << 20  # edges; with more, which are alike is not kept, which takes 64 bytes an edge


def numbers_of(problem: Problem) -> Numbers:
    """The two numbers of a state; a unit of the first weighs as many of the second as an edge brings."""
    assert problem.linear_weights is not None
    first, second = problem.linear_weights.numbers
    degrees, triangles = problem.at_first.counts
    usual = np.zeros(int(degrees.max(initial=0)) + 1, dtype=np.int32)
    if first == (1, 0) and second == (0, 1) and problem.apart is None:
        usual[:] = usual_triangles(degrees, triangles)
    return Numbers(*first, *second, first_unit=FIRST_UNIT, usual=usual)


def usual_triangles(degrees: IntVector, triangles: IntVector) -> NDArray[np.int64]:
    """Part of the triangles that are usual with each degree from 0 on, by the power law through all nodes.

    0 throughout where triangles are few.
    """
    upto = np.arange(int(degrees.max(initial=0)) + 1)
    fitted = (degrees > FEW_CONTACTS) & (triangles > 0)
    if len(np.unique(degrees[fitted])) < 2:
        return np.zeros_like(upto)
    exponent, log_factor = np.polyfit(np.log(degrees[fitted]), np.log(triangles[fitted]), 1)
    logs = log_factor + exponent * np.log(np.maximum(upto, 1))
    usual = np.rint(USUAL * np.exp(np.minimum(logs, np.log(triangles.max())))).astype(np.int64)
    return usual if exponent > 0 else np.zeros_like(upto)


def _empty_cells(problem: Problem, numbers: Numbers) -> kernel.StateCells:
    """Make a cell for each possible state, row after row; hashed if there are too many.

    Deletions only lower both numbers: in the row of a first number, the second is at most the largest among
    those that begin with this first number or more.
    """
    degrees, triangles = problem.at_first.counts
    firsts, seconds = (
        per_degree * degrees + per_triangle * triangles
        for per_degree, per_triangle in (numbers[:2], numbers[2:4])
    )
    widths = np.zeros(int(firsts.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(widths, firsts, seconds + 1)
    widths = np.maximum.accumulate(widths[::-1])[::-1]
    row_start = np.concatenate(([0], np.cumsum(widths)))
    hashed = row_start[-1] > MOST_CELLS
    count = max(SMALLEST_TABLE, 1 << (8 * len(firsts) - 1).bit_length()) if hashed else int(row_start[-1])
    return kernel.StateCells(
        numbers=numbers,
        cells=np.empty((count, 2), dtype=np.int32),
        row_start=row_start,
        keys=np.empty(count if hashed else 1, dtype=np.int64),
    )


def new_walk(problem: Problem) -> Walk:
    """A walk that starts from the whole network."""
    topology = problem.topology
    n, m = problem.network.node_count, problem.edge_count
    nodes = np.zeros((n, NODE_COLUMNS), dtype=np.int32)
    nodes[:, NodeColumn.DEGREE], nodes[:, NodeColumn.TRIANGLES] = problem.at_first.counts
    best_connected_first = np.sort(problem.contacts)[::-1]
    nodes[:, NodeColumn.IS_HUB] = problem.contacts >= max(1, best_connected_first[min(int(HUBS * n), n - 1)])
    nodes[:, NodeColumn.PLACE] = -1
    poor_first, quantiles = _poor_edges_first(problem, np.diff(topology.first_row))
    row_lengths, incident, places = _movable_edges_by_node(problem)
    nodes[:, NodeColumn.LAST_EDGE] = nodes[:, NodeColumn.FIRST_DELETED] = np.cumsum(row_lengths)
    nodes[:, NodeColumn.FIRST_EDGE] = nodes[:, NodeColumn.LAST_EDGE] - row_lengths
    keeps_alike = topology.listed and problem.rule.count_triangles and m <= MOST_WITH_ALIKE
    people = WalkNodes(nodes=nodes, states=_empty_cells(problem, numbers_of(problem)))
    edges = kernel.WalkEdges(
        edge_triangles=np.diff(topology.first_row).astype(np.int32),
        poor_first=poor_first,
        quantiles=quantiles,
        incident=incident,
        places=places,
        deleted=np.zeros(m, dtype=topology.ends.dtype),
        alike=np.full((m if keeps_alike else 0, ALIKE), UNKNOWN, dtype=np.int32),
        counts=np.zeros(6, dtype=np.int64),
    )
    at_risk = count_cells(people, problem.rule.k, edges.counts)
    edges.counts[WalkCount.AT_RISK] = at_risk
    return Walk(
        present=np.ones(m, dtype=np.uint8),
        people=people,
        edges=edges,
        reward=np.array([FIRST_REWARD]),
        best=np.ones(m, dtype=np.uint8),
        best_totals=np.array([max(at_risk, problem.enough), 0]),
    )


def new_plain_walk(problem: Problem, known: IntVector | None) -> PlainWalk:
    """A walk for states of every other kind than sums over degree and triangles."""
    topology, rule = problem.topology, problem.rule
    gone = problem.bits_of(known)
    state = problem.fresh_state(None if known is None else gone)
    if rule.reach_of_both or rule.reach == 0:
        touched = np.diff(topology.first_row)
    else:
        touched = problem.network.degrees[topology.ends].sum(axis=1)
    poor_first, quantiles = _poor_edges_first(problem, touched)
    deleted, place_deleted = np.zeros((2, problem.edge_count), dtype=np.int64)
    deleted[: len(gone)], place_deleted[gone] = gone, np.arange(len(gone))
    return PlainWalk(
        state=state,
        poor_first=poor_first,
        quantiles=quantiles,
        deleted=deleted,
        place_deleted=place_deleted,
        best=state.present.copy(),
        best_totals=np.array([max(state.totals[Total.AT_RISK], problem.enough), len(gone)]),
    )


def _poor_edges_first(problem: Problem, touched: IntVector) -> tuple[IntVector, IntVector]:
    """The movable edges, those that touch few nodes (m) first, and places between which all are as likely."""
    movable = np.flatnonzero(problem.topology.movable)
    poor_first = movable[np.argsort(touched[movable], kind="stable")].astype(problem.topology.ends.dtype)
    liked = np.cumsum((1.0 + touched[poor_first]) ** TRIANGLE_EXPONENT)
    quantiles = np.searchsorted(liked, np.linspace(0, liked[-1], QUANTILES + 1))
    quantiles[-1] = len(poor_first)
    return poor_first, quantiles.astype(np.int64)


def _movable_edges_by_node(problem: Problem) -> tuple[IntVector, IntVector, IntVector]:
    """Lengths of each node's row, the edges of all rows, and the places of each edge: see PlaceColumn."""
    topology = problem.topology
    owner = np.repeat(np.arange(problem.network.node_count), np.diff(topology.csr.offsets))
    kept = topology.movable[topology.csr.edge_numbers] == 1
    owner, incident = owner[kept], topology.csr.edge_numbers[kept]
    places = np.full((problem.edge_count, 3), -1, dtype=topology.ends.dtype)
    at_second_end = topology.ends[incident, 0] != owner
    places[incident, PlaceColumn.AT_FIRST_END + at_second_end.astype(int)] = np.arange(len(incident))
    return np.bincount(owner, minlength=problem.network.node_count), incident, places


def new_limit_state(problem: Problem, walk: Walk) -> LimitState | None:
    """Totals that limits look at, for a walk as it begins; None where nothing is limited."""
    if problem.limits is None:
        return None
    n = problem.network.node_count
    degrees, triangles = walk.people.nodes[:, [NodeColumn.DEGREE, NodeColumn.TRIANGLES]].T.astype(
        np.int64, "C"
    )
    clustering = np.array(clustering_sum(degrees, triangles), dtype=np.int64)
    pieces = pieces_of(problem.topology.ends, walk.present, n)
    outside = (pieces.piece != np.argmax(pieces.sizes)).astype(np.uint8)
    return LimitState(
        clustering=clustering,
        clustering_proposed=clustering.copy(),
        outside=outside,
        inside_count=np.array([n - int(outside.sum())]),
        pieces=pieces,
        crossed=np.zeros(MOST_FLIPS * n, dtype=np.int64),
    )


# How temperature, costs and the budget change while a chain walks: nobody has to tune them.


HOT, COLD = 1.8, 0.27  # temperature at first and after most of the walk, in nodes at risk
COOLED, COLDEST = 0.9, 0.12  # share of the walk until then, and temperature at last, to come to rest
TIGHT, AMPLE = 0.25, 1.0  # edges that may be deleted for each node at risk
STEEP_IF_TIGHT, STEEP, FLAT = 0.3, 0.6, 0.05  # exponent of the gap at first, and at last
STEEP_IF_LONG = 0.66  # the same at first where the walk is long and the budget ample
SHORT, LONG = 300, 1_250  # proposals an edge of a walk that is not long, and of one that is
FEWEST_EDGES = 16_000  # that count for this: in small networks the same number of proposals is not long
MORE_FOR_HUBS = 0.1  # added to it for hubs where the budget is ample
GROWTH, GROWN = 0.35, 0.6  # share of the budget that is withheld at first, and of the walk until all is given
MARGIN, NO_MARGIN = 0.025, 0.85  # share of it that is kept free for swaps, until this share of the walk
GUIDED, UNGUIDED = 0.03, 0.15  # share of guided proposals, and of the walk that does without
GUIDED_SLACK = 4.0  # what a guided chain may cost too much on its way
WARM = 0.5  # share of a walk that is left out where it begins at a good solution
HOT_IF_PLAIN, COLD_IF_PLAIN, WORTH = 0.3, 0.15, 0.3  # the same where gaps are unknown; worth of a deletion
PROPOSED_A_NODE, ACCEPTED_A_NODE = 8, 0.5  # proposals, all and accepted, after which partners are found anew
FEWEST_PROPOSED = 2_000  # of them, where there are hardly any nodes
MOST_GAPS = 1 << 14  # larger gaps cost as much as this one


@dataclass(frozen=True)
class Schedule:
    """Temperatures in nodes at risk: at T, a proposal that puts T nodes more at risk is accepted in 37%."""

    budget: int
    enough: int  # nodes at risk that are few enough
    hot: float  # temperature at first
    cold: float  # temperature after most of the walk; it falls by the same factor in equal times
    coldest: float  # temperature at last
    gaps: int  # gaps that a table of costs has; 0 where nobody knows of gaps
    steep: tuple[float, float]  # exponents of the gap at first, for most nodes and for hubs
    partners_hold: tuple[int, int] = (0, 0)  # proposals, all and accepted, until partners are found anew
    first: float = 0.0  # share of the schedule at which the walk begins

    @classmethod
    def fit_for(
        cls, problem: Problem, budget: int, enough: int, first: float = 0.0, proposals: float = 0.0
    ) -> Schedule:
        """The schedule for a budget, that of the problem or less, and for so many nodes at risk.

        With one deletion for every four nodes at risk there is little to rearrange: lookalikes must be found
        nearby, and large gaps must not count for much. In a walk of very many proposals they may count for
        more: there is time to close them.
        """
        if problem.linear_weights is None:
            cold = COLD_IF_PLAIN
            return cls(budget, enough, HOT_IF_PLAIN, cold, cold, 0, (0.0, 0.0), first=first)
        at_risk = problem.at_first.below(problem.k)
        plenty = min(max((budget / max(at_risk, 1) - TIGHT) / (AMPLE - TIGHT), 0.0), 1.0)
        an_edge = max(proposals / max(problem.edge_count, FEWEST_EDGES), SHORT)
        longness = min(float(np.log(an_edge / SHORT) / np.log(LONG / SHORT)), 1.0)  # 0 at SHORT, 1 at LONG
        ample = STEEP + longness * (STEEP_IF_LONG - STEEP)
        steep = STEEP_IF_TIGHT + plenty * (ample - STEEP_IF_TIGHT)
        steeps = (steep, steep + plenty * MORE_FOR_HUBS)
        nodes = problem.network.node_count
        hold = max(FEWEST_PROPOSED, PROPOSED_A_NODE * nodes), int(ACCEPTED_A_NODE * nodes)
        # No gap is larger than that from the first node to one without edges.
        degree, triangles = (int(counts.max(initial=0)) for counts in problem.at_first.counts)
        ahead, after = (per[0] * degree + per[1] * triangles for per in problem.linear_weights.numbers)
        gaps = min(MOST_GAPS, FIRST_UNIT * ahead + 2 * after + 2)
        return cls(budget, enough, HOT, COLD, COLDEST, gaps, steeps, hold, first)

    def temperature(self, share: float) -> float:
        """The temperature when this share of the schedule is done."""
        cooled = 1.0 if self.coldest == self.cold else COOLED
        if share <= cooled:
            return float(self.hot * (self.cold / self.hot) ** (share / cooled))
        return float(self.cold * (self.coldest / self.cold) ** ((share - cooled) / (1 - cooled)))

    def allowed(self, share: float) -> int:
        """Edges that may be deleted when this share of the schedule is done: the budget grows."""
        return int(self.budget * (1 - GROWTH * max(0.0, 1 - share / GROWN)))

    def costs(self, share: float) -> NDArray[np.float64]:
        """Cost of a node at risk by its gap, for most nodes and for hubs: gap^p, where p falls.

        A large p moves distant nodes towards each other; a small one counts nodes at risk.
        """
        logs = np.log(np.maximum(np.arange(self.gaps), 1))
        return np.exp([(steep + (FLAT - steep) * share) * logs for steep in self.steep])

    def leg(self, proposals: int, since: float, until: float) -> Leg:
        """So many proposals from one share of the walk to another."""
        since, until = (self.first + (1 - self.first) * share for share in (since, until))
        middle = (since + until) / 2
        allowed = self.allowed(middle) if self.gaps else self.budget
        temperatures = self.temperature(since), self.temperature(until)
        return Leg(
            proposals=proposals,
            begun=0,
            partners_hold=self.partners_hold,
            budget=self.budget,
            allowed=allowed,
            wanted=allowed if middle > NO_MARGIN else allowed - int(MARGIN * allowed),
            enough=self.enough,
            temperature=temperatures,
            worth=WORTH * temperatures[0],
            guided=GUIDED if middle > UNGUIDED else 0.0,
            costs=self.costs(middle),
        )
