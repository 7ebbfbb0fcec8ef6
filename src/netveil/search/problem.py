"""The anonymization problem (Definition 1 and Section 4.2 of the paper) and its state for a search to move.

Delete at most Γ edges so that as few nodes as possible are at risk: minimize

    f(B) = nodes at risk without the edges marked in B + max(0, deleted - Γ) + violation of the limits.

Limits, if any, enter as penalties, like the budget; `kernels.limits.violation` defines theirs. Protected
edges do not enter: no search marks one.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import floor
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, Part, Reach, Weights, anonymity_of, checked_k
from netveil.anonymity.attackers import groups_of
from netveil.anonymity.measure import OwnMeasure
from netveil.errors import NetworkError, SettingError, option
from netveil.kernels import states as kernel, triangles as listing
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.flips import flip_edges, start
from netveil.kernels.limits import Limits
from netveil.kernels.states import AttackerArrays, FlipState, General, PartColumn, Topology
from netveil.network import Network
from netveil.progress import current_listener
from netveil.registries import LIMITS
from netveil.search.limit import kernel_limits
from netveil.threads import available_cores


def edge_order(network: Network) -> IntVector:
    """Edge numbers in bit order: by the lower degree of an edge's ends, then by the higher.

    n-point crossover inherits runs of neighbouring bits. Edges at nodes of equal degree lie together, which
    may become alike: docs/decisions.md, "The order of the bits".
    """
    degrees = np.sort(network.degrees[network.edges], axis=1)
    return np.lexsort((degrees[:, 1], degrees[:, 0]))


MOST_APART = 1 << 21  # contacts that people are taken to have, at most, to keep groups apart
MOST_PARTS = 10**9  # of a share φ: a number of 9 digits, times this, still fits in 64 bits


GROUP = Part(-1)
"""Known attributes as an ingredient of a state: no kernel follows it, because no deletion changes it."""


def encode_attackers(
    attackers: Sequence[Attacker], k: int, followers: Sequence[int], *, count_triangles: bool, apart: bool
) -> AttackerArrays:
    """The arrays for these attackers; `followers` are the numbers of user-defined measures' followers.

    `apart` says that counts keep people of unequal attributes apart, so that no part of a state need do so.
    """
    parts: list[list[int]] = []  # columns as in `PartColumn`
    rows: list[list[int]] = []  # columns as in `AttackerColumn`
    waiting, columns = iter(followers), 0
    for owner, attacker in enumerate(attackers):
        first, first_column, off = len(parts), columns, (0, 0)
        if attacker.fuzzy is not None:
            _check_fuzzy(attacker, attacker.fuzzy)
            off = attacker.fuzzy.as_integer_ratio()
            columns += 2 * attacker.distance
        by_group = [GROUP] if attacker.known and not apart else []
        for kind, distance, weights in (*attacker.measure.parts(attacker.distance), *by_group):
            sums = [0] * 6 if weights is None else [*weights[:2], *weights.numbers[0], *weights.numbers[1]]
            follower = next(waiting) if kind == kernel.GIVEN else 0
            parts.append([kind, distance, *sums, follower, owner])
        rows.append([first, len(parts), *off, attacker.twins, first_column, columns])
    one_table = len(rows) == 1 and attackers[0].fuzzy is None and not attackers[0].twins
    kinds = {(kind, distance) for kind, distance, *_ in parts}
    around = max((distance for kind, distance in kinds if kind in kernel.AROUND_KINDS), default=0)
    has_ties = any(kind == kernel.TIES for kind, _ in kinds)
    reach = reach_of(attackers)
    return AttackerArrays(
        k=k,
        parts=np.array(parts, dtype=np.int64),
        attackers=np.array(rows, dtype=np.int64),
        one_table=one_table,
        linear=one_table and len(parts) == 1 and parts[0][PartColumn.KIND] == kernel.LINEAR,
        count_triangles=bool(
            count_triangles or around == 1 or has_ties or any(part[PartColumn.PER_TRIANGLE] for part in parts)
        ),
        count_edge_triangles=has_ties,
        know_circles=any(attacker.twins for attacker in attackers),
        around=around,
        looks=around > 0
        or any(kind == kernel.GIVEN or (kind == kernel.CONTACTS and far > 1) for kind, far in kinds),
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
    if attacker.known:
        raise SettingError(
            f"fuzzy {float(fuzzy):%}: no search knows attributes exactly and numbers roughly; leave "
            f"{option('fuzzy', True)} out, or {option('known', True)}."
        )


_numbers = count()


class OwnFollower:
    """Asks a user's measure for states, for as few nodes as it allows, and numbers them.

    Equal states have equal numbers, exactly: they are looked up, not hashed down. Threads take turns.
    """

    def __init__(self, measure: OwnMeasure, network: Network, edge_order: IntVector) -> None:
        self.measure, self.network, self.edge_order = measure, network, edge_order
        self.number = next(_numbers)
        self.number_of: dict[Hashable, int] = {}
        self.lock = threading.Lock()
        kernel.FOLLOWERS[self.number] = self

    def follow(
        self, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector
    ) -> NDArray[np.int64]:
        """Bring signatures (n) up to date after these edges were flipped; returns the nodes looked at."""
        with self.lock:
            nodes = self._touched(present, flipped)
            network = self.network.without_edges(self.edge_order[present == 0])
            states = self.measure.states_of(network, nodes)
            if nodes is None:
                nodes = np.arange(self.network.node_count)
            signatures[nodes] = [self.number_of.setdefault(state, len(self.number_of)) for state in states]
            return nodes

    def _touched(self, present: NDArray[np.uint8], flipped: IntVector) -> NDArray[np.int64] | None:
        """The nodes whose state may have changed; None where nobody knows, or when all edges were flipped.

        A measure says whom the deletion of an edge touches that is there, so it is asked about the network
        with all the flipped edges there.
        """
        if not self.measure.says_touched or len(flipped) >= self.network.edge_count:
            return None
        still_gone = np.setdiff1d(np.flatnonzero(present == 0), flipped)
        network = self.network.without_edges(self.edge_order[still_gone])
        ends = self.network.edges[self.edge_order[np.unique(flipped)]].tolist()
        nobody = np.empty(0, dtype=np.int64)  # a child may be like the one before
        return np.unique(np.concatenate([nobody, *(self.measure.touched(network, u, v) for u, v in ends)]))


LISTED_ROWS_LIMIT = 60_000_000  # three rows a triangle, 12 bytes each: 720 MB; beyond, rows are intersected
FEWEST_GUIDED = 250  # deletions that are allowed: where they are fewer, guided chains bring nothing
SMALLEST_TABLE = 1 << 14  # slots of the table of signatures; a small table would be rebuilt too often

Numbers = TypeVar("Numbers", int, NDArray[np.int64])


class Counts(NamedTuple):
    """Degree and triangles of each node (n), with nothing deleted."""

    degrees: NDArray[np.int64]
    triangles: NDArray[np.int64]


class AtFirst(NamedTuple):
    """Counts of the network with nothing deleted."""

    counts: Counts
    states: IntVector  # (n): sums over the counts
    lookalikes: IntVector  # (n): how many have the state of each node, itself included

    def below(self, number: int) -> int:
        """Number of nodes with fewer lookalikes than this."""
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
    keep: Mapping[str, Fraction] = field(default_factory=dict)  # the share of each limit: see search.limit
    protected_edges: IntVector | None = None  # numbers of edges that must stay
    target: Fraction | None = None  # share of nodes to make k-anonymous; beyond, fewer deletions are better
    numbers: IntVector | None = None  # of edges (m), for whoever asks, where they are not the network's
    guided: bool | None = None  # whether the annealing makes guided chains; None if the budget decides

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checked_k(self.k, self.network.node_count))
        if self.guided is None:
            object.__setattr__(self, "guided", self.budget >= FEWEST_GUIDED)

    def objective(self, at_risk: Numbers, deleted: Numbers, violation: Numbers | int = 0) -> Numbers:
        """f: nodes at risk, plus one for each edge deleted beyond the budget, plus what breaks the limits."""
        return at_risk + (deleted > self.budget) * (deleted - self.budget) + violation

    @property
    def enough(self) -> int:
        """Nodes at risk that are few enough: as many as the target leaves, 0 without one."""
        return 0 if self.target is None else floor((1 - self.target) * self.network.node_count)

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
        apart = self.apart is not None
        return encode_attackers(self.attackers, self.k, followers, count_triangles=by_limits, apart=apart)

    @cached_property
    def groups(self) -> IntVector:
        """Group of each node (n): people with equal values of the attributes that are known."""
        return groups_of(self.network, self.attackers[0].known)

    @cached_property
    def apart(self) -> IntVector | None:
        """Extra contacts per node (n) for the search, so that no two groups have a state in common.

        Only where this tells all: for one attacker who knows sums over degree and triangles exactly, without
        limits, which look at degrees. The distance between two groups is larger than any inside a group.
        """
        attacker = self.attackers[0]
        parts = attacker.measure.parts(attacker.distance)
        exact = len(self.attackers) == 1 and attacker.fuzzy is None and not attacker.twins and not self.keep
        if not attacker.known or not exact or len(parts) > 1 or parts[0].weights is None:
            return None
        counts = self.structure
        step = 2 * int(counts.degrees.max(initial=0)) + int(counts.triangles.max(initial=0)) + 1
        return self.groups * step if int(self.groups.max(initial=0) + 1) * step <= MOST_APART else None

    @property
    def linear_weights(self) -> Weights | None:
        """Weights of degree and triangles in states; None if states of the attackers are no such sums."""
        measure, distance = self.attackers[0].measure, self.attackers[0].distance
        return measure.parts(distance)[0].weights if self.rule.linear else None

    @property
    def is_slow(self) -> bool:
        """Whether a solution takes so long to judge that the caller must be heard in between."""
        return self.rule.looks

    @property
    def may_be_too_hopeful(self) -> bool:
        """Whether the search may take unequal states for equal: see anonymity.measure.Part."""
        return kernel.SHAPES_AROUND in self.rule.parts[:, PartColumn.KIND]

    @property
    def kind_of_state(self) -> int:
        """How states are followed, from 0 for the quickest to 5: a place in tables of costs.

        0 sums over degree and triangles, 1 contacts, 2 several tables or doubts, 3 surroundings, 4 wider
        surroundings, 5 a user's own measure.
        """
        if self.rule.linear:
            return 0
        if self.followers:
            return 5
        if self.rule.looks:
            return 3 if self.rule.around <= 1 else 4
        return 1 if self.rule.one_table else 2

    @cached_property
    def limits(self) -> Limits | None:
        """The limits as kernels take them; None if nothing is limited."""
        return kernel_limits(self.keep, self.network, self.structure.triangles)

    @cached_property
    def protected(self) -> NDArray[np.bool_]:
        """For each bit (m), whether its edge must stay."""
        return np.isin(self.edge_numbers, [] if self.protected_edges is None else self.protected_edges)

    @cached_property
    def edge_numbers(self) -> IntVector:
        """The number of each bit's edge (m), for whoever asks."""
        return self.edge_order if self.numbers is None else self.numbers[self.edge_order]

    def without(self, edges: IntVector) -> Network:
        """The network without the edges of these numbers."""
        return self.network.without_edges(self.edge_order[self.bits_of(edges)])

    @property
    def movable_count(self) -> int:
        """Number of edges that may be deleted."""
        return int(np.count_nonzero(~self.protected))

    @cached_property
    def topology(self) -> Topology:
        """Edges by bit position, with the triangles on each, listed once for all."""
        ends = np.ascontiguousarray(self.network.edges[self.edge_order])
        ends.setflags(write=False)  # like the network's own, or kernels would be compiled for both
        oriented = listing.orient(ends, self.network.degrees, True)
        first_row = np.zeros(self.edge_count + 1, dtype=np.int64)
        np.cumsum(listing.triangles_per_edge(oriented), out=first_row[1:])
        listed = bool(first_row[-1] <= LISTED_ROWS_LIMIT)
        triangles = listing.list_triangles(oriented, first_row) if listed else np.empty((0, 3), ends.dtype)
        bit_of_edge = np.empty(self.edge_count, dtype=ends.dtype)
        bit_of_edge[self.edge_order] = np.arange(self.edge_count)
        csr = self.network.csr._replace(edge_numbers=bit_of_edge[self.network.csr.edge_numbers])
        movable = (~self.protected).astype(np.uint8)
        return Topology(ends, first_row, triangles, csr, listed, movable)

    @cached_property
    def structure(self) -> Counts:
        """Degrees and triangles of all nodes in the network, nothing deleted."""
        edges, degrees, threads = self.network.edges, self.network.degrees, available_cores()
        return Counts(degrees, listing.triangles_per_node(edges, degrees, threads, current_listener()))

    @property
    def contacts(self) -> IntVector:
        """Contacts of each node (n), nothing deleted."""
        return self.network.degrees

    def counts(self) -> Counts:
        """Degrees and triangles as states have them, nothing deleted; arrays of one's own."""
        degrees, triangles = self.structure
        return Counts(degrees + (0 if self.apart is None else self.apart), triangles.copy())

    @cached_property
    def at_first(self) -> AtFirst:
        """The network with nothing deleted, counted once for all; where states are sums over counts."""
        assert self.linear_weights is not None
        counts = self.counts()
        states = self.linear_weights.per_degree * counts.degrees
        states += self.linear_weights.per_triangle * counts.triangles
        _, class_of, sizes = np.unique(states, return_inverse=True, return_counts=True)
        return AtFirst(counts, states, np.asarray(sizes[class_of]))

    @property
    def at_risk_at_first(self) -> int:
        """Nodes at risk, nothing deleted."""
        if self.rule.linear:
            return self.at_first.below(self.k)
        return int(self.original.totals[kernel.Total.AT_RISK])

    @cached_property
    def original(self) -> FlipState:
        """State of the whole network, nothing deleted; to be copied, not to be moved."""
        n, m = self.network.node_count, self.edge_count
        counts = self.counts()
        state = FlipState(
            present=np.ones(m, dtype=np.uint8),
            words=np.zeros(self.word_count, dtype=np.uint64),
            degrees=counts.degrees,
            triangles=counts.triangles,
            keys=np.zeros(n, dtype=np.int64),
            slots=np.zeros(n, dtype=np.int64),
            table=kernel.empty_table(max(SMALLEST_TABLE, 1 << (4 * n - 1).bit_length())),
            touched=np.zeros(int(self.network.degrees.max(initial=0)) + 2, dtype=np.int64),
            totals=np.zeros(3, dtype=np.int64),
            general=None if self.rule.linear else self._general(),
        )
        start(self.topology, self.rule, state)
        return state

    def _general(self) -> General:
        """Further arrays of a state that is no sum over degree and triangles; only groups are filled in."""
        n, rule, no_edges = self.network.node_count, self.rule, np.empty(0, np.int64)
        signatures = np.zeros((len(rule.parts), n), dtype=np.int64)
        signatures[rule.parts[:, PartColumn.KIND] == GROUP.kind] = self.groups
        return General(
            mixed=kernel.mixed_values(int(self.network.degrees.max(initial=0)) + 2),
            edge_triangles=np.diff(self.topology.first_row) if rule.count_edge_triangles else no_edges,
            circles=np.zeros(n if rule.know_circles else 0, dtype=np.int64),
            signatures=signatures,
            numbers=np.zeros((n, int(rule.attackers[-1, kernel.AttackerColumn.LAST_COLUMN])), dtype=np.int64),
            exposed=np.zeros(n, dtype=np.uint8),
            to_recount=np.zeros(n, dtype=np.int64),
            marks=np.zeros(n, dtype=np.uint8),
            queues=np.zeros((2, n), dtype=np.int64),
        )

    def prepare(self) -> None:
        """Compute now what every search needs: the topology, who is at risk at first and the limits."""
        _ = self.topology, self.limits, self.at_first if self.rule.linear else self.original

    def fresh_state(self, deleted: IntVector | None = None) -> FlipState:
        """A state of one's own to move, without the edges at these bit positions, if any."""
        state = kernel.copied(self.original)
        if deleted is not None:
            flip_edges(self.topology, self.rule, state, deleted)
        return state

    def edges_deleted_by(self, words: Words) -> IntVector:
        """The numbers of the edges that an individual deletes, ascending."""
        return np.sort(self.edge_numbers[self.bits_set_in(words)])

    def bits_set_in(self, words: Words) -> IntVector:
        """The positions of an individual's 1s, ascending."""
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")[: self.edge_count])

    def bits_of(self, edges: IntVector | None) -> IntVector:
        """The bit positions, ascending, of the edges of these numbers; others are left out."""
        return np.flatnonzero(np.isin(self.edge_numbers, [] if edges is None else edges))

    def individual_deleting(self, edges: IntVector) -> Words:
        """The individual that deletes the edges of these numbers."""
        return self.individual_marking(np.isin(self.edge_numbers, edges))

    def individual_marking(self, marks: NDArray[np.bool_]) -> Words:
        """The individual with 1s at these bit positions (m)."""
        bits = np.zeros(64 * self.word_count, dtype=np.uint8)
        bits[: self.edge_count] = marks
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def recount(self, deleted_edges: IntVector) -> tuple[int, int]:
        """Nodes at risk and unique nodes without these edges, from scratch and without any shortcut."""
        anonymity = anonymity_of(self.without(deleted_edges), self.attackers, self.k)
        return anonymity.at_risk, anonymity.unique


