"""Open networks and releases for a worker, and say how a file was read: what a user looks at first."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from netveil.anonymity import Anonymity, Attackers, anonymity_of
from netveil.errors import FileError, NetveilError, SettingError
from netveil.files import ReadAs
from netveil.files.encodings import text_and_encoding
from netveil.files.storage import COMPRESSIONS, load_file, split_name
from netveil.files.tables.cells import TableCells, cells_of
from netveil.files.tables.lines import lines_of, parsed_separator
from netveil.job import Anonymization
from netveil.network import Network
from netveil.opening import load, open_network
from netveil.release.folder import load_release, render_again, rendered
from netveil.release.records import read_run
from netveil.release.release import Release
from netveil.web.answers import in_words
from netveil.web.data_folder import identity_in

Thing = TypeVar("Thing")


class Memory:
    """Cache of the last few things, by what they were made of."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._things: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Thing]) -> Thing:
        """Thing of a key, made if it is not in the cache."""
        if key not in self._things:
            self._things[key] = make()
            while len(self._things) > self.most:
                self._things.popitem(last=False)
        self._things.move_to_end(key)
        thing: Thing = self._things[key]
        return thing


_NETWORKS = Memory(3)
_RELEASES = Memory(3)
_MEASURED = Memory(12)


def network_of(given: dict[str, Any]) -> Network:
    """Network of an order, opened or from the cache."""
    return _NETWORKS.get(repr(given), lambda: _opened(given))


def _opened(given: dict[str, Any]) -> Network:
    if given["kind"] == "builtin":
        return load(given["name"])
    if given["kind"] == "release":
        return release_of(given["path"]).original
    columns = given["asked"]["columns"]
    asked = ReadAs(**given["asked"] | {"columns": tuple(columns) if isinstance(columns, list) else columns})
    network = open_network(given["path"], asked, original=True)
    return replace(network, name=split_name(given["shown"])[0], file=Path(given["shown"]).name)


def release_of(path: str) -> Release:
    """Release in a folder, loaded or from the cache."""
    return _RELEASES.get((path, _changed(path)), lambda: load_release(path))


def _changed(path: str) -> int:
    """When a release was written: one that was made again is another."""
    return (Path(path) / "private" / "run.json").stat().st_mtime_ns


def take_in(order: dict[str, Any]) -> dict[str, Any]:
    """Check a release that was brought, and render its pages from its record: what came is not trusted."""
    release = release_of(order["release"])
    render_again(order["release"])
    return {"figures": release.figures(), "identity": identity_in(read_run(order["release"]))}


def pages(order: dict[str, Any]) -> dict[str, str]:
    """Render the pages of a release folder from its record: those in it may be somebody else's work."""
    return rendered(order["release"])


def attackers_of_query(asked: dict[str, Any]) -> Attackers:
    """The attackers that a page asks for; measures by their names only, for a request must run no code."""
    for name in asked["measures"]:
        if ":" in name:
            raise SettingError(f"measure {name}: the page knows netveil's own measures only; choose one.")
    return Anonymization.from_document(asked).attackers


def measured(given: dict[str, Any], asked: dict[str, Any]) -> tuple[Network, Anonymity]:
    """A network, and who is at risk in it to these attackers."""
    network = network_of(given)
    attackers = attackers_of_query(asked)
    key = (repr(given), repr(sorted(asked.items())))
    return network, _MEASURED.get(key, lambda: anonymity_of(network, attackers.each, attackers.k))


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


def _first_cells(given: dict[str, Any], separator: str | None) -> TableCells | None:
    """The cells of the first lines, as far as anybody can tell."""
    asked, file = given["asked"], str(given["path"])
    if split_name(file)[1] not in _TABLES and asked["format"] not in ("edge-list", "matrix"):
        return None
    mark = asked["separator"] or separator
    with suppress(NetveilError, ValueError, LookupError):
        content = load_file(file)[:BYTES_LOOKED_AT]
        whole = content if Path(file).stat().st_size <= BYTES_LOOKED_AT else content.rpartition(b"\n")[0]
        text, _ = text_and_encoding(whole, file, asked["encoding"])
        lines = lines_of(text)
        few = slice(0, ROWS_SHOWN + 8)  # some may be continued, or left out
        chosen = parsed_separator(mark) if mark and mark != "blanks and marks" else None
        return cells_of(lines.texts[few], lines.numbers[few], file, chosen)
    return None


_TABLES = (".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el", "")


def _places(columns: tuple[str, str] | None, names: list[str] | None) -> list[int] | None:
    """Places of the columns of people, from 0."""
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
