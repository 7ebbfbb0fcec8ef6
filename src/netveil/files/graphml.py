"""GraphML: XML with elements `node` and `edge`. Read by igraph; written by us, with nothing unasked."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import Any

from netveil.files.attribute_values import ValueType, has_no_value, number_text, type_of_values
from netveil.files.encodings import decoded
from netveil.files.format import Extras, Format
from netveil.files.igraph_reader import read_with_igraph
from netveil.files.labels import is_numbered, label_texts
from netveil.network import Network

_GRAPH_ELEMENT = re.compile(rb"<graph[\s>]")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REMARK = re.compile(r"<!--.*?-->|<desc\b.*?</desc>", re.DOTALL)
_ATTRIBUTE = re.compile(r"<key\b[^>]*?\b(?:attr\.name|id)\s*=\s*[\"']([^\"']*)[\"']")


def read(content: bytes, file: str) -> Network:
    """Network from the first graph of a GraphML file."""
    network = read_with_igraph(content, file, "GraphML")
    graphs = len(_GRAPH_ELEMENT.findall(content))
    if graphs > 1:
        network = replace(network, notes=(*network.notes, f"only the first of {graphs} graph elements read"))
    return network


def write(network: Network, file: str) -> bytes:
    """GraphML with labels in the attribute `name`, or as identifiers if they are the numbers 0 to n-1."""
    keys = []
    of_nodes, of_edges = [""] * network.node_count, [""] * network.edge_count
    if not is_numbered(network):
        texts = label_texts(network, file, _NOT_XML, "a control character")
        keys.append('  <key id="name" for="node" attr.name="name" attr.type="string"/>')
        of_nodes = [f'<data key="name">{_escaped(text)}</data>' for text in texts]
    attributes = (("node", network.attributes.node, of_nodes), ("edge", network.attributes.edge, of_edges))
    for what, columns, data in attributes:
        for number, (name, values) in enumerate(columns.items()):
            kind = type_of_values(name, values, file, _NOT_XML)
            key = f"{what}{number}"
            attribute = f'attr.name="{escape(name)}" attr.type="{"long" if kind == "int" else kind}"'
            keys.append(f'  <key id="{key}" for="{what}" {attribute}/>')
            for place, value in enumerate(values):
                if not has_no_value(value):
                    data[place] += f'<data key="{key}">{_value(value, kind)}</data>'
    nodes = [_element(f'node id="{node}"', data) for node, data in enumerate(of_nodes)]
    ends = network.edges.tolist()
    edges = [
        _element(f'edge source="{u}" target="{v}"', data) for (u, v), data in zip(ends, of_edges, strict=True)
    ]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *keys,
        '  <graph edgedefault="undirected">',
        *nodes,
        *edges,
        "  </graph>",
        "</graphml>",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _element(tag: str, data: str) -> str:
    return f"    <{tag}>{data}</{tag.split()[0]}>" if data else f"    <{tag}/>"


def _value(value: Any, kind: ValueType) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return _escaped(value) if kind == "string" else number_text(value, kind)


def _escaped(text: str) -> str:
    # A bare carriage return would come back as a line feed.
    return escape(text, quote=False).replace("\r", "&#13;")


def extras(content: bytes, file: str) -> Extras:
    """Attributes, comments and descriptions."""
    text = decoded(content, file)
    body = _REMARK.sub("", text)
    names = [name for name in _ATTRIBUTE.findall(body) if name.lower() not in ("name", "label", "id")]
    return Extras(len(names), tuple(_REMARK.findall(text)))


FORMAT = Format(
    name="graphml",
    suffixes=(".graphml",),
    description="XML of Gephi, yEd, igraph and networkx",
    read=read,
    write=write,
    extras=extras,
    holds_attributes=True,
    opening=re.compile(r"\s*<(\?xml|!DOCTYPE|graphml)", re.IGNORECASE),
)
