"""Attackers as users give them, and as records keep them.

An `Attacker` is a measure, how far her knowledge reaches, and how exact it is: numbers may be off by a share
(fuzzy), people who have the same contacts may count as one (twins), and attributes may be known too.
`Attackers` are those of one search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from netveil.anonymity.measure import Measure, OwnMeasure
from netveil.anonymity.partition import anonymity_of, classes_of
from netveil.attributes import banded
from netveil.errors import SettingError, is_whole, option
from netveil.formatting import Share, parsed_share, percent
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network
from netveil.registries import MEASURES

if TYPE_CHECKING:
    from netveil.anonymity.partition import Sized


# Fuzzy knowledge: each number that the attacker knows may be off by a share φ (de Jong et al. 2026).
#
# w is φ-similar to v when each number a of its state has |a_v − a_w| ≤ φ·a_v: measured from v, so it is not
# symmetric, and 0 is only similar to 0. Whole numbers are used, because at 7%, 14% and 28% floating-point
# numbers give wrong answers.


def parsed_fuzzy(value: Share) -> Fraction:
    """Parse a share exactly: a float means the shortest decimal that gives it.

    >>> parsed_fuzzy("5%"), parsed_fuzzy(0.07)
    (Fraction(1, 20), Fraction(7, 100))
    """
    return parsed_share(value, "fuzzy", "give a share from 0% to 100%, such as 5% or 0.05.")


def similar_counts(
    references: IntMatrix, states: IntMatrix, fuzzy: Fraction | None, *, fallen: bool = False
) -> IntVector:
    """For each row of `references` (r, c), how many rows of `states` (s, c) are φ-similar, or equal, to it.

    With `fallen`, those whose numbers have fallen by the share φ at most, and not risen: see `bounds`. Each
    distinct row is compared once, so a million people with one contact take no longer than one.
    """
    if fuzzy is None:
        class_of, sizes = classes_of(np.concatenate((references, states)))
        return np.bincount(class_of[len(references) :], minlength=len(sizes))[class_of[: len(references)]]
    from netveil.kernels.classes import counts_within

    reference_of, distinct_references, _ = _distinct(references)
    _, distinct_states, how_often = _distinct(states)
    lowest, highest = bounds(distinct_references, fuzzy, fallen=fallen)
    return counts_within(lowest, highest, distinct_states, how_often)[reference_of]


def bounds(numbers: IntMatrix, fuzzy: Fraction, *, fallen: bool = False) -> tuple[IntMatrix, IntMatrix]:
    """Lowest and highest number that is φ-similar to each; with `fallen`, none above it is.

    >>> bounds(np.array([[100, 3]]), Fraction(7, 100), fallen=True)
    (array([[93,  3]]), array([[100,   3]]))
    """
    tolerance = tolerances(numbers, fuzzy)
    return numbers - tolerance, numbers if fallen else numbers + tolerance


def tolerances(numbers: IntMatrix, fuzzy: Fraction) -> IntMatrix:
    """Tolerance of each number a: φ·a rounded down, because |a - b| is whole."""
    distinct, place = np.unique(numbers, return_inverse=True)
    # In Python's integers, because the product may need more than 64 bits.
    allowed = [number * fuzzy.numerator // fuzzy.denominator for number in distinct.tolist()]
    return np.array(allowed, dtype=np.int64)[place].reshape(numbers.shape)


def _distinct(rows: IntMatrix) -> tuple[IntVector, IntMatrix, IntVector]:
    """Number of each row's value, the distinct values in ascending order, and their counts.

    Where there is only one column, a second one of zeros is added.
    """
    class_of, sizes = classes_of(rows)
    values = np.zeros((len(sizes), max(rows.shape[1], 2)), dtype=np.int64)
    values[class_of, : rows.shape[1]] = rows
    return class_of, values, sizes


# Twins: nodes with the same neighbours. They do not hide each other: both have the same contacts anyway.
#
# u and v are twins when N(u) = N(v), or N[u] = N[v] where they know each other. No node can have twins of
# both kinds, so twins of twins are twins.


def twin_class_of(network: Network) -> IntVector:
    """The class of each node (n), twins in one class. Nodes without any neighbours are all twins."""
    from netveil.kernels.classes import classes_of_rows, sort_rows

    offsets, neighbours, _ = network.csr
    open_class, open_classes = classes_of_rows(offsets, neighbours)

    nodes = np.arange(network.node_count)
    closed = np.insert(neighbours, offsets[:-1], nodes)
    closed_offsets = offsets + np.arange(network.node_count + 1)
    sort_rows(closed_offsets, closed)
    closed_class, _ = classes_of_rows(closed_offsets, closed)

    has_open_twin = np.bincount(open_class, minlength=open_classes)[open_class] > 1
    return np.unique(np.where(has_open_twin, open_class, open_classes + closed_class), return_inverse=True)[1]


def one_of_each_twin_class(network: Network, class_of: IntVector) -> IntVector:
    """One node for each twin class within each class of `class_of` (n).

    Twins have the same state by every measure of netveil, but not always by a user's own.
    """
    pairs = np.column_stack((class_of, twin_class_of(network)))
    return np.sort(np.unique(pairs, axis=0, return_index=True)[1])


# Attributes that an attacker knows of a person: published ones, which everybody sees beside the ties.
#
# Two people can only look alike if they have equal values of all of them. Nothing is known about the
# attributes of a person's contacts. A missing value is a value of its own: whoever has none looks like others
# without one.


def parsed_known(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of attributes, from a list or from a text with commas between them; each once.

    >>> parsed_known("age, department"), parsed_known(None)
    (('age', 'department'), ())
    """
    if given is None:
        return ()
    if isinstance(given, bool) or not isinstance(given, Iterable):
        raise SettingError(f"{option('known')} {given!r}: give the names of attributes.")
    names = given.split(",") if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise SettingError(f"{option('known')} {given!r}: give the names of attributes.")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def groups_of(network: Network, names: Sequence[str]) -> IntVector:
    """Group of each node (n): equal numbers for nodes with equal values of these attributes.

    >>> people = Network.from_edges([("a", "b"), ("b", "c")])
    >>> from dataclasses import replace
    >>> from netveil.attributes import Attributes
    >>> groups_of(replace(people, attributes=Attributes({"age": [30, 30, None]})), ["age"])
    array([1, 1, 0])
    """
    rows = list(zip(*(_column(network, name) for name in names), strict=True))
    # By order: a network and its release, in which the same values occur, number their groups alike.
    ordered = sorted(set(rows), key=lambda row: [(value is not None, value or "") for value in row])
    number_of = {row: number for number, row in enumerate(ordered)}
    return np.array([number_of[row] for row in rows] or [0] * network.node_count, dtype=np.int64)


