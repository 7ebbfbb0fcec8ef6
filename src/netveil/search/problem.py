"""The anonymization problem (Definition 1 and Section 4.2 of the paper) and its state for a search to move.

Delete at most Γ edges so that as few nodes as possible are at risk: minimize

    f(B) = nodes at risk without the edges marked in B + max(0, deleted - Γ) + violation of the limits.

Limits, if any, enter as penalties, like the budget; `kernels.limits.violation` defines theirs. Protected
edges do not enter: no search marks one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, Reach, Weights, anonymity_of, checked_k
from netveil.anonymity.own import OwnMeasure
from netveil.errors import SettingError
from netveil.kernels.arrays import Csr, IntVector, Words
from netveil.kernels.states import AROUND_KINDS, CONTACTS, GIVEN, LINEAR, SHAPES_AROUND, TIES, AttackerColumn
from netveil.network import Network
from netveil.progress import current_listener
from netveil.registries import LIMITS
from netveil.search.budget import at_risk_for
from netveil.search.limits.limit import kernel_limits, most_lost_of
from netveil.threads import available_cores

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits
    from netveil.kernels.states import AttackerArrays, FlipState, General, Topology


def edge_order(network: Network) -> IntVector:
    """Edge numbers in bit order: by the lower degree of an edge's ends, then by the higher.

    n-point crossover inherits runs of neighbouring bits. Edges at nodes of equal degree lie together, which
    may become alike: docs/decisions.md, "The order of the bits".
    """
    degrees = np.sort(network.degrees[network.edges], axis=1)
    return np.lexsort((degrees[:, 1], degrees[:, 0]))


MOST_PARTS = 10**9  # of a share φ: a number of 9 digits, times this, still fits in 64 bits


def encode_attackers(
    attackers: Sequence[Attacker], k: int, followers: Sequence[int], *, count_triangles: bool
) -> AttackerArrays:
    """The arrays for these attackers; `followers` are the numbers of user-defined measures' followers."""
    from netveil.kernels.states import AttackerArrays, AttackerColumn, PartColumn

    parts: list[NDArray[np.int64]] = []
    rows: list[NDArray[np.int64]] = []
    waiting = iter(followers)
    columns = 0
    for owner, attacker in enumerate(attackers):
        own_parts = attacker.measure.parts(attacker.distance)
        row = np.zeros(len(AttackerColumn._fields), dtype=np.int64)
        row[[AttackerColumn.FIRST_PART, AttackerColumn.LAST_PART]] = len(parts), len(parts) + len(own_parts)
        row[AttackerColumn.TWINS] = attacker.twins
        row[AttackerColumn.FIRST_COLUMN] = columns
        if attacker.fuzzy is not None:
            _check_fuzzy(attacker, attacker.fuzzy)
            row[[AttackerColumn.OFF_BY, AttackerColumn.OFF_OF]] = attacker.fuzzy.as_integer_ratio()
            columns += 2 * attacker.distance
        row[AttackerColumn.LAST_COLUMN] = columns
        rows.append(row)
        for part in own_parts:
            values = np.zeros(PartColumn.OWNER + 1, dtype=np.int64)
            values[[PartColumn.KIND, PartColumn.DISTANCE, PartColumn.OWNER]] = part.kind, part.distance, owner
            if part.weights is not None:
                values[[PartColumn.PER_DEGREE, PartColumn.PER_TRIANGLE]] = part.weights[:2]
                first = PartColumn.FIRST_NUMBER
                values[first : first + 4] = np.ravel(part.weights.numbers)
            if part.kind == GIVEN:
                values[PartColumn.FOLLOWER] = next(waiting)
            parts.append(values)
    one_table = len(rows) == 1 and attackers[0].fuzzy is None and not attackers[0].twins
    kinds = {(int(values[PartColumn.KIND]), int(values[PartColumn.DISTANCE])) for values in parts}
    around = max((distance for kind, distance in kinds if kind in AROUND_KINDS), default=0)
    reach = reach_of(attackers)
    return AttackerArrays(
        k=k,
        parts=np.array(parts),
        attackers=np.array(rows),
        one_table=one_table,
        linear=one_table and len(parts) == 1 and parts[0][PartColumn.KIND] == LINEAR,
        count_triangles=bool(
            count_triangles
            or around == 1
            or any(kind == TIES for kind, _ in kinds)
            or any(values[PartColumn.KIND] == LINEAR and values[PartColumn.PER_TRIANGLE] for values in parts)
        ),
        count_edge_triangles=any(kind == TIES for kind, _ in kinds),
        know_circles=any(attacker.twins for attacker in attackers),
        around=around,
        looks=around > 0 or any(kind == GIVEN or (kind == CONTACTS and far > 1) for kind, far in kinds),
        reach=reach.distance,
        reach_of_both=reach.both,
    )


