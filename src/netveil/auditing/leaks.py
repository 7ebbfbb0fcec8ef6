"""Checks for what a release gives away besides its edges: labels, order, columns, comments, files."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from netveil.errors import NetworkError
from netveil.files import ReadAs, find_release, format_of, read_as
from netveil.files.read_write import place_of_nodes, read_nodes
from netveil.files.storage import split_name
from netveil.formatting import counted
from netveil.kernels.arrays import IntVector
from netveil.network import WEIGHTS, Network, label_order
from netveil.utility.comparison import people_of, renumbered

LOOKED_FOR = (
    "labels that look like names or addresses, labels or an order that repeat the original's, "
    "extra columns, comments, and files, entries and figures that must not be published"
)
"""What the checks look for, as the end of a sentence."""


@dataclass(frozen=True)
class Leak:
    """One finding; quotes no label and no other text of the release."""

    severity: Literal["leak", "warning"]  # does give people away, or may
    kind: Literal["labels", "order", "columns", "comments", "files", "figures"]
    finding: str  # one sentence
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.finding} {self.remedy}"


# Who is who in the two networks. The attack does not need to know; only its score does.


NO_SCORE = "no score, because it is not known who is who"


@dataclass(frozen=True, eq=False)
class Identity:
    """The released network, and which of its nodes is which of the original as far as that is known."""

    released: Network  # with the node numbers of the original where it is known who is who
    people: IntVector | None = None  # the number in the original of each published node, where known
    notes: tuple[str, ...] = ()  # why it is not known


def identify(original: Network, released: Network, labels: Mapping[Any, Hashable] | None) -> Identity:
    """Match the nodes through a table of labels, or else by label.

    Fresh numbers 0..n-1 also match the labels of an original whose labels are numbers, though they are other
    people. So if the original lacks most of the released edges, the labels are taken to be fresh numbers.
    """
    try:
        people = people_of(original, released, labels)
    except NetworkError as error:
        return Identity(released, notes=(f"{NO_SCORE}: {error}",))
    shared = original.shared_edges(people[released.edges])
    if 2 * shared < released.edge_count:
        fresh, other = "the labels seem to be fresh", "the table seems to be of another release"
        reason = (
            f"{NO_SCORE}: by label, the original lacks {released.edge_count - shared:,} of the "
            f"{released.edge_count:,} released edges, so {fresh if labels is None else other}. Give the "
            f"release folder, or its table of labels (private/labels.csv)."
        )
        return Identity(released, notes=(reason,))
    return Identity(renumbered(original, released, people), people)


# Labels that say who somebody is: names, addresses and numbers of people, or the original's own labels.


FRESH = "Publish fresh numbers 0 to n-1 in random order, as netveil anonymize does."

KINDS_OF_LABELS = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "internet addresses": re.compile(r"(?:\w+://|www\.)\S+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?", re.IGNORECASE),
    "account names": re.compile(r"@\w+"),
    "telephone, account or identity numbers": re.compile(r"[+(]?\d(?:[ ()./-]?\d){6,}", re.ASCII),
    "names": re.compile(r"(?=..)[^\W\d_]+(?:(?:[ .,'’_-]|, )[^\W\d_]+[.]?)*"),
}
"""Patterns of whole labels, by kind; the first that fits counts."""


def label_leaks(original: Network, released: Network) -> Iterator[Leak]:
    """Find what labels give away; plain numbers give away nothing but their order."""
    if plain_numbers(released) is not None:
        return
    texts = [str(label) for label in released.labels]
    known = {str(label) for label in original.labels}
    if repeated := sum(text in known for text in texts):
        share = repeated / len(texts)
        finding = f"{repeated:,} of {len(texts):,} labels ({share:.0%}) repeat those of the original."
        yield Leak("leak", "labels", finding, FRESH)
    looks = [
        next((kind for kind, pattern in KINDS_OF_LABELS.items() if pattern.fullmatch(text)), None)
        for text in texts
    ]
    for kind in KINDS_OF_LABELS:
        if many := looks.count(kind):
            yield Leak("leak", "labels", f"{many:,} of {len(texts):,} labels look like {kind}.", FRESH)
    if not repeated and not any(looks):
        finding = (
            "The labels are not plain numbers counted from 0 or 1. If they were made from names, as hashes "
            "are, anybody can try names until the same labels come out."
        )
        yield Leak("warning", "labels", finding, FRESH)


def plain_numbers(network: Network) -> Sequence[int] | None:
    """Labels as numbers if they merely count the nodes: whole, from 0 on, below 2 n; else None.

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


# An order that repeats the original's: labels are gone, yet the first person is still the first.
#
# Fresh numbers are safe only if they were drawn at random. If it is known who is who, the numbers are
# compared with the original's order directly. An attacker, who does not know, can take the two orders for
# the same and count the edges that coincide; this is tried in any case.


STANDARD_ERRORS = 5  # by chance alone, one in millions of random orders goes that far
SAME_FILE_ORDER = 0.5  # share of coinciding edges; in files, the well connected come early anyway

ORDER_REMEDY = "Number the nodes in random order and sort the edges by number, as netveil anonymize does."


