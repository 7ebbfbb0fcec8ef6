"""Records that netveil wrote and reads again: they may have been damaged or changed meanwhile.

A record is read with its shape, which says what it must hold. What does not fit is a `DamagedRecordError`,
whatever is wrong with it: no JSON, nested too deeply, a number that is none or too large.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

Shape = Any
"""A test of a value; or a list of one shape, for lists of such values; or a dict of shapes, for records."""

LARGEST_WHOLE = 2**63 - 1


class DamagedRecordError(ValueError):
    """Damage to a record: where, and what, in a few words."""


def read_record(file: Path, shape: Shape, kind: str = "") -> Any:
    """Content of a JSON file of this shape. OSError if it cannot be read, else DamagedRecordError.

    With `kind`, such as 'the record of a run', the error says that it is none before it says why.
    """
    if not stat.S_ISREG(file.stat().st_mode):  # reading from a pipe may never end
        raise DamagedRecordError("it is not a file")
    try:
        record = json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise DamagedRecordError("it is nested too deeply") from None
    except ValueError:
        raise DamagedRecordError("it is not JSON") from None
    try:
        check_shape(record, shape)
    except DamagedRecordError as damage:
        if not kind:
            raise
        why = f" ({damage})" if isinstance(record, dict) else ""
        raise DamagedRecordError(f"it is not {kind}{why}") from None
    return record


def check_shape(value: Any, shape: Shape, place: str = "it") -> None:
    """DamagedRecordError if a value does not have this shape; what a dict has besides is not looked at."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise DamagedRecordError(f"{place} is not a record")
        for name, inner in shape.items():
            if name not in value:
                raise DamagedRecordError(f"{name} is missing")
            check_shape(value[name], inner, name)
    elif isinstance(shape, list):
        if not isinstance(value, (list, tuple)):
            raise DamagedRecordError(f"{place} is not a list")
        for each in value:
            check_shape(each, shape[0], place)
    elif not shape(value):
        raise DamagedRecordError(f"{place} holds something else than it should")


def whole(least: int = 0, most: int = LARGEST_WHOLE) -> Callable[[Any], bool]:
    """A whole number in this range; neither true nor 1.0 is one."""
    return lambda value: type(value) is int and least <= value <= most


def any_text(value: Any) -> bool:
    """Any text, also one with halves of characters, as names of files that are not UTF-8 have."""
    return isinstance(value, str)


def any_record(value: Any) -> bool:
    """Accept a record of any content."""
    return isinstance(value, dict)


def anything(value: Any) -> bool:
    """Accept any value."""
    return True


def one_of(*values: str) -> Callable[[Any], bool]:
    """One of these texts."""
    return lambda value: value in values


def or_none(shape: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Shape of a value that may be null."""
    return lambda value: value is None or shape(value)


def _no_number(word: str) -> float:
    raise ValueError(word)
