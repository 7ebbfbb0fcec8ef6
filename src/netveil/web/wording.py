"""Messages for the page, where options are fields."""

from __future__ import annotations

import re

from netveil.errors import NetveilError

_OPTION = re.compile(r"(?<![\w-])--(no-)?([a-z-]+)")


def in_words(error: NetveilError) -> str:
    """The message of an error as the page says it: an option is a field of its name.

    >>> from netveil.errors import option
    >>> in_words(NetveilError(f"Give {option('columns')}, or {option('header', False)}."))
    'Give “columns”, or no “header”.'
    """
    return _OPTION.sub(lambda found: f"{'no ' if found[1] else ''}“{found[2]}”", error.for_command_line())
