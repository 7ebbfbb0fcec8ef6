"""A way in from Python for kernels that only other kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from netveil.kernels.compiled import _kept

P = ParamSpec("P")
R = TypeVar("R")


def way_in(kernel: Callable[P, R]) -> Callable[P, R]:
    """The kernel, to be called from Python: a compiled function that does nothing but call it.

    It is kept on disk like kernels that Python calls, so that only one process of a test run compiles it. For
    that it must not close over the kernel, which numba takes for another in each process.
    """
    assert kernel.__module__.startswith("netveil.kernels."), (
        "only these tell by their sources what is outdated"
    )
    names: dict[str, Any] = {"__name__": __name__, "kernel": kernel}
    exec("def call(*arguments):\n    return kernel(*arguments)\n", names)
    call = names["call"]
    call.__qualname__ = f"{kernel.__module__}.{kernel.__qualname__}"
    kept: Callable[P, R] = _kept(numba.njit(call))
    return kept
