"""Persons: a table with a key column and attributes, which belongs to the people of a network.

The keys are labels of the network. Who stands in the table and has no tie comes in without one; who has ties
and is missing in the table has no attributes, of which the reading warns.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.attributes import Attributes
from netveil.errors import FileError, SettingError, option
from netveil.files.encodings import at_line
from netveil.files.format import NumberedRows
from netveil.files.labels import NO_TEXT, label_text
from netveil.files.storage import load_file, split_name
from netveil.files.tables.cells import is_number
from netveil.formatting import counted
from netveil.kernels.arrays import index_type
from netveil.network import Network, Reading
from netveil.registries import FORMATS

if TYPE_CHECKING:
    import pandas

_UNKNOWN = frozenset(("", "na", "n/a", "#n/a", "nan", "null"))
"""Cells without a value; others that may mean so, such as `-` and `none`, are values."""

WITHOUT_ATTRIBUTES = "and without attributes"
"""End of the warning of people of the ties who are not in the table."""

_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class PersonTable:
    """Persons by their keys, and a value of each attribute for each of them."""

    file: str
    key: str  # name of their column
    keys: tuple[str, ...]
    attributes: Mapping[str, Sequence[Any]]


Persons = str | os.PathLike[str] | PersonTable
"""A file with a table of persons, or such a table."""


def person_table(rows: NumberedRows, file: str, key: str | None = None) -> PersonTable:
    """Persons in the rows of a table, the first of which names the columns; `key` names that of keys."""
    if not rows:
        raise FileError(f"{file} holds no persons: it is empty. Write a header, and one person a line.")
    (top, header), below = rows[0], rows[1:]
    used = [
        place for place in range(len(header)) if any(_text(row[place]) for _, row in rows if place < len(row))
    ]
    names = {place: _text(header[place]) for place in used}
    if not all(names.values()):
        raise at_line(file, top, "a column has no name. The first line names the columns: complete it.")
    repeated = next((name for name in names.values() if list(names.values()).count(name) > 1), None)
    if repeated is not None:
        raise at_line(file, top, f"two columns are called '{repeated}'. Rename one.")
    if key is not None and key not in names.values():
        known = ", ".join(names.values())
        raise SettingError(
            f"{option('persons-key', key)}: {file} has no such column; its columns are {known}."
        )
    place_of_key = used[0] if key is None else next(place for place in used if names[place] == key)
    filled = [(line, _padded(row, len(header))) for line, row in below if any(map(_text, row))]
    lines: dict[str, int] = {}
    for line, row in filled:
        label = _text(row[place_of_key])
        if not label:
            raise at_line(
                file, line, f"expected a person in column {names[place_of_key]}, found none. Fill it."
            )
        if lines.setdefault(label, line) != line:
            raise at_line(file, line, f"this person stands in line {lines[label]} already. Leave one out.")
    attributes = {
        name: typed([row[place] for _, row in filled])
        for place, name in names.items()
        if place != place_of_key
    }
    return PersonTable(file, names[place_of_key], tuple(lines), attributes)


def _padded(row: Sequence[Any], width: int) -> list[Any]:
    return [*row, *[""] * (width - len(row))]


def _text(value: Any) -> str:
    """A cell as a label: 1 and 1.0 are the same number."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return label_text(value).strip()


def typed(cells: Sequence[Any]) -> list[Any]:
    """Values of a column: whole numbers, numbers, truth values or texts, and None where there is none.

    >>> typed(["1", "", "20"]), typed(["0.5", "2"]), typed(["TRUE", "false"]), typed(["01", "2"])
    ([1, None, 20], [0.5, 2.0], [True, False], ['01', '2'])
    """
    texts = [_text(cell) for cell in cells]
    known = [text for text in texts if text.casefold() not in _UNKNOWN]
    parse: Callable[[str], Any] = str
    if all(text.casefold() in _TRUTH for text in known):
        parse = lambda text: _TRUTH[text.casefold()]  # noqa: E731
    elif all(_is_whole(text) for text in known):
        parse = int
    elif all(is_number(text) and math.isfinite(float(text)) and not _has_zero_ahead(text) for text in known):
        parse = float
    return [None if text.casefold() in _UNKNOWN else parse(text) for text in texts]


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and not _has_zero_ahead(text)


def _has_zero_ahead(text: str) -> bool:
    """Whether a text is a code such as the postcode 01067 rather than a number."""
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def persons_of_frame(table: pandas.DataFrame, key: str | None = None) -> PersonTable:
    """Persons in a table of pandas; an index that has a name may be the key."""
    if table.index.name is not None:
        table = table.reset_index()
    columns = [
        [None if is_na else value for value, is_na in zip(column, column.isna(), strict=True)]
        for _, column in table.items()
    ]
    rows = [
        (1, [str(name) for name in table.columns]),
        *enumerate(map(list, zip(*columns, strict=True)), start=2),
    ]
    return person_table(rows, "persons", key)


