"""What is changed about numba leaves what it does as it is."""

from __future__ import annotations

from typing import Any

import numba
import pytest
from hypothesis import given, strategies as st
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler import Flags

from netveil.kernels import compiled, quicker_compiling

SETTINGS = ("release_gil", "forceinline", "no_cpython_wrapper", "debuginfo")


def flags(chosen: dict[str, bool]) -> Any:
    """Settings of a compilation."""
    made: Any = Flags()  # type: ignore[no-untyped-call]
    for name, value in chosen.items():
        setattr(made, name, value)
    return made


@given(*[st.dictionaries(st.sampled_from(SETTINGS), st.booleans())] * 2)
def test_settings_are_equal_where_all_their_values_are(one: dict[str, bool], other: dict[str, bool]) -> None:
    """Set to the default or not set at all is the same; equal ones have the same hash."""
    ours, theirs = flags(one), flags(other)
    is_equal = all(getattr(ours, name) == getattr(theirs, name) for name in ours.options)

    assert (ours == theirs) is is_equal
    assert not is_equal or hash(ours) == hash(theirs)
    assert hash(ours) == hash(tuple(sorted(ours.values())))
    assert ours != "settings"


@compiled.inlined
def _inlined(number: int) -> int:
    return number + 1


@compiled.internal
def _internal(number: int) -> int:
    return _inlined(number) + 1


def test_of_what_python_cannot_call_no_machine_code_is_made_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is of the caller, with all that was copied into it. What is inlined is not optimized either."""
    from numba.core.codegen import CPUCodeLibrary

    emitted: list[str] = []
    optimized: list[str] = []
    emit: Any = CPUCodeLibrary._finalize_final_module

    def emit_and_tell(self: Any) -> None:
        emitted.append(self.name.split(".")[-1])
        emit(self)

    def called(number: int) -> int:
        return _internal(number) + 1

    monkeypatch.setattr(
        CPUCodeLibrary, "_optimize_final_module", lambda self: optimized.append(self.name.split(".")[-1])
    )
    monkeypatch.setattr(CPUCodeLibrary, "_finalize_final_module", emit_and_tell)
    monkeypatch.setattr(JITCPUCodegen, "set_env", JITCPUCodegen.set_env)
    quicker_compiling._compile_copied_code_once()

    kernel: Any = numba.njit(called)  # not kept on disk: it must be compiled here

    assert kernel(1) == 4
    assert {"_internal", "called"} <= set(optimized)
    assert "_inlined" not in optimized
    assert "called" in emitted
    assert not {"_inlined", "_internal"} & set(emitted)


@compiled.internal
def _asks(number: int) -> int:
    with compiled.objmode(answer="int64"):
        answer = number + len(str(number))
    return answer


def test_what_is_only_copied_can_ask_python_in_every_caller() -> None:
    """Its environment is there wherever its code is emitted."""

    def one(number: int) -> int:
        return _asks(number)

    def other(number: int) -> int:
        return _asks(number) + 1

    kernels: list[Any] = [numba.njit(one), numba.njit(other)]

    assert [kernel(100) for kernel in kernels] == [103, 104]


def test_a_numba_without_these_places_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """No error: compiling takes longer then."""

    def missing() -> Any:
        raise AttributeError("_optimize_final_module")

    monkeypatch.setattr(quicker_compiling, "_compile_copied_code_once", missing)
    monkeypatch.setattr(quicker_compiling, "_compare_settings_quickly", missing)
    quicker_compiling.compile_quicker()
