"""GML: nested lists of keys and values. Read as far as nodes and edges go; written in ASCII."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.entities import name2codepoint
from typing import Any

from netveil.errors import FileError
from netveil.files.encodings import decoded
from netveil.files.format import Format
from netveil.files.graph_elements import Elements, Owner, has_no_value, type_of_values, value_text
from netveil.files.labels import as_lines, is_numbered, label_text, label_texts
from netveil.files.tables.cells import is_number
from netveil.network import Network

_ENTRY = re.compile(
    r'(?P<key>[A-Za-z_]\w*+)\s*+(?:(?P<number>[-+.\d][^\s\[\]"]*+)|"(?P<text>[^"]*+)"|(?P<opened>\[))'
    r"|(?P<closed>\])|(?P<comment>^[ \t]*+#.*+)|(?P<odd>\S)",
    re.MULTILINE,
)
_OWNERS: dict[str, Owner] = {"node": "node", "edge": "edge"}
_ENTITY = re.compile(r"&(?:#(\d{1,7})|(\w++));", re.ASCII)
_TO_ESCAPE = re.compile(r'[^ -~]|[&"]')
_STRUCTURE = {"graph", "node", "edge", "id", "label", "name", "source", "target", "directed"}
_REMARKS = {"creator", "comment", "version"}
_KEY = re.compile(r"[A-Za-z][0-9A-Za-z]*+")
LONGEST_NUMBER = 400
"""Characters of a number: longer ones are a slip, and take long to convert."""


class _Gml(Elements):
    """Elements of a GML file; lists inside nodes and edges, such as `graphics`, are left out."""

    kind = "GML"

    def __init__(self, text: str, file: str) -> None:
        super().__init__(file)
        self.text = text
        self._path: list[str] = []  # keys of open lists
        self._entries: dict[str, Any] = {}  # of the node or edge that is open
        self._parse()

    def line_of(self, place: int) -> int:
        """Number of the line of a character."""
        return self.text.count("\n", 0, place) + 1

    def _parse(self) -> None:
        has_graph = False
        for entry in _ENTRY.finditer(self.text):
            kind, key = entry.lastgroup, entry["key"]
            if key is not None and (len(self._path) > 2 or (kind == "opened" and len(self._path) == 2)):
                self.left_out.add(key)
            if kind == "number":
                self._add(key, self._number(entry))
            elif kind == "text":
                self._add(key, _ENTITY.sub(_character, entry["text"]))
            elif kind == "opened":
                self._path.append(key.lower())
                has_graph |= key.lower() == "graph"
            elif kind == "closed" and self._path:
                self._close(entry.start())
            elif kind == "comment":
                self.remarks.append(entry.group().strip())
            else:
                raise self.wrong("expected a key and its value", entry.start())
        if self._path or not has_graph:
            raise self.wrong("it has no graph, or ends before the graph is closed", len(self.text))

    def _number(self, entry: re.Match[str]) -> int | float:
        number = entry["number"]
        if not is_number(number) or len(number) > LONGEST_NUMBER:
            raise self.wrong("expected a number, or a text in quotes", entry.start())
        return int(number) if number.lstrip("+-").isdigit() else float(number)

    def _add(self, key: str, value: Any) -> None:
        """Take in a key with a number or a text."""
        name = key.lower()
        if name in _REMARKS and isinstance(value, str):
            self.remarks.append(value)
        if len(self._path) == 2:
            self._entries[name if name in _STRUCTURE else key] = value
        elif name == "directed" and self._path == ["graph"]:
            self.directed = value == 1

    def _close(self, place: int) -> None:
        """Close a list; a node or an edge is then complete."""
        owner = _OWNERS.get(self._path.pop())
        if self._path != ["graph"]:
            return
        entries, self._entries = self._entries, {}
        if owner is None:
            return
        try:
            if owner == "node":
                number = self.add_node(label_text(entries.pop("id")), place)
            else:
                ends = label_text(entries.pop("source")), label_text(entries.pop("target"))
                number = self.add_edge(*ends, place)
        except KeyError as missing:
            raise self.wrong(f"{owner} without {missing}", place) from None
        for name, value in entries.items():
            self.titles[owner, name] = name
            self.add_value(owner, number, name, value)


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from a GML file."""
    return _Gml(decoded(content, file, encoding), file).network(len(content))


def _character(entity: re.Match[str]) -> str:
    """Character of an entity; what is none stays as it is."""
    number, name = entity.groups()
    code = int(number) if number else name2codepoint.get(name, 0)
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return entity.group()
    return chr(code)


def write(network: Network, file: str) -> bytes:
    """GML with `label`s, or with only `id`s if labels are the numbers 0 to n-1."""
    of_nodes = [f"id {node}" for node in range(network.node_count)]
    of_edges = [f"source {u} target {v}" for u, v in network.edges.tolist()]
    if not is_numbered(network):
        texts = label_texts(network, file)
        of_nodes = [
            f'{entries} label "{_escaped(text)}"' for entries, text in zip(of_nodes, texts, strict=True)
        ]
    for columns, entries in ((network.attributes.node, of_nodes), (network.attributes.edge, of_edges)):
        for name, values in columns.items():
            _add_attribute(entries, name, values, file)
    nodes = [f"  node [ {entries} ]" for entries in of_nodes]
    edges = [f"  edge [ {entries} ]" for entries in of_edges]
    return as_lines(["graph [", *nodes, *edges, "]"])


def _add_attribute(entries: list[str], name: str, values: Sequence[Any], file: str) -> None:
    """Put an attribute into the entries of nodes or edges."""
    if not _KEY.fullmatch(name) or name.lower() in _STRUCTURE:
        raise FileError(
            f"{file}: '{name}' cannot be the name of an attribute in GML, which has letters and digits only. "
            f"Rename it, leave it out, or write GraphML."
        )
    kind = type_of_values(name, values, file)
    # Larger numbers are not for every reader of GML: as text, they come back whole.
    as_text = kind == "string" or (kind == "int" and any(abs(value or 0) >= 2**31 for value in values))
    for place, value in enumerate(values):
        if not has_no_value(value):
            text = value_text(int(value), "int") if kind == "boolean" else value_text(value, kind)
            entries[place] += f' {name} "{_escaped(text)}"' if as_text else f" {name} {text}"


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda character: f"&#{ord(character.group())};", text)


FORMAT = Format(
    name="gml",
    suffixes=(".gml",),
    description="nested lists of Gephi, igraph and networkx",
    read=read,
    options=frozenset({"encoding"}),
    write=write,
    holds_attributes=True,
    opening=re.compile(r"\s*+(creator\b.*+\n\s*+)?graph\s*+\[", re.IGNORECASE),
)
