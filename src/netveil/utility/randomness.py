"""igraph's random generator. There is one for the whole process, so all code that seeds it does so here."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

# Other threads that want it seeded wait for their turn.
_generator_in_use = Lock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed igraph's random generator within the block; afterwards it is Python's own, as at the start."""
    import igraph

    with _generator_in_use:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)
