"""A way in from Python for kernels that only other kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def way_in(kernel: Callable[P, R]) -> Callable[P, R]:
    """The kernel, to be called from Python: a compiled function that does nothing but call it."""

    @numba.njit
    def call(*arguments):  # type: ignore[no-untyped-def]
        return kernel(*arguments)  # type: ignore[call-arg]

    entrance: Callable[P, R] = call
    return entrance
