"""The compile decorators: what inlined kernels may return, and that numba stays as it is."""

from __future__ import annotations

import ast
import runpy
import sys
from functools import cache
from pathlib import Path

import numba
import pytest
from numba.core import event

import netveil.kernels
from netveil.kernels import compiled

NUMBERS = {"None", "int", "float", "bool", "np.uint64"}


@cache
def records_of_numbers() -> set[str]:
    """The records whose fields are all numbers: an inlined kernel may return them too."""
    folder = Path(netveil.kernels.__file__).parent
    found = set()
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases):
                fields = {
                    ast.unparse(part.annotation) for part in node.body if isinstance(part, ast.AnnAssign)
                }
                if fields <= NUMBERS:
                    found.add(node.name)
    return found


@cache
def inlined_kernels() -> dict[str, ast.FunctionDef]:
    """The functions that are marked `inlined`, by file and name."""
    folder = Path(netveil.kernels.__file__).parent
    return {
        f"{file.relative_to(folder)}: {node.name}": node
        for file in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id == "inlined" for mark in node.decorator_list)
    }


def test_inlined_kernels_return_numbers_only() -> None:
    """They count no references, so a caller that counts them would let go of an array that it never held."""
    for name, kernel in inlined_kernels().items():
        assert kernel.returns is not None, name
        returned = ast.unparse(kernel.returns).removeprefix("tuple[").removesuffix("]")
        assert {part.strip() for part in returned.split(",")} <= NUMBERS | records_of_numbers(), name

    assert "basics.py: next_word" in inlined_kernels()
    assert "ProposalTotals" in records_of_numbers()
    assert not {"Walk", "Proposal", "Leg"} & records_of_numbers()


def test_nothing_of_numba_is_changed() -> None:
    """No class of it has a function of ours, and nobody of ours listens to its events."""
    loaded = [module for name, module in sys.modules.items() if name.split(".")[0] in ("numba", "llvmlite")]
    classes = {each for module in loaded for each in vars(module).values() if isinstance(each, type)}
    ours = [
        (each, name)
        for each in classes
        for name, value in vars(each).items()
        if str(getattr(value, "__module__", "")).startswith("netveil")
    ]
    listeners = [type(each).__module__ for those in event._registered.values() for each in those]

    assert len(classes) > 1_000
    assert ours == [] and not any(module.startswith("netveil") for module in listeners)


def test_a_numba_that_cannot_leave_references_uncounted_still_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The option is not documented: it is given only if there is one."""
    monkeypatch.setattr(numba.core.registry.cpu_target, "options", object())
    without = runpy.run_path(compiled.__file__)

    assert "_nrt" in compiled.INLINED and not compiled.INLINED["_nrt"]
    assert not any("_nrt" in without[name] for name in ("OPTIONS", "INTERNAL", "INLINED"))