def order_leaks(original: Network, released: Network, identity: Identity) -> Iterator[Leak]:
    """Find an order that repeats the original's: at most one finding."""
    if released.node_count > original.node_count or released.edge_count == 0:
        return
    finding = None
    numbers = plain_numbers(released)
    if numbers is None:
        same = original.shared_edges(released.edges) / released.edge_count
        has_labels_of = {str(label) for label in released.labels} <= {str(label) for label in original.labels}
        if same >= SAME_FILE_ORDER and not has_labels_of:
            finding = f"Nodes appear in the order of the original: {same:.0%} of the edges coincide."
    else:
        published = np.array(numbers, dtype=np.int64) - min(numbers)
        for name, rank in (
            ("nodes", np.arange(original.node_count)),
            ("labels", np.argsort(label_order(original.labels))),
        ):
            told = f"the order of {name} in the original"
            in_order = np.argsort(rank)
            orders = (in_order, in_order[::-1]) if published.max() < original.node_count else ()
            found = 0.0 if identity.people is None else _correlation(rank[identity.people], published)
            if abs(found) * sqrt(original.node_count - 1) >= STANDARD_ERRORS:
                finding = f"The published numbers follow {told} (rank correlation {found:+.2f})."
            elif any(_coincides(original, released, people[published]) for people in orders):
                finding = (
                    f"If the published numbers are taken for {told}, more edges coincide than by chance."
                )
            if finding:
                break
    if finding:
        yield Leak("leak", "order", finding, ORDER_REMEDY)


