"""What else is in a release's public folder besides the network, and what its about.json says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from netveil.auditing.file_leaks import packing_leaks
from netveil.auditing.leak import Leak
from netveil.files.node_table import place_of_nodes, read_nodes
from netveil.label_order import label_order
from netveil.words import counted

PRIVATE_FILES = {"labels.csv", "deleted_edges.csv", "run.json", "report.html", "curve.json"}
PUBLIC_ENTRIES = {
    "netveil", "measure", "distance", "fuzzy", "twins", "attackers", "k", "budget_share",
    "anonymity", "utility",
}  # fmt: skip
"""What about.json says: how the release was made and what it is worth."""

PRIVATE_ENTRIES = {
    "seed", "secret", "settings", "command", "history", "network", "labels", "deleted", "deleted_edges",
    "solution", "original_sha256", "published_sha256", "path", "file", "user", "host",
}  # fmt: skip
"""Entries that help to undo a release, at any depth of about.json."""


def folder_leaks(public: Path) -> Iterator[Leak]:
    """Files that do not belong in a public folder, and what does not belong in those that do."""
    files = [path for path in sorted(public.iterdir()) if path.is_file()]
    networks = [path for path in files if path.name.startswith("network.")]
    nodes = [path for path in map(place_of_nodes, networks) if path is not None and path in files]
    expected = {public / "about.json", *networks, *nodes}
    others = [path for path in sorted(public.iterdir()) if path not in files or path not in expected]
    private = [path.name for path in others if path.name in PRIVATE_FILES or path.name == "private"]
    if private:
        finding = f"The public folder holds private files: {', '.join(private)}."
        yield Leak("leak", "files", finding, "Move them to private/, and never publish them.")
    if len(others) > len(private):
        finding = f"The public folder holds {counted(len(others) - len(private), 'unexpected file')}."
        yield Leak("warning", "files", finding, "Publish nothing but what netveil wrote there.")
    for path in nodes:
        yield from _nodes_leaks(path)
    about = public / "about.json"
    if about.is_file():
        yield from _about_leaks(about)


def _nodes_leaks(nodes: Path) -> Iterator[Leak]:
    """What the table of nodes says besides their labels, which are those of the network."""
    table = read_nodes(nodes)
    if table.further_columns:
        finding = f"{nodes.name} has further columns ({table.further_columns:,}) besides the labels."
        yield Leak("leak", "columns", finding, "Take them out: what is known of people can single them out.")
    if (np.diff(label_order(table.labels)) < 0).any():
        finding = f"The labels in {nodes.name} are not in ascending order: it may be that of the original."
        yield Leak("warning", "order", finding, "Sort them.")
    yield from packing_leaks(nodes)


def _about_leaks(about: Path) -> Iterator[Leak]:
    try:
        record = json.loads(about.read_text(encoding="utf-8"))
    except ValueError:
        record = None
    if not isinstance(record, dict):
        yield Leak(
            "warning", "files", "about.json is damaged: it does not hold a record.", "Make the release again."
        )
        return
    private = sorted(set(_names(record)) & PRIVATE_ENTRIES)
    if private:
        finding = f"about.json holds private entries: {', '.join(private)}."
        yield Leak("leak", "files", finding, "Take them out before publishing.")
    others = record.keys() - PUBLIC_ENTRIES - PRIVATE_ENTRIES
    if others:
        finding = f"about.json has entries that netveil does not write ({len(others):,})."
        yield Leak("warning", "files", finding, "Take out what netveil did not write.")


def _names(record: Any) -> Iterator[str]:
    """The names of all entries, at any depth."""
    if isinstance(record, dict):
        yield from record
    for value in record.values() if isinstance(record, dict) else record if isinstance(record, list) else ():
        yield from _names(value)