def read_persons(file: str, key: str | None, labels: Sequence[Any]) -> PersonTable:
    """Persons in a file; of a workbook, on the one sheet whose keys are labels of the network."""
    _, suffix, _ = split_name(file)
    chosen = next((each for each in FORMATS.values() if suffix in each.suffixes and each.tables), None)
    if chosen is None or chosen.tables is None:
        raise FileError(
            f"{file}: a table of persons is a .csv, .tsv, .xlsx or .parquet file. Save it as one."
        )
    tables = chosen.tables(load_file(file), file)
    if len(tables) < 2:
        return person_table(next(iter(tables.values()), []), file, key)
    fitting = {
        name: table for name, rows in tables.items() if (table := fitting_persons(rows, file, labels, key))
    }
    if len(fitting) != 1:
        rule = (
            f"{'none' if not fitting else len(fitting)} of its sheets ({', '.join(tables)}) hold the persons"
        )
        raise FileError(f"{file}: {rule}. Save the right one as a CSV file, and give that.")
    return next(iter(fitting.values()))


def fitting_persons(
    rows: NumberedRows, file: str, labels: Sequence[Any], key: str | None = None, *, share: float = 0.5
) -> PersonTable | None:
    """Persons in the rows of a table, if it is one and at least this share of the labels are keys in it."""
    try:
        table = person_table(rows, file, key)
    except (FileError, SettingError):
        return None
    keys = set(table.keys)
    found = sum(str(label) in keys for label in labels)
    return table if found and found >= share * len(labels) else None


def with_persons(network: Network, given: Persons | None, key: str | None = None) -> Network:
    """Network whose people have the attributes of a table of persons; people without ties come behind."""
    if given is None:
        if key is not None:
            raise SettingError(f"{option('persons-key')} names a column of {option('persons')}; give both.")
        return network
    table = given if isinstance(given, PersonTable) else read_persons(os.fspath(given), key, network.labels)
    place = {label: row for row, label in enumerate(table.keys)}
    known = [str(label) for label in network.labels]
    _check_keys(network, table, known)
    missing = sum(label not in place for label in known)
    met = set(known)
    further = [label for label in table.keys if label not in met]
    if any(NO_TEXT.search(label) for label in further):
        raise FileError(f"{table.file}: a key holds a line break or a control character. Correct it.")
    everybody, count = [*known, *further], len(known) + len(further)
    node = {name: [*values, *[None] * len(further)] for name, values in network.attributes.node.items()}
    for name, values in table.attributes.items():
        node[name] = [values[place[label]] if label in place else None for label in everybody]
    labels = network.labels
    if further:
        are_numbers = isinstance(labels, range)
        labels = (*labels, *(int(label) if are_numbers and _is_whole(label) else label for label in further))
    notes, reading = _account(network, table, len(further), missing)
    edges = network.edges.astype(index_type(max(count, 2 * network.edge_count)), copy=False)
    edges.setflags(write=False)
    return replace(
        network,
        node_count=count,
        edges=edges,
        labels=range(count) if list(labels) == list(range(count)) else labels,
        attributes=Attributes(node, network.attributes.edge),
        notes=notes,
        reading=reading,
    )


def _check_keys(network: Network, table: PersonTable, known: Sequence[str]) -> None:
    """Raise unless a table is about the people of a network, and has attributes of its own."""
    if known and not set(known) & set(table.keys):
        remedy = f"Give the right file, or name the key column ({option('persons-key')}), and write a header"
        raise FileError(f"{table.file}: none of its keys is a person of the network. {remedy}.")
    alike = {_folded(label) for label in set(known).difference(table.keys)}
    if not alike.isdisjoint(map(_folded, set(table.keys).difference(known))):
        rule = "some keys differ from people of the ties by zeros ahead, blanks or capitals only"
        raise FileError(f"{table.file}: {rule}. Write both alike.")
    if table.key in known:
        rule = "its first line is a person of the network, where names of columns are expected"
        raise FileError(f"{table.file}: {rule}. Write a header.")
    both = [name for name in table.attributes if name in network.attributes.node]
    if both:
        raise FileError(
            f"{table.file}: the network has the attribute '{both[0]}' already. Rename one of them."
        )


def _folded(label: str) -> str:
    return "".join(label.split()).casefold().lstrip("0")


def _account(
    network: Network, table: PersonTable, without_ties: int, missing: int
) -> tuple[tuple[str, ...], Reading | None]:
    """Notes on what came from a table; a warning of people who are not in it is an oddity of the reading."""
    name, reading = Path(table.file).name, network.reading
    notes = [f"attributes of people from {name}: {', '.join(table.attributes) or 'none'}"]
    if without_ties:
        notes.append(f"{counted(without_ties, 'person', 'people')} without ties from {name}")
    people = counted(missing, "person of the ties is", "people of the ties are")
    untold = [f"{people} not in {name}, {WITHOUT_ATTRIBUTES}"] * bool(missing)
    if reading is None:
        return (*network.notes, *notes, *untold), None
    return (*network.notes, *notes), replace(reading, oddities=(*reading.oddities, *untold))
