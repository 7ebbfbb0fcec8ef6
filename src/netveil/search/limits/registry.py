"""The one list of limits, each in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.search.limits.limit import Limit

LIMITS: Registry[Limit] = Registry(
    "netveil.search.limits",
    {
        "clustering": (
            "clustering:KeepClustering",
            "the average clustering coefficient changes by at most this share of itself",
        ),
        "lcc": (
            "largest_component:KeepLargestComponent",
            "at most this share of the largest component's people leaves it",
        ),
        "degree": ("degree:KeepDegree", "nobody loses more than this share of their contacts"),
    },
)
