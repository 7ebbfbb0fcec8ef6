"""Record of how a file was read, shown wherever a person must be able to notice that it was read wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

DIRECTIONS, WEIGHTS = "directions", "weights"
"""Kinds of things that a network has no place for, as `Reading.dropped` has them."""

FIRST_TIES = 3
"""How many ties are shown as they were read."""


@dataclass(frozen=True)
class Reading:
    """Record of how a file became a network; None where it does not apply. Private: it holds labels."""

    format: str  # by its name in FORMATS
    separator: str | None = None  # between the cells of a table, in words: 'semicolon'
    columns: tuple[str, ...] | None = None  # where the people are: names of the header, or numbers from 1
    header: bool | None = None  # whether the first line names the columns
    encoding: str | None = None  # of a text
    first: tuple[tuple[str, str], ...] = ()  # the first ties, in the order of the file
    dropped: tuple[str, ...] = ()  # what was left out, in words: '2 further columns'
    oddities: tuple[str, ...] = ()  # what makes one doubt that this is the network that was meant
    nominations: bool | None = None  # whether a line was a person and named contacts
    sheet: str | None = None  # of a workbook
    both_ways: int = 0  # ties that were given once more from their other end: no repeats

    def sentence(self) -> str:
        """Say on one line how the file was read, without ties and oddities.

        >>> Reading("edge-list", "semicolon", ("Person A", "Person B"), True, "UTF-8").sentence()
        'read as edge-list: separator semicolon, people in columns Person A and Person B, header, UTF-8'
        """
        parts = []
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet}")
        if self.separator is not None:
            parts.append(f"separator {self.separator}")
        if self.columns is not None and self.nominations:
            parts.append(f"nominations of {self.columns[0]} in columns {', '.join(self.columns[1:])}")
        elif self.columns is not None:
            parts.append(f"people in columns {' and '.join(self.columns)}")
        if self.header is not None:
            parts.append("header" if self.header else "no header")
        if self.encoding is not None:
            parts.append(self.encoding)
        if self.dropped:
            parts.append(f"dropped: {', '.join(self.dropped)}")
        return f"read as {self.format}" + (f": {', '.join(parts)}" if parts else "")

    def ties(self) -> str:
        """List the first ties on one line; empty where there are none.

        >>> Reading("edge-list", first=(("anna", "bob"), ("bob", "carl"))).ties()
        'first ties: anna – bob; bob – carl'
        """
        return f"first ties: {'; '.join(' – '.join(tie) for tie in self.first)}" if self.first else ""

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Reading:
        """Read back what `to_dict` wrote, from JSON, which has no tuples."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: _in_tuples(value) for name, value in record.items() if name in known})

    def to_dict(self) -> dict[str, Any]:
        """The record under its names in the contract."""
        return asdict(self)


def _in_tuples(value: Any) -> Any:
    return tuple(map(_in_tuples, value)) if isinstance(value, list) else value
