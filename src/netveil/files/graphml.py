"""GraphML: XML with elements `node` and `edge`. Read by igraph; written by us, with nothing unasked."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from netveil.errors import FileError
from netveil.files.encodings import decoded
from netveil.files.format import Extras, Format
from netveil.files.igraph_reader import (
    ValueType,
    check_attributes,
    has_no_value,
    number_text,
    read_with_igraph,
    type_of_values,
)
from netveil.files.labels import as_lines, is_numbered, label_texts
from netveil.network import Network

_GRAPH_ELEMENT = re.compile(rb"<graph[\s>]")
_ELEMENTS = [re.compile(rb"<(?:\w++:)?" + name + rb"[\s/>]") for name in (b"key", b"node", b"edge")]
_TAG = re.compile(rb"""</?+[A-Za-z_:\x80-\xff!](?![-\[])(?:[^<>"']++|"[^"<]*+"?+|'[^'<]*+'?+)*+""")
_ASIDES = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}  # how they begin and end
_ASIDE = re.compile(b"|".join(map(re.escape, _ASIDES)))
_REMARK = rb"<!--(?:[^-]++|-(?!->))*+-->|<\?(?:[^?]++|\?(?!>))*+\?>"
_QUOTED = rb""""[^"]*+"?+|'[^']*+'?+"""
_DOCTYPE = re.compile(  # behind what may stand before it; a quote that is never closed goes to the end
    rb"""(?:\xef\xbb\xbf)?+(?:\s++|%b)*+(<!DOCTYPE(?:[^\[<>"']++|%b)*+(?:\[(?:[^]<"']++|%b|%b|<)*+)?+)"""
    % (_REMARK, _QUOTED, _QUOTED, _REMARK)
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REMARKS = {"<!--": "-->", "<desc": "</desc>"}  # how they begin and end
_KEY = re.compile(r"<key\b[^<>]*+")
_NAME = re.compile(r"\b(?:attr\.name|id)\s*+=\s*+[\"']([^\"']*+)[\"']")


LONGEST_TAG = 100_000
LONGEST_TEXT = 10_000_000
"""Bytes of a tag with its attributes, and of a text or comment: igraph takes minutes for 20 million."""


def read(content: bytes, file: str) -> Network:
    """Network from the first graph of a GraphML file."""
    plain = _in_bytes(content)
    _check_lengths(plain, file)
    keys, nodes, edges = (len(element.findall(plain)) for element in _ELEMENTS)
    check_attributes(keys, max(nodes, edges), len(content), file)
    network = read_with_igraph(content, file, "GraphML")
    graphs = len(_GRAPH_ELEMENT.findall(content))
    if graphs > 1:
        network = replace(network, notes=(*network.notes, f"only the first of {graphs} graph elements read"))
    return network


def _in_bytes(content: bytes) -> bytes:
    """A file of two bytes a letter with one byte for each letter of markup; others as they are."""
    if b"\0" not in content[:4] and not content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.replace(b"\0", b"")
    order = "be" if content.startswith((BOM_UTF16_BE, b"\0")) else "le"
    return content.decode(f"utf-16-{order}", "replace").replace("\0", "").encode(errors="replace")


def _check_lengths(plain: bytes, file: str) -> None:
    """Raise for what igraph would take hours for: its time grows with the square of these lengths."""
    if len(plain) <= LONGEST_TAG:
        return
    starts = np.flatnonzero(np.frombuffer(plain, np.uint8) == ord("<"))
    lengths = np.diff(starts, append=len(plain))
    are_long = lengths > LONGEST_TAG
    for start, length in zip(starts[are_long].tolist(), lengths[are_long].tolist(), strict=True):
        tag = _TAG.match(plain, start, start + length)
        in_tag = tag.end() - start if tag else 0
        if in_tag > LONGEST_TAG:
            raise _too_long(file, "tag, with its attributes,", LONGEST_TAG)
        if length - in_tag > LONGEST_TEXT:
            raise _too_long(file, "text or comment", LONGEST_TEXT)
    doctype = _DOCTYPE.match(plain)
    if doctype and len(doctype.group(1)) > LONGEST_TAG:
        raise _too_long(file, "document type", LONGEST_TAG)
    place = 0
    while len(plain) > LONGEST_TEXT and (aside := _ASIDE.search(plain, place)):
        place = plain.find(_ASIDES[aside.group()], aside.end())
        place = len(plain) if place < 0 else place
        if place - aside.start() > LONGEST_TEXT:
            raise _too_long(file, "text or comment", LONGEST_TEXT)


def _too_long(file: str, what: str, most: int) -> FileError:
    return FileError(f"{file}: a {what} has more than {most:,} bytes. Shorten it, or write another format.")


def write(network: Network, file: str) -> bytes:
    """GraphML with labels as identifiers, which networkx takes for nodes.

    Unless they are the numbers 0 to n-1, they stand in the attribute `name` too, where igraph and Gephi look.
    """
    keys, ids = [], [*map(str, range(network.node_count))]
    of_nodes, of_edges = [""] * network.node_count, [""] * network.edge_count
    if not is_numbered(network):
        texts = label_texts(network, file, _NOT_XML, "a control character")
        keys.append('  <key id="name" for="node" attr.name="name" attr.type="string"/>')
        ids = [_escaped(text, '"\t\n') for text in texts]
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
    nodes = [_element("node", f'id="{node}"', data) for node, data in zip(ids, of_nodes, strict=True)]
    edges = [
        _element("edge", f'source="{ids[u]}" target="{ids[v]}"', data)
        for (u, v), data in zip(network.edges.tolist(), of_edges, strict=True)
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
    return as_lines(lines)


def _element(tag: str, identity: str, data: str) -> str:
    return f"    <{tag} {identity}>{data}</{tag}>" if data else f"    <{tag} {identity}/>"


def _value(value: Any, kind: ValueType) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return _escaped(value) if kind == "string" else number_text(value, kind)


def _escaped(text: str, also: str = "") -> str:
    """Text for XML. A bare carriage return would come back as a line feed, in a tag all of them as blanks."""
    escaped = escape(text, quote=False)
    for character in f"\r{also}":
        escaped = escaped.replace(character, f"&#{ord(character)};")
    return escaped


def extras(content: bytes, file: str) -> Extras:
    """Attributes, comments and descriptions."""
    text = decoded(content, file)
    body, remarks = _without_remarks(text)
    found = [_NAME.search(key) for key in _KEY.findall(body)]
    names = [name.group(1) for name in found if name]
    return Extras(sum(name.lower() not in ("name", "label", "id") for name in names), tuple(remarks))


def _without_remarks(text: str) -> tuple[str, list[str]]:
    """Text without comments and descriptions, and these apart; what never closes is none."""
    kept, remarks, place = [], [], 0
    next_start = {start: text.find(start) for start in _REMARKS}
    while any(at >= 0 for at in next_start.values()):
        start, at = min(((each, at) for each, at in next_start.items() if at >= 0), key=lambda pair: pair[1])
        end = text.find(_REMARKS[start], at + len(start))
        if end < 0:  # nor is any later one closed
            next_start[start] = -1
            continue
        end += len(_REMARKS[start])
        kept.append(text[place:at])
        remarks.append(text[at:end])
        place = end
        for each, known in next_start.items():
            if 0 <= known < place:
                next_start[each] = text.find(each, place)
    return "".join([*kept, text[place:]]), remarks


FORMAT = Format(
    name="graphml",
    suffixes=(".graphml",),
    description="XML of Gephi, yEd, igraph and networkx",
    read=read,
    write=write,
    extras=extras,
    holds_attributes=True,
    opening=re.compile(r"\s*+<(\?xml|!DOCTYPE|graphml)", re.IGNORECASE),
)
