"""Shared by all tests."""

from __future__ import annotations

from hypothesis import settings

# A kernel's first call compiles it: no deadline could tell that from a slow example.
settings.register_profile("netveil", deadline=None, max_examples=60)
# Kernels as plain Python are hundreds of times slower: see `make kernels-in-python`.
settings.register_profile("in-python", deadline=None, max_examples=8)
settings.load_profile("netveil")
