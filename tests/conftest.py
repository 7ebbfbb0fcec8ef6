"""Shared by all tests."""

from __future__ import annotations

from hypothesis import settings

# A kernel's first call compiles it: no deadline could tell that from a slow example.
settings.register_profile("netveil", deadline=None, max_examples=60)
settings.load_profile("netveil")
