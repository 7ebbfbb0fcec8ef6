"""Searches for the edges to delete, one algorithm a file; `ALGORITHMS` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.registries import ALGORITHMS, DEFAULT_ALGORITHM, LIMITS
    from netveil.search.algorithm import Algorithm
    from netveil.search.control import Control, CurvePoint, Progress, Underway
    from netveil.search.limit import LimitKept
    from netveil.search.problem import Problem
    from netveil.search.run_search import Outcome, check_fits, searching
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
