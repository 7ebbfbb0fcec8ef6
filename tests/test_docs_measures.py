"""docs/measures.md keeps its word: its tables, and its recipe for a new measure. The rest: test_docs.py."""

from __future__ import annotations
