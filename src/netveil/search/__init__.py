"""Which edges to delete? One algorithm a file; `ALGORITHMS` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.search.algorithms import ALGORITHMS, DEFAULT_ALGORITHM, Algorithm
    from netveil.search.control import Control, Progress
    from netveil.search.limits import LIMITS, LimitKept, Share
    from netveil.search.outcome import CurvePoint, Outcome
    from netveil.search.problem import Problem
    from netveil.search.run_search import check_effort, search
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "algorithms": ["ALGORITHMS", "DEFAULT_ALGORITHM", "Algorithm"],
            "control": ["Control", "Progress"],
            "limits": ["LIMITS", "LimitKept", "Share"],
            "outcome": ["CurvePoint", "Outcome"],
            "problem": ["Problem"],
            "run_search": ["check_effort", "search"],
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
    "Share",
    "check_effort",
    "search",
]