BYTES_TO_START = 300_000_000  # of addresses, for compiled code and libraries
BYTES_AN_EDGE = 300
BYTES_AN_EDGE_AROUND = 70  # where a search keeps to the surroundings of people at risk
MEGABYTE = 1_000_000

_started = threading.Event()


def check_memory(
    network: Network, room: Callable[[], int | None] | None = None, *, in_part: bool = False
) -> None:
    """Raise if a search in this network, or in part of it, cannot fit into the memory of this process.

    Later, only the system could tell, by a kill. What is estimated is the least that a search takes: measured
    with annealing on networks of 100 and of 300,000 edges, with few and with many triangles, and around
    people at risk on one of 9.3 million. A search that passes may still be too large.
    """
    left = (room_for_addresses if room is None else room)()
    # After the first search of a process, what all of them need is there already.
    an_edge = BYTES_AN_EDGE_AROUND if in_part else BYTES_AN_EDGE
    needed = (0 if _started.is_set() else BYTES_TO_START) + an_edge * network.edge_count
    if left is not None and needed > left:
        raise NetworkError(
            f"{network.name}: a search takes at least {needed // MEGABYTE:,} MB of memory, and "
            f"{left // MEGABYTE:,} MB are left to this process. Raise its limit (ulimit -v), or search on a "
            f"larger machine."
        )
    _started.set()


def room_for_addresses() -> int | None:
    """Bytes left under this process's memory limit; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return limit
    return max(0, limit - pages * resource.getpagesize())
