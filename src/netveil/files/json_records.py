"""Records that netveil wrote and reads again: they may have been damaged or changed meanwhile.

A record is read with its shape, which says what it must hold. What does not fit is a `DamagedRecordError`,
whatever is wrong with it: no JSON, nested too deeply, a number that is none or too large.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

Shape = dict[str, Any]
"""Type of each value that a record must have, as msgspec takes types, or the shape of an inner record."""


class DamagedRecordError(ValueError):
    """Damage to a record: where, and what, in a few words."""


def read_record(file: Path, shape: Shape, kind: str = "") -> dict[str, Any]:
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
    return dict(record)


def check_shape(record: Any, shape: Shape, place: str = "it") -> None:
    """DamagedRecordError if a record does not have this shape; what it has besides is not looked at."""
    import msgspec

    if not isinstance(record, dict):
        raise DamagedRecordError(f"{place} is not a record")
    for name, wanted in shape.items():
        if name not in record:
            raise DamagedRecordError(f"{name} is missing")
        if isinstance(wanted, dict):
            check_shape(record[name], wanted, name)
            continue
        try:
            msgspec.convert(record[name], wanted)
        except ValueError:  # whose words may quote the record
            raise DamagedRecordError(f"{name} holds something else than it should") from None


def _no_number(word: str) -> float:
    raise ValueError(word)
