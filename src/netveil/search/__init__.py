"""Which edges to delete? One algorithm a file; `ALGORITHMS` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.search.algorithm import Algorithm
    from netveil.search.algorithms import ALGORITHMS, DEFAULT_ALGORITHM
    from netveil.search.control import Control
    from netveil.search.limits.limit import LimitKept
    from netveil.search.limits.registry import LIMITS
    from netveil.search.outcome import Outcome
    from netveil.search.problem import Problem
    from netveil.search.progress import CurvePoint, Progress, Underway
    from netveil.search.request import Request
    from netveil.search.run_search import searching
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
