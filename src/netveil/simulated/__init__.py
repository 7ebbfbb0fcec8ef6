"""Simulated networks with chosen clustering and distances: one generator a file, all of them in `GENERATORS`.

`generate = {kind = "watts-strogatz", nodes = 500, degree = 10, rewiring = 0.1, seed = 1}` in a plan is
`generate({"kind": "watts-strogatz", …})` here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np

from netveil.errors import SettingError, unknown_name
from netveil.network import Dropped, Network
from netveil.simulated import (
    configuration_triangles,
    erdos_renyi,
    powerlaw_cluster,
    similarity_circle,
    stochastic_blocks,
    watts_strogatz,
)
from netveil.simulated.generator import GenerateError, Generator, Simulated

__all__ = [
    "GENERATORS",
    "GenerateError",
    "Generator",
    "Simulated",
    "check",
    "generate",
    "plan_text",
    "ready_plan",
]

GENERATORS: dict[str, Generator] = {
    module.GENERATOR.kind: module.GENERATOR
    for module in (
        watts_strogatz,
        powerlaw_cluster,
        stochastic_blocks,
        configuration_triangles,
        similarity_circle,
        erdos_renyi,
    )
}
"""Every generator by its kind."""


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


def plan_text() -> str:
    """The ready plan `simulated` as TOML."""
    return files("netveil").joinpath("simulated", "simulated.toml").read_text(encoding="utf-8")


def ready_plan() -> dict[str, Any]:
    """The ready plan `simulated`, read."""
    return tomllib.loads(plan_text())
