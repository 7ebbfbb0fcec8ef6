"""From a kind of network and its settings to the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from netveil.errors import SettingError, unknown_name
from netveil.network import Dropped, Network
from netveil.simulated.generator import GenerateError, Simulated
from netveil.simulated.generators import GENERATORS


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
