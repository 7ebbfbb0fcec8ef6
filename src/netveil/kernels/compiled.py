"""The compile decorators: kernels are kept on disk, free of the interpreter lock, and say when they compile.

A kernel that Python calls is `compiled`; one that only other kernels call is `internal`, or `inlined`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import numba
from numba import objmode
from numba.core import event

from netveil.kernels.compile_cache import kept_folder
from netveil.kernels.quicker_compiling import compile_quicker

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["compiled", "inlined", "internal", "objmode"]

_njit: Any = numba.njit  # its type hints know only some of its options
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": True}  # _nrt: count references to arrays
INTERNAL = {**OPTIONS, "no_cpython_wrapper": True}
INLINED = {**INTERNAL, "forceinline": True, "_nrt": False}

log = logging.getLogger("netveil")

compile_quicker()

# Kernels that ask a user's own measure take turns while they do: known, and no news to anybody.
warnings.filterwarnings("ignore", "Code running in object mode", numba.core.errors.NumbaWarning)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk for later starts, release the interpreter lock."""
    dispatcher: Any = _njit(**OPTIONS)(function)
    if dispatcher is not function:  # which it is with NUMBA_DISABLE_JIT=1
        _keep_on_disk(dispatcher)
    kernel: Callable[P, R] = dispatcher
    return kernel


def internal(function: Callable[P, R]) -> Callable[P, R]:
    """Compile together with the first compiled caller. Python cannot call it, and it is not kept by itself.

    The code with which Python calls takes longer to compile than most of these functions.
    """
    kernel: Callable[P, R] = _njit(**INTERNAL)(function)
    return kernel


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Like `internal`, and copied into each caller: calling it would cost more than the work.

    No references to arrays are counted in it, for its caller holds them: to take a record of arrays, and the
    arrays out of it, costs nothing. So it can make no arrays and return none.
    """
    kernel: Callable[P, R] = _njit(**INLINED)(function)
    return kernel


def _keep_on_disk(dispatcher: Any) -> None:
    """Give a dispatcher our cache; where that cannot be, numba's own; else none."""
    try:
        from netveil.kernels.compile_cache import KernelCache

        folder = kept_folder()
        if folder is not None:
            dispatcher._cache  # noqa: B018  # an error if a later numba has another name for it
            dispatcher._cache = KernelCache(dispatcher.py_func, folder)
    except Exception as error:  # a later numba, or no sources to tell the key of: a cache is worth no crash
        log.debug("numba's own cache for %s: %s", dispatcher, error)
        with suppress(RuntimeError):  # it has no place either
            dispatcher.enable_caching()


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
