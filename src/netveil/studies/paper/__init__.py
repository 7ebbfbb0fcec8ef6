"""The paper, end to end: its experiments run again, and its tables and figures beside the published ones.

`scope` (what is run) → `experiments` → `runs` → a module a table or figure → `formats` and `page` → DIR
"""

from __future__ import annotations

from netveil.studies.paper.reproduce import Reproduction, reproduce
from netveil.studies.paper.scope import Scope, paper_scope

__all__ = ["Reproduction", "Scope", "paper_scope", "reproduce"]
