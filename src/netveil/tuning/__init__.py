"""Which settings of an algorithm suit a network? The paper's appendix: successive halving on a grid.

grid.py → contender.py → halving.py  → result.py → figure.py, table.py, folder.py
values     one run that   who goes on,  curves      what a person sees, and keeps
to try     can pause      who does not  and ranks; tournament.py calls them all
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.tuning.grid import Grid as Grid, grid_for as grid_for
    from netveil.tuning.halving import RoundStatus as RoundStatus
    from netveil.tuning.result import Curve as Curve, TuningResult as TuningResult
    from netveil.tuning.tournament import tune as tune
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

FINALISTS = 4  # as many configurations as the paper ends with
