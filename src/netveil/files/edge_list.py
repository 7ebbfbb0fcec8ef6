"""Edge lists: one edge per line, as two labels; further columns and directions are ignored.

Without the comment `# nodes: N` labels are text exactly as written (01 is not 1), and nodes are numbered by
first appearance. With it, labels are the numbers 0 to N-1, all of which exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError
from netveil.files.edge_lines import NODES_COMMENT, SEPARATORS, EdgeLines, parse
from netveil.files.edge_list_writing import write
from netveil.files.format import Extras, Format
from netveil.files.formats import FORMATS
from netveil.files.text import COMMENT_LINE, at_line, decoded
from netveil.network import Network
from netveil.words import counted


def read(content: bytes, file: str) -> Network:
    """Network from an edge list."""
    text = decoded(content, file)
    for other in FORMATS.values():  # read as an edge list, a file of another would be a network of nonsense
        if other.opening is not None and other.opening.match(text):
            remedy = f"Read it with --format {other.name}."
            raise FileError(f"{file} is not an edge list; it looks like {other.name}. {remedy}")
    return network_from_lines(parse(text, file), file)


def network_from_lines(lines: EdgeLines, file: str) -> Network:
    """Network from the lines of an edge list, with an account of them in its notes."""
    if lines.declared_nodes is not None:
        rule = f"the comment `# nodes: {lines.declared_nodes}`"
        pairs = numbers_of(lines, range(lines.declared_nodes), file, rule)
        return Network.from_numbered_edges(pairs, lines.declared_nodes, notes=(account(lines),))
    if not lines.labels:
        rule = "holds no edges: there is no line with two labels in it"
        raise FileError(f"{file} {rule}. Write one edge per line, or `# nodes: N` for N nodes without edges.")
    labels = tuple(dict.fromkeys(lines.labels))
    number = dict(zip(labels, range(len(labels)), strict=True))
    pairs = np.fromiter(map(number.__getitem__, lines.labels), dtype=np.int64, count=len(lines.labels))
    return Network.from_numbered_edges(pairs, len(labels), labels, notes=(account(lines),))


def numbers_of(lines: EdgeLines, allowed: range, file: str, rule: str) -> NDArray[np.int64]:
    """The labels as numbers, counted from the first of those `allowed`; `rule` says what requires that."""
    distinct = dict.fromkeys(lines.labels)
    wrong = {label for label in distinct if not _is_one_of(allowed, label)}
    if wrong:
        place = next(index for index, label in enumerate(lines.labels) if label in wrong)
        bounds = f"a whole number from {allowed.start} to {allowed.stop - 1}" if allowed else "possible"
        line = int(lines.line_numbers[place // 2])
        raise at_line(
            file, line, f"a label is not {bounds}, which {rule} asks for. Correct either of the two."
        )
    number = dict(zip(distinct, map(int, distinct), strict=True))
    numbers = np.fromiter(map(number.__getitem__, lines.labels), dtype=np.int64, count=len(lines.labels))
    return numbers - allowed.start


def _is_one_of(allowed: range, label: str) -> bool:
    try:
        number = int(label)
    except ValueError:
        return False
    return number in allowed and str(number) == label  # 01 and +1 are labels of their own


def account(lines: EdgeLines) -> str:
    """One sentence on what every line was taken for."""
    parts = [counted(len(lines), "edge line")]
    if lines.separators:
        parts.append(f"split at {' and '.join(SEPARATORS[separator] for separator in lines.separators)}")
    if lines.comment_lines:
        parts.append(counted(lines.comment_lines, "comment line"))
    if lines.blank_lines:
        parts.append(counted(lines.blank_lines, "empty line"))
    if lines.header_line is not None:
        parts.append(f"header line {lines.header_line} skipped")
    if lines.columns > 2:
        parts.append(f"{counted(lines.columns - 2, 'further column')} ignored")
    if lines.declared_nodes is not None:
        parts.append(f"{counted(lines.declared_nodes, 'node')} declared")
    return f"edge list: {', '.join(parts)}"


def extras(content: bytes, file: str) -> Extras:
    """Further columns, and comments but that on the number of nodes."""
    text = decoded(content, file)
    comments = [comment.strip() for comment in COMMENT_LINE.findall(text)]
    remarks = tuple(comment for comment in comments if not NODES_COMMENT.fullmatch(comment))
    return Extras(max(parse(text, file).columns - 2, 0), remarks)


FORMAT = Format(
    name="edge-list",
    suffixes=(".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el"),
    description="one edge per line: two labels with a blank, a tab or a comma between",
    read=read,
    write=write,
    extras=extras,
)
