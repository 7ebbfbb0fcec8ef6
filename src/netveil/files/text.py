"""What readers of texts share: comments, announced numbers, and errors about a line."""

from __future__ import annotations

import re

from netveil.errors import FileError

MOST_NODES = 2**31 - 1
"""Largest number of nodes that a file may announce; more is a slip, and would fill the memory."""


COMMENT_LINE = re.compile(r"^[ \t]*[#%].*$", re.MULTILINE)


def at_line(file: str, line: int, rule: str) -> FileError:
    """Error about one line of a file."""
    return FileError(f"{file}, line {line}: {rule}")


def announced_nodes(digits: str, file: str, line: int) -> int:
    """The number of nodes that a line of a file announces; FileError if it is too large."""
    count = int(digits) if len(digits) < 19 else MOST_NODES + 1  # Python refuses to read thousands of digits
    if count > MOST_NODES:
        rule = f"announces more nodes than the {MOST_NODES:,} that are possible"
        raise at_line(file, line, f"{rule}. Correct it.")
    return count
