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
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from netveil.errors import FileError, SettingError
from netveil.files.asked import Columns
from netveil.files.encodings import decoded, text_and_encoding
from netveil.files.format import Extras, Format
from netveil.files.json_nodes import Nodes, label_of
from netveil.files.labels import is_numbered, label_texts
from netveil.files.tables.people import chosen_columns
from netveil.files.text import at_line
from netveil.files.tied_labels import first_numbered, first_ties, network_of_labels, one_sided
from netveil.network import Network
from netveil.reading import Reading
from netveil.words import counted

_TIES = ("links", "edges")
_FLAGS = ("directed", "multigraph")
_FORMS = "nodes and links as networkx and d3 write them, pairs, or everybody's contacts"


def read(
    content: bytes, file: str, *, columns: Columns | None = None, encoding: str | None = None
) -> Network:
    """Network from a JSON document; `columns` is for one that is a table."""
    text, encoding = text_and_encoding(content, file, encoding)
    network = _network(_parsed(text, file), file, columns)
    assert network.reading is not None
    return replace(network, reading=replace(network.reading, encoding=encoding))


def _network(document: Any, file: str, columns: Columns | None) -> Network:
    is_table = isinstance(document, list) and bool(document) and isinstance(document[0], dict)
    if columns is not None and not is_table:
        raise SettingError(f"columns is of no use for {file}, which is not a table; leave it out.")
    if is_table:
        return _from_table(document, file, columns)
    if isinstance(document, list) and document:
        return _from_pairs(document, file)
    if isinstance(document, dict) and ("nodes" in document or any(key in document for key in _TIES)):
        return _from_node_link(document, file)
    if isinstance(document, dict) and document and all(isinstance(each, list) for each in document.values()):
        return _from_contacts(document, file)
    raise FileError(f"{file}: this JSON document holds no network. Give {_FORMS}.")


def _parsed(text: str, file: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        rule = "not valid JSON. Correct it, or write the file again."
        raise at_line(file, error.lineno, rule) from None
    except _KeyTwiceError:
        rule = "an object has the same key twice, so one of its values is lost"
        raise FileError(f"{file}: {rule}. Write the file again.") from None
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets in brackets in brackets
        raise FileError(f"{file}: not JSON that can be read. Write the file again.") from None


class _KeyTwiceError(Exception):
    """An object that says two things under one name."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _KeyTwiceError
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
    dropped = _dropped(document, ties, nodes.attribute)
    notes += [f"{each} ignored" for each in dropped]
    directed = document.get("directed") is True
    network = Network.from_numbered_edges(pairs, len(labels), labels, notes=tuple(notes), each_way=directed)
    first = first_numbered(network, pairs)
    return replace(network, reading=Reading("json", encoding="UTF-8", first=first, dropped=dropped))


def _ends(tie: Any, number: int, file: str) -> tuple[Any, Any]:
    """The two ends of a tie as they stand in the document."""
    if isinstance(tie, dict) and "source" in tie and "target" in tie:
        return tie["source"], tie["target"]
    if isinstance(tie, list) and len(tie) >= 2:
        return tie[0], tie[1]
    raise FileError(f"{file}: tie {number} has no source and target. Add them.")


def _dropped(document: Mapping[str, Any], ties: list[Any], label: str | None) -> tuple[str, ...]:
    """What is left out, in words; nodes keep the attribute `label`."""
    attributes = {
        "node attribute": len(_attributes(document.get("nodes", []), {label})),
        "tie attribute": len(_attributes(ties, {"source", "target"})),
    }
    dropped = [counted(count, noun) for noun, count in attributes.items() if count]
    return (*(["directions"] if document.get("directed") is True else []), *dropped)


def _attributes(entries: Any, structure: set[str | None]) -> set[str | None]:
    return {key for entry in entries if isinstance(entry, dict) for key in entry} - structure


def _from_table(document: list[Any], file: str, columns: Columns | None) -> Network:
    for number, row in enumerate(document, start=1):
        if not isinstance(row, dict):
            raise FileError(f"{file}: entry {number} is not an object as the first one is. Correct it.")
    names = list(dict.fromkeys(key for row in document for key in row))
    cells = [[str(row.get(name, "")) for row in document] for name in names]
    chosen = chosen_columns(names, file, columns, columns=cells)
    ends = [
        label_of(row.get(name), f"{file}: row {number}, {name}")
        for number, row in enumerate(document, start=1)
        for name in chosen.names
    ]
    further = [counted(len(names) - 2, "further column")] if len(names) > 2 else []
    notes = (f"JSON: {counted(len(document), 'row')}", *(f"{each} ignored" for each in further))
    reading = Reading(
        "json", None, chosen.names, True, "UTF-8", first_ties(ends), tuple(further), chosen.oddities
    )
    return replace(network_of_labels(ends, notes=notes), reading=reading)


def _from_pairs(document: list[Any], file: str) -> Network:
    for number, pair in enumerate(document, start=1):
        if not isinstance(pair, list) or len(pair) != 2:
            rule = f"entry {number} is not a pair of two labels"
            raise FileError(f"{file}: {rule}. Give {_FORMS}.")
    ends = [
        label_of(end, f"{file}: pair {number}")
        for number, pair in enumerate(document, start=1)
        for end in pair
    ]
    network = network_of_labels(ends, notes=(f"JSON: {counted(len(document), 'pair')}",))
    return replace(network, reading=Reading("json", encoding="UTF-8", first=first_ties(ends)))


def _from_contacts(document: Mapping[str, list[Any]], file: str) -> Network:
    ends, egos = [], []
    for number, (ego, contacts) in enumerate(document.items(), start=1):
        where = f"{file}: list {number}"
        egos.append(label_of(ego, where))
        for contact in contacts:
            ends += [egos[-1], label_of(contact, where)]
    if not set(egos) & set(ends[1::2]):
        rule = "these may be lists of contacts or columns of a table: nobody with a list is on another's"
        raise FileError(f'{file}: {rule}. Write the ties as pairs: [["a", "b"], …].')
    note = f"JSON: {counted(len(document), 'list')} of contacts"
    network = network_of_labels(ends, egos, (note,), each_way=True)
    return replace(
        network,
        notes=(note, *one_sided(network, len(ends) // 2)),
        reading=Reading("json", encoding="UTF-8", first=first_ties(ends)),
    )


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
    return "".join(f"{line}\n" for line in lines).encode()


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
    options=frozenset({"columns", "encoding"}),
    # An edge list of ours has no such line: a label with a bracket [ or a quote is in quotes there.
    opening=re.compile(r'\s*+(?:\{\s*+"(?:[^"\\\n]++|\\.)*+"[ \t]*+:|\[\s*+[\[{])'),
)