def _column(network: Network, name: str) -> list[Any]:
    """Values of an attribute as text, in bands for a name such as age:10; None where unknown."""
    columns = network.attributes.node
    base, colon, spec = name.rpartition(":")
    if colon and name not in columns and base in columns:
        return list(banded(base, columns[base], spec))
    if name not in columns:
        has = f"the network's people have {', '.join(columns)}" if columns else "its people have none"
        raise SettingError(f"{option('known', name)}: there is no attribute '{name}' of people; {has}.")
    return [None if value is None or value != value else str(value) for value in columns[name]]


# An attacker: a measure, how far it reaches, and how exact her knowledge is.


MOST_DISTANCE = 100  # in networks of people, everybody who is connected is nearer than that


@dataclass(frozen=True)
class Attacker:
    """Somebody who wants to find a person in a published network, and what she knows."""

    measure: Measure
    distance: int = 1  # how far around the person her knowledge reaches
    fuzzy: Fraction | None = None  # φ: by which share the numbers that she knows may be off
    twins: bool = False  # whether people who have the same contacts count as one lookalike
    known: tuple[str, ...] = ()  # attributes of the person that she knows too

    def __post_init__(self) -> None:
        if not is_whole(self.distance) or not 1 <= self.distance <= MOST_DISTANCE:
            raise SettingError(f"distance {self.distance}: give a whole number from 1 to {MOST_DISTANCE}.")
        if not isinstance(self.twins, bool | np.bool_):
            raise SettingError(f"twins {self.twins!r}: give True or False.")
        object.__setattr__(self, "distance", int(self.distance))  # JSON does not take numpy's numbers
        object.__setattr__(self, "twins", bool(self.twins))
        if isinstance(self.measure, OwnMeasure) and self.fuzzy is not None and self.twins:
            raise SettingError(
                f"measure {self.measure.name} is your own and may tell twins apart: leave fuzzy or twins out."
            )
        if self.fuzzy is not None and not self.measure.numeric:
            raise SettingError(
                f"measure {self.measure.name} cannot be fuzzy: its states are not numbers; leave fuzzy out, "
                f"or choose degree, count or edge-count."
            )

    @property
    def name(self) -> str:
        """The measure, and what is special about this attacker."""
        parts = [self.measure.name]
        if self.distance != 1:
            parts.append(f"distance {self.distance}")
        if self.fuzzy is not None:
            parts.append(f"fuzzy {percent(self.fuzzy)}")
        if self.twins:
            parts.append("twin classes")
        if self.known:
            parts.append(f"and knows {', '.join(self.known)}")
        return ", ".join(parts)

    @property
    def knowledge(self) -> str:
        """The attacker's knowledge, as the end of "an attacker who …"."""
        return f"{self.measure.attacker}{self._how_far_and_how_exact}"

    @property
    def title(self) -> str:
        """Plain description, as the end of "somebody who …"; `name` is the technical one."""
        return f"{self.measure.title or self.measure.attacker}{self._how_far_and_how_exact}"

    @property
    def _how_far_and_how_exact(self) -> str:
        farther = "" if self.distance == 1 else f", up to distance {self.distance}"
        off = "" if self.fuzzy is None else f", each number to within {percent(self.fuzzy)}"
        return farther + off + (f", and knows {', '.join(self.known)}" if self.known else "")

    def states(self, network: Network) -> IntMatrix:
        """One row a node, equal rows exactly for nodes with equal states; its group first, if known."""
        states = self.measure.states(network, self.distance)
        return np.column_stack((groups_of(network, self.known), states)) if self.known else states

    def lookalikes(self, network: Sized, states: IntMatrix, class_of: IntVector) -> IntVector:
        """Number of lookalikes of each node (n), itself included; with `twins`, classes of twins."""
        if not self.twins and self.fuzzy is None:
            return np.bincount(class_of)[class_of]
        counted = np.arange(len(states))
        if self.twins:
            if not isinstance(network, Network):
                raise SettingError(
                    f"twins are found in the network itself; leave {option('twins', True)} out."
                )
            counted = one_of_each_twin_class(network, class_of)
        if not self.known or self.fuzzy is None:
            return similar_counts(states, states[counted], self.fuzzy)
        # Numbers may be off, attributes are not: each group is counted by itself.
        found = np.empty(len(states), dtype=np.int64)
        by_group = np.argsort(states[:, 0], kind="stable")
        for group in np.split(by_group, np.flatnonzero(np.diff(states[by_group, 0])) + 1):
            others = states[np.intersect1d(group, counted), 1:]
            found[group] = similar_counts(states[group, 1:], others, self.fuzzy)
        return found

    def to_dict(self) -> dict[str, object]:
        """The attacker as records keep it; `recorded_attackers` reads it back."""
        fuzzy = None if self.fuzzy is None else str(self.fuzzy)
        told = {"measure": self.measure.name, "distance": self.distance, "fuzzy": fuzzy, "twins": self.twins}
        return {**told, "known": list(self.known)} if self.known else told


