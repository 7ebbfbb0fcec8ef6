"""Read a file, and say how: what a user looks at before anything else happens."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from netveil.errors import FileError, NetveilError
from netveil.files.encodings import text_and_encoding
from netveil.files.storage import COMPRESSIONS, load, split_name
from netveil.files.tables.cells import Cells, cells_of
from netveil.files.tables.lines import lines_of
from netveil.files.tables.one_line import parsed_separator
from netveil.network import Network
from netveil.web.wording import in_words
from netveil.web.work.opened import network_of

ROWS_SHOWN = 12
WIDEST_CELL = 60
BYTES_LOOKED_AT = 100_000
TEXTS = ("", "edge-list", "matrix", "adjacency-list")  # formats whose lines can be shown as cells

_ASKS = re.compile(r"--(columns|separator|header|no-header|encoding|format)\b")


def read_network(order: dict[str, Any]) -> dict[str, Any]:
    """Read the file of an order; what is wrong with it is a part of the answer, not an error."""
    given, most = order["network"], order["most"]
    problem, network = None, None
    notes: list[str] = []
    try:
        if given["kind"] == "file":
            _check_unpacked(given["path"], given["shown"], most)
        network = network_of(given)
    except NetveilError as error:
        notes = [note.strip() for note in getattr(error, "__notes__", ())]
        message = in_words(error).replace(given.get("path", "\0"), given.get("shown", ""))
        asks = bool(notes) or _ASKS.search(error.for_command_line()) is not None
        problem = {"message": message, "lines": notes, "asks": asks}
    table = _table(given, network, notes)
    return {"problem": problem, "table": table, **({} if network is None else described(network))}


def described(network: Network) -> dict[str, Any]:
    """How a network was read, and how large it is."""
    reading = network.reading
    return {
        "name": network.name,
        "nodes": network.node_count,
        "edges": network.edge_count,
        "dropped": asdict(network.dropped),
        "reading": None if reading is None else {**reading.to_dict(), "sentence": reading.sentence()},
        "notes": list(network.notes),
        "attributes": list(network.attributes.names),
        "sha256": network.sha256,
        "fingerprint": network.fingerprint,
    }


def _check_unpacked(path: str, shown: str, most: int) -> None:
    """Raise if a compressed file holds more than is let in: few bytes may unpack to very many."""
    compression = split_name(path)[2]
    if compression not in COMPRESSIONS:
        return
    import bz2
    import gzip
    import lzma

    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    size = 0
    with suppress(OSError, EOFError, ValueError, lzma.LZMAError), openers[compression](path, "rb") as stream:
        while chunk := stream.read(1 << 20):
            size += len(chunk)
            if size > most:
                raise FileError(
                    f"{shown} unpacks to more than {most // 2**20:,} MB. Use the command line for it."
                )


def _table(given: dict[str, Any], network: Network | None, notes: list[str]) -> dict[str, Any] | None:
    """The first lines as cells, for people to see which columns are meant; None where there are none."""
    reading = None if network is None else network.reading
    if given["kind"] != "file" or (reading is not None and reading.format not in (*TEXTS, "xlsx")):
        return None
    cells = _first_cells(given, None if reading is None else reading.separator)
    if cells is None and notes:
        rows = [[cell.strip() for cell in line.split(" | ")] for line in notes]
    elif cells is None:
        return None
    else:
        rows = [list(cells.row(place)) for place in range(min(ROWS_SHOWN, len(cells)))]
    width = max(map(len, rows), default=0)
    header = None if reading is None else reading.header
    return {
        "rows": [[_cut(cell) for cell in row] for row in rows],
        "width": width,
        "header": header,
        "people": None if reading is None else _places(reading.columns, rows[0] if header and rows else None),
    }


def _first_cells(given: dict[str, Any], separator: str | None) -> Cells | None:
    """The cells of the first lines, as far as anybody can tell."""
    asked, file = given["asked"], str(given["path"])
    if split_name(file)[1] not in _TABLES and asked["format"] not in ("edge-list", "matrix"):
        return None
    mark = asked["separator"] or separator
    with suppress(NetveilError, ValueError, LookupError):
        content = load(file)[:BYTES_LOOKED_AT]
        whole = content if Path(file).stat().st_size <= BYTES_LOOKED_AT else content.rpartition(b"\n")[0]
        text, _ = text_and_encoding(whole, file, asked["encoding"])
        lines = lines_of(text)
        few = slice(0, ROWS_SHOWN + 8)  # some may be continued, or left out
        chosen = parsed_separator(mark) if mark and mark != "blanks and marks" else None
        return cells_of(lines.texts[few], lines.numbers[few], file, chosen)
    return None


_TABLES = (".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el", "")


def _places(columns: tuple[str, str] | None, names: list[str] | None) -> list[int] | None:
    """The places of the columns of people, from 0."""
    if columns is None:
        return None
    with suppress(ValueError):
        if names is None:
            return [int(column) - 1 for column in columns]
        first = names.index(columns[0])
        return [first, names.index(columns[1], first + 1 if columns[0] == columns[1] else 0)]
    return None


def _cut(cell: str) -> str:
    return cell if len(cell) <= WIDEST_CELL else f"{cell[: WIDEST_CELL - 1]}…"
