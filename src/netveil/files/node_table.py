"""The table of nodes beside the table of ties in a public folder: people without ties have no place in that.

    public/network.csv  source,target   a line a tie
    public/nodes.csv    node            a line a node, every published label in the order of the network

It is written for .csv and .tsv files only: other formats have a place for nodes of their own.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from netveil.errors import FileError
from netveil.files.edge_list import NEEDS_QUOTES, TABLE_SEPARATORS, written_table
from netveil.files.encodings import decoded
from netveil.files.labels import as_lines, fit_labels, quoted
from netveil.files.storage import Content, load_file, split_name, store
from netveil.formatting import counted
from netveil.network import Network

HEADER = "node"
LONGEST_HEADER = 1000  # bytes of the first line of a published table: names of columns


def place_of_nodes(network_file: Path) -> Path | None:
    """File of the nodes of a published table, `nodes` for `network`; None for other formats."""
    stem, suffix, compression = split_name(str(network_file))
    if suffix not in TABLE_SEPARATORS or stem != "network":
        return None
    return network_file.with_name(f"nodes{suffix}{compression}")


def find_nodes(network_file: Path) -> Path | None:
    """File with the nodes of a network, if that lies in a public folder with one."""
    place = place_of_nodes(network_file)
    in_public = network_file.parent.name == "public" and (network_file.parent / "about.json").is_file()
    return place if place is not None and in_public and place.is_file() else None


def write_tables(network: Network, network_file: Path, place: Path) -> None:
    """Write the table of ties and, at that place, the table of nodes."""
    separator = TABLE_SEPARATORS[split_name(str(network_file))[1]]
    store(written_table(network, str(network_file), separator, isolated=False), str(network_file))
    labels = [quoted(label, NEEDS_QUOTES) for label in fit_labels(network, str(place))]
    store(as_lines([HEADER, *labels]), str(place))


def read_nodes(file: Path) -> tuple[list[str], int]:
    """Labels of a table of nodes and number of its further columns; FileError unless each label is once."""
    text = decoded(load_file(str(file)), str(file))
    try:
        rows = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=TABLE_SEPARATORS[split_name(str(file))[1]])
        )
    except csv.Error:
        rows = []
    labels = [row[0] if row else "" for row in rows]
    if labels[:1] != [HEADER] or not all(labels) or len(set(labels[1:])) < len(labels) - 1:
        rule = f"expected the column {HEADER} with a label in each line, and each label once"
        raise FileError(f"{file}: {rule}. Make the release again.")
    return labels[1:], max(map(len, rows)) - 1


def with_nodes(network: Network, file: Path) -> Network:
    """A network with the nodes of its table, in that order; numbers 0 to n-1 become whole numbers again."""
    labels, _ = read_nodes(file)
    number = {label: place for place, label in enumerate(labels)}
    unknown = sum(str(label) not in number for label in network.labels)
    if unknown:
        rule = f"{counted(unknown, 'label')} of the network cannot be found in it"
        raise FileError(f"{file}: {rule}. Make the release again.")
    new_number = np.array([number[str(label)] for label in network.labels], dtype=np.int64)
    numbered = labels == [str(place) for place in range(len(labels))]
    found = Network.from_numbered_edges(
        new_number[network.edges],
        len(labels),
        None if numbered else tuple(labels),
        notes=(*network.notes, f"{counted(len(labels), 'node')} from {file.name}"),
    )
    return replace(found, dropped=network.dropped, reading=network.reading)


def holds_no_tie(content: Content) -> bool:
    """Whether a published table has a header only, as that of people who have no ties."""
    return len(content[0:LONGEST_HEADER].splitlines()) == 1
