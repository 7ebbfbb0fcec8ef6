"""Utility: what a release still tells. `METRICS` is the one list of metrics.

two networks → `people_of` (who is who) → a `Side` each (what is computed once) → METRICS → `Comparison`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.registries import METRICS
    from netveil.utility.comparison import Comparison, compare, comparing
    from netveil.utility.metric import Finding, Metric, MetricSettings, Side
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
