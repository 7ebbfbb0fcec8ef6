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
        _compile_copied_code_once()


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


def _compile_copied_code_once() -> None:
    """What Python cannot call is copied into what it can: no machine code is made of it by itself.

    Kernels are nested four deep: the innermost became machine code once for each level, and then once more.
    What is inlined is not optimized by itself either; the rest is, as the annealing is slower otherwise. The
    environment, with which compiled code asks Python, is set where the code is emitted.
    """
    from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
    from numba.core.targetconfig import ConfigStack

    optimize, emit = CPUCodeLibrary._optimize_final_module, CPUCodeLibrary._finalize_final_module
    set_environment = JITCPUCodegen.set_env
    waiting: dict[str, Any] = {}  # environments of code that is not emitted yet

    def is_only_copied() -> bool:
        settings: Any = ConfigStack.top_or_none()
        return settings is not None and bool(settings.no_cpython_wrapper and settings.no_cfunc_wrapper)

    def optimize_what_is_called(self: Any) -> None:
        settings: Any = ConfigStack.top_or_none()
        if not (is_only_copied() and settings.forceinline):
            optimize(self)

    def emit_what_is_called(self: Any) -> None:
        if is_only_copied():
            self._finalize_dynamic_globals()
            self._finalized = True
        else:
            emit(self)
            for variable in self._final_module.global_variables:
                if variable.name in waiting:
                    set_environment(self._codegen, variable.name, waiting.pop(variable.name))

    def set_environment_when_emitted(self: Any, name: str, environment: Any) -> None:
        if is_only_copied():
            waiting[name] = environment
        else:
            set_environment(self, name, environment)

    CPUCodeLibrary._optimize_final_module = optimize_what_is_called
    CPUCodeLibrary._finalize_final_module = emit_what_is_called
    JITCPUCodegen.set_env = set_environment_when_emitted
