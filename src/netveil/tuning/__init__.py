"""Which settings of an algorithm suit a network? The paper's appendix: successive halving on a grid.

grid.py → contender.py → halving.py  → result.py → figure.py, table.py, folder.py
values     one run that   who goes on,  curves      what a person sees, and keeps
to try     can pause      who does not  and ranks; tournament.py calls them all
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.tuning.result import Curve, TuningResult
    from netveil.tuning.tournament import Grid, RoundStatus, grid_for, tune
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

FINALISTS = 4  # as many configurations as the paper ends with
