"""Generators of networks: settings that are checked on entry, and a function that draws edges by them.

`generate` makes a network from a specification: {"kind": "erdos-renyi", "nodes": 500, "degree": 10}.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from numbers import Real
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, is_whole, unknown_name
from netveil.network import Dropped, Network
from netveil.registries import GENERATORS

MOST_NODES = 1_000_000
MOST_EDGES = 20_000_000
LARGEST_SEED = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max
LONGEST_SHOWN = 40  # characters of a value in an error

Pairs = NDArray[np.int64]
"""(m, 2): the two nodes of each edge, in any order."""


class SettingRule(NamedTuple):
    """A rule of a setting, and whether it holds."""

    name: str  # of the setting
    holds: bool
    words: str  # 'between 0 and 1'


Rules = Iterator[SettingRule]


class GenerateError(SettingError):
    """Settings that give no network. `problems` has a sentence for each wrong one, by name."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)

    def __reduce__(self) -> tuple[type[GenerateError], tuple[dict[str, str]]]:
        """Pickled by its problems."""
        return GenerateError, (self.problems,)


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """Settings that all generators share."""

    nodes: int
    seed: int = 0  # the same seed gives the same network

    def __post_init__(self) -> None:
        problems: dict[str, str] = {}
        nodes, seed = self.between("nodes", 2, MOST_NODES), self.between("seed", 0, LARGEST_SEED)
        for name, holds, words in (nodes, seed, *self.rules()):
            if not holds:
                problems.setdefault(name, f"{name} = {shown(getattr(self, name))}: it must be {words}.")
        if problems:
            raise GenerateError(problems)

    def rules(self) -> Rules:
        """Rules of the settings; of several rules of one setting, the first that is broken is told."""
        return iter(())

    def between(self, name: str, least: float, most: float) -> SettingRule:
        """Rule that a setting lies in this range."""
        return SettingRule(name, least <= getattr(self, name) <= most, f"between {least:,} and {most:,}")

    def edges_rule(self, name: str, edges: float) -> SettingRule:
        """Rule of a setting that decides on the number of edges, which memory must hold."""
        fits = self.nodes > MOST_NODES or edges <= MOST_EDGES  # too many nodes are told already
        return SettingRule(name, fits, f"smaller; it gives more than {MOST_EDGES:,} edges")

    def degree_rules(self, degree: float) -> Rules:
        """Rules of an average degree: enough other nodes, and not too many edges."""
        others = f"between 0 and nodes - 1 = {shown(self.nodes - 1)}"
        yield SettingRule("degree", 0 <= degree <= self.nodes - 1, others)
        yield self.edges_rule("degree", self.nodes * degree / 2 if self.nodes <= MOST_NODES else 0)


@dataclass(frozen=True)
class Generator:
    """A kind of network that can be drawn."""

    kind: str  # its name in plans
    settings: type[Simulated]
    draw: Callable[[Any, np.random.Generator], Pairs]  # takes such settings

    def checked(self, values: Mapping[str, Any]) -> Simulated:
        """Settings with these values; GenerateError tells all that is unknown or breaks a rule."""
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


def shown(value: object) -> str:
    """Text of a value for errors: cut off where it is long, for some numbers have hundreds of digits."""
    if isinstance(value, int) and value.bit_length() > 4 * LONGEST_SHOWN:
        return f"(a number of more than {LONGEST_SHOWN} digits)"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 3 * LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _is_of_type(value: object, wanted: type) -> bool:
    """Whether a value is a whole number, or any finite one that fits a float."""
    if wanted is int:
        return is_whole(value)
    number: Any = value  # of numpy, too
    return isinstance(value, Real) and not isinstance(value, bool) and abs(number) <= LARGEST_FLOAT


# Drawing pairs of nodes, none of them twice.


def distinct_numbers(total: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `count` different numbers below `total`, every choice as likely, in ascending order."""
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
    """Draw pairs (u, v) with first[v] <= u < last[v], each by one chance, independently of the others."""
    ends = np.cumsum(last - first)
    total = int(ends[-1])
    numbers = distinct_numbers(total, int(rng.binomial(total, chance)), rng)
    larger = np.searchsorted(ends, numbers, side="right")
    smaller = last[larger] - (ends[larger] - numbers)
    return np.column_stack((smaller, larger))


def generate(spec: str | Generator | Mapping[str, Any], **settings: Any) -> Network:
    """Simulate a network by its kind and settings; equal settings, seed included, give equal networks.

    The kinds are those of `nv.generators()`; docs/simulated.md has their settings. A table as in a plan, with
    all of them and the `kind`, will do as well.

    >>> import netveil as nv
    >>> nv.generate("watts-strogatz", nodes=500, degree=10, rewiring=0.1, seed=1)
    Network('watts-strogatz', 500 nodes, 2,500 edges)
    """
    return _generated(spec if isinstance(spec, Mapping) else {"kind": spec, **settings})


def _generated(spec: Mapping[str, Any]) -> Network:
    settings = check(spec)
    generator = GENERATORS[GENERATORS.named(spec["kind"])]
    pairs = generator.draw(settings, np.random.default_rng(settings.seed))
    network = Network.from_numbered_edges(pairs, settings.nodes, name=generator.kind)
    return replace(network, dropped=Dropped())  # what was made up twice was never in a file


def check(spec: Mapping[str, Any]) -> Simulated:
    """The settings that a specification gives, without making the network; an error names all problems."""
    if not isinstance(spec, Mapping) or "kind" not in spec:
        raise SettingError(f"generate = {spec!r}: it must be a table with a kind: {', '.join(GENERATORS)}.")
    try:
        kind = GENERATORS.named(spec["kind"])
    except SettingError as error:
        raise GenerateError({"kind": error.message}) from None
    return GENERATORS[kind].checked({name: value for name, value in spec.items() if name != "kind"})
