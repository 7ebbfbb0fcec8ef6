"""What every generator has: settings that are checked on entry, and a way to draw a network by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, is_whole, unknown_name
from netveil.network import Dropped, Network
from netveil.registries import GENERATORS

MOST_NODES = 1_000_000
MOST_EDGES = 20_000_000
LARGEST_SEED = 2**63 - 1
LONGEST_SHOWN = 40  # characters of a value in an error

Pairs = NDArray[np.int64]
"""(m, 2): the two nodes of each edge, in any order."""


class SettingRule(NamedTuple):
    """What one of the settings must be."""

    name: str  # of the setting
    holds: bool
    words: str  # 'between 0 and 1'


class GenerateError(SettingError):
    """Settings that give no network. `problems` has a sentence for each of those that are wrong, by name."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)

    def __reduce__(self) -> tuple[type[GenerateError], tuple[dict[str, str]]]:
        """Pickled by what it was made from."""
        return GenerateError, (self.problems,)


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """Settings that all generators share."""

    nodes: int
    seed: int = 0  # the same seed gives the same network

    def __post_init__(self) -> None:
        problems: dict[str, str] = {}
        for name, holds, words in self.rules():
            if not holds:
                problems.setdefault(name, f"{name} = {shown(getattr(self, name))}: it must be {words}.")
        if problems:
            raise GenerateError(problems)

    def rules(self) -> Iterator[SettingRule]:
        """What the settings must be. One that has been found wrong is not told again by a later rule."""
        yield SettingRule("nodes", 2 <= self.nodes <= MOST_NODES, f"between 2 and {MOST_NODES:,}")
        yield SettingRule("seed", 0 <= self.seed <= LARGEST_SEED, f"between 0 and {LARGEST_SEED}")


@dataclass(frozen=True)
class Generator:
    """One way to make up a network."""

    kind: str  # its name in plans
    title: str  # one sentence on what it makes
    settings: type[Simulated]
    draw: Callable[[Any, np.random.Generator], Pairs]  # takes such settings

    def checked(self, values: Mapping[str, Any]) -> Simulated:
        """Settings with these values, if every one is known, of the right type and within its rule."""
        hints = get_type_hints(self.settings)
        problems = {}
        for name, value in values.items():
            if name not in hints:
                problems[name] = str(unknown_name("key", name, hints))
            elif not _is_of_type(value, hints[name]):
                noun = "a whole number" if hints[name] is int else "a number"
                problems[name] = f"{name} = {shown(value)}: it must be {noun}."
        for field in fields(self.settings):
            if field.default is MISSING and field.name not in values:
                problems[field.name] = f"{field.name} is missing. The keys are {', '.join(hints)}."
        try:
            if not problems:
                return self.settings(**values)
        except GenerateError as error:
            problems = error.problems
        raise GenerateError({name: f"generate, {self.kind}: {told}" for name, told in problems.items()})


def degree_rules(nodes: int, degree: float) -> Sequence[SettingRule]:
    """Nodes can have so many neighbours on average, and memory their edges."""
    fits = 0 <= degree <= nodes - 1
    rule = SettingRule("degree", fits, f"between 0 and nodes - 1 = {shown(nodes - 1, ',')}")
    return rule, edges_rule("degree", nodes * degree / 2 if fits and nodes <= MOST_NODES else 0)


def edges_rule(name: str, edges: float) -> SettingRule:
    """A setting asks for no more edges than are allowed."""
    return SettingRule(name, edges <= MOST_EDGES, f"smaller; it gives more than {MOST_EDGES:,} edges")


def shown(value: object, form: str = "") -> str:
    """A value as errors show it: cut off where it is long, for some numbers have hundreds of digits."""
    if isinstance(value, int) and value.bit_length() > 4 * LONGEST_SHOWN:
        return f"(a number of more than {LONGEST_SHOWN} digits)"
    text = repr(value) if isinstance(value, str) else format(value, form) if form else str(value)
    return text if len(text) <= 3 * LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _is_of_type(value: object, wanted: type) -> bool:
    """Whether a value is a whole number, or any finite one that fits a float."""
    if wanted is int:
        return is_whole(value)
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


# Drawing pairs of nodes, none of them twice.


def distinct_numbers(total: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` different numbers below `total`, every choice as likely, in ascending order."""
    if count > total / 2:
        kept = np.ones(total, dtype=bool)
        kept[distinct_numbers(total, total - count, rng)] = False
        return np.flatnonzero(kept)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # As many as are missing, so that none must be taken away again, which would favour some.
        drawn = np.union1d(drawn, rng.integers(total, size=count - len(drawn)))
    return drawn


def independent_pairs(
    first: NDArray[np.int64], last: NDArray[np.int64], chance: float, rng: np.random.Generator
) -> Pairs:
    """Each pair (u, v) with first[v] <= u < last[v] by the same chance, independently of the others."""
    ends = np.cumsum(last - first)
    total = int(ends[-1])
    numbers = distinct_numbers(total, int(rng.binomial(total, chance)), rng)
    larger = np.searchsorted(ends, numbers, side="right")
    smaller = last[larger] - (ends[larger] - numbers)
    return np.column_stack((smaller, larger))


# The one list of generators, by the kind that plans call them.


if TYPE_CHECKING:
    pass


# From a kind of network and its settings to the network.


def generate(spec: Mapping[str, Any]) -> Network:
    """A network by its kind and settings; the same ones, seed included, give the same network.

    >>> generate({"kind": "watts-strogatz", "nodes": 500, "degree": 10, "rewiring": 0.1, "seed": 1})
    Network('watts-strogatz', 500 nodes, 2,500 edges)
    """
    settings = check(spec)
    generator = GENERATORS[spec["kind"]]
    pairs = generator.draw(settings, np.random.default_rng(settings.seed))
    network = Network.from_numbered_edges(pairs, settings.nodes, name=generator.kind)
    return replace(network, dropped=Dropped())  # what was made up twice was never in a file


def check(spec: Mapping[str, Any]) -> Simulated:
    """The settings that a specification gives, without making the network; an error names all problems."""
    if not isinstance(spec, Mapping) or "kind" not in spec:
        raise SettingError(f"generate = {spec!r}: it must be a table with a kind: {', '.join(GENERATORS)}.")
    kind = spec["kind"]
    if not isinstance(kind, str) or kind not in GENERATORS:
        raise GenerateError({"kind": str(unknown_name("kind", str(kind), GENERATORS))})
    return GENERATORS[kind].checked({name: value for name, value in spec.items() if name != "kind"})
