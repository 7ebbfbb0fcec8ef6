"""Messages for the page, where options are fields."""

from __future__ import annotations

import re

from netveil.errors import NetveilError

FIELDS = {
    "format": "Kind of file",
    "separator": "Between cells",
    "encoding": "Encoding",
    "header": "First line: names the columns",
    "no-header": "First line: is a tie",
}
"""What the page calls the options of reading."""

_OPTION = re.compile(r"(?<![\w-])--(no-)?([a-z-]+)")


def in_words(error: NetveilError) -> str:
    """The message of an error as the page says it: an option is a field of its name.

    >>> from netveil.errors import option
    >>> in_words(NetveilError(f"Give {option('columns')}, or {option('header', False)}."))
    'Give “columns”, or “First line: is a tie”.'
    """
    return _OPTION.sub(_as_field, error.for_command_line())


def _as_field(found: re.Match[str]) -> str:
    name = f"{found[1] or ''}{found[2]}"
    return f"“{FIELDS.get(name, name.replace('no-', 'no '))}”"
