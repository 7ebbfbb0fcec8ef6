"""The command line: parse, call the workflow or the public API, print; nothing else. One command a file.

`command_line.py` lists the commands and turns errors into one line and an exit code.
"""

from __future__ import annotations

from netveil.cli.command_line import COMMANDS, main, netveil

__all__ = ["COMMANDS", "main", "netveil"]
