"""How a user wants a file to be read, where it could be read in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from netveil.errors import SettingError

Columns = str | Sequence[str | int]
"""The two columns of people: 'A,B' or a pair, each by its name in the header or its number from 1."""


@dataclass(frozen=True, kw_only=True)
class ReadAs:
    """What a user says about a file; None where netveil is to find it out, or to ask."""

    format: str | None = None  # a name in FORMATS; without it, as the file's suffix says
    columns: Columns | None = None
    separator: str | None = None  # a character, or its name: 'tab', 'semicolon', …
    header: bool | None = None  # whether the first line names the columns
    encoding: str | None = None  # as Python calls it: 'cp1252', 'utf-16', …

    def of_tables(self) -> dict[str, Any]:
        """What was said of tables: the keywords for a format's `read`."""
        return {name: value for name, value in asdict(self).items() if name != "format" and value is not None}

    def for_format(self, name: str, understood: frozenset[str]) -> dict[str, Any]:
        """What was said of tables, if a format understands it; SettingError if it does not."""
        said = self.of_tables()
        for option in said:
            if option not in understood:
                raise SettingError(f"{option} is of no use for {name} files; leave it out.")
        return said
