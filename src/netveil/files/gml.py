"""GML: nested `key value` lists. Read by igraph; written by us, in ASCII and with nothing unasked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html.entities import name2codepoint
from itertools import chain
from typing import Any

from netveil.errors import FileError
from netveil.files.encodings import COMMENT_LINE, decoded
from netveil.files.format import Extras, Format
from netveil.files.igraph_reader import (
    check_attributes,
    has_no_value,
    number_text,
    read_with_igraph,
    type_of_values,
)
from netveil.files.labels import as_lines, is_numbered, label_texts
from netveil.network import Network

_ENTITY = re.compile(r"&(?:#(\d{1,7})|(\w++));", re.ASCII)
_TO_ESCAPE = re.compile(r'[^ -~]|[&"]')
_ENTRY = re.compile(r"(?:^|[\s\[\]])([A-Za-z]\w*+)\s++(\[|\"[^\"]*+\"|[+-]?\.?\d)")
_STRUCTURE = {"graph", "node", "edge", "id", "label", "name", "source", "target", "directed"}
_KEY = re.compile(r"[A-Za-z][0-9A-Za-z]*+")
_COMMENT = re.compile(r"^#.*+$", re.MULTILINE)
_GAP = re.compile(r"\s++")
LONGEST_WORD = 100_000
"""Characters in a row that are one thing: the time that igraph takes grows with their square."""

_REMARKS = {"creator", "comment", "version"}


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from a GML file."""
    # igraph decodes the entities of XML only; others, such as networkx writes, would stay in labels.
    text = _ENTITY.sub(_character, decoded(content, file, encoding))
    _check(text, file)
    return read_with_igraph(text.encode(), file, "GML")


def _check(text: str, file: str) -> None:
    """Raise for what igraph would take hours or all memory for: a word without end, or names without end."""
    outside = []
    for number, part in enumerate(_COMMENT.sub("", text).split('"')):
        if len(part) > LONGEST_WORD and (number % 2 or _has_long_word(part)):
            rule = f"a text, a number or a gap has more than {LONGEST_WORD:,} characters"
            raise FileError(f"{file}: {rule}. Shorten it, or write another format.")
        if number % 2 == 0:
            outside.append(part)
    words = Counter(" ".join(outside).replace("[", " ").replace("]", " ").lower().split())
    names = sum(word[0].isalpha() for word in words.keys() - _STRUCTURE - _REMARKS)
    check_attributes(names, max(words["node"], words["edge"]), len(text), file)


def _has_long_word(part: str) -> bool:
    return max(map(len, chain(part.split(), _GAP.findall(part))), default=0) > LONGEST_WORD


def _character(entity: re.Match[str]) -> str:
    """Character of an entity; a quote and & stay entities, in igraph's spelling."""
    number, name = entity.groups()
    code = int(number) if number else name2codepoint.get(name, 0)
    if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return entity.group()
    return {'"': "&quot;", "&": "&amp;"}.get(chr(code), chr(code))


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
            number = (
                str(int(value)) if kind == "boolean" else str(value) if as_text else number_text(value, kind)
            )
            entries[place] += f' {name} "{_escaped(number)}"' if as_text else f" {name} {number}"


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
    holds_attributes=True,
    opening=re.compile(r"\s*+(creator\b.*+\n\s*+)?graph\s*+\[", re.IGNORECASE),
)
