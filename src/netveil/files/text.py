"""What readers of texts share: comments, announced numbers, and errors about a line."""

from __future__ import annotations

import re

from netveil.errors import FileError

MOST_NODES = 2**31 - 1
"""Largest number of nodes that a file may announce; more is a slip, and would fill the memory."""


COMMENT_LINE = re.compile(r"^[ \t]*[#%].*$", re.MULTILINE)
_NODES_COMMENT = re.compile(r"#\s*nodes:\s*(\d+)\s*", re.ASCII)


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


def declared_nodes(text: str, file: str) -> int | None:
    """N of a comment `# nodes: N`, if there is one."""
    declared: int | None = None
    line = place = 0
    for comment in COMMENT_LINE.finditer(text) if "#" in text else ():
        match = _NODES_COMMENT.fullmatch(comment.group().strip())
        if match is None:
            continue
        line, place = line + text.count("\n", place, comment.start()), comment.start()
        count = announced_nodes(match.group(1), file, line + 1)
        if declared not in (None, count):
            rule = "a second comment `# nodes: N` with another number"
            raise at_line(file, line + 1, f"{rule}. Keep the right one.")
        declared = count
    return declared


def is_nodes_comment(comment: str) -> bool:
    """Whether a comment is `# nodes: N`, as our own writers put it."""
    return _NODES_COMMENT.fullmatch(comment.strip()) is not None