def reach_of(attackers: Sequence[Attacker]) -> Reach:
    """The nodes whose state, to any of the attackers, a deletion can change, at most."""
    reaches = [attacker.measure.reach(attacker.distance) for attacker in attackers]
    distance = max(reach.distance for reach in reaches)
    # The two ends themselves are among those who have both within distance 1.
    either = any(not reach.both and reach.distance > 0 for reach in reaches)
    return Reach(distance, both=not either and distance > 0)


def _check_fuzzy(attacker: Attacker, fuzzy: Fraction) -> None:
    """Raise where a search could not tell exactly whether numbers are off by more."""
    if fuzzy.denominator > MOST_PARTS:
        raise SettingError(f"fuzzy {float(fuzzy):%}: give a share of at most 7 digits for a search.")
    if isinstance(attacker.measure, OwnMeasure):
        raise SettingError(
            f"measure {attacker.measure.name} is your own: no search can follow it fuzzily; leave fuzzy out."
        )


_numbers = count()


class OwnFollower:
    """Asks a user's measure for states, for as few nodes as it allows, and numbers them.

    Equal states have equal numbers, exactly: they are looked up, not hashed down. Threads take turns.
    """

    def __init__(self, measure: OwnMeasure, network: Network, edge_order: IntVector) -> None:
        from netveil.kernels.states import FOLLOWERS

        self.measure, self.network, self.edge_order = measure, network, edge_order
        self.number = next(_numbers)
        self.number_of: dict[Hashable, int] = {}
        self.lock = Lock()
        FOLLOWERS[self.number] = self

    def follow(
        self, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector
    ) -> NDArray[np.int64]:
        """Bring signatures (n) up to date after these edges were flipped; returns the nodes looked at."""
        with self.lock:
            nodes = self._touched(present, flipped)
            states = self.measure.states_of(self._network_with(present), nodes)
            if nodes is None:
                nodes = np.arange(self.network.node_count)
            numbers = [self.number_of.setdefault(state, len(self.number_of)) for state in states]
            signatures[nodes] = numbers
            return nodes

    def _network_with(self, present: NDArray[np.uint8]) -> Network:
        """The network with the edges that are there."""
        return self.network.without_edges(self.edge_order[present == 0])

    def _touched(self, present: NDArray[np.uint8], flipped: IntVector) -> NDArray[np.int64] | None:
        """The nodes whose state may have changed; None where nobody knows, or when all edges were flipped.

        A measure says whom the deletion of an edge touches that is there, so it is asked about the network
        with all the flipped edges there.
        """
        if not self.measure.says_touched or len(flipped) >= self.network.edge_count:
            return None
        whole = present.copy()
        whole[flipped] = 1
        network = self._network_with(whole)
        ends = self.network.edges[self.edge_order[np.unique(flipped)]].tolist()
        nobody = np.empty(0, dtype=np.int64)  # a child may be like the one before
        return np.unique(np.concatenate([nobody, *(self.measure.touched(network, u, v) for u, v in ends)]))


LISTED_ROWS_LIMIT = 60_000_000  # three rows a triangle, 12 bytes each: 720 MB; beyond, rows are intersected
SMALLEST_TABLE = 1 << 14  # slots of the table of signatures; a small table would be rebuilt too often

Numbers = TypeVar("Numbers", int, NDArray[np.int64])


class Counts(NamedTuple):
    """Degree and triangles of each node (n), with nothing deleted."""

    degrees: NDArray[np.int64]
    triangles: NDArray[np.int64]


class AtFirst(NamedTuple):
    """A network with nothing deleted."""

    counts: Counts
    lookalikes: IntVector  # (n): how many have the state of each node, itself included

    def below(self, number: int) -> int:
        """Nodes with fewer lookalikes than that."""
        return int(np.count_nonzero(self.lookalikes < number))


