"""GraphML and GEXF: XML with elements `node` and `edge`, and with their attributes. Read and written.

Both are read in one pass by expat, whose time and memory are in proportion to the file. Documents that
declare entities are refused: a few of them can stand for gigabytes, or for other files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any
from xml.parsers import expat

from netveil.files.format import Format
from netveil.files.graph_elements import Elements, Owner, has_no_value, type_of_values, value_text
from netveil.files.labels import as_lines, is_numbered, label_texts
from netveil.network import Network

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_TYPES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("int", "integer", "long", "short", "byte", "biginteger"), int),
    **dict.fromkeys(("float", "double", "bigdecimal"), float),
    "boolean": lambda text: _TRUTH[text.strip().lower()],
}
"""How texts become values, by the type that a file declares; of all other types they stay texts."""
_OWNERS: dict[str, tuple[Owner, ...]] = {"node": ("node",), "edge": ("edge",), "all": ("node", "edge")}


class XmlElements(Elements):
    """Elements of an XML file; a format says in `start` and `end` what they mean."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.open: list[tuple[Owner, int]] = []  # nodes and edges that did not end yet, outermost first
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._check_doctype
        self.parser.StartElementHandler = self._check_root
        self.parser.EndElementHandler = self._ended
        self.parser.CommentHandler = self.remarks.append

    def start(self, name: str, given: dict[str, str]) -> None:
        """Take in the beginning of an element; KeyError if an attribute is missing."""

    def end(self, name: str) -> None:
        """Take in what stood in an element that is no node and no edge."""

    @property
    def line(self) -> int:
        """Line in which the parser is."""
        return self.parser.CurrentLineNumber

    def parse(self, content: bytes) -> None:
        """Read all elements; FileError if they are not of this format."""
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            raise self.wrong("its XML is damaged", error.lineno) from None
        except KeyError as error:
            raise self.wrong(f"an element lacks its attribute {error}", self.line) from None
        except (LookupError, ValueError):  # of an encoding that Python does not know, or that is no text's
            raise self.wrong("its encoding cannot be read", 1) from None

    def _check_doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise self.wrong("its document type declares entities or the like", self.line)

    def _check_root(self, tag: str, given: dict[str, str]) -> None:
        name, root = tag.rpartition(":")[2], self.kind.lower()
        if name != root:
            raise self.wrong(f"expected the element {root}, found {name[:40]}", self.line)
        self.parser.StartElementHandler = self._started

    def _started(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(":")[2] if ":" in tag else tag
        if name == "edge":
            self.open.append(("edge", self.add_edge(given["source"], given["target"], self.line)))
        elif name == "node":
            self.open.append(("node", self.add_node(given["id"], self.line)))
        self.start(name, given)

    def _ended(self, tag: str) -> None:
        name = tag.rpartition(":")[2] if ":" in tag else tag
        if name in ("node", "edge"):
            self.open.pop()
        else:
            self.end(name)

    def declare(self, owner: Owner, key: str, title: str, kind: str) -> None:
        """Declare an attribute, of a type that has this name."""
        self.titles[owner, key] = title
        self.converters[owner, key] = _TYPES.get(kind, str)

    def give_value(self, key: str, text: str) -> None:
        """Give the innermost open node or edge a value of an attribute."""
        if self.open:
            self.add_value(*self.open[-1], key, text)


class _GraphMl(XmlElements):
    """Elements of the first graph of a GraphML file, with those of graphs inside its nodes."""

    kind = "GraphML"

    def __init__(self, content: bytes, file: str) -> None:
        super().__init__(file)
        self._open_graphs, self._graphs = 0, 0
        self._key = ""  # identifier of the attribute whose declaration or value is open
        self._key_owners: tuple[Owner, ...] = ()
        self._text: list[str] | None = None  # of the open element, in parts; None where no text is wanted
        self.parse(content)
        if not self._graphs:
            raise self.wrong("there is no element graph", 1)

    def start(self, name: str, given: dict[str, str]) -> None:
        """Take in a graph, the declaration of an attribute, or the beginning of a text."""
        self._end_text()  # elements inside `data`, such as those of yEd, are left out
        match name:
            case "edge":
                self.directed |= given.get("directed") == "true"
            case "graph":
                self._graphs += not self._open_graphs
                self._open_graphs += 1
                if self._graphs > 1:
                    self.notes = ["only the first graph element read"]
                    self.parser.StartElementHandler = self.parser.EndElementHandler = None
                else:
                    self.directed |= given.get("edgedefault") == "directed"
            case "key":
                self._key, self._key_owners = given["id"], _OWNERS.get(given.get("for", "all"), ())
                title, kind = given.get("attr.name", self._key), given.get("attr.type", "string")
                for owner in self._key_owners:
                    self.declare(owner, self._key, title, kind)
            case "data" | "default" | "desc":
                self._key = given["key"] if name == "data" else self._key
                self._text = []
                self.parser.CharacterDataHandler = self._text.append

    def end(self, name: str) -> None:
        """Take in the text of an element, or close a graph."""
        text = self._end_text()
        if name == "graph":
            self._open_graphs -= 1
        elif name == "data" and text:
            self.give_value(self._key, text)
        elif name == "default":
            self.defaults |= {(owner, self._key): text for owner in self._key_owners}
        elif name == "desc":
            self.remarks.append(text)

    def _end_text(self) -> str:
        if self._text is None:
            return ""
        text, self._text = "".join(self._text), None
        self.parser.CharacterDataHandler = None
        return text


_LABEL, _WEIGHT = "\0label", "\0weight"  # identifiers for these, which no attribute of a file can have


class _Gexf(XmlElements):
    """Elements of a GEXF file, labels and weights among the attributes."""

    kind = "GEXF"
    label_attributes = ("label",)

    def __init__(self, content: bytes, file: str) -> None:
        super().__init__(file)
        self._class: tuple[Owner, ...] = ()
        self.parse(content)
        if ("node", _LABEL) in self.values:
            self.declare("node", _LABEL, "label", "string")
        if ("edge", _WEIGHT) in self.values:
            self.declare("edge", _WEIGHT, "weight", "float")

    def start(self, name: str, given: dict[str, str]) -> None:
        """Take in a label, a weight, the declaration of an attribute, or a value."""
        match name:
            case "graph":
                self.directed |= given.get("defaultedgetype") == "directed"
            case "node" if "label" in given:
                self.give_value(_LABEL, given["label"])
            case "edge":
                self.directed |= given.get("type") == "directed"
                if "weight" in given:
                    self.give_value(_WEIGHT, given["weight"])
            case "attributes":
                self._class = _OWNERS.get(given["class"], ())
            case "attribute":
                for owner in self._class:
                    self.declare(owner, given["id"], given["title"], given["type"])
            case "attvalue":
                self.give_value(given.get("for") or given["attvalue"], given["value"])


def _text(text: str) -> str:
    """Text as it stands in XML, also inside an attribute, where bare white space would become a blank."""
    return re.sub(r"[\t\n\r]", lambda found: f"&#{ord(found.group())};", escape(text))


_ATTRIBUTE = {
    False: (
        '<key id="{key}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>',
        '<data key="{key}">{text}</data>',
    ),
    True: ('<attribute id="{key}" title="{name}" type="{kind}"/>', '<attvalue for="{key}" value="{text}"/>'),
}
"""Declaration and value of an attribute, by whether it is for GEXF."""


def _written(network: Network, file: str, *, is_gexf: bool) -> bytes:
    """GraphML or GEXF 1.3 with all attributes that the network has.

    Labels are identifiers in GraphML, which networkx takes for nodes, and, unless they are the numbers 0 to
    n-1, stand in the attribute `name` too, where igraph and Gephi look. In GEXF they are in `label`.
    """
    numbers = [str(node) for node in range(network.node_count)]
    labels = None
    if not is_numbered(network):
        labels = [_text(label) for label in label_texts(network, file, _NOT_XML, "a control character")]
    ids = numbers if labels is None or is_gexf else labels
    given = {
        "node": [f'id="{each}"' for each in ids],
        "edge": [f'source="{ids[u]}" target="{ids[v]}"' for u, v in network.edges.tolist()],
    }
    if is_gexf:
        given["edge"] = [f'id="{number}" {each}' for number, each in enumerate(given["edge"])]
    if is_gexf and labels is not None:
        given["node"] = [f'{each} label="{label}"' for each, label in zip(given["node"], labels, strict=True)]
    declaration, valued = _ATTRIBUTE[is_gexf]
    declared: dict[str, list[str]] = {}
    elements: dict[str, list[str]] = {}
    for owner, columns in (("node", network.attributes.node), ("edge", network.attributes.edge)):
        lines, inside = declared.setdefault(owner, []), [""] * len(given[owner])
        if owner == "node" and labels is not None and not is_gexf:
            lines.append(declaration.format(key="name", owner=owner, name="name", kind="string"))
            inside = [valued.format(key="name", text=label) for label in labels]
        for number, (title, values) in enumerate(columns.items()):
            kind = type_of_values(title, values, file, _NOT_XML)
            key, of_file = str(number) if is_gexf else f"{owner}{number}", "long" if kind == "int" else kind
            lines.append(declaration.format(key=key, owner=owner, name=_text(title), kind=of_file))
            for place, value in enumerate(values):
                if not has_no_value(value):
                    inside[place] += valued.format(key=key, text=_text(value_text(value, kind)))
        if is_gexf:
            inside = [f"<attvalues>{each}</attvalues>" if each else "" for each in inside]
        elements[owner] = [
            f"<{owner} {each}>{within}</{owner}>" if within else f"<{owner} {each}/>"
            for each, within in zip(given[owner], inside, strict=True)
        ]
    return as_lines(_gexf(declared, elements) if is_gexf else _graphml(declared, elements))


def _graphml(declared: dict[str, list[str]], elements: dict[str, list[str]]) -> list[str]:
    """Lines of a GraphML file."""
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(f"  {line}" for lines in declared.values() for line in lines),
        '  <graph edgedefault="undirected">',
        *(f"    {line}" for lines in elements.values() for line in lines),
        "  </graph>",
        "</graphml>",
    ]