AnyMeasure: TypeAlias = str | Measure | Callable[..., Any]
"""A name in MEASURES, `module:function`, a measure, or a function from a network to one state a node."""


@dataclass(frozen=True)
class Attackers:
    """Attackers with the same reach and doubts, and how many nodes must look alike to them."""

    each: tuple[Attacker, ...]  # nodes are at risk that any of them can single out
    k: int = 2  # nodes that fewer than k look like, themselves included, are at risk

    @classmethod
    def of(
        cls,
        measures: AnyMeasure | Sequence[AnyMeasure] | Attackers,
        distance: int = 1,
        fuzzy: Share | None = None,
        twins: bool = False,
        k: int = 2,
        known: str | Iterable[str] | None = None,
    ) -> Attackers:
        """Make an attacker for each measure; given `Attackers` are taken as they are."""
        if isinstance(measures, Attackers):
            return measures
        return cls(attackers_of(measures, distance, fuzzy, twins, known), k)

    @property
    def measure(self) -> str:
        """The names of the measures, joined."""
        return " + ".join(attacker.measure.name for attacker in self.each)

    @property
    def distance(self) -> int:
        """Distance up to which the attackers know a person's surroundings."""
        return self.each[0].distance

    @property
    def fuzzy(self) -> Fraction | None:
        """Share by which the numbers that they know may be off."""
        return self.each[0].fuzzy

    @property
    def twins(self) -> bool:
        """Whether people who have the same contacts count as one lookalike."""
        return self.each[0].twins

    @property
    def known(self) -> tuple[str, ...]:
        """Attributes of a person that the attackers know."""
        return self.each[0].known

    @property
    def name(self) -> str:
        """The measures, and what is special about the attackers."""
        first = self.each[0]
        return f"{self.measure}{first.name.removeprefix(first.measure.name)}"

    @property
    def knowledge(self) -> str:
        """The attackers' knowledge, as the end of "an attacker who …"."""
        return ", or one who ".join(attacker.knowledge for attacker in self.each)


