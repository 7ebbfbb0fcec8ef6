"""Tables of ties of large networks, made and written part by part, so that any number of them can be made.

The networks have nine ties a person, half of them with heavy-tailed ends and half inside groups of 40, in an
order that means nothing. People are called by numbers from 1,000,000 on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

GROUP = 40
TIES_A_PERSON = 9
TIES_AT_ONCE = 1 << 20
LINES_AT_ONCE = 100_000

LINES = {"numbers": "%d,%d\n", "names": "person%d,person%d\n"}


def parts_of(edges: int) -> Iterator[NDArray[np.int64]]:
    """The ends of so many ties (ties, 2), a million at a time."""
    people = edges // TIES_A_PERSON
    for start in range(0, edges, TIES_AT_ONCE):
        draw = np.random.default_rng([1, start])
        count = min(TIES_AT_ONCE, edges - start)
        half = count // 2
        tails = np.column_stack((people * draw.random(half) ** 3, people * draw.random(half) ** 2))
        groups = draw.integers(0, people // GROUP, count - half)[:, None] * GROUP
        inside = groups + draw.integers(0, GROUP, (count - half, 2))
        yield draw.permutation(np.concatenate((tails.astype(np.int64), inside)) + 1_000_000)


def write_csv(file: Path, edges: int, line: str) -> None:
    """A table in text, whose lines look like that."""
    with file.open("w", encoding="ascii") as stream:
        stream.write("source,target\n")
        for part in parts_of(edges):
            for start in range(0, len(part), LINES_AT_ONCE):
                some = part[start : start + LINES_AT_ONCE]
                stream.write(line * len(some) % tuple(some.ravel().tolist()))


def write_parquet(file: Path, edges: int, bits: int = 32) -> None:
    """A Parquet file of whole numbers, a row group for each part."""
    import pyarrow
    import pyarrow.parquet

    kind = pyarrow.int32() if bits == 32 else pyarrow.int64()
    schema = pyarrow.schema({"source": kind, "target": kind})
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        for part in parts_of(edges):
            columns = [pyarrow.array(column, type=kind) for column in part.T]
            writer.write_table(pyarrow.table(columns, schema=schema))