def _gexf(declared: dict[str, list[str]], elements: dict[str, list[str]]) -> list[str]:
    """Lines of a GEXF file."""
    inner = [
        line
        for owner, lines in declared.items()
        if lines
        for line in (f'<attributes class="{owner}">', *(f"  {each}" for each in lines), "</attributes>")
    ]
    for owner, lines in elements.items():
        inner += [f"<{owner}s>", *(f"  {line}" for line in lines), f"</{owner}s>"]
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
        '  <graph defaultedgetype="undirected">',
        *(f"    {line}" for line in inner),
        "  </graph>",
        "</gexf>",
    ]


GRAPHML = Format(
    name="graphml",
    suffixes=(".graphml",),
    description="XML of Gephi, yEd, igraph and networkx",
    read=lambda content, file: _GraphMl(content, file).network(len(content)),
    write=partial(_written, is_gexf=False),
    holds_attributes=True,
    opening=re.compile(r"\s*+<(\?xml|!DOCTYPE|graphml)", re.IGNORECASE),
)

GEXF = Format(
    name="gexf",
    suffixes=(".gexf",),
    description="XML of Gephi",
    read=lambda content, file: _Gexf(content, file).network(len(content)),
    write=partial(_written, is_gexf=True),
    holds_attributes=True,
    opening=re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)?<gexf\b", re.IGNORECASE),
)
