"""What ten times the time brings: measured, for it cannot be told from one search.

    python benchmarks/longer.py ../shared/networks/*.txt --times 6,60,600 --budgets 1%,5% --seeds 3

prints these rows, over all networks, budgets and seeds. Measure count, k = 2, no target, no limits, no curve:
of other searches the report makes no forecast. Where the budget is small for those at risk, the budget is
what holds a search up, and time brings less.
"""

from __future__ import annotations

from netveil.search.algorithm import Tenfold

TENFOLD = (
    Tenfold(deletions=0.0, low=0.80, likely=0.90, high=1.00),
    Tenfold(deletions=0.75, low=0.65, likely=0.75, high=0.90),
)
"""By deletions. Provisional: from runs of 5 to 300 s of prototypes; one pair of 3 and 30 s on each of four
networks left 0.65 to 0.80 at 5% of the edges, and 0.85 to 0.92 at 1%."""
