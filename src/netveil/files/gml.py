"""GML: nested `key value` lists. Read by igraph; written by us, in ASCII and with labels and edges only."""

from __future__ import annotations

import re
from html.entities import name2codepoint

from netveil.files.encodings import decoded
from netveil.files.format import Extras, Format
from netveil.files.igraph_reader import read_with_igraph
from netveil.files.labels import is_numbered, label_texts
from netveil.files.text import COMMENT_LINE
from netveil.network import Network

_ENTITY = re.compile(r"&(?:#(\d{1,7})|(\w+));", re.ASCII)
_TO_ESCAPE = re.compile(r'[^ -~]|[&"]')
_ENTRY = re.compile(r"(?:^|[\s\[\]])([A-Za-z]\w*)\s+(\[|\"[^\"]*\"|[+-]?\.?\d)")
_STRUCTURE = {"graph", "node", "edge", "id", "label", "name", "source", "target", "directed"}
_REMARKS = {"creator", "comment", "version"}


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from a GML file."""
    # igraph decodes the entities of XML only; others, such as networkx writes, would stay in labels.
    text = _ENTITY.sub(_character, decoded(content, file, encoding))
    return read_with_igraph(text.encode(), file, "GML")


def _character(entity: re.Match[str]) -> str:
    """What an entity stands for; entities that mean a quote or & stay, in igraph's spelling."""
    number, name = entity.groups()
    code = int(number) if number else name2codepoint.get(name, 0)
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return entity.group()
    return {'"': "&quot;", "&": "&amp;"}.get(chr(code), chr(code))


def write(network: Network, file: str) -> bytes:
    """GML with `label`s, or with only `id`s if labels are the numbers 0 to n-1."""
    if is_numbered(network):
        nodes = [f"  node [ id {node} ]" for node in range(network.node_count)]
    else:
        texts = label_texts(network, file)
        nodes = [f'  node [ id {node} label "{_escaped(text)}" ]' for node, text in enumerate(texts)]
    edges = [f"  edge [ source {u} target {v} ]" for u, v in network.edges.tolist()]
    return "".join(f"{line}\n" for line in ["graph [", *nodes, *edges, "]"]).encode()


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda character: f"&#{ord(character.group())};", text)


def extras(content: bytes, file: str) -> Extras:
    """Attributes and comments."""
    text = decoded(content, file)
    remarks = COMMENT_LINE.findall(text)
    entries = [(key.lower(), value) for key, value in _ENTRY.findall(COMMENT_LINE.sub("", text))]
    remarks += [value for key, value in entries if key in _REMARKS and value.startswith('"')]
    return Extras(len({key for key, _ in entries} - _STRUCTURE - _REMARKS), tuple(remarks))


FORMAT = Format(
    name="gml",
    suffixes=(".gml",),
    description="nested lists of Gephi, igraph and networkx",
    read=read,
    options=frozenset({"encoding"}),
    write=write,
    extras=extras,
    opening=re.compile(r"\s*(creator\b.*\n\s*)?graph\s*\[", re.IGNORECASE),
)
