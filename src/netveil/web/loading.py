"""Open networks and releases for a worker, and say how a file was read: what a user looks at first."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from netveil.anonymity import Anonymity, anonymity_of
from netveil.errors import NetveilError
from netveil.files import ReadAs
from netveil.files.encodings import text_and_encoding
from netveil.files.persons import read_persons, with_persons
from netveil.files.storage import load_file, split_name
from netveil.files.tables.cells import cells_of
from netveil.files.tables.lines import lines_of, parsed_separator
from netveil.job import Anonymization
from netveil.network import Network, Reading, losses
from netveil.opening import load, open_network
from netveil.release.folder import load_deletion, render_again, rendered
from netveil.release.records import read_run
from netveil.release.release import Release
from netveil.release.synthetic_release import load_drawn
from netveil.web.requests import in_words


def network_of(given: dict[str, Any]) -> Network:
    """Network of an order, opened or from the cache."""
    return _opened(json.dumps(given))


@lru_cache(3)
def _opened(order: str) -> Network:
    given = json.loads(order)
    if given["kind"] == "builtin":
        return load(given["name"])
    if given["kind"] == "release":
        return release_of(given["path"]).original
    columns = given["asked"]["columns"]
    asked = ReadAs(**given["asked"] | {"columns": tuple(columns) if isinstance(columns, list) else columns})
    network = open_network(given["path"], asked, original=True)
    if (persons := given.get("persons")) is not None:
        table = read_persons(persons["path"], persons["key"], network.labels)
        network = with_persons(network, replace(table, file=persons["shown"]))
    return replace(network, name=split_name(given["shown"])[0], file=Path(given["shown"]).name)


def release_of(path: str) -> Release:
    """Release in a folder, loaded or from the cache; a release that is made again is another one."""
    return _loaded(path, (Path(path) / "private" / "run.json").stat().st_mtime_ns)


@lru_cache(3)
def _loaded(path: str, changed: int) -> Release:
    return load_deletion(path)


def take_in(order: dict[str, Any]) -> None:
    """Check a release that was brought, and render its pages from its record: what came is not trusted."""
    folder = order["release"]
    if read_run(folder).get("kind") == "synthetic":
        load_drawn(folder)
    else:
        load_deletion(folder)
    render_again(folder)


def pages(order: dict[str, Any]) -> dict[str, str]:
    """Render the pages of a release folder from its record: those in it may be somebody else's work."""
    return rendered(order["release"])


def measured(given: dict[str, Any], asked: dict[str, Any]) -> tuple[Network, Anonymity]:
    """A network, and who is at risk in it to these attackers."""
    return network_of(given), _measured(json.dumps(given), json.dumps(asked, sort_keys=True))


@lru_cache(12)
def _measured(given: str, asked: str) -> Anonymity:
    attackers = Anonymization.from_document(json.loads(asked)).attackers
    return anonymity_of(_opened(given), attackers.each, attackers.k)


ROWS_SHOWN = 12
WIDEST_CELL = 60
BYTES_LOOKED_AT = 100_000
TEXTS = ("", "edge-list", "matrix", "adjacency-list")  # formats whose lines can be shown as cells

_ASKS = re.compile(r"--(columns|separator|header|no-header|encoding|format|nominations|sheet)\b")


def read_network(order: dict[str, Any]) -> dict[str, Any]:
    """Read the file of an order; what is wrong with it is a part of the answer, not an error."""
    given = order["network"]
    files = [each for each in (given, given.get("persons")) if each is not None and "path" in each]
    try:
        network = network_of(given)
    except NetveilError as error:
        notes = [note.strip() for note in getattr(error, "__notes__", ())]
        message = in_words(error)
        for file in files:
            message = message.replace(file["path"], file["shown"])
        asks = bool(notes) or _ASKS.search(error.for_command_line()) is not None
        problem = {"message": message, "lines": notes, "asks": asks}
        return {"problem": problem, "table": _table(given, None, notes)}
    reading = network.reading
    return {
        "problem": None,
        "table": _table(given, reading, []),
        "name": network.name,
        "nodes": network.node_count,
        "edges": network.edge_count,
        "dropped": asdict(network.dropped),
        "reading": None if reading is None else {**reading.to_dict(), "sentence": reading.sentence()},
        "notes": [*network.notes, *losses(network).values()],
        "attributes": list(network.attributes.names),
        "attributes_of_people": list(network.attributes.node),
    }


def _table(given: dict[str, Any], reading: Reading | None, notes: list[str]) -> dict[str, Any] | None:
    """The first lines as cells, for people to see which columns are meant; None where there are none."""
    if given["kind"] != "file" or (reading is not None and reading.format not in (*TEXTS, "xlsx")):
        return None
    rows = _first_cells(given, None if reading is None else reading.separator)
    if not rows:
        rows = [[cell.strip() for cell in line.split(" | ")] for line in notes]
    if not rows:
        return None
    header = None if reading is None else reading.header
    return {
        "rows": [[_cut(cell) for cell in row] for row in rows],
        "width": max(map(len, rows)),
        "header": header,
        "people": None if reading is None else _places(reading.columns, rows[0] if header else None),
    }


def _first_cells(given: dict[str, Any], separator: str | None) -> list[list[str]]:
    """The cells of the first lines, as far as anybody can tell."""
    asked, file = given["asked"], str(given["path"])
    if split_name(file)[1] not in _TABLES and asked["format"] not in ("edge-list", "matrix"):
        return []
    mark = asked["separator"] or separator
    with suppress(NetveilError, ValueError, LookupError):
        content = load_file(file)[:BYTES_LOOKED_AT]
        whole = content if Path(file).stat().st_size <= BYTES_LOOKED_AT else content.rpartition(b"\n")[0]
        text, _ = text_and_encoding(whole, file, asked["encoding"])
        lines = lines_of(text)
        few = slice(0, ROWS_SHOWN + 8)  # some may be continued, or left out
        chosen = parsed_separator(mark) if mark and mark != "blanks and marks" else None
        cells = cells_of(lines.texts[few], lines.numbers[few], file, chosen)
        return [list(cells.row(place)) for place in range(min(ROWS_SHOWN, len(cells)))]
    return []


_TABLES = (".txt", ".csv", ".tsv", ".edges", ".edgelist", ".dat", ".el", "")


def _places(columns: tuple[str, ...] | None, names: list[str] | None) -> list[int] | None:
    """Places of the columns of people, from 0; of two of one name, the first two."""
    if columns is None:
        return None
    places: list[int] = []
    with suppress(ValueError):
        for column in columns:
            after = places[-1] + 1 if column in columns[: len(places)] else 0
            places.append(int(column) - 1 if names is None else names.index(column, after))
    return places if len(places) == len(columns) else None


def _cut(cell: str) -> str:
    return cell if len(cell) <= WIDEST_CELL else f"{cell[: WIDEST_CELL - 1]}…"