@dataclass(frozen=True, eq=False)
class Problem:
    """A network, its attackers, k, the budget Γ and what must stay. Shared by all threads; never changes."""

    network: Network
    attackers: tuple[Attacker, ...]  # nodes are at risk that any of them can single out
    k: int
    budget: int  # Γ, in edges
    edge_order: IntVector  # (m): bit b of an individual stands for edge edge_order[b] of the network
    known: IntVector | None = None  # numbers of edges whose deletion is known to be good: where to go on from
    keep: Mapping[str, Fraction] = field(default_factory=dict)  # the share of each limit: see search.limits
    protected_edges: IntVector | None = None  # numbers of edges that must stay
    target: Fraction | None = None  # share of nodes to make k-anonymous; beyond, fewer deletions are better

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checked_k(self.k, self.network.node_count))

    def objective(self, at_risk: Numbers, deleted: Numbers, violation: Numbers | int = 0) -> Numbers:
        """f: nodes at risk, plus one for each edge deleted beyond the budget, plus what breaks the limits."""
        return at_risk + (deleted > self.budget) * (deleted - self.budget) + violation

    @property
    def enough(self) -> int:
        """Nodes at risk that are few enough: as many as the target leaves, 0 without one."""
        return 0 if self.target is None else at_risk_for(self.target, self.network.node_count)

    def rank(self, at_risk: int, deleted_edges: IntVector) -> tuple[int, int]:
        """Sort key of solutions, the best first: few enough at risk, then few deletions."""
        return max(at_risk, self.enough), len(deleted_edges)

    @property
    def edge_count(self) -> int:
        """Bits of an individual."""
        return self.network.edge_count

    @property
    def word_count(self) -> int:
        """Words of an individual."""
        return (self.edge_count + 63) // 64

    @cached_property
    def followers(self) -> tuple[OwnFollower, ...]:
        """One follower for each user-defined measure, in the order of the attackers."""
        return tuple(
            OwnFollower(attacker.measure, self.network, self.edge_order)
            for attacker in self.attackers
            if isinstance(attacker.measure, OwnMeasure)
        )

    @cached_property
    def rule(self) -> AttackerArrays:
        """The attackers and k, as kernels take them."""
        followers = [follower.number for follower in self.followers]
        by_limits = any(LIMITS[name].looks_at_triangles for name in self.keep)
        return encode_attackers(self.attackers, self.k, followers, count_triangles=by_limits)

    @property
    def linear_weights(self) -> Weights | None:
        """How states follow from degree and triangles, if they do; for one attacker without doubts."""
        measure, distance = self.attackers[0].measure, self.attackers[0].distance
        return measure.parts(distance)[0].weights if self.rule.linear else None

    @property
    def is_slow(self) -> bool:
        """Whether a solution takes so long to judge that the caller must be heard in between."""
        return self.rule.looks

    @property
    def may_be_too_hopeful(self) -> bool:
        """Whether states that differ may look alike to the search: see anonymity.measure.Part."""
        kinds = {part.kind for each in self.attackers for part in each.measure.parts(each.distance)}
        return SHAPES_AROUND in kinds

    @cached_property
    def limits(self) -> Limits | None:
        """The limits as kernels take them; None if nothing is limited."""
        return kernel_limits(self.keep, self.network, self.original.triangles)

    @cached_property
    def most_lost(self) -> IntVector | None:
        """Contacts that each node (n) may lose; None where something else is limited too, or nothing is."""
        return most_lost_of(self.keep, self.network)

    @cached_property
    def protected(self) -> NDArray[np.bool_]:
        """For each bit (m), whether its edge must stay."""
        none = np.empty(0, dtype=np.int64)
        return np.isin(self.edge_order, none if self.protected_edges is None else self.protected_edges)

    @cached_property
    def topology(self) -> Topology:
        """Edges by bit position, with the triangles on each, listed once for all."""
        from netveil.kernels.states import Topology
        from netveil.kernels.triangles import list_triangles, orient, triangles_per_edge

        ends = np.ascontiguousarray(self.network.edges[self.edge_order])
        ends.setflags(write=False)  # like the network's own, or kernels would be compiled for both
        oriented = orient(ends, self.network.degrees, True)
        first_row = np.zeros(self.edge_count + 1, dtype=np.int64)
        np.cumsum(triangles_per_edge(oriented), out=first_row[1:])
        listed = bool(first_row[-1] <= LISTED_ROWS_LIMIT)
        triangles = list_triangles(oriented, first_row) if listed else np.empty((0, 3), ends.dtype)
        bit_of_edge = np.empty(self.edge_count, dtype=ends.dtype)
        bit_of_edge[self.edge_order] = np.arange(self.edge_count)
        offsets, neighbours, edge_numbers = self.network.csr
        csr = Csr(offsets, neighbours, bit_of_edge[edge_numbers])
        return Topology(
            ends=ends,
            first_row=first_row,
            triangles=triangles,
            csr=csr,
            listed=listed,
            movable=(~self.protected).astype(np.uint8),
        )

    def counts(self) -> Counts:
        """Degrees and triangles of all nodes, nothing deleted; arrays of one's own."""
        from netveil.kernels.triangles import triangles_per_node

        degrees, threads = self.network.degrees, available_cores()
        return Counts(
            degrees.copy(), triangles_per_node(self.network.edges, degrees, threads, current_listener())
        )

    @cached_property
    def at_first(self) -> AtFirst:
        """The network with nothing deleted, counted once for all; where states are sums over counts."""
        assert self.linear_weights is not None
        counts = self.counts()
        states = self.linear_weights.per_degree * counts.degrees
        states += self.linear_weights.per_triangle * counts.triangles
        _, class_of, sizes = np.unique(states, return_inverse=True, return_counts=True)
        return AtFirst(counts, np.asarray(sizes[class_of]))

    @cached_property
    def original(self) -> FlipState:
        """State of the whole network, nothing deleted; to be copied, not to be moved."""
        from netveil.kernels.flips import start
        from netveil.kernels.states import FlipState, empty_table

        n, m = self.network.node_count, self.edge_count
        counts = self.counts()
        state = FlipState(
            present=np.ones(m, dtype=np.uint8),
            words=np.zeros(self.word_count, dtype=np.uint64),
            degrees=counts.degrees,
            triangles=counts.triangles,
            keys=np.zeros(n, dtype=np.int64),
            slots=np.zeros(n, dtype=np.int64),
            table=empty_table(max(SMALLEST_TABLE, 1 << (4 * n - 1).bit_length())),
            touched=np.zeros(int(self.network.degrees.max(initial=0)) + 2, dtype=np.int64),
            totals=np.zeros(3, dtype=np.int64),
            general=None if self.rule.linear else self._general(),
        )
        start(self.topology, self.rule, state)
        return state

    def _general(self) -> General:
        """Further arrays of a state that is no sum over degree and triangles; not filled yet."""
        from netveil.kernels.states import General, mixed_values

        n, rule = self.network.node_count, self.rule
        return General(
            mixed=mixed_values(int(self.network.degrees.max(initial=0)) + 2),
            edge_triangles=np.diff(self.topology.first_row)
            if rule.count_edge_triangles
            else np.empty(0, np.int64),
            circles=np.zeros(n if rule.know_circles else 0, dtype=np.int64),
            signatures=np.zeros((len(rule.parts), n), dtype=np.int64),
            numbers=np.zeros((n, int(rule.attackers[-1, AttackerColumn.LAST_COLUMN])), dtype=np.int64),
            exposed=np.zeros(n, dtype=np.uint8),
            to_recount=np.zeros(n, dtype=np.int64),
            marks=np.zeros(n, dtype=np.uint8),
            queues=np.zeros((2, n), dtype=np.int64),
        )

    def prepare(self) -> None:
        """Compute now what every search needs: the topology, the original state and the limits."""
        _ = self.topology, self.original, self.limits

    def fresh_state(self) -> FlipState:
        """A state of one's own to move, nothing deleted."""
        from netveil.kernels.states import copied

        return copied(self.original)

    def edges_deleted_by(self, words: Words) -> IntVector:
        """The network's numbers of the edges that an individual deletes, ascending."""
        return np.sort(self.edge_order[self.bits_set_in(words)])

    def bits_set_in(self, words: Words) -> IntVector:
        """The positions of an individual's 1s, ascending."""
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")[: self.edge_count])

    def individual_deleting(self, edges: IntVector) -> Words:
        """The individual that deletes the edges of these numbers in the network."""
        return self.individual_marking(np.isin(self.edge_order, edges))

    def individual_marking(self, marks: NDArray[np.bool_]) -> Words:
        """The individual with 1s at these bit positions (m)."""
        bits = np.zeros(64 * self.word_count, dtype=np.uint8)
        bits[: self.edge_count] = marks
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def recount(self, deleted_edges: IntVector) -> tuple[int, int]:
        """Nodes at risk and unique nodes without these edges, from scratch and without any shortcut."""
        anonymity = anonymity_of(self.network.without_edges(deleted_edges), self.attackers, self.k)
        return anonymity.at_risk, anonymity.unique
