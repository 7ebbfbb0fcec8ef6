"""Pajek: `*Vertices n`, a line `number "label"` per node, then `*Edges` or `*Arcs`. Nodes are counted from 1.

We read it ourselves, because a malformed file of this format can crash igraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from netveil.errors import FileError
from netveil.files.encodings import announced_nodes, at_line, decoded
from netveil.files.format import Format
from netveil.files.labels import NUMBERED_IN_ORDER, as_lines, is_numbered, label_texts
from netveil.formatting import counted
from netveil.network import Network, Reading

_VERTEX = re.compile(
    r'[ \t]*+(\d++)(?:[ \t]++(?:"([^"]*+)"|([^" \t][^ \t]*+))(?:[ \t](.*+))?)?[ \t]*+', re.ASCII
)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_UNFIT = re.compile('["\r\n]')
_REMARK = re.compile(r"^[ \t]*+(?:%|\*network\b).*+", re.IGNORECASE | re.MULTILINE)
_SECTIONS = ("*edges", "*arcs", "*edgeslist", "*arcslist", "*matrix")


@dataclass
class _PajekNetwork:
    """Network of a Pajek file, as far as it is read."""

    node_count: int
    labels: dict[int, str] = field(default_factory=dict)  # by node
    pairs: list[tuple[int, int]] = field(default_factory=list)
    further: int = 0  # columns behind nodes and ends of edges

    def add(self, section: str, line: str) -> None:
        """Add a line of a section. ValueError, with the rule, if it does not belong there."""
        if section == "*vertices":
            vertex = _VERTEX.fullmatch(line)
            if vertex is None:
                raise ValueError("expected the number of a node and its label, in quotes if it has blanks")
            self.labels[self._node(vertex.group(1))] = vertex.group(2) or vertex.group(3) or ""
            self.further = max(self.further, len((vertex.group(4) or "").split()))
        elif section == "*matrix":
            raise ValueError("a matrix of Pajek is not read; save the network as *Edges or *Arcs")
        else:
            first, *others = line.split()
            if not others:
                raise ValueError("expected the numbers of two nodes, found one")
            ends = others if section.endswith("list") else others[:1]  # what follows is a weight
            self.further = max(self.further, len(others) - len(ends))
            self.pairs += [(self._node(first), self._node(end)) for end in ends]

    def _node(self, number: str) -> int:
        node = int(number) - 1 if _NUMBER.fullmatch(number) else -1
        if not 0 <= node < self.node_count:
            raise ValueError(f"expected the number of a node, from 1 to {self.node_count}")
        return node


def read(content: bytes, file: str, *, encoding: str | None = None) -> Network:
    """Network from the first network of a Pajek file; weights, directions and colours are ignored."""
    reading: _PajekNetwork | None = None
    section, notes, text = "", [], decoded(content, file, encoding)
    for line_number, line in enumerate(text.split("\n"), start=1):
        word = line.split(None, 1)[0].lower() if line.strip() else "%"
        if word.startswith("%"):
            continue
        if word.startswith("*"):
            section = word.split(":")[0]  # a relation may follow, as in `*Arcs :1 "advice"`
            if reading is None and section == "*vertices":
                count = _NUMBER.fullmatch((*line.split(), "")[1])
                if count is None:
                    rule = "expected the number of nodes after `*Vertices`. Correct the line."
                    raise at_line(file, line_number, rule)
                reading = _PajekNetwork(announced_nodes(count.group(), file, line_number, len(content)))
            elif reading is not None and section not in _SECTIONS:
                notes.append(f"another object, from line {line_number} on, ignored")
                break
        elif reading is None:
            rule = "expected `*Vertices` and the number of nodes. Correct the line."
            raise at_line(file, line_number, rule)
        else:
            try:
                reading.add(section, line)
            except ValueError as error:
                raise at_line(file, line_number, f"{error}. Correct the line.") from None
    if reading is None:
        raise FileError(f"{file} holds no network: there is no line `*Vertices`. Add it.")
    texts = [reading.labels.get(node, "") for node in range(reading.node_count)] if reading.labels else []
    if texts and all(texts) and len(set(texts)) == len(texts):
        labels, origin = tuple(texts), "with labels"
    else:
        labels = None
        origin = NUMBERED_IN_ORDER + ", as the labels do not tell them apart" * bool(texts)
    note = f"Pajek: {counted(reading.node_count, 'node')}, {origin}"
    counts = {"further column": reading.further, "comment": len(_REMARK.findall(text))}
    dropped = tuple(counted(count, noun) for noun, count in counts.items() if count)
    network = Network.from_numbered_edges(reading.pairs, reading.node_count, labels, notes=(note, *notes))
    return replace(network, reading=Reading("pajek", dropped=dropped))


def write(network: Network, file: str) -> bytes:
    """Pajek network, with a line for each node only if it has a label other than its number."""
    lines = [f"*Vertices {network.node_count}"]
    if not is_numbered(network):
        texts = label_texts(network, file, _UNFIT, "a quote or a line break")
        lines += [f'{number} "{text}"' for number, text in enumerate(texts, start=1)]
    lines.append("*Edges")
    lines += [f"{u} {v}" for u, v in (network.edges + 1).tolist()]
    return as_lines(lines)


FORMAT = Format(
    name="pajek",
    suffixes=(".net", ".paj"),
    description="network of Pajek: vertices, then edges",
    read=read,
    options=frozenset({"encoding"}),
    write=write,
    opening=re.compile(r"\s*+\*(vertices|network)\b", re.IGNORECASE),
)
