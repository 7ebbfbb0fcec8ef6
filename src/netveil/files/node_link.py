"""JSON: node-link documents as networkx, d3 and others write them, pairs, and tables.

- `{"nodes": [{"id": "anna"}, …], "links": [{"source": "anna", "target": "bob"}, …]}`; `edges` is as good as
  `links`, nodes may be plain texts or numbers, and a tie may be a pair. Ends are called by their `id` (or
  `name`, `label`, `key`), or by their place in `nodes`, from 0, as old d3 does.
- `[["anna", "bob"], …]`: pairs.
- `[{"from": "anna", "to": "bob"}, …]`: a table, row by row.

What can be read in two ways is refused. We write what `networkx.node_link_graph` reads, with the key `edges`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from netveil.errors import FileError, SettingError, is_whole
from netveil.files.edge_list import network_of_rows
from netveil.files.encodings import at_line, text_and_encoding
from netveil.files.format import Format, ReadAs
from netveil.files.labels import (
    NO_TEXT,
    NUMBERED_IN_ORDER,
    first_numbered,
    first_ties,
    is_numbered,
    label_text,
    label_texts,
    network_of_labels,
)
from netveil.files.storage import are_too_sparse
from netveil.files.tables.table import MOST_COLUMNS
from netveil.formatting import counted
from netveil.network import Network, Reading

NAMES = ("id", "name", "label", "key")
"""Keys that may hold the name of a node, best first."""

_TIES = ("links", "edges")
_FLAGS = ("directed", "multigraph")  # which networkx writes


def label_of(value: Any, where: str) -> str:
    """JSON value as a label: 1 and 1.0 are the same number. FileError, which says `where`, for no label."""
    is_number = is_whole(value) or (isinstance(value, float) and math.isfinite(value))
    if is_number or (isinstance(value, str) and value and not NO_TEXT.search(value)):
        return label_text(value)
    raise FileError(f"{where}: a label must be a text or a number, and not empty. Correct it.")


def read(content: bytes, file: str, **options: Any) -> Network:
    """Network from a JSON document; `columns` and `nominations` are for one that is a table."""
    asked = ReadAs(**options)
    text, encoding = text_and_encoding(content, file, asked.encoding)
    document = _parsed(text, file)
    is_table = isinstance(document, list) and bool(document) and isinstance(document[0], dict)
    for name in asked.of_tables().keys() - {"encoding"}:
        if not is_table:
            raise SettingError(f"{name} is of no use for {file}, which is not a table; leave it out.")
    if is_table:
        network = _from_table(document, file, asked)
    elif isinstance(document, list) and document:
        network = _from_pairs(document, file)
    elif isinstance(document, dict) and ("nodes" in document or any(key in document for key in _TIES)):
        network = _from_node_link(document, file)
    else:
        rule = "this JSON document holds no network"
        raise FileError(f"{file}: {rule}. Give nodes and links as networkx writes them, or pairs.")
    assert network.reading is not None
    return replace(network, reading=replace(network.reading, encoding=encoding))


def _parsed(text: str, file: str) -> Any:
    rule = "not JSON that can be read"  # a number of thousands of digits; brackets in brackets in brackets
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise at_line(file, error.lineno, "not valid JSON. Correct it, or write the file again.") from None
    except KeyError:
        rule = "an object has the same key twice, so one of its values is lost"
    except (ValueError, RecursionError):
        pass
    raise FileError(f"{file}: {rule}. Write the file again.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Object of JSON; KeyError if it says two things under one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError
    return found


def _from_node_link(document: dict[str, Any], file: str) -> Network:
    present = [key for key in _TIES if key in document]
    if len(present) != 1:
        found = "both `links` and `edges`" if present else "`nodes`, but neither `links` nor `edges`"
        raise FileError(f"{file} has {found}. Keep the one list that holds the ties.")
    ties, nodes = document[present[0]], document.get("nodes", [])
    if not isinstance(ties, list) or not isinstance(nodes, list):
        raise FileError(f"{file}: `nodes` and `{present[0]}` must be lists. Correct it.")
    ends = [
        label_of(end, f"{file}: tie {number}")
        for number, tie in enumerate(ties, start=1)
        for end in _ends(tie, number, file)
    ]
    labels, named_by = _labels(nodes if "nodes" in document else [*dict.fromkeys(ends)], ends, file)
    number_of = {str(label): number for number, label in enumerate(labels)}
    by_place = {str(place): place for place in range(len(labels))}
    if "nodes" in document and not any(flag in document for flag in _FLAGS):
        are_named, are_places = (all(end in way for end in ends) for way in (number_of, by_place))
        if are_places and not are_named:
            number_of = by_place  # as old versions of d3 do
        is_open = are_places and any(number_of[end] != by_place[end] for end in ends)
    else:  # networkx calls nodes by their names, and there is no place in a list that is not there
        is_open = False
    if is_open:
        rule = "ties may call nodes by their names or by their places in the list, and both would do"
        remedy = 'Add "multigraph": false if they are names; leave the names out if they are places'
        raise FileError(f"{file}: {rule}. {remedy}.")
    unknown = next((place for place, end in enumerate(ends) if end not in number_of), None)
    if unknown is not None:
        rule = f"an end of tie {unknown // 2 + 1} is none of the nodes"
        raise FileError(f"{file}: {rule}. Correct it, or add the node.")
    pairs = [(number_of[one], number_of[other]) for one, other in zip(ends[::2], ends[1::2], strict=True)]
    directed = document.get("directed") is True
    left_out = {
        "node attribute": _attributes(nodes, {named_by}),
        "tie attribute": _attributes(ties, {"source", "target"}),
    }
    further = [document[key] for key in document.keys() - {"nodes", *_TIES, *_FLAGS}]
    left_out["further entry"] = sum(each not in ({}, [], "", None) for each in further)
    counts = [counted(count, noun) for noun, count in left_out.items() if count]
    dropped = (*["directions"] * directed, *counts)
    origin = NUMBERED_IN_ORDER if isinstance(labels, range) else f"labels from {named_by or 'nodes'}"
    notes = (f"JSON: {counted(len(labels), 'node')}, {origin}",)
    network = Network.from_numbered_edges(pairs, len(labels), labels, notes=notes, each_way=directed)
    return replace(
        network,
        reading=Reading(
            "json", first=first_numbered(network, np.array(pairs).reshape(-1, 2)), dropped=dropped
        ),
    )


def _ends(tie: Any, number: int, file: str) -> tuple[Any, Any]:
    """Two ends of a tie as they stand in the document."""
    if isinstance(tie, dict) and "source" in tie and "target" in tie:
        return tie["source"], tie["target"]
    if isinstance(tie, list) and len(tie) >= 2:
        return tie[0], tie[1]
    raise FileError(f"{file}: tie {number} has no source and target. Add them.")


def _labels(nodes: list[Any], ends: Sequence[str], file: str) -> tuple[Sequence[Hashable], str | None]:
    """Different labels of nodes, and the key that holds them, if any; a range for 0 to n-1 in order.

    Ties that call nodes by their `name` pass over the `id`.
    """
    are_objects = [isinstance(node, dict) for node in nodes]
    if any(are_objects) and not all(are_objects):
        raise FileError(f"{file}: some nodes are objects and some are not. Write all the same way.")
    ways: dict[str | None, list[Any]] = {None: nodes}
    if any(are_objects):
        ways = {name: [node.get(name) for node in nodes] for name in NAMES}
        ways = {name: values for name, values in ways.items() if any(value is not None for value in values)}
    if not ways:
        return range(len(nodes)), None
    fits = [name for name, values in ways.items() if {*ends} <= {*map(label_text, values)}]
    key = fits[0] if fits else next(iter(ways))
    first: dict[str, int] = {}
    for number, value in enumerate(ways[key], start=1):
        label = label_of(value, f"{file}: node {number}, {key or 'label'}")
        if first.setdefault(label, number) != number:
            rule = f"nodes {first[label]} and {number} have the same {key or 'label'}"
            raise FileError(f"{file}: {rule}. Give each node one of its own.")
    numbers = range(len(nodes))
    return (numbers if ways[key] == list(numbers) else tuple(first)), key


def _attributes(entries: Any, structure: set[str | None]) -> int:
    """Number of keys of objects in a list, besides those of their structure."""
    return len({key for entry in entries if isinstance(entry, dict) for key in entry} - structure)


def _from_table(document: list[Any], file: str, asked: ReadAs) -> Network:
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise FileError(f"{file}: entry {number} is not an object as the first one is. Correct it.")
    names = list(dict.fromkeys(key for row in document for key in row))
    if len(names) < 2:
        raise FileError(
            f"{file}: a tie needs two columns with people, but the table has {len(names)}. Add the other."
        )
    if len(names) > MOST_COLUMNS or are_too_sparse(len(document), len(names), sum(map(len, document))):
        rule = f"there are {len(names):,} different keys, too many for a table"
        raise FileError(f"{file}: {rule} of ties. Give all rows the same ones.")
    rows = [[_cell(row.get(name)) for name in names] for row in document]
    header = replace(asked, header=True)
    network = network_of_rows([names, *rows], range(len(rows) + 1), file, header, "json")
    assert network.reading is not None
    for name in network.reading.columns or ():  # what is no label is no empty cell there
        for number, row in enumerate(document, start=1):
            if row.get(name) not in (None, ""):
                label_of(row[name], f"{file}: row {number}, {name}")
    return replace(network, notes=(f"JSON: {counted(len(document), 'row')}", *network.notes))


def _cell(value: Any) -> str:
    """Label in a cell of a table; empty where there is none."""
    try:
        return label_of(value, "")
    except FileError:
        return ""


def _from_pairs(document: list[Any], file: str) -> Network:
    ends: list[str] = []
    for number, pair in enumerate(document, start=1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FileError(f"{file}: entry {number} is not a pair of two labels. Give two labels each.")
        ends += [label_of(end, f"{file}: pair {number}") for end in pair]
    network = network_of_labels(ends, notes=(f"JSON: {counted(len(document), 'pair')}",))
    return replace(network, reading=Reading("json", first=first_ties(ends)))


def write(network: Network, file: str) -> bytes:
    """Node-link as `networkx.node_link_graph` reads it, ties under `edges`; ids are the labels."""
    ids = range(network.node_count) if is_numbered(network) else label_texts(network, file)
    texts = [json.dumps(each, ensure_ascii=False) for each in ids]
    nodes = ",".join(f'\n{{"id": {text}}}' for text in texts)
    edges = ",".join(f'\n{{"source": {texts[u]}, "target": {texts[v]}}}' for u, v in network.edges.tolist())
    head = '{"directed": false, "multigraph": false, "graph": {}'
    return f'{head},\n"nodes": [{nodes}],\n"edges": [{edges}]}}\n'.encode()


FORMAT = Format(
    name="json",
    suffixes=(".json",),
    description="node-link documents of networkx and others, or pairs",
    read=read,
    write=write,
    options=frozenset({"columns", "encoding", "nominations"}),
    # An edge list of ours has no such line: a label with a bracket [ or a quote is in quotes there.
    opening=re.compile(r'\s*+(?:\{\s*+"(?:[^"\\\n]++|\\.)*+"[ \t]*+:|\[\s*+[\[{])'),
)
