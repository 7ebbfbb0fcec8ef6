"""What a published file says beside labels and edges: columns, attributes, comments, names in its packing."""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from netveil.auditing.leak import Leak
from netveil.files import format_of
from netveil.files.edge_lines import parse
from netveil.files.storage import load, split_name
from netveil.files.text import decoded
from netveil.words import counted

REMEDY = "Write the network again with netveil, which writes labels and edges and nothing else."

TELLING = {
    "a path": re.compile(r"(?:^|[\s\"'=(:])~?(?:/[\w.+-]+){2,}|\b[A-Za-z]:[\\/]\w|\\\\\w+"),
    "an address": re.compile(r"\S+@\w\S*|\w+://\S+|\bwww\."),
    "a date": re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b"),
}
"""What comments give away."""

_NODES_COMMENT = re.compile(r"#\s*nodes:\s*\d+\s*")
_COMMENT = re.compile(r"^[ \t]*[#%].*$", re.MULTILINE)
_XML_REMARK = re.compile(r"<!--.*?-->|<desc\b.*?</desc>", re.DOTALL)
_XML_ATTRIBUTE = re.compile(r"<key\b[^>]*?\b(?:attr\.name|id)\s*=\s*[\"']([^\"']*)[\"']")
_GML_ENTRY = re.compile(r"(?:^|[\s\[\]])([A-Za-z]\w*)\s+(\[|\"[^\"]*\"|[+-]?\.?\d)")
_GML_STRUCTURE = {"graph", "node", "edge", "id", "label", "name", "source", "target", "directed"}
_GML_REMARKS = {"creator", "comment", "version"}
_GZIP_HAS_NAME = 0x08


@dataclass(frozen=True)
class Extras:
    """What a file holds beside a network."""

    columns: int = 0  # columns or attributes
    remarks: tuple[str, ...] = ()  # comments and the like


def file_leaks(file: Path, format_name: str | None = None) -> Iterator[Leak]:
    """Everything that the text of a published file gives away, whatever its labels are."""
    name = str(file)
    look = LOOKS.get(format_of(name, format_name).name)
    extras = look(decoded(load(name), name), name) if look else Extras()
    if extras.columns:
        finding = (
            f"The file has further columns or attributes ({extras.columns:,}) beside the ends of each edge: "
            f"a weight or a time can single a tie out."
        )
        yield Leak("leak", "columns", finding, REMEDY)
    if extras.remarks:
        yield _about(extras.remarks)
    if split_name(name)[2] == ".gz" and _names_its_source(file):
        finding = "The compressed file holds the name of the file that it was made from, or its time."
        yield Leak("warning", "comments", finding, "Compress it with gzip --no-name.")


def _about(remarks: tuple[str, ...]) -> Leak:
    telling = [what for what, pattern in TELLING.items() if any(map(pattern.search, remarks))]
    telling += [what for what, word in _this_machine().items() if any(map(word.search, remarks))]
    held = f"The file holds {counted(len(remarks), 'comment')}"
    if telling:
        return Leak("leak", "comments", f"{held}, and in it {' and '.join(telling)}.", REMEDY)
    return Leak("warning", "comments", f"{held}: read whether it says where the data are from.", REMEDY)


def _this_machine() -> dict[str, re.Pattern[str]]:
    """The names of user and machine, as they may stand in a comment."""
    try:
        names = {"the name of a user": getpass.getuser(), "the name of a machine": socket.gethostname()}
    except (OSError, KeyError):  # a system without names tells none
        return {}
    return {
        what: re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
        for what, name in names.items()
        if len(name) > 2
    }


def _in_edge_list(text: str, file: str) -> Extras:
    comments = [comment.strip() for comment in _COMMENT.findall(text)]
    remarks = tuple(comment for comment in comments if not _NODES_COMMENT.fullmatch(comment))
    return Extras(max(parse(text, file).columns - 2, 0), remarks)


def _in_matrix(text: str, file: str) -> Extras:
    banner, _, rest = text.partition("\n")
    has_banner = banner.lower().startswith("%%matrixmarket")
    has_values = has_banner and " pattern" not in banner.lower()
    comments = _COMMENT.findall(rest if has_banner else text)
    return Extras(int(has_values), tuple(comments))


def _in_pajek(text: str, file: str) -> Extras:
    remarks, section, extra = [], "", 0
    for line in text.split("\n"):
        words = re.findall(r'"[^"]*"|\S+', line)
        if not words:
            continue
        if words[0].startswith("%") or words[0].lower() == "*network":
            remarks.append(line)
        elif words[0].startswith("*"):
            section = words[0].lower().split(":")[0]
        elif section in ("*vertices", "*edges", "*arcs"):
            extra = max(extra, len(words) - 2)
    return Extras(extra, tuple(remarks))


def _in_graphml(text: str, file: str) -> Extras:
    body = _XML_REMARK.sub("", text)
    names = [name for name in _XML_ATTRIBUTE.findall(body) if name.lower() not in ("name", "label", "id")]
    return Extras(len(names), tuple(_XML_REMARK.findall(text)))


def _in_gml(text: str, file: str) -> Extras:
    remarks = _COMMENT.findall(text)
    entries = [(key.lower(), value) for key, value in _GML_ENTRY.findall(_COMMENT.sub("", text))]
    remarks += [value for key, value in entries if key in _GML_REMARKS and value.startswith('"')]
    return Extras(len({key for key, _ in entries} - _GML_STRUCTURE - _GML_REMARKS), tuple(remarks))


def _names_its_source(file: Path) -> bool:
    header = file.read_bytes()[:10]
    return len(header) == 10 and bool(header[3] & _GZIP_HAS_NAME or any(header[4:8]))


LOOKS: dict[str, Callable[[str, str], Extras]] = {
    "edge-list": _in_edge_list,
    "matrix-market": _in_matrix,
    "pajek": _in_pajek,
    "graphml": _in_graphml,
    "gml": _in_gml,
}
"""How to look through a file, by its format; those not here have no place for anything beside edges."""