def _coincides(original: Network, released: Network, person: NDArray[np.int64]) -> bool:
    """Whether the edges of both coincide far more than by chance, if released node w were `person[w]`.

    The number of edges that a random numbering makes coincide has the mean m p, p being the density of the
    original. Its variance is m p (1 - p), plus what unequal degrees add: where people with many
    contacts meet each other by chance, many edges coincide at once.
    """
    nodes = original.node_count
    if nodes < 3:
        return False
    density = original.edge_count / (nodes * (nodes - 1) / 2)
    mean = released.edge_count * density
    spreads = [float(np.square(side.degrees - side.degrees.mean()).sum()) for side in (original, released)]
    variance = mean * (1 - density) + spreads[0] * spreads[1] / ((nodes - 1) * (nodes - 2) ** 2)
    beyond = original.shared_edges(person[released.edges]) - mean
    return beyond >= STANDARD_ERRORS * (1 + sqrt(variance))


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Spearman rank correlation of two orders of the same nodes, none of which comes twice."""
    ranks, other_ranks = (np.argsort(np.argsort(order)) for order in (one, other))
    return float(np.corrcoef(ranks, other_ranks)[0, 1]) if len(one) > 1 else 0.0


# What a published file says besides labels and edges: columns, attributes, comments, a .gz header.


MORE_THAN_TIES = (
    "Nobody is protected from those who know them: publish them only if they tell nothing about people."
)
COMMENT_REMEDY = "Write the network again with netveil, which writes labels and edges and nothing else."
FURTHER = ("column", "attribute", "sheet", WEIGHTS)
REMARKS = ("comment", "entr")
"""Nouns by which readers call what a file has besides ties."""
_GZIP_HAS_NAME = 0x08


def leaks_of(
    original: Network, released: Network, identity: Identity, file: Path | None, format_name: str | None
) -> Iterator[Leak]:
    """Find what a release gives away besides its edges: network, file, and public folder around it."""
    yield from label_leaks(original, released)
    yield from order_leaks(original, released, identity)
    if file is None:
        yield from attribute_leaks(released)
        return
    yield from file_leaks(file, format_name)
    if find_release(file):
        yield from folder_leaks(file.parent)


def file_leaks(file: Path, format_name: str | None = None) -> Iterator[Leak]:
    """Find what a published file gives away besides labels, of which its reader says that it was left out."""
    network = read_as(str(file), ReadAs(format=format_name))
    said = network.reading.dropped if network.reading else ()
    further = [each for each in said if any(noun in each for noun in FURTHER)]
    further += [counted(len(network.attributes.names), "attribute")] * bool(network.attributes.names)
    if further:
        finding = (
            f"The file has more than the ends of each edge ({', '.join(further)}): a weight or a time can "
            f"single a tie out."
        )
        yield Leak("leak", "columns", finding, MORE_THAN_TIES)
    remarks = [each for each in said if any(noun in each for noun in REMARKS)]
    remarks += ["the names of its authors"] * (format_of(str(file), format_name).name == "xlsx")
    if remarks:
        finding = f"The file holds {' and '.join(remarks)}, which may tell where it is from."
        yield Leak("leak", "comments", finding, COMMENT_REMEDY)
    yield from packing_leaks(file)


def attribute_leaks(released: Network) -> Iterator[Leak]:
    """Find attributes of a network that is not yet in a file."""
    if count := len(released.attributes.node) + len(released.attributes.edge):
        finding = (
            f"The release carries attributes ({count:,}) besides the ends of each edge: an age, a weight "
            f"or a time can single people and ties out."
        )
        yield Leak("leak", "columns", finding, MORE_THAN_TIES)


def packing_leaks(file: Path) -> Iterator[Leak]:
    """Find a file name or time in the header of a .gz file."""
    if split_name(str(file))[2] != ".gz":
        return
    with file.open("rb") as stream:
        header = stream.read(10)
    if len(header) == 10 and (header[3] & _GZIP_HAS_NAME or any(header[4:8])):
        finding = "The compressed file holds the name of the file that it was made from, or its time."
        yield Leak("warning", "comments", finding, "Compress it with gzip --no-name.")


# What else is in a release's public folder besides the network, and what its records say.


PRIVATE_FILES = {
    "labels.csv", "deleted_edges.csv", "run.json", "report.html", "curve.json", "sign-off.html", "private",
    "people_at_risk.csv", "decision.json", "decision.md", "register.json", "table.csv", "table-ties.csv",
}  # fmt: skip
DEPOSIT_FILES = ("README.md", "datapackage.json", "datacite.json")
PUBLIC_FILES = {"about.json", *DEPOSIT_FILES}
PUBLIC_ENTRIES = {
    "netveil", "kind", "about", "copies", "measure", "distance", "fuzzy", "twins", "k", "budget_share",
    "anonymity", "utility",
}  # fmt: skip
"""What about.json says: how the release was made and what it is worth."""

PRIVATE_ENTRIES = {
    "seed", "secret", "settings", "command", "history", "network", "labels", "deleted", "deleted_edges",
    "solution", "original_sha256", "published_sha256", "path", "file", "user", "host",
}  # fmt: skip
"""Entries that help to undo a release, at any depth of a record."""

ORIGINAL_FIGURES = {
    "at_risk_before", "unique_before", "before", "change", "relative_change", "score", "edges",
}  # fmt: skip
"""Entries with figures of the original: ties can be added until they come out."""


def folder_leaks(public: Path) -> Iterator[Leak]:
    """Find files that do not belong in a public folder, and entries that do not belong in its files."""
    entries = {path.name: path for path in sorted(public.iterdir())}
    networks = [path for name, path in entries.items() if re.match(r"network(?:-\d++)?+\.", name)]
    nodes = [path for path in map(place_of_nodes, networks) if path is not None and path.is_file()]
    expected = PUBLIC_FILES | {path.name for path in (*networks, *nodes)}
    others = [name for name, path in entries.items() if name not in expected or not path.is_file()]
    private = [name for name in others if name in PRIVATE_FILES]
    if private:
        finding = f"The public folder holds private files: {', '.join(private)}."
        yield Leak("leak", "files", finding, "Move them to private/, and never publish them.")
    if len(others) > len(private):
        finding = f"The public folder holds {counted(len(others) - len(private), 'unexpected file')}."
        yield Leak("warning", "files", finding, "Publish nothing but what netveil wrote there.")
    for path in nodes:
        yield from _nodes_leaks(path)
    for name, path in entries.items():
        if name in PUBLIC_FILES and path.suffix == ".json" and path.is_file():
            yield from _record_leaks(path)


def _nodes_leaks(nodes: Path) -> Iterator[Leak]:
    """Find what a table of nodes says besides their labels."""
    labels, further = read_nodes(nodes)
    if further:
        finding = f"{nodes.name} has further columns ({further:,}) besides the labels."
        yield Leak("leak", "columns", finding, "Take them out: what is known of people can single them out.")
    if (np.diff(label_order(labels)) < 0).any():
        finding = f"The labels in {nodes.name} are not in ascending order: it may be that of the original."
        yield Leak("warning", "order", finding, "Sort them.")
    yield from packing_leaks(nodes)


def _record_leaks(file: Path) -> Iterator[Leak]:
    """Find entries of a published record that help to undo a release, or tell of the original."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        names = set(_names(record))
    except (ValueError, RecursionError):
        record, names = None, set()
    if not isinstance(record, dict):
        finding = f"{file.name} is damaged: it does not hold a record."
        yield Leak("warning", "files", finding, "Make the release again.")
        return
    is_about = file.name == "about.json"
    # A data package calls where its files are `path`.
    if private := sorted(names & PRIVATE_ENTRIES - (set() if is_about else {"path"})):
        finding = f"{file.name} holds private entries: {', '.join(private)}."
        yield Leak("leak", "files", finding, "Take them out before publishing.")
    if figures := sorted(names & ORIGINAL_FIGURES):
        finding = f"{file.name} holds figures of the original: {', '.join(figures)}."
        yield Leak("leak", "figures", finding, "Take them out: the deleted edges may follow from them.")
    if is_about and (others := record.keys() - PUBLIC_ENTRIES - PRIVATE_ENTRIES - ORIGINAL_FIGURES):
        finding = f"about.json has entries that netveil does not write ({len(others):,})."
        yield Leak("warning", "files", finding, "Take out what netveil did not write.")


def _names(record: Any) -> Iterator[str]:
    """Names of all entries of a record, at any depth."""
    if isinstance(record, dict):
        yield from record
        record = list(record.values())
    for value in record if isinstance(record, list) else ():
        yield from _names(value)
