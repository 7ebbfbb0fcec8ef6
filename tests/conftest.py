"""Shared by all tests: the folder of helpers is importable, and Hypothesis does not judge the first compile."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
# A kernel's first call compiles it: no deadline could tell that from a slow example.
settings.register_profile("netveil", deadline=None, max_examples=60)
settings.load_profile("netveil")
