"""Texts of which each line is a row of cells: which character separates them, and how it is said in words."""

from __future__ import annotations

import csv
import re

from netveil.errors import FileError, SettingError
from netveil.files.text import COMMENT_LINE, decoded

SEPARATOR_NAMES = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", " ": "blank"}
"""Characters between cells, the strongest first: whoever uses one may use those below it within cells."""


def separator_asked(asked: str | None) -> str | None:
    """The character that a user gives, by itself or by its name."""
    named = {name: character for character, name in SEPARATOR_NAMES.items()} | {"space": " ", "\\t": "\t"}
    if asked is None or asked in SEPARATOR_NAMES:
        return asked
    if asked.lower() not in named:
        raise SettingError(f"separator {asked!r}: give one of {', '.join(SEPARATOR_NAMES.values())}.")
    return named[asked.lower()]


def text_in(content: bytes, file: str, encoding: str | None) -> str:
    r"""The text of a file with every line ending as `\n`; UTF-8 where no other encoding is said."""
    if encoding is None:
        return decoded(content, file)
    try:
        text = content.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise SettingError(f"encoding {encoding!r} is not known; give one such as utf-8 or cp1252.") from None
    except UnicodeError:
        raise FileError(f"{file} is not text in {encoding}. Give another --encoding.") from None
    return decoded(text.encode("utf-8", "replace"), file)


def content_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are neither empty nor comments, with their numbers."""
    lines = COMMENT_LINE.sub("", text).split("\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip(" \t")]


def split_line(line: str, separator: str) -> list[str]:
    """The cells of a line; one in double quotes may hold the separator, and a quote if it stands twice."""
    if separator == " ":
        line = re.sub(r"[ \t]+", " ", line.strip(" \t"))
    try:
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=separator != "\t"), [])
    except csv.Error:  # a cell of more than 128 KiB, mostly from a quote that is never closed
        raise ValueError("a cell is too long. Close its quote, or name the --separator.", None) from None
    return [cell.strip(" \t") for cell in cells]
