"""The compile decorators: kernels are kept on disk and run free of the interpreter lock.

A kernel that Python calls is `compiled`, or `in_place` if it makes no arrays; one that only other kernels
call is `internal`, or `inlined`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import numba
from numba import objmode

from netveil.kernels.compile_cache import KernelCache, kept_folder

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["compiled", "in_place", "inlined", "internal", "objmode", "shared"]

_njit: Any = numba.njit  # its type hints know only some of its options
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
COUNT_REFERENCES, COUNT_NONE = {"_nrt": True}, {"_nrt": False}  # to arrays; not documented
if not hasattr(numba.core.registry.cpu_target.options, "_nrt"):
    COUNT_REFERENCES, COUNT_NONE = {}, {}
INTERNAL = {**OPTIONS, **COUNT_REFERENCES, "no_cpython_wrapper": True}
SHARED = {**OPTIONS, **COUNT_NONE, "no_cpython_wrapper": True, "forceinline": False}
INLINED = {**OPTIONS, **COUNT_NONE, "no_cpython_wrapper": True, "forceinline": True}

log = logging.getLogger("netveil")

# Kernels that ask a user's own measure take turns while they do: known, and no news to anybody. Numba may
# begin its message with the codes of a colour; warnings about a user's own functions stay.
warnings.filterwarnings(
    "ignore", ".*Code running in object mode", numba.core.errors.NumbaWarning, module=".*netveil.kernels"
)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk for later starts, release the interpreter lock."""
    return _kept(_njit(**OPTIONS, **COUNT_REFERENCES)(function))


def in_place(function: Callable[P, R]) -> Callable[P, R]:
    """Like `compiled`, for a kernel that makes and returns no arrays: it writes into those it is given.

    No references to arrays are counted, which is half of the code that numba makes of a kernel whose
    arguments are records of many arrays.
    """
    return _kept(_njit(**OPTIONS, **COUNT_NONE)(function))


def internal(function: Callable[P, R]) -> Callable[P, R]:
    """Compile together with the first compiled caller. Python cannot call it, and it is not kept by itself.

    The code with which Python calls takes longer to compile than most of these functions.
    """
    kernel: Callable[P, R] = _njit(**INTERNAL)(function)
    return kernel


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """Like `internal`, for what makes no arrays and is seldom called, from several places: compiled once.

    Unless told otherwise, numba copies into a caller whatever its `inlined` kernels call.
    """
    kernel: Callable[P, R] = _njit(**SHARED)(function)
    return kernel


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Like `internal`, and copied into each caller: calling it would cost more than the work.

    No references to arrays are counted in it, for its caller holds them: to take a record of arrays, and the
    arrays out of it, costs nothing. So it can make no arrays and return none.
    """
    kernel: Callable[P, R] = _njit(**INLINED)(function)
    return kernel


def _kept(dispatcher: Any) -> Any:
    """Keep the code of a dispatcher in our cache; where that cannot be, in numba's own; else nowhere.

    A plain function, as with NUMBA_DISABLE_JIT=1, stays as it is.
    """
    if not hasattr(dispatcher, "py_func"):
        return dispatcher
    try:
        folder = kept_folder()
        if folder is not None:
            dispatcher._cache  # noqa: B018  # an error if a later numba has another name for it
            dispatcher._cache = KernelCache(dispatcher.py_func, folder)
    except Exception as error:  # a later numba, or no sources to tell the key of: a cache is worth no crash
        log.debug("numba's own cache for %s: %s", dispatcher, error)
        with suppress(RuntimeError):  # it has no place either
            dispatcher.enable_caching()
    return dispatcher
