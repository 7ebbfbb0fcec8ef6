"""The paper, end to end: its experiments run again, and its tables and figures beside the published ones.

`published` (figures, scope) → experiments → `paper_tables` → `paper_figures` → `reproduction`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.studies.paper.published import Scope, paper_scope
    from netveil.studies.paper.reproduction import reproduce
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
