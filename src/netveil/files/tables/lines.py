"""The lines of a text: which of them hold cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netveil.kernels.arrays import IntVector

COMMENT = ("#", "%")  # at the beginning of a line


class Lines(NamedTuple):
    """The lines of a text that hold cells, and how many others there are."""

    texts: list[str]
    numbers: IntVector  # of each in the file
    comments: list[str]
    empty: int
    inner_comments: int = 0  # of the comments, those below the first of these lines: the last ones


def lines_of(text: str) -> Lines:
    """The lines of a text but for empty ones and those that start with # or %."""
    texts = text.removesuffix("\n").split("\n") if text else []
    # A tab before a mark ends an empty cell, so that the mark begins a label.
    marked = "#" in text or "%" in text
    comments = [line for line in texts if line.lstrip(" ").startswith(COMMENT)] if marked else []
    if not comments and "" not in texts and not any(map(str.isspace, texts)):
        return Lines(texts, np.arange(1, len(texts) + 1), [], 0)
    kept = [
        place
        for place, line in enumerate(texts)
        if line.strip(" \t") and not line.lstrip(" ").startswith(COMMENT)
    ]
    numbers = np.array(kept, dtype=np.int64) + 1
    above = sum(line.lstrip(" ").startswith(COMMENT) for line in texts[: kept[0] if kept else len(texts)])
    return Lines(
        [texts[place] for place in kept],
        numbers,
        comments,
        len(texts) - len(comments) - len(kept),
        len(comments) - above,
    )


def bared(lines: Lines) -> Lines:
    """Lines less what Python puts around ties: `a b {'weight': 3}` of networkx, `('a', 'b'),` of a list."""
    texts = lines.texts
    if texts and all(line.endswith("}") and " {" in line for line in texts):
        return lines._replace(texts=[line[: line.index(" {")] for line in texts])
    tuples = [line.strip(" \t,") for line in texts]
    if texts and all(line.startswith("(") and line.endswith(")") for line in tuples):
        return lines._replace(texts=[line[1:-1] for line in tuples])
    return lines


def may_be_bared(first: str) -> bool:
    """Whether a first line could be one of those that `bared` makes shorter."""
    return first.endswith("}") or first.strip(" \t,").startswith("(")
