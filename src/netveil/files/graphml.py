"""GraphML: XML with elements `node` and `edge`. Read by igraph; written by us, with labels and edges only."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

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
    if is_numbered(network):
        key = []
        nodes = [f'    <node id="{node}"/>' for node in range(network.node_count)]
    else:
        texts = label_texts(network, file, _NOT_XML, "a control character")
        key = ['  <key id="name" for="node" attr.name="name" attr.type="string"/>']
        nodes = [
            f'    <node id="{node}"><data key="name">{_escaped(text)}</data></node>'
            for node, text in enumerate(texts)
        ]
    edges = [f'    <edge source="{u}" target="{v}"/>' for u, v in network.edges.tolist()]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *key,
        '  <graph edgedefault="undirected">',
        *nodes,
        *edges,
        "  </graph>",
        "</graphml>",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


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
    opening=re.compile(r"\s*<(\?xml|!DOCTYPE|graphml)", re.IGNORECASE),
)
