"""Values of attributes as they are written to files: truth values, numbers or text, a kind a column."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from netveil.errors import FileError
from netveil.files.labels import NO_TEXT

ValueType = Literal["boolean", "int", "double", "string"]


def type_of_values(
    name: str, values: Sequence[Any], file: str, unfit: re.Pattern[str] | None = None
) -> ValueType:
    """What the values of an attribute are, those that are missing apart; an error if they cannot be written.

    `unfit` finds what the format cannot hold in a text.
    """
    present = [value for value in values if not has_no_value(value)]
    if all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    if all(isinstance(value, str) for value in present):
        if any(NO_TEXT.search(text) or (unfit and unfit.search(text)) for text in present):
            raise FileError(
                f"{file}: attribute '{name}' holds a character that this format cannot hold. Leave it out, "
                f"or write another format."
            )
        return "string"
    numbers = [
        value for value in present if isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    ]
    if len(numbers) < len(present) or not all(map(math.isfinite, numbers)):
        raise FileError(
            f"{file}: attribute '{name}' holds something else than finite numbers, texts or truth values, or "
            f"several of these. Make them texts, or leave it out."
        )
    return "int" if all(isinstance(value, Integral) for value in numbers) else "double"


def has_no_value(value: Any) -> bool:
    """Whether a node or an edge has no value."""
    return value is None or (isinstance(value, Real) and math.isnan(value))


def number_text(value: Any, kind: ValueType) -> str:
    """A number as text that reads back the same."""
    return str(int(value)) if kind == "int" else repr(float(value))
