"""Two tiers of cases: the first ones run in `make test`, the others in `make test-all` alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def quick_and_thorough(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Cases for `parametrize`; all but the first `quick` of them are thorough."""
    each = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=() if place < quick else pytest.mark.thorough)
        for place, case in enumerate(each)
    ]