def find_measure(given: AnyMeasure) -> Measure:
    """The measure of this name, or a user's own."""
    if isinstance(given, str):
        return MEASURES[MEASURES.named(given)]
    if callable(given) or isinstance(given, Measure):
        return MEASURES.checked(given)
    raise SettingError(f"measure {given!r}: give the name of a measure, module:function, or a function.")


def attackers_of(
    measures: AnyMeasure | Sequence[AnyMeasure],
    distance: int = 1,
    fuzzy: Share | None = None,
    twins: bool = False,
    known: str | Iterable[str] | None = None,
) -> tuple[Attacker, ...]:
    """An attacker for each measure, all with the same distance, fuzziness, twins and known attributes."""
    given = measures if isinstance(measures, Sequence) and not isinstance(measures, str) else [measures]
    if not given:
        raise SettingError("no measure is given; give the name of one, such as count.")
    share = None if fuzzy is None else parsed_fuzzy(fuzzy)
    attributes = parsed_known(known)
    attackers = [Attacker(find_measure(each), distance, share, twins, attributes) for each in given]
    return tuple(dict.fromkeys(attackers))


def recorded_attackers(rows: Sequence[Mapping[str, Any]], own: Mapping[str, Measure]) -> tuple[Attacker, ...]:
    """The attackers that a record keeps as `to_dict`; `own` has the user's own measures by name."""
    return tuple(
        Attacker(
            own.get(row["measure"]) or find_measure(row["measure"]),
            row["distance"],
            None if row["fuzzy"] is None else Fraction(row["fuzzy"]),
            row["twins"],
            tuple(row.get("known", ())),
        )
        for row in rows
    )


# What attributes add to what is known of the ties, and what a class tells of an attribute.


def singled_out_by(network: Network, attackers: Sequence[Attacker], k: int) -> dict[str, int]:
    """People at risk by attributes alone, by structure alone, and by both together."""
    groups = groups_of(network, attackers[0].known)
    without = [replace(attacker, known=()) for attacker in attackers]
    return {
        "attributes": int(np.count_nonzero(np.bincount(groups)[groups] < k)),
        "structure": anonymity_of(network, without, k).at_risk,
        "both": anonymity_of(network, attackers, k).at_risk,
    }


@dataclass(frozen=True)
class Diversity:
    """People in classes in which fewer than `l` different values of an attribute occur."""

    attribute: str
    l: int  # noqa: E741  # as Machanavajjhala et al. (2007) call it
    people: int


def diversity_of(network: Network, class_of: IntVector, asked: str) -> Diversity:
    """Count the people whose class (n) tells too much of a sensitive attribute: `asked` is NAME=L.

    Whoever finds a person's class knows the value if all in it share one (l-diversity, Machanavajjhala et al.
    2007). A missing value is a value.
    """
    name, equals, number = asked.rpartition("=")
    if not equals or not number.strip().isdecimal() or int(number) < 2:
        raise SettingError(f"{option('diverse', asked)}: give NAME=L, such as illness=2; L is 2 or more.")
    pairs = np.unique(np.column_stack((class_of, groups_of(network, [name]))), axis=0)
    values = np.bincount(pairs[:, 0], minlength=int(class_of.max(initial=-1)) + 1)
    return Diversity(name, int(number), int(np.count_nonzero(values[class_of] < int(number))))
