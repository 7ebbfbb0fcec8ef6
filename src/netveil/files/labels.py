"""Labels as they are written to files: numbers as they are, others as text that reads back the same."""

from __future__ import annotations

import re

from netveil.errors import FileError
from netveil.network import Network

NO_TEXT = re.compile("[\0\ud800-\udfff]")


def is_numbered(network: Network) -> bool:
    """Whether the label of each node is its number."""
    return all(label == place for place, label in enumerate(network.labels))  # mostly settled by the first


def require_numbers(network: Network, file: str) -> None:
    """Raise unless the label of each node is its number: some formats have no place for others."""
    if not is_numbered(network):
        rule = "this format has no place for labels, but the network has some"
        remedy = "Write an edge list, GraphML, GML or Pajek file, or label the nodes 0 to n-1"
        raise FileError(f"{file}: {rule}. {remedy}.")


def label_texts(
    network: Network, file: str, unfit: re.Pattern[str] | None = None, what: str = ""
) -> list[str]:
    """The label of each node as text. `unfit` finds what the format cannot hold, `what` says what that is."""
    texts = [str(label) for label in network.labels]
    remedy = "Rename that node, or write another format"
    if not all(texts):
        raise FileError(f"{file}: a label is empty. {remedy}.")
    if len(set(texts)) < len(texts):
        raise FileError(f"{file}: two labels are the same as text, like 1 and '1'. {remedy}.")
    if any(map(NO_TEXT.search, texts)):
        raise FileError(f"{file}: a label holds a character that no text file can hold. {remedy}.")
    if unfit and any(map(unfit.search, texts)):
        raise FileError(f"{file}: a label holds {what}, which this format cannot hold. {remedy}.")
    return texts
