"""What ten times the time brings: measured, for it cannot be told from one search.

    python benchmarks/longer.py ../shared/networks/*.txt --times 6,60,600 --budgets 1%,5% --seeds 3

prints such rows, over all networks, budgets and seeds. Measure count, k = 2, no target, no limits, no curve:
of other searches the report makes no forecast. Where the budget is small for those at risk, the budget is
what holds a search up, and time brings less.
"""

from __future__ import annotations

from netveil.search.algorithm import Tenfold

TENFOLD = (
    Tenfold(deletions=0.0, low=0.85, likely=0.92, high=0.96),
    Tenfold(deletions=0.75, low=0.66, likely=0.72, high=0.78),
)
"""By deletions. At 1% of the edges from 15 pairs of 6 and 60 s on the paper's five networks; at 5% from 12 on
the four that leave enough people, and from two of 60 and 600 s: taken by hand from the runs of
benchmarks/left_at_risk.py in docs/results.md, the same tenths and middle as benchmarks/longer.py prints."""
