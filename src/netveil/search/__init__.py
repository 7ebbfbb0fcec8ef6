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
    from netveil.search.progress import CurvePoint, Progress
    from netveil.search.run_search import check_effort, search, searching
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "algorithm": ["Algorithm"],
            "algorithms": ["ALGORITHMS", "DEFAULT_ALGORITHM"],
            "control": ["Control"],
            "limits.limit": ["LimitKept"],
            "limits.registry": ["LIMITS"],
            "outcome": ["Outcome"],
            "problem": ["Problem"],
            "progress": ["CurvePoint", "Progress"],
            "run_search": ["check_effort", "search", "searching"],
        },
    )

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ALGORITHM",
    "LIMITS",
    "Algorithm",
    "Control",
    "CurvePoint",
    "LimitKept",
    "Outcome",
    "Problem",
    "Progress",
    "check_effort",
    "search",
    "searching",
]
