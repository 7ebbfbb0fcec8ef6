"""How a search follows a state when edges go and come back, as numbers that kernels take. Free of numba."""

from __future__ import annotations

LINEAR = 0  # per_degree * degree + per_triangle * triangles
TIES = 1  # the triangles on each of a node's edges, as a multiset
CONTACTS = 2  # what the neighbours look like, as a multiset, in so many rounds
NUMBERS_AROUND = 3  # nodes and edges within distance 1, 2, …
EDGES_AROUND = 4  # edges within distance 1, 2, …
DEGREES_AROUND = 5  # degrees inside the surroundings at distance 1, 2, …, as multisets
SHAPES_AROUND = 6  # the surroundings at distance 1, 2, … up to isomorphism
GIVEN = 7  # what a user-defined measure says

AROUND_KINDS = (NUMBERS_AROUND, EDGES_AROUND, DEGREES_AROUND, SHAPES_AROUND)
"""Those that look at whole surroundings."""
