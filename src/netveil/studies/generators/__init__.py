"""Simulated networks with chosen clustering and distances: one generator a file, all of them in `GENERATORS`.

`generate = {kind = "watts-strogatz", nodes = 500, degree = 10, rewiring = 0.1, seed = 1}` in a plan is
`generate({"kind": "watts-strogatz", …})` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.registries import GENERATORS
    from netveil.studies.generators.base import Generator, check, generate
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
