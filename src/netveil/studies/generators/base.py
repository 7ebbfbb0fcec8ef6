"""Generators of networks: settings that are checked on entry, and a function that draws edges by them.

`generate` makes a network from a specification: {"kind": "erdos-renyi", "nodes": 500, "degree": 10}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, shown_value, unknown_name
from netveil.network import Dropped, Network
from netveil.registries import GENERATORS

MOST_NODES = 1_000_000
MOST_EDGES = 20_000_000

Pairs = NDArray[np.int64]
"""(m, 2): the two nodes of each edge, in any order."""
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
DegreeSpread = Annotated[float, msgspec.Meta(ge=0, le=3)]
"""Standard deviation of expected degrees over their mean."""
Rules = Iterator[tuple[bool, str]]
"""Whether a rule of the settings holds, and the rule in words."""


class Simulated(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Settings that all generators share; msgspec checks types and bounds, `rules` the rest."""

    nodes: Annotated[int, msgspec.Meta(ge=2, le=MOST_NODES)]
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0  # the same seed gives the same network

    def __post_init__(self) -> None:
        for holds, words in self.rules():
            if not holds:
                raise ValueError(words)

    def rules(self) -> Rules:
        """Rules about several settings; the first that is broken is told."""
        return iter(())

    def edges_rule(self, edges: float) -> tuple[bool, str]:
        """Rule that memory must hold the edges."""
        return edges <= MOST_EDGES, f"these settings give more than {MOST_EDGES:,} edges; give smaller ones"

    def degree_rules(self, degree: float) -> Rules:
        """Rules of an average degree: enough other nodes, and not too many edges."""
        yield 0 <= degree <= self.nodes - 1, f"degree must be between 0 and nodes - 1 = {self.nodes - 1}"
        yield self.edges_rule(self.nodes * degree / 2)


@dataclass(frozen=True)
class Generator:
    """A kind of network that can be drawn."""

    kind: str  # its name in plans
    settings: type[Simulated]
    draw: Callable[[Any, np.random.Generator], Pairs]  # takes such settings


def generate(spec: str | Generator | Mapping[str, Any], **settings: Any) -> Network:
    """Simulate a network by its kind and settings; equal settings, seed included, give equal networks.

    The kinds are those of `nv.generators()`; docs/simulated.md has their settings. A table as in a plan, with
    all of them and the `kind`, will do as well.

    >>> import netveil as nv
    >>> nv.generate("watts-strogatz", nodes=500, degree=10, rewiring=0.1, seed=1)
    Network('watts-strogatz', 500 nodes, 2,500 edges)
    """
    given = spec if isinstance(spec, Mapping) else {"kind": spec, **settings}
    checked = check(given)
    generator = GENERATORS[GENERATORS.named(given["kind"])]
    pairs = generator.draw(checked, np.random.default_rng(checked.seed))
    network = Network.from_numbered_edges(pairs, checked.nodes, name=generator.kind)
    return replace(network, dropped=Dropped())  # what was made up twice was never in a file


def check(spec: Mapping[str, Any]) -> Simulated:
    """The settings that a specification gives, without making the network.

    SettingError tells what is unknown or breaks a rule.
    """
    if not isinstance(spec, Mapping) or "kind" not in spec:
        kinds = ", ".join(GENERATORS)
        raise SettingError(f"generate {shown_value(spec)}: it must be a table with a kind: {kinds}.")
    generator, values = GENERATORS[GENERATORS.named(spec["kind"])], dict(spec)
    del values["kind"]
    for name, value in values.items():
        if name not in generator.settings.__struct_fields__:
            raise unknown_name("key", name, generator.settings.__struct_fields__)
        values[name] = value.item() if isinstance(value, np.generic) else value
    try:
        return msgspec.convert(values, generator.settings)
    except msgspec.ValidationError as error:
        raise SettingError(f"generate, {generator.kind}: {error}.") from None
