"""Has numba compile in less time what it compiles anyway: the first run on a machine waits for nothing else.

Two things that numba does over and over, measured in docs/decisions.md, "A quicker first run". The code that
comes out is the same. Where a later numba has no such places, all stays as it is there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def compile_quicker() -> None:
    """Change numba, once a process."""
    with suppress(ImportError, AttributeError):
        _compare_settings_quickly()
    with suppress(ImportError, AttributeError):
        _optimize_inlined_code_once()


def _compare_settings_quickly() -> None:
    """Settings of a compilation are part of keys: numba compares all forty, set or not, each time.

    Its hash is that of their names, so the same for all.
    """
    from numba.core.targetconfig import TargetConfig

    compare: Any = TargetConfig.__eq__
    hashes: dict[type, int] = {}

    def quick_hash(self: Any) -> int:
        if type(self) not in hashes:
            hashes[type(self)] = hash(tuple(sorted(self.values())))
        return hashes[type(self)]

    def quick_equal(self: Any, other: object) -> Any:
        same = type(self) is type(other) and self._values == other._values  # type: ignore[attr-defined]
        return True if same else compare(self, other)

    changed: Any = TargetConfig
    changed.__hash__, changed.__eq__ = quick_hash, quick_equal


def _optimize_inlined_code_once() -> None:
    """What is copied into every caller, and what Python cannot call, need not be optimized by itself.

    Kernels are nested four deep: the innermost were optimized once for each level, and then once more.
    """
    from numba.core.codegen import CPUCodeLibrary
    from numba.core.targetconfig import ConfigStack

    optimize = CPUCodeLibrary._optimize_final_module

    def optimize_what_is_called(self: Any) -> None:
        settings: Any = ConfigStack.top_or_none()
        if settings is None or not (settings.forceinline and settings.no_cpython_wrapper):
            optimize(self)

    CPUCodeLibrary._optimize_final_module = optimize_what_is_called
