"""Which edges to delete? One algorithm a file; `ALGORITHMS` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.search.algorithm import Algorithm as Algorithm
    from netveil.search.algorithms import ALGORITHMS as ALGORITHMS, DEFAULT_ALGORITHM as DEFAULT_ALGORITHM
    from netveil.search.control import Control as Control
    from netveil.search.limits.limit import LimitKept as LimitKept
    from netveil.search.limits.registry import LIMITS as LIMITS
    from netveil.search.outcome import Outcome as Outcome
    from netveil.search.problem import Problem as Problem
    from netveil.search.progress import CurvePoint as CurvePoint, Progress as Progress
    from netveil.search.request import Request as Request
    from netveil.search.run_search import search as search, searching as searching
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
