"""Labels that say who somebody is: names, addresses and numbers of people, or the original's own labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from netveil.auditing.leak import Leak
from netveil.network import Network

FRESH = "Publish fresh numbers 0 to n-1 in random order, as netveil anonymize does."

KINDS_OF_LABELS = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "internet addresses": re.compile(r"(?:\w+://|www\.)\S+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?", re.IGNORECASE),
    "account names": re.compile(r"@\w+"),
    "telephone, account or identity numbers": re.compile(r"[+(]?\d(?:[ ()./-]?\d){6,}", re.ASCII),
    "names": re.compile(r"(?=..)[^\W\d_]+(?:(?:[ .,'’_-]|, )[^\W\d_]+[.]?)*"),
}
"""What a whole label may look like; the first that fits counts."""


def label_leaks(original: Network, released: Network) -> Iterator[Leak]:
    """Everything that labels give away. Plain numbers give away nothing but their order."""
    if plain_numbers(released) is not None:
        return
    texts = [str(label) for label in released.labels]
    known = {str(label) for label in original.labels}
    repeated = sum(text in known for text in texts)
    if repeated:
        share = repeated / len(texts)
        finding = f"{repeated:,} of {len(texts):,} labels ({share:.0%}) repeat those of the original."
        yield Leak("leak", "labels", finding, FRESH)
    looks = [_looks_like(text) for text in texts]
    for kind in KINDS_OF_LABELS:
        if kind in looks:
            yield Leak(
                "leak", "labels", f"{looks.count(kind):,} of {len(texts):,} labels look like {kind}.", FRESH
            )
    if not repeated and not any(looks):
        yield Leak(
            "warning",
            "labels",
            "The labels are not plain numbers counted from 0 or 1. If they were made from names, as hashes "
            "are, anybody can try names until the same labels come out.",
            FRESH,
        )


def plain_numbers(network: Network) -> Sequence[int] | None:
    """The labels as numbers if they merely count the nodes: whole, from 0 on, and below 2 n.

    A file may lack the nodes without edges, and may count from 1.
    """
    if isinstance(network.labels, range) and network.labels == range(network.node_count):
        return network.labels
    texts = [str(label) for label in network.labels]
    if not all(text.isdecimal() and text.isascii() and len(text) < 12 for text in texts):
        return None
    numbers = [int(text) for text in texts]
    is_plain = all(str(number) == text for number, text in zip(numbers, texts, strict=True))
    return numbers if is_plain and max(numbers, default=0) < max(2 * len(numbers), 2) else None


def _looks_like(text: str) -> str | None:
    return next((kind for kind, pattern in KINDS_OF_LABELS.items() if pattern.fullmatch(text)), None)
