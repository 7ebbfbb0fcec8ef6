"""The one list of attackers who match whole networks, each in a module of its own; the strongest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.auditing.matching.matcher import Matcher

STRONGEST = "weighing"
"""Needs nobody to be recognised beforehand, and is tried with everything that may be known."""

MATCHERS: Registry[Matcher] = Registry(
    "netveil.auditing.matching",
    {
        "weighing": "weighing:Weighing",
        "narayanan-shmatikov": "narayanan_shmatikov:NarayananShmatikov",
        "bumblebee": "bumblebee:Bumblebee",
        "percolation": "percolation:Percolation",
    },
)
