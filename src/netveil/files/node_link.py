"""JSON: the node-link documents of networkx and d3, and three plainer forms.

- `{"nodes": [{"id": "anna"}, …], "links": [{"source": "anna", "target": "bob"}, …]}`; `edges` is as good as
  `links`, nodes may be plain texts or numbers, and a tie may be a pair. Ends are called by their `id` (or
  `name`, `label`, `key`), or by their place in `nodes`, from 0, as old d3 does; d3 may have put the nodes
  themselves in the place of their names.
- `[["anna", "bob"], …]`: pairs.
- `[{"from": "anna", "to": "bob"}, …]`: a table, row by row.
- `{"anna": ["bob", "carl"], "bob": []}`: everybody's contacts. Somebody with a list must be on another's, or
  it might as well be a table, column by column.

What can be read in two ways is refused. We write what `networkx.node_link_graph` reads, with the key `edges`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, SettingError, is_whole
from netveil.files.edge_list import network_of_nominations
from netveil.files.encodings import at_line, decoded, text_and_encoding
from netveil.files.format import Extras, Format, ReadAs
from netveil.files.labels import (
    NO_TEXT,
    NUMBERED_IN_ORDER,
    as_lines,
    first_numbered,
    first_ties,
    is_numbered,
    label_texts,
    network_of_labels,
    one_sided,
)
from netveil.files.tables.cells import columns_of
from netveil.files.tables.people import chosen_columns
from netveil.files.tables.table import are_nominations
from netveil.formatting import counted
from netveil.network import Network
from netveil.reading import Reading

# The nodes of a node-link document, and whom the ends of its ties call: by name, or by place in the list.


NAMES = ("id", "name", "label", "key")
"""Keys that may hold the name of a node, best first."""


def label_of(value: Any, where: str) -> str:
    """Label as text; FileError, which says `where`, for what is no label."""
    text = text_of(value)
    if text is None:
        raise FileError(f"{where}: a label must be a text or a number, and not empty. Correct it.")
    return text


def text_of(value: Any) -> str | None:
    """JSON value as a label; None if it cannot be one. 1 and 1.0 are the same number in JSON."""
    if isinstance(value, str):
        return value if value and not NO_TEXT.search(value) else None
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else str(value)
    return str(value) if is_whole(value) else None


@dataclass(frozen=True)
class Nodes:
    """Nodes of a document, in its order."""

    labels: Sequence[Hashable]  # texts; range(n) where they have none, or are called 0 to n-1
    attribute: str | None  # of NAMES, where the labels are; None if nodes are plain, or have no names
    is_named: bool

    @classmethod
    def of(cls, nodes: list[Any] | None, ends: list[Any], file: str) -> Nodes:
        """Nodes that a document lists or, without a list, those that its ties name."""
        if nodes is None:
            told = [label_of(_value(end, "id"), f"{file}: tie {at // 2 + 1}") for at, end in enumerate(ends)]
            return cls(tuple(dict.fromkeys(told)), "id", is_named=True)
        if not any(isinstance(node, dict) for node in nodes):
            return cls(_labels(nodes, "label", file), None, is_named=True)
        if not all(isinstance(node, dict) for node in nodes):
            raise FileError(f"{file}: some nodes are objects and some are not. Write all the same way.")
        usable = [name for name in NAMES if any(name in node for node in nodes)]
        # Ties that call nodes by their `name` pass over the `id`; without ties, the best will do.
        for name in usable:
            called = {text_of(_value(end, name)) for end in ends}
            values = [node.get(name) for node in nodes]
            if called <= {text_of(value) for value in values}:
                return cls(_labels(values, name, file), name, is_named=True)
        if usable:
            return cls(_labels([node.get(usable[0]) for node in nodes], usable[0], file), usable[0], True)
        return cls(range(len(nodes)), None, is_named=False)

    @property
    def origin(self) -> str:
        """Where the labels come from, in words."""
        if isinstance(self.labels, range):
            return NUMBERED_IN_ORDER
        return f"labels from {self.attribute}" if self.attribute else "with labels"

    def numbered(
        self, ends: list[Any], file: str, *, by_id_only: bool
    ) -> tuple[Sequence[Hashable], NDArray[np.int64]]:
        """Labels, and the node number at either end of each tie."""
        number = {str(label): at for at, label in enumerate(self.labels)} if self.is_named else {}
        by_name = [number.get(text_of(_value(end, self.attribute or "id")) or "", -1) for end in ends]
        by_place = [_place(end, len(self.labels)) for end in ends]
        if by_id_only and self.is_named:
            by_place = by_name
        whole = [way for way in (by_name, by_place) if -1 not in way]
        if not whole:
            best = by_name if self.is_named else by_place
            rule = f"an end of tie {best.index(-1) // 2 + 1} is none of the nodes"
            raise FileError(f"{file}: {rule}. Correct it, or add the node.")
        if len(whole) == 2 and by_name != by_place:
            rule = "ties may call nodes by their names or by their places in the list, and both would do"
            remedy = 'Add "multigraph": false if they are names; leave the names out if they are places'
            raise FileError(f"{file}: {rule}. {remedy}.")
        return self.labels, np.array(whole[0], dtype=np.int64).reshape(-1, 2)


def _labels(values: list[Any], kind: str, file: str) -> Sequence[Hashable]:
    """Different names of all nodes; a range where they are the numbers 0 to n-1 in order."""
    if values == list(range(len(values))) and not any(isinstance(value, bool) for value in values):
        return range(len(values))
    first: dict[str, int] = {}
    for number, value in enumerate(values, start=1):
        label = label_of(value, f"{file}: node {number}, {kind}")
        if first.setdefault(label, number) != number:
            rule = f"nodes {first[label]} and {number} have the same {kind}"
            raise FileError(f"{file}: {rule}. Give each node one of its own.")
    return tuple(first)


def _value(end: Any, name: str) -> Any:
    """Name of the node at an end of a tie; d3 puts the node itself there once it has found it."""
    return end.get(name) if isinstance(end, dict) else end


def _place(end: Any, count: int) -> int:
    value = _value(end, "index")
    return int(value) if is_whole(value) and 0 <= value < count else -1


_TIES = ("links", "edges")
_FLAGS = ("directed", "multigraph")
_FORMS = "nodes and links as networkx and d3 write them, pairs, or everybody's contacts"


def read(content: bytes, file: str, **options: Any) -> Network:
    """Network from a JSON document; `columns` and `nominations` are for one that is a table."""
    asked = ReadAs(**options)
    text, encoding = text_and_encoding(content, file, asked.encoding)
    network = _network(_parsed(text, file), file, asked)
    assert network.reading is not None
    return replace(network, reading=replace(network.reading, encoding=encoding))


def _network(document: Any, file: str, asked: ReadAs) -> Network:
    is_table = isinstance(document, list) and bool(document) and isinstance(document[0], dict)
    for name in asked.of_tables().keys() - {"encoding"}:
        if not is_table:
            raise SettingError(f"{name} is of no use for {file}, which is not a table; leave it out.")
    if is_table:
        return _from_table(document, file, asked)
    if isinstance(document, list) and document:
        return _from_pairs(document, file)
    if isinstance(document, dict) and ("nodes" in document or any(key in document for key in _TIES)):
        return _from_node_link(document, file)
    if isinstance(document, dict) and document and all(isinstance(each, list) for each in document.values()):
        return _from_contacts(document, file)
    raise FileError(f"{file}: this JSON document holds no network. Give {_FORMS}.")


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


def _from_node_link(document: Mapping[str, Any], file: str) -> Network:
    present = [key for key in _TIES if key in document]
    if len(present) != 1:
        found = "both `links` and `edges`" if present else "`nodes`, but neither `links` nor `edges`"
        raise FileError(f"{file} has {found}. Keep the one list that holds the ties.")
    ties = document[present[0]]
    if not isinstance(ties, list) or not isinstance(document.get("nodes", []), list):
        raise FileError(f"{file}: `nodes` and `{present[0]}` must be lists. Correct it.")
    ends = [end for number, tie in enumerate(ties, start=1) for end in _ends(tie, number, file)]
    # As networkx writes, which has known no places since version 2; before that, `graph` was a list.
    by_id_only = any(flag in document for flag in _FLAGS) and not isinstance(document.get("graph"), list)
    nodes = Nodes.of(document.get("nodes"), ends, file)
    labels, pairs = nodes.numbered(ends, file, by_id_only=by_id_only)
    notes = [f"JSON: {counted(len(labels), 'node')}, {nodes.origin}"]
    directed = document.get("directed") is True
    left_out = {
        "node attribute": len(_attributes(document.get("nodes", []), {nodes.attribute})),
        "tie attribute": len(_attributes(ties, {"source", "target"})),
    }
    counts = [counted(count, noun) for noun, count in left_out.items() if count]
    dropped = (*["directions"] * directed, *counts)
    notes += [f"{each} ignored" for each in dropped]
    network = Network.from_numbered_edges(pairs, len(labels), labels, notes=tuple(notes), each_way=directed)
    first = first_numbered(network, pairs)
    return replace(network, reading=Reading("json", first=first, dropped=dropped))


def _ends(tie: Any, number: int, file: str) -> tuple[Any, Any]:
    """Two ends of a tie as they stand in the document."""
    if isinstance(tie, dict) and "source" in tie and "target" in tie:
        return tie["source"], tie["target"]
    if isinstance(tie, list) and len(tie) >= 2:
        return tie[0], tie[1]
    raise FileError(f"{file}: tie {number} has no source and target. Add them.")


def _attributes(entries: Any, structure: set[str | None]) -> set[str | None]:
    return {key for entry in entries if isinstance(entry, dict) for key in entry} - structure


def _from_table(document: list[Any], file: str, asked: ReadAs) -> Network:
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise FileError(f"{file}: entry {number} is not an object as the first one is. Correct it.")
    names = list(dict.fromkeys(key for row in document for key in row))
    if are_nominations(asked):
        texts = [[_cell(row.get(name)) for name in names] for row in document]
        return network_of_nominations(names, texts, file, asked, "json")
    cells = columns_of([[str(row.get(name, "")) for row in document] for name in names])
    chosen = chosen_columns(names, file, asked.columns, columns=cells)
    rows = [(row, f"{file}: row {number}") for number, row in enumerate(document, start=1)]
    ends = [label_of(row.get(name), f"{where}, {name}") for row, where in rows for name in chosen.names]
    dropped = (counted(len(names) - 2, "further column"),) if len(names) > 2 else ()
    notes = (f"JSON: {counted(len(document), 'row')}", *(f"{each} ignored" for each in dropped))
    reading = Reading("json", columns=chosen.names, header=True, dropped=dropped, oddities=chosen.oddities)
    return replace(network_of_labels(ends, notes=notes), reading=replace(reading, first=first_ties(ends)))


def _cell(value: Any) -> str:
    return "" if value is None else text_of(value) or ""


def _from_pairs(document: list[Any], file: str) -> Network:
    ends: list[str] = []
    for number, pair in enumerate(document, start=1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FileError(f"{file}: entry {number} is not a pair of two labels. Give {_FORMS}.")
        ends += [label_of(end, f"{file}: pair {number}") for end in pair]
    network = network_of_labels(ends, notes=(f"JSON: {counted(len(document), 'pair')}",))
    return replace(network, reading=Reading("json", first=first_ties(ends)))


def _from_contacts(document: Mapping[str, list[Any]], file: str) -> Network:
    ends: list[str] = []
    egos = [label_of(ego, f"{file}: list {number}") for number, ego in enumerate(document, start=1)]
    for number, (ego, contacts) in enumerate(zip(egos, document.values(), strict=True), start=1):
        ends += [end for each in contacts for end in (ego, label_of(each, f"{file}: list {number}"))]
    if not set(egos) & set(ends[1::2]):
        rule = "these may be lists of contacts or columns of a table: nobody with a list is on another's"
        raise FileError(f'{file}: {rule}. Write the ties as pairs: [["a", "b"], …].')
    network = network_of_labels(ends, egos, each_way=True)
    notes = f"JSON: {counted(len(document), 'list')} of contacts", *one_sided(network, len(ends) // 2)
    return replace(network, notes=notes, reading=Reading("json", first=first_ties(ends)))


def write(network: Network, file: str) -> bytes:
    """Node-link as `networkx.node_link_graph` reads it, ties under `edges`; ids are the labels."""
    ids = range(network.node_count) if is_numbered(network) else label_texts(network, file)
    texts = [json.dumps(each, ensure_ascii=False) for each in ids]
    nodes = ",\n".join(f'    {{"id": {text}}}' for text in texts)
    edges = ",\n".join(
        f'    {{"source": {texts[u]}, "target": {texts[v]}}}' for u, v in network.edges.tolist()
    )
    lines = [
        "{",
        '  "directed": false,',
        '  "multigraph": false,',
        '  "graph": {},',
        f'  "nodes": [\n{nodes}\n  ],' if nodes else '  "nodes": [],',
        f'  "edges": [\n{edges}\n  ]' if edges else '  "edges": []',
        "}",
    ]
    return as_lines(lines)


def extras(content: bytes, file: str) -> Extras:
    """Attributes of nodes and ties, and whatever else is in the document."""
    document = _parsed(decoded(content, file), file)
    if not isinstance(document, dict):
        rows = document if isinstance(document, list) else []
        return Extras(max(len(_attributes(rows, set())) - 2, 0))
    ties = [tie for key in _TIES if isinstance(document.get(key), list) for tie in document[key]]
    nodes = document["nodes"] if isinstance(document.get("nodes"), list) else []
    if not nodes and not ties:
        return Extras()
    columns = len(_attributes(nodes, {"id"})) + len(_attributes(ties, {"source", "target"}))
    others = {key: value for key, value in document.items() if key not in ("nodes", *_TIES, *_FLAGS)}
    remarks = [json.dumps({key: value}) for key, value in others.items() if value not in ({}, [], "", None)]
    return Extras(columns, tuple(remarks))


FORMAT = Format(
    name="json",
    suffixes=(".json",),
    description="node-link documents of networkx and d3, or pairs",
    read=read,
    write=write,
    extras=extras,
    options=frozenset({"columns", "encoding", "nominations"}),
    # An edge list of ours has no such line: a label with a bracket [ or a quote is in quotes there.
    opening=re.compile(r'\s*+(?:\{\s*+"(?:[^"\\\n]++|\\.)*+"[ \t]*+:|\[\s*+[\[{])'),
)
