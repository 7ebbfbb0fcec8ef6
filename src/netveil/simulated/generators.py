"""The one list of generators, by the kind that plans call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.simulated.generator import Generator

GENERATORS: Registry[Generator] = Registry(
    "netveil.simulated",
    {
        "watts-strogatz": "watts_strogatz:GENERATOR",
        "powerlaw-cluster": "powerlaw_cluster:GENERATOR",
        "stochastic-blocks": "stochastic_blocks:GENERATOR",
        "configuration-triangles": "configuration_triangles:GENERATOR",
        "similarity-circle": "similarity_circle:GENERATOR",
        "erdos-renyi": "erdos_renyi:GENERATOR",
    },
)
