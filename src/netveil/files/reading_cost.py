"""What it takes to read a large file, told before it is read; what would not fit into memory is refused.

Figures are those of docs/scale.md, rounded up.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from netveil.files.bounds import check_ties
from netveil.words import duration

LARGE = 1_000_000  # ties; fewer are read at once

log = logging.getLogger("netveil")


class CostOfATie(NamedTuple):
    """Of reading a tie in a file, and of making the network."""

    seconds: float  # of one core
    memory: int  # bytes


WHOLE_NUMBERS = CostOfATie(2e-7, 14)
"""In a table of pyarrow, batch by batch."""

TEXTS = CostOfATie(1.2e-6, 64)
"""The same of texts in Parquet."""

LINES = CostOfATie(1.6e-6, 40)
"""In a text, part by part."""


def tell_reading(ties: int, cost: CostOfATie, file: str) -> None:
    """Log about how long a file with so many ties takes to read, and how much memory, if it is large.

    FileError if there is less memory, with what to do instead.
    """
    if ties < LARGE:
        return
    needed = ties * cost.memory
    check_ties(ties, needed, file)
    size = f"{needed / 1e9:.1f} GB" if needed >= 10**9 else f"{needed / 1e6:.0f} MB"
    log.info("reading: about %s ties, %s and %s …", f"{ties:,}", duration(ties * cost.seconds), size)
