"""The paper, end to end: `netveil.paper.reproduce`. How it is done is in `netveil.studies.paper`."""

from __future__ import annotations

from netveil.studies.paper import Reproduction, Scope, paper_scope, reproduce

__all__ = ["Reproduction", "Scope", "paper_scope", "reproduce"]
