"""igraph's random generator, of which there is one for the whole process: whoever seeds it does so here."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

# Other threads that want it seeded wait for their turn.
_generator_in_use = Lock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """igraph's random generator seeded within, and as igraph starts with (Python's own) afterwards."""
    import igraph

    with _generator_in_use:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)
