"""Edge lists as they are written: a clean table in a .csv or .tsv file, else one edge a line.

A table is a header line and one tie a line, without any comment: spreadsheets and data frames take whatever
stands in it for data. In other files the comment `# nodes: N` says that the labels are the numbers 0 to N-1.
"""

from __future__ import annotations

import re

from netveil.errors import FileError
from netveil.files.labels import is_numbered, label_texts
from netveil.files.storage import split_name
from netveil.files.tables.header import header_apart_from, is_header
from netveil.files.tied_labels import rows_in_order
from netveil.network import Network

TABLE_SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Between the cells of a table, by the suffix of its file."""

# A label that holds or begins with what means something else to the reader.
_NEEDS_QUOTES = re.compile("[ \t,;|\"[]|^[#%<*!\ufeff'\xa0]|\xa0$")
_LINE_BREAK = re.compile(r"[\r\n]")


def write(network: Network, file: str) -> bytes:
    """A table in a .csv or .tsv file; elsewhere a line an edge, with a blank between the labels."""
    separator = TABLE_SEPARATORS.get(split_name(file)[1])
    if separator is not None:
        return written_table(network, file, separator, isolated=True)
    if is_numbered(network):
        return as_lines([f"# nodes: {network.node_count}", *_numbered_lines(network, " ")])
    texts, pairs = fit_labels(network, file), _ordered_pairs(network, isolated=True)
    lines = _labelled_lines(texts, pairs, " ")
    first, second = ([texts[pair[end]] for pair in pairs] for end in (0, 1))
    if pairs and is_header((first[0], second[0]), (0, 1), (first[1:], second[1:])) is not False:
        # The reader would skip the first edge or ask, so it gets a header to skip instead.
        lines.insert(0, _header(texts, file, " "))
    return as_lines(lines)


def written_table(network: Network, file: str, separator: str, *, isolated: bool) -> bytes:
    """A header and one tie a line; with `isolated`, a line for each node without ties, its label twice.

    Without, those nodes have to be told elsewhere; ties between numbers are in ascending order then.
    """
    texts = fit_labels(network, file)
    if is_numbered(network) and not isolated:
        lines = _numbered_lines(network, separator)
    else:
        lines = _labelled_lines(texts, _ordered_pairs(network, isolated=isolated), separator)
    return as_lines([_header(texts, file, separator), *lines])


def fit_labels(network: Network, file: str) -> list[str]:
    """The label of each node as text that fits into a line."""
    return label_texts(network, file, _LINE_BREAK, "a line break")


def quoted(text: str) -> str:
    """A label as it stands in a line: in quotes where it would mean something else."""
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def as_lines(lines: list[str]) -> bytes:
    """What a file with these lines holds."""
    return "".join(f"{line}\n" for line in lines).encode()


def _numbered_lines(network: Network, separator: str) -> list[str]:
    return list(map(f"%d{separator}%d".__mod__, map(tuple, network.edges.tolist())))


def _labelled_lines(texts: list[str], pairs: list[tuple[int, int]], separator: str) -> list[str]:
    fields = [quoted(text) for text in texts]
    return [f"{fields[u]}{separator}{fields[v]}" for u, v in pairs]


def _ordered_pairs(network: Network, *, isolated: bool) -> list[tuple[int, int]]:
    return list(map(tuple, rows_in_order(network, isolated=isolated).tolist()))


def _header(texts: list[str], file: str, separator: str) -> str:
    """A line that the reader takes for a header whatever follows: its names are no labels."""
    header = header_apart_from(texts)
    if header is None:
        rule = "every name that a header may have is a label, so the header would be read as an edge"
        raise FileError(f"{file}: {rule}. Rename some nodes, or write another format.")
    return separator.join(header)
