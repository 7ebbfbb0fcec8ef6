"""GEXF: the XML of Gephi, with nodes, edges and their attributes. Read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any
from xml.parsers import expat

from netveil.attributes import DIRECTIONS_IGNORED, Attributes
from netveil.errors import FileError
from netveil.files.encodings import at_line
from netveil.files.format import Extras, Format
from netveil.files.igraph_reader import ValueType, check_attributes, has_no_value, number_text, type_of_values
from netveil.files.labels import as_lines, is_numbered, label_texts
from netveil.formatting import counted
from netveil.network import Network

AGAIN = "Write the file again, or export it from Gephi as GraphML or CSV."
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TYPES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("integer", "long", "short", "byte", "biginteger"), int),
    **dict.fromkeys(("float", "double", "bigdecimal"), float),
    "boolean": lambda text: {"true": True, "false": False}[text.lower()],
}


class _Elements:
    """Nodes, edges and values of a file, in the order in which a parser meets them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.number_of: dict[str, int] = {}  # by the identifier of a node
        self.labels: list[str] = []
        self.ends: list[tuple[str, str, int]] = []  # of each edge, with its line
        self.titles: dict[tuple[str, str], str] = {}  # of each attribute, by its class and identifier
        self.types: dict[tuple[str, str], str] = {}
        self.values: dict[str, list[dict[str, str]]] = {"node": [], "edge": []}
        self.weights: list[str] = []
        self.directed = False
        self.remarks: list[str] = []
        self._path: list[str] = []
        self._class = "node"
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = lambda _: self._path.pop()
        self._parser.CommentHandler = self.remarks.append

    def parse(self, content: bytes) -> None:
        """Read all elements; FileError if they are no GEXF."""
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            raise at_line(self.file, error.lineno, f"not valid GEXF. {AGAIN}") from None
        except KeyError as error:
            raise self._wrong(f"an element lacks its attribute {error}") from None
        except (LookupError, ValueError):  # of an encoding that Python does not know, or that is no text's
            raise at_line(self.file, 1, f"not valid GEXF: its encoding cannot be read. {AGAIN}") from None

    def _refuse_doctype(self, *_: object) -> None:
        # What a document type defines may unpack to far more than the file, or lead to other files.
        raise self._wrong("a GEXF file has no document type")

    def _wrong(self, what: str) -> FileError:
        return at_line(self.file, self._parser.CurrentLineNumber, f"{what}. {AGAIN}")

    def _start(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self._path and name != "gexf":
            raise self._wrong(f"expected the element gexf, found {name[:40]}")
        self._path.append(name)
        match name:
            case "graph" | "edge" if given.get("defaultedgetype", given.get("type", "")) == "directed":
                self.directed = True
            case "attributes":
                self._class = given["class"]
            case "attribute":
                key = (self._class, given["id"])
                self.titles[key], self.types[key] = given["title"], given["type"]
        match name:
            case "node":
                if given["id"] in self.number_of:
                    raise self._wrong("two nodes have one id")
                self.number_of[given["id"]] = len(self.number_of)
                self.labels.append(given.get("label", ""))
                self.values["node"].append({})
            case "edge":
                self.ends.append((given["source"], given["target"], self._parser.CurrentLineNumber))
                self.weights.append(given.get("weight", ""))
                self.values["edge"].append({})
            case "attvalue":
                owner = next((each for each in reversed(self._path) if each in self.values), "")
                if owner and self.values[owner]:
                    self.values[owner][-1][given.get("for") or given["attvalue"]] = given["value"]

    def columns(self, owner: str) -> dict[str, list[Any]]:
        """Values by the title of their attribute, None where there is none; empty columns are left out."""
        rows = self.values[owner]
        named = {
            title: (self.types[of, key], [row.get(key) for row in rows])
            for (of, key), title in self.titles.items()
            if of == owner and any(key in row for row in rows)
        }
        if owner == "edge" and any(self.weights):
            named.setdefault("weight", ("float", [each or None for each in self.weights]))
        return {title: self._converted(title, *column) for title, column in named.items()}

    def _converted(self, title: str, kind: str, texts: list[str | None]) -> list[Any]:
        convert = _TYPES.get(kind, str)
        try:
            return [None if text is None else convert(text) for text in texts]
        except (ValueError, KeyError):
            rule = f"a value of attribute '{title}' is no {kind}"
            raise FileError(f"{self.file}: {rule}. {AGAIN}") from None

    def pairs(self) -> list[tuple[int, int]]:
        """Ends of edges by node number; FileError for an end that no node is."""
        for *both, line in self.ends:
            if not all(end in self.number_of for end in both):
                raise at_line(self.file, line, f"an edge ends at a node that is not there. {AGAIN}")
        return [(self.number_of[one], self.number_of[other]) for one, other, _ in self.ends]


def read(content: bytes, file: str) -> Network:
    """Network from a GEXF file, labels from `label` where these tell nodes apart, else from `id`."""
    found = _Elements(file)
    found.parse(content)
    check_attributes(len(found.titles), max(len(found.labels), len(found.ends)), len(content), file)
    labels, told = _labels(found)
    notes = [f"GEXF: {counted(len(labels), 'node')}, {told}"]
    notes += [DIRECTIONS_IGNORED] * found.directed
    attributes = Attributes(found.columns("node"), found.columns("edge"))
    for owner, columns in (("vertex", attributes.node), ("edge", attributes.edge)):
        if columns:
            notes.append(f"{counted(len(columns), f'{owner} attribute')}, published only if named")
    return Network.from_numbered_edges(
        found.pairs(),
        len(labels),
        labels,
        notes=tuple(notes),
        each_way=found.directed,
        attributes=attributes.by_name(),
    )


def _labels(found: _Elements) -> tuple[Sequence[str] | range, str]:
    """Labels of nodes, and where they are from."""
    if all(found.labels) and len(set(found.labels)) == len(found.labels) and found.labels:
        return tuple(found.labels), "labels from label"
    if list(found.number_of) == [str(number) for number in range(len(found.number_of))]:
        return range(len(found.number_of)), "numbered from 0 in the order of the file"
    return tuple(found.number_of), "labels from id"


def write(network: Network, file: str) -> bytes:
    """GEXF 1.3 with labels as `label`, or as identifiers alone if they are the numbers 0 to n-1."""
    texts = None if is_numbered(network) else label_texts(network, file, _NOT_XML, "a control character")
    declared: list[str] = []
    of_nodes, of_edges = [""] * network.node_count, [""] * network.edge_count
    attributes = network.attributes
    for owner, columns, data in (("node", attributes.node, of_nodes), ("edge", attributes.edge, of_edges)):
        if columns:
            declared.append(f'    <attributes class="{owner}">')
        for number, (name, values) in enumerate(columns.items()):
            kind = type_of_values(name, values, file, _NOT_XML)
            stated = "long" if kind == "int" else kind
            declared.append(f'      <attribute id="{number}" title="{escape(name)}" type="{stated}"/>')
            for place, value in enumerate(values):
                if not has_no_value(value):
                    data[place] += f'<attvalue for="{number}" value="{_value(value, kind)}"/>'
        if columns:
            declared.append("    </attributes>")
    names = [""] * network.node_count if texts is None else [f' label="{_quoted(text)}"' for text in texts]
    nodes = [_element("node", f'id="{node}"{names[node]}', data) for node, data in enumerate(of_nodes)]
    edges = [
        _element("edge", f'id="{number}" source="{u}" target="{v}"', data)
        for number, ((u, v), data) in enumerate(zip(network.edges.tolist(), of_edges, strict=True))
    ]
    return as_lines(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
            '  <graph defaultedgetype="undirected">',
            *declared,
            *("    <nodes>", *nodes, "    </nodes>", "    <edges>", *edges, "    </edges>"),
            "  </graph>",
            "</gexf>",
        ]
    )


def _element(tag: str, given: str, data: str) -> str:
    inside = f"<attvalues>{data}</attvalues></{tag}>"
    return f"      <{tag} {given}>{inside}" if data else f"      <{tag} {given}/>"


def _value(value: Any, kind: ValueType) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return _quoted(value) if kind == "string" else number_text(value, kind)


def _quoted(text: str) -> str:
    # Bare white space inside an attribute would come back as a blank.
    return re.sub(r"[\t\n\r]", lambda found: f"&#{ord(found.group())};", escape(text))


def extras(content: bytes, file: str) -> Extras:
    """Attributes and comments."""
    found = _Elements(file)
    found.parse(content)
    return Extras(len(found.titles) + any(found.weights), tuple(found.remarks))


FORMAT = Format(
    name="gexf",
    suffixes=(".gexf",),
    description="XML of Gephi",
    read=read,
    write=write,
    extras=extras,
    holds_attributes=True,
    opening=re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)?<gexf\b", re.IGNORECASE),
)
