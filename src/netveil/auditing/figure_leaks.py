"""Deletions that follow from the figures in about.json: the audit tries to reconstruct them.

An attacker who holds the published network adds missing ties to it, one, two or three at a time, until the
figures of the original come out that about.json prints. How many sets of ties agree with all of them?
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, anonymity_of, attackers_of
from netveil.auditing.leaks import Leak
from netveil.errors import NetveilError
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network
from netveil.utility import METRICS, MetricSettings, Side
from netveil.utility.metric import Property, Undefined

# What figures become if ties are added to a network: for very many sets of ties at once.
#
# A set is a row of `ends`: (sets, ties, 2), the two nodes of each tie; no tie of the network is in it.


Ends = NDArray[np.int64]
Figures = NDArray[np.float64]

DENSE_NODES = 4096  # up to so many, ties are looked up in a square of bits
ROWS = 20_000  # sets that are looked at together


class AddedTies:
    """A network, and the ties that it might have had besides its own."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.nodes = network.node_count
        self.missing = comb(self.nodes, 2) - network.edge_count  # pairs of nodes without a tie

    def number_of_sets(self, ties: int) -> int:
        """How many sets of so many missing ties there are."""
        return comb(self.missing, ties)

    def all_sets(self, ties: int) -> Iterator[Ends]:
        """Every set of one, two or three missing ties, in parts."""
        if ties == 1:
            yield from map(self._missing_of, range(self.nodes - 1))
            return
        pairs = self._missing_pairs
        for first in range(len(pairs)):
            others = self._later(first + 1, ties - 1)
            for part in range(0, len(others), ROWS):
                rows = others[part : part + ROWS]
                yield pairs[np.column_stack([np.full(len(rows), first), rows])]

    def _missing_of(self, node: int) -> Ends:
        """The missing ties of a node to later ones, each as a set."""
        others = np.arange(node + 1, self.nodes)
        others = others[~self._tied(np.full(len(others), node), others)]
        return np.column_stack([np.full(len(others), node), others])[:, None]

    def _later(self, start: int, ties: int) -> IntMatrix:
        """The numbers of missing ties from `start` on, alone or two by two."""
        count = len(self._missing_pairs) - start
        if ties == 1:
            return np.arange(start, start + count)[:, None]
        return np.column_stack(np.triu_indices(count, 1)) + start

    def random_sets(self, ties: int, count: int, rng: np.random.Generator) -> Ends:
        """About so many sets of distinct missing ties, drawn at random."""
        drawn = rng.integers(0, self.nodes, (count, ties, 2))
        ends = np.sort(drawn, axis=2)
        keys = np.sort(ends[..., 0] * self.nodes + ends[..., 1], axis=1)
        fits = (ends[..., 0] < ends[..., 1]).all(axis=1) & (np.diff(keys, axis=1) > 0).all(axis=1)
        fits &= ~self._tied(ends[..., 0], ends[..., 1]).any(axis=1)
        return ends[fits]

    def assortativity(self, ends: Ends) -> Figures:
        """The degree assortativity with each set added; NaN where it does not exist."""
        ties, edges = ends.shape[1], self.network.edge_count + ends.shape[1]
        spots = np.ascontiguousarray(ends.reshape(len(ends), 2 * ties).T)
        # Of each end: its degree, and in how many ties of the set it is.
        degree = self._degrees[spots].astype(self._number)
        gained = np.ones(spots.shape, dtype=self._number)
        for one, other in combinations(range(2 * ties), 2):
            same = spots[one] == spots[other]
            gained[one] += same
            gained[other] += same
        squares, cubes, products = (self._number(total) for total in self._sums)
        squares = squares + (2 * degree + gained).sum(axis=0)
        cubes = cubes + (3 * degree * degree + 3 * degree * gained + gained * gained).sum(axis=0)
        products = products + self._around[spots].sum(axis=0).astype(self._number)
        after = degree + gained
        for tie in range(ties):
            products = products + after[2 * tie] * after[2 * tie + 1]
        for one, other in combinations(range(2 * ties), 2) if ties > 1 else ():
            products = products + self._tied(spots[one], spots[other])
        variance = 2 * edges * cubes - squares * squares
        covariance = 4 * edges * products - squares * squares
        found: Figures = np.full(len(ends), np.nan)
        np.divide(covariance, variance, out=found, where=variance != 0)
        return found

    def clustering(self, pairs: IntMatrix) -> Figures:
        """The average clustering coefficient, as in the paper, with each single tie added."""
        weights = np.divide(1.0, self._pairs_of, out=np.zeros(self.nodes), where=self._pairs_of > 0)
        adjacency = self.network.to_scipy().astype(np.float64).tocsr()
        weighted = adjacency.multiply(weights[None, :]).tocsr()
        known, able = float((self._triangles * weights).sum()), int((self._degrees >= 2).sum())
        found = np.empty(len(pairs))
        for part in range(0, len(pairs), ROWS):
            one, other = pairs[part : part + ROWS].T
            common = np.asarray(adjacency[one].multiply(adjacency[other]).sum(axis=1)).ravel()
            total = known + np.asarray(weighted[one].multiply(adjacency[other]).sum(axis=1)).ravel()
            nodes = np.full(len(one), able)
            for end in (one, other):
                degree = self._degrees[end]
                total += 2 * (self._triangles[end] + common) / np.maximum((degree + 1) * degree, 1)
                total -= self._triangles[end] * weights[end]
                nodes += degree == 1
            found[part : part + ROWS] = np.divide(
                total, nodes, out=np.full(len(one), np.nan), where=nodes > 0
            )
        return found

    def with_ties(self, ties: IntMatrix) -> Network:
        """The network with a set of ties added."""
        return Network.from_numbered_edges(np.concatenate([self.network.edges, ties]), self.nodes)

    def _tied(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether pairs of nodes have a tie."""
        if self._square is not None:
            return np.asarray(self._square[one, other])
        keys = np.minimum(one, other) * self.nodes + np.maximum(one, other)
        place = np.searchsorted(self._keys, keys)
        return np.asarray(self._keys[np.minimum(place, len(self._keys) - 1)] == keys)

    @cached_property
    def _missing_pairs(self) -> IntMatrix:
        one, other = np.triu_indices(self.nodes, 1)
        return np.column_stack([one, other])[~self._tied(one, other)]

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        edges = self.network.edges.astype(np.int64)
        return np.sort(edges[:, 0] * self.nodes + edges[:, 1])

    @cached_property
    def _square(self) -> NDArray[np.bool_] | None:
        if self.nodes > DENSE_NODES:
            return None
        square = np.zeros((self.nodes, self.nodes), dtype=np.bool_)
        one, other = self.network.edges.T
        square[one, other] = square[other, one] = True
        return square

    @cached_property
    def _degrees(self) -> NDArray[np.int64]:
        return self.network.degrees.astype(np.int64)

    @property
    def _number(self) -> type[np.int64 | np.float64]:
        """Whole numbers, in which nothing is lost, unless the sums are too large for them."""
        largest = 2 * (self.network.edge_count + 3) * (self._sums[1] + 1000 * self.nodes)
        return np.int64 if largest < 2**60 else np.float64

    @cached_property
    def _pairs_of(self) -> NDArray[np.float64]:
        return np.asarray(self._degrees * (self._degrees - 1) / 2)

    @cached_property
    def _triangles(self) -> NDArray[np.int64]:
        from netveil.kernels.triangles import triangles_per_node

        return triangles_per_node(self.network.edges, self.network.degrees).astype(np.int64)

    @cached_property
    def _around(self) -> NDArray[np.int64]:
        """The degrees of each node's contacts, summed."""
        one, other = self.network.edges.T
        around = np.zeros(self.nodes, dtype=np.int64)
        np.add.at(around, one, self._degrees[other])
        np.add.at(around, other, self._degrees[one])
        return around

    @cached_property
    def _sums(self) -> tuple[int, int, int]:
        """Squares and cubes of all degrees, and the product of degrees along each edge, summed."""
        one, other = self._degrees[self.network.edges].T
        return int((self._degrees**2).sum()), int((self._degrees**3).sum()), int((one * other).sum())


# What about.json says of the original, as an attacker reads it: figures, and how exact they are.


MOST_DIGITS = 3  # that a figure of the original may have
LADDER = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # shares of deleted edges that are upper bounds
LAST_DECIMAL = 1e-6  # to which shares were once rounded
ROUNDING = 1e-12  # what arithmetic in another order may make of a figure
PEOPLE = ("at_risk_before", "unique_before")


@dataclass(frozen=True)
class Printed:
    """A figure of the original, and how far the true one is from it at most."""

    value: float
    within: float

    def fits(self, figure: Any) -> Any:
        """Whether a figure, or each of an array, may be the one; one that does not exist may."""
        return ~(np.abs(np.asarray(figure) - self.value) > self.within)


@dataclass(frozen=True)
class Record:
    """The parts of about.json that depend on the original."""

    figures: Mapping[str, Printed]  # of the original, by the name of the metric or of the count of people
    exact: int  # figures of more digits than they may have
    edges_deleted: float | None
    budget_share: float | None
    attackers: tuple[Attacker, ...]
    k: int

    def numbers_of_deletions(self, released: Network) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How many edges may have been deleted, from 1 on, as far as shares and the average degree say."""
        edges = released.edge_count
        deleted = np.arange(1, max(10 * edges, 100) + 1)
        fits, share = np.ones(len(deleted), dtype=np.bool_), deleted / (edges + deleted)
        if self.edges_deleted is not None and self.edges_deleted in LADDER[1:]:
            below = LADDER[LADDER.index(self.edges_deleted) - 1]
            lowest = below < 3 / (edges + 3)  # then there is no lower rung
            fits &= (share <= self.edges_deleted) & (lowest | (share > below))
        elif self.edges_deleted is not None:
            fits &= np.abs(share - self.edges_deleted) <= _half_a_digit(self.edges_deleted)
        if self.budget_share is not None and _digits(self.budget_share) > MOST_DIGITS:
            budget = np.rint(self.budget_share * (edges + deleted))
            fits &= np.abs(budget / (edges + deleted) - self.budget_share) <= _half_a_digit(self.budget_share)
            fits &= budget >= deleted
        elif self.budget_share is not None:
            fits &= share <= self.budget_share + LAST_DECIMAL
        if "average_degree" in self.figures and released.node_count:
            fits &= self.figures["average_degree"].fits(2 * (edges + deleted) / released.node_count)
        return deleted[fits]


def read_record(about: Mapping[str, Any], released: Network) -> Record:
    """What a record says of the original; what is no figure is passed over."""
    figures: dict[str, Printed] = {}
    exact = 0
    people, utility = _part(about, "anonymity"), _part(about, "utility")
    for name in PEOPLE:
        figures |= _printed(name, people, name, people.get(name.replace("before", "after")))
    for name, metric in METRICS.items():
        entry = _part(utility, name)
        if isinstance(metric, Property):
            figures |= _printed(name, entry, "before", entry.get("after"))
            exact += _is_too_exact(entry.get("before"))
        else:
            exact += _is_too_exact(entry.get("score")) + _is_too_exact(entry.get("after"))
    shares = [utility.get("edges_deleted"), about.get("budget_share")]
    exact += sum(map(_is_too_exact, [*shares, *(people.get(name) for name in PEOPLE)]))
    deleted, budget = (float(share) if _is_number(share) else None for share in shares)
    k = about.get("k")
    return Record(figures, exact, deleted, budget, _attackers(about), k if isinstance(k, int) else 2)


def _printed(name: str, entry: Mapping[str, Any], key: str, after: Any) -> dict[str, Printed]:
    value, within = entry.get(key), entry.get("within")
    if not _is_number(value):
        return {}
    if not _is_number(within) or _is_too_exact(value) or within <= 0:
        return {name: Printed(float(value), _half_a_digit(value))}
    # Rounded on its own it is within half a step; as the release's figure rounded, within a step.
    alike = _is_number(after) and abs(after - value) <= within / 2 + ROUNDING
    return {name: Printed(float(value), float(within) * (1 if alike else 0.5) + ROUNDING)}


def _attackers(about: Mapping[str, Any]) -> tuple[Attacker, ...]:
    """Those of netveil's measures whom the release was made against; a user's own is not known."""
    try:
        return attackers_of(
            str(about["measure"]).split(" + "),
            about["distance"],
            about.get("fuzzy"),
            about.get("twins") is True,
        )
    except (NetveilError, LookupError, TypeError, ValueError):
        return ()


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_too_exact(value: Any) -> bool:
    return _is_number(value) and _digits(value) > MOST_DIGITS


def _digits(value: float) -> int:
    """Significant digits of a number as it is printed; zeros at its end do not count."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


def _half_a_digit(value: float) -> float:
    """How far a number may be from what it was before it was printed; a whole number is exact."""
    if isinstance(value, int):
        return 0.25
    exponent = Decimal(repr(value)).as_tuple().exponent
    return max(0.5 * 10.0 ** int(exponent), ROUNDING * max(1.0, abs(value)))


MOST_TIES = 3  # deletions that are reconstructed together
MOST_SETS = 25_000_000  # sets that are all looked at; of more, a sample
FIRST_LOOK = 20_000  # random sets: if enough of them agree, the others need no look
SAMPLE = 200_000
RECOMPUTED = 50  # sets for which every figure is computed from scratch
HARDLY_ANY = 0.1  # of them: if fewer agree,
MOST_RECOMPUTED = 2_000  # so many are computed from scratch
WORK = 60_000_000  # nodes times edges that this may take
FEW = 0.01  # of all sets: fewer are a leak
SEED = 0

REMEDY = "Make the release again, or take the figures of the original out of about.json."


@dataclass(frozen=True)
class Reconstruction:
    """How far an attacker gets who takes so many ties for deleted."""

    ties: int
    sets: int  # of so many missing ties
    tried: int
    left: int  # of those tried, that agree in what is quickly computed
    agreeing: int  # of those, that agree in everything, as far as could be told

    @property
    def all_tried(self) -> bool:
        """Whether no set was left out."""
        return self.tried == self.sets

    @property
    def share(self) -> float:
        """Sets that agree, of those tried."""
        return self.agreeing / self.tried if self.tried else 1.0

    def __str__(self) -> str:
        what = "single ones" if self.ties == 1 else f"sets of {self.ties}"
        of = f"{self.tried:,} {what}"
        return f"{self.agreeing:,} of {of if self.all_tried else f'{of} drawn from {self.sets:,}'}"


@dataclass(frozen=True)
class FigureLeaks:
    """What follows from the figures of a release."""

    leaks: tuple[Leak, ...] = ()
    told: str = ""  # how far the reconstruction got, in a sentence


def figure_leaks(public: Path, released: Network) -> FigureLeaks:
    """What about.json in a public folder tells of the deletions; nothing if there is none to read."""
    try:
        about = json.loads((public / "about.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return FigureLeaks()
    return leaks_of_record(about, released) if isinstance(about, dict) else FigureLeaks()


def leaks_of_record(about: dict[str, Any], released: Network) -> FigureLeaks:
    """What a record tells of the deletions, to somebody who has the published network."""
    record = read_record(about, released)
    if record.edges_deleted == 0 or (record.edges_deleted is None and not record.figures):
        return FigureLeaks()  # nothing was deleted, or nothing is said
    numbers = record.numbers_of_deletions(released)
    ties = AddedTies(released)
    reconstructions = [reconstruct(ties, record, int(number)) for number in numbers[numbers <= MOST_TIES]]
    reconstructions = [each for each in reconstructions if each.sets]
    return FigureLeaks(tuple(_leaks(record, numbers, reconstructions)), _told(reconstructions))


def _leaks(
    record: Record, numbers: np.ndarray[Any, Any], reconstructions: Iterable[Reconstruction]
) -> Iterator[Leak]:
    certain = len(numbers) == 1
    for each in reconstructions:
        if each.share < FEW and (each.agreeing or (certain and not each.all_tried)):
            agree = "agrees" if each.agreeing == 1 else "agree"
            finding = (
                f"Of the deletions that may have been made, {each} {agree} with the figures of the "
                f"original in about.json: they can be told."
            )
            yield Leak("leak", "figures", finding, REMEDY)
    if certain:
        finding = f"From the figures in about.json it follows how many edges were deleted: {numbers[0]:,}."
        yield Leak("warning", "figures", finding, REMEDY)
    if record.exact:
        finding = (
            f"about.json has {counted(record.exact, 'figure')} of the original with more than three digits: "
            f"who adds ties until they come out may find those that were deleted."
        )
        yield Leak("warning", "figures", finding, REMEDY)


def _told(reconstructions: list[Reconstruction]) -> str:
    if not reconstructions:
        return "By the figures in about.json, too many edges were deleted to try which they were."
    return f"Deletions that agree with the figures in about.json: {'; '.join(map(str, reconstructions))}."


def reconstruct(ties: AddedTies, record: Record, number: int) -> Reconstruction:
    """How many sets of so many missing ties agree with a record: all are tried where few agree."""
    sets = ties.number_of_sets(number)
    rng = np.random.default_rng(SEED)
    if sets > FIRST_LOOK:
        first = _look(ties, record, number, [ties.random_sets(number, FIRST_LOOK, rng)], rng)
        if first.left > FEW * first.tried:
            return first  # to look at all of them would not tell more
    if sets <= MOST_SETS:
        return _look(ties, record, number, ties.all_sets(number), rng)
    return _look(ties, record, number, [ties.random_sets(number, SAMPLE, rng)], rng)


def _look(
    ties: AddedTies, record: Record, number: int, parts: Iterable[Ends], rng: np.random.Generator
) -> Reconstruction:
    """Which sets agree in what is quickly computed, and of these, from scratch, a few in everything."""
    tried, left = 0, []
    for part in parts:
        tried += len(part)
        left.append(part[_agree_quickly(ties, record, part)])
    kept = np.concatenate(left) if left else np.empty((0, number, 2), dtype=np.int64)
    return Reconstruction(
        number, ties.number_of_sets(number), tried, len(kept), _agree_closely(ties, record, kept, rng)
    )


def _agree_closely(ties: AddedTies, record: Record, sets: Ends, rng: np.random.Generator) -> int:
    """How many sets agree in everything: from scratch for a few, for all if hardly any of these do."""
    affordable = WORK // max(ties.nodes * ties.network.edge_count, 1)
    few = min(RECOMPUTED, affordable, len(sets))
    if few == 0:
        return len(sets)
    mixed = rng.permutation(sets)
    hits = sum(_agrees(ties.with_ties(each), record) for each in mixed[:few])
    if hits >= HARDLY_ANY * few or len(sets) > min(MOST_RECOMPUTED, affordable):
        return round(len(sets) * hits / few)
    return hits + sum(_agrees(ties.with_ties(each), record) for each in mixed[few:])


def _agree_quickly(ties: AddedTies, record: Record, ends: Ends) -> np.ndarray[Any, np.dtype[np.bool_]]:
    agree = np.ones(len(ends), dtype=np.bool_)
    if "assortativity" in record.figures:
        agree &= record.figures["assortativity"].fits(ties.assortativity(ends))
    if "clustering" in record.figures and ends.shape[1] == 1:
        alone = np.flatnonzero(agree)
        agree[alone] = record.figures["clustering"].fits(ties.clustering(ends[alone, 0]))
    return agree


def _agrees(original: Network, record: Record) -> bool:
    """Whether a network may be the original: every figure from scratch."""
    side = Side(original, MetricSettings())
    for name, metric in METRICS.items():
        if name in record.figures and isinstance(metric, Property):
            try:
                if not record.figures[name].fits(metric.value(side)):
                    return False
            except Undefined:
                continue
    if not record.attackers or not record.figures.keys() & set(PEOPLE):
        return True
    found = anonymity_of(original, record.attackers, record.k)
    people = dict(zip(PEOPLE, (found.at_risk, found.unique), strict=True))
    return all(record.figures[name].fits(people[name]) for name in PEOPLE if name in record.figures)
