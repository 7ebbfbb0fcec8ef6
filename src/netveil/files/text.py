"""What readers of texts share: comments, announced numbers, and errors about a line."""

from __future__ import annotations

import re

from netveil.errors import FileError

MOST_NODES = 2**31 - 1
"""Largest number of nodes that a file may announce; more is a slip, and would fill the memory."""

MOST_NODES_ANYWAY = 1_000_000
MOST_NODES_PER_BYTE = 10
"""So many may be announced by any file, and so many by each byte of a larger one: most without a tie then."""

COMMENT_LINE = re.compile(r"^[ \t]*+[#%].*+$", re.MULTILINE)
_NODES_COMMENT = re.compile(r"#\s*+nodes:\s*+(\d++)\s*+", re.ASCII)


def at_line(file: str, line: int, rule: str) -> FileError:
    """Error about one line of a file."""
    return FileError(f"{file}, line {line}: {rule}")


def announced_nodes(digits: str, file: str, line: int, size: int) -> int:
    """The number of nodes that a line of a file announces; FileError if it is too large.

    `size` is that of the file: memory is for what it holds, not for what it announces.
    """
    count = int(digits) if len(digits) < 19 else MOST_NODES + 1  # Python refuses to read thousands of digits
    if count > MOST_NODES:
        rule = f"announces more nodes than the {MOST_NODES:,} that are possible"
        raise at_line(file, line, f"{rule}. Correct it.")
    if count > most_announced(size):
        rule = (
            f"announces {count:,} nodes, and the file is so small that {most_announced(size):,} are the most"
        )
        raise at_line(file, line, f"{rule}. Correct it, or name all nodes in the file.")
    return count


def most_announced(size: int) -> int:
    """How many nodes a file of this size may announce."""
    return max(MOST_NODES_ANYWAY, MOST_NODES_PER_BYTE * size)


def declared_nodes(text: str, file: str, size: int | None = None) -> int | None:
    """N of a comment `# nodes: N`, if there is one; `size` is that of the whole text, if this is a part."""
    size = len(text) if size is None else size
    declared: int | None = None
    line = place = 0
    for comment in COMMENT_LINE.finditer(text) if "#" in text else ():
        match = _NODES_COMMENT.fullmatch(comment.group().strip())
        if match is None:
            continue
        line, place = line + text.count("\n", place, comment.start()), comment.start()
        count = announced_nodes(match.group(1), file, line + 1, size)
        if declared not in (None, count):
            rule = "a second comment `# nodes: N` with another number"
            raise at_line(file, line + 1, f"{rule}. Keep the right one.")
        declared = count
    return declared


def is_nodes_comment(comment: str) -> bool:
    """Whether a comment is `# nodes: N`, as our own writers put it."""
    return _NODES_COMMENT.fullmatch(comment.strip()) is not None
