"""What does a release still tell? One metric a file; `METRICS` is the one list of them.

two networks → `matching` (who is who) → a `Side` each (what is computed once) → METRICS → `Comparison`
"""

from __future__ import annotations

from netveil.utility.comparison import Comparison, compare
from netveil.utility.metric import Finding, Metric
from netveil.utility.metrics import METRICS
from netveil.utility.released import find_release, read_labels
from netveil.utility.side import Settings, Side

__all__ = [
    "METRICS",
    "Comparison",
    "Finding",
    "Metric",
    "Settings",
    "Side",
    "compare",
    "find_release",
    "read_labels",
]
