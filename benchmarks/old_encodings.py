"""Names in old encodings: how often they are read right, by netveil and by charset-normalizer.

    pip install charset-normalizer && python benchmarks/old_encodings.py

Each list of names is written in its encoding, alone and among thirty plain ties, and read without a word
about it. A wrong reading gives people other names; a question costs a line on the command line.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from netveil.errors import FileError
from netveil.files.encodings import decoded

sys.path.append(str(Path(__file__).parents[1] / "tests" / "files"))
from test_files_encodings import NAMES, OTHERS

PLAIN = ["anna;bell", "carl;dorn", "eve;frei"] * 10


def tables() -> Iterator[tuple[str, bytes]]:
    """Tables of ties among people with such names, as text and as bytes."""
    for encoding, names in {**NAMES, **OTHERS}.items():
        for listed in (*names, " ".join(names)):
            words = listed.split()
            ties = [f"{one};{two}" for one, two in zip(words, [*words[1:], words[0]], strict=True)]
            for lines in (ties, ties + PLAIN):
                text = "\n".join(["a;b", *lines, ""])
                yield text, text.encode(encoding)


def outcome(read: Callable[[bytes], str | None], text: str, content: bytes) -> str:
    """Whether a table is read right, wrong, or not at all."""
    found = read(content)
    return "asked" if found is None else "right" if found == text else "wrong"


def by_netveil(content: bytes) -> str | None:
    """The text as netveil reads it."""
    try:
        return decoded(content, "table")
    except FileError:
        return None


def by_charset_normalizer(content: bytes) -> str | None:
    """The text as charset-normalizer reads it best."""
    from charset_normalizer import from_bytes  # type: ignore[import-not-found, unused-ignore]

    best = from_bytes(content).best()
    return None if best is None else str(best)


if __name__ == "__main__":
    every = list(tables())
    for name, reader in (("netveil", by_netveil), ("charset-normalizer", by_charset_normalizer)):
        counts = Counter(outcome(reader, text, content) for text, content in every)
        shown = ", ".join(f"{counts[each]} {each}" for each in ("right", "wrong", "asked"))
        print(f"{name:20} {shown} of {len(every)}")
