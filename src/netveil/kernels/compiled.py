"""The one compile decorator: cached on disk, free of the interpreter lock, and it says when it compiles."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from numba import objmode
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["compiled", "inlined", "objmode"]

log = logging.getLogger("netveil")

# Kernels that ask a user's own measure take turns while they do: known, and no news to anybody.
warnings.filterwarnings("ignore", "Code running in object mode", numba.core.errors.NumbaWarning)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk for later starts, release the interpreter lock."""
    dispatcher: Callable[P, R] = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    return dispatcher


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile into each compiled caller: handing arrays over would cost more than the work.

    Python cannot call it: the code for that would take longer to compile than most of these functions.
    """
    dispatcher: Callable[P, R] = numba.njit(
        nogil=True, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    return dispatcher


class _AnnounceOnce(event.Listener):
    """Says once that a kernel is being compiled; numba sends the event only when the disk cache has none."""

    announced = False

    def on_start(self, event: Any) -> None:
        # What asks a user's own measure is compiled in each process, at once: no news.
        asks_python = type(event.data.get("dispatcher")).__name__ == "ObjModeLiftedWith"
        if not (_AnnounceOnce.announced or asks_python):
            _AnnounceOnce.announced = True
            log.info("compiling for this machine (first run only) …")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _AnnounceOnce())
