"""Labels as they are written to files: numbers as they are, others as text that reads back the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from netveil.errors import FileError, NetworkError
from netveil.files.compact_labels import CompactLabels
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
    if problem := _problem(texts):
        raise FileError(f"{file}: {problem}")
    if unfit and any(map(unfit.search, texts)):
        remedy = "Rename that node, or write another format"
        raise FileError(f"{file}: a label holds {what}, which this format cannot hold. {remedy}.")
    return texts


def check_labels(network: Network) -> None:
    """Raise NetworkError for labels that no text file can hold: a release could not be read back."""
    if isinstance(network.labels, range | CompactLabels):  # of which each is another text
        return
    if problem := _problem([str(label) for label in network.labels]):
        raise NetworkError(f"{network.name}: {problem}")


def _problem(texts: Sequence[str]) -> str:
    """What is wrong with labels in any text file, and the remedy; empty if nothing is."""
    if not all(texts):
        return "a label is empty. Rename that node."
    if len(set(texts)) < len(texts):
        return "two labels are the same as text, like 1 and '1'. Rename one of these nodes."
    if any(map(NO_TEXT.search, texts)):
        return "a label holds a character that no text file can hold. Rename that node."
    return ""
