"""From bytes to text, and the words in which readers tell a user about it."""

from __future__ import annotations

import re

from netveil.errors import FileError

MOST_NODES = 2**31 - 1
"""Largest number of nodes that a file may announce; more is a slip, and would fill the memory."""


COMMENT_LINE = re.compile(r"^[ \t]*[#%].*$", re.MULTILINE)


def at_line(file: str, line: int, rule: str) -> FileError:
    """Error about one line of a file."""
    return FileError(f"{file}, line {line}: {rule}")


def decoded(content: bytes, file: str) -> str:
    r"""The text of a UTF-8 file, without byte order mark and with every line ending as `\n`."""
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise at_line(file, line, "not a text file, it holds a zero byte. Save it as UTF-8 text.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise at_line(file, line, f"byte {error.start + 1} is not UTF-8 text. Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def announced_nodes(digits: str, file: str, line: int) -> int:
    """The number of nodes that a line of a file announces; FileError if it is too large."""
    count = int(digits) if len(digits) < 19 else MOST_NODES + 1  # Python refuses to read thousands of digits
    if count > MOST_NODES:
        rule = f"announces more nodes than the {MOST_NODES:,} that are possible"
        raise at_line(file, line, f"{rule}. Correct it.")
    return count
