"""The command line: parse, call the workflow or the public API, print; nothing else. One command a file.

`entry.py` is the way in; `command_line.py` lists the commands, and turns errors into one line and an exit
code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.cli.entry import main
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.cli.command_line import COMMANDS, netveil
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
