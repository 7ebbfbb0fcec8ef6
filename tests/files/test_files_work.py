"""Readers take work in proportion to the file, however it is made: counted, not clocked.

Two ways to take the square of it are looked for. Python's own steps are counted on files of one shape, one
ten times as long as the other. What a regular expression does cannot be counted, so that none may be able to:
whatever repeats without a bound keeps what it has taken (`++`, `*+`), and never gives it back to try again.
"""

from __future__ import annotations

import ast
import importlib
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

import netveil
from netveil.errors import NetveilError
from netveil.files import FORMATS
from netveil.files.tables.lines import SEPARATORS, _cell_pattern

PACKAGE = Path(netveil.__file__).parent
READERS = [
    *sorted((PACKAGE / "files").rglob("*.py")),
    PACKAGE / "auditing" / "leaks.py",
    PACKAGE / "errors.py",
]
MADE_IN_FUNCTIONS = {"_cell_pattern", "_this_machine"}
"""What makes patterns of its arguments; the first two are called for them, the third escapes a name."""


FOR_LABELS = {"KINDS_OF_LABELS"}
"""Patterns of the audit that look at one published label, not at a file."""


def gives_back(pattern: Any) -> bool:
    """Whether a part of a parsed pattern repeats without a bound and may give back what it has taken."""
    for code, argument in pattern:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] == codes.MAXREPEAT:
            return True
        inner = argument if isinstance(argument, tuple | list) else [argument]
        for part in inner:
            branches = part if isinstance(part, list) else [part]
            if any(isinstance(each, parser.SubPattern) and gives_back(each) for each in branches):
                return True
    return False


def patterns_in(module: ModuleType, source: str) -> Iterator[str | bytes]:
    """What a module gives to functions of `re` as a pattern, but in functions that make it of arguments."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name in MADE_IN_FUNCTIONS:
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in FOR_LABELS:
            continue
        for call in ast.walk(node):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and (call.func.value.id, call.func.attr) != ("re", "escape")
                and call.func.value.id == "re"
            ):
                scope = {"name": b"key"} | vars(module)  # of the one pattern that is made in a loop
                yield eval(compile(ast.Expression(call.args[0]), "pattern", "eval"), scope)


@pytest.mark.parametrize("file", READERS, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_pattern_of_a_reader_gives_back_what_it_took(file: Path) -> None:
    """A label of 20,000 digits and an x, or as many blanks, would be looked at again from each of them."""
    name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    found = list(patterns_in(importlib.import_module(name), file.read_text(encoding="utf-8")))

    assert [pattern for pattern in found if gives_back(parser.parse(pattern))] == []


def test_patterns_that_are_made_of_separators_give_nothing_back() -> None:
    """And the check would find those that do."""
    for separator in SEPARATORS:
        assert not gives_back(parser.parse(_cell_pattern(separator).pattern))
    for wrong in (r"\s*(\d+):", r"(?:a|b+)x", r"([ab]*?)c", r"(?=a+)b", r"(?:(?:x)*)y"):
        assert gives_back(parser.parse(wrong)), wrong
    assert not gives_back(parser.parse(r"\d{1,18}(?:[^\"]++|\"\")*+b??"))


def steps(work: Callable[[], object]) -> int:
    """How many steps of Python's own machine some work takes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def whole_numbers(length: int) -> bytes:
    """Two lines of so many columns."""
    return b"\n".join(b" ".join(b"%d" % (step * at) for at in range(2, length)) for step in (1, 7))


SHAPES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "digits and an x": ("edge-list", lambda n: b"a,b\n" + b"1" * n + b"x,b\nb,a\n"),
    "nauty blanks": ("nauty", lambda n: b"!n=5\n1:" + b" " * n + b"x\n"),
    "comments on nodes": ("edge-list", lambda n: b"# nodes: 5\n" * n + b"0 1\n"),
    "quoted cells": ("edge-list", lambda n: b"a " + b'"x" ' * n + b",b\n"),
    "columns of numbers": ("edge-list", whole_numbers),
    "columns of texts": (
        "edge-list",
        lambda n: b"\n".join(b",".join(b"%s%d" % (row, at) for at in range(n)) for row in (b"a", b"b")),
    ),
    "separators at the end": ("edge-list", lambda n: b"a,b\n" * n + b"c,a" + b"," * n + b"\n"),
    "open quotes": ("edge-list", lambda n: b'a,"b\n' * n),
    "lengths of rows": ("matrix", lambda n: b"\n".join(b"1," * (at * 7 % 40) + b"1" for at in range(n))),
    "blanks in contacts": ("adjacency-list", lambda n: b"a: b" + b" " * n + b"c, d\n"),
    "contacts": ("adjacency-list", lambda n: b"a: " + b"b, " * n + b"d\n"),
    "empty lines of a matrix": (
        "matrix-market",
        lambda n: b"%%MatrixMarket matrix coordinate\n" + b"\n" * n + b"x",
    ),
    "vertices": ("pajek", lambda n: b"*Vertices 9\n" + b'1 "a"\n' * n),
    "pairs": ("json", lambda n: b"[" + b'["a", "b"], ' * n + b'["b", "c"]]'),
}


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_file_is_ten_times_the_work(shape: str) -> None:
    """Of Python's steps, for what was made to take the square of it, or could be."""
    name, made = SHAPES[shape]

    def reading(length: int) -> Callable[[], None]:
        content = made(length)

        def read() -> None:
            with suppress(NetveilError):
                FORMATS[name].read(content, "contacts.x")

        return read

    reading(3)()  # imports what is needed
    once, ten_times = steps(reading(150)), steps(reading(1500))

    assert ten_times < 15 * once


def test_the_count_would_find_the_square() -> None:
    """Of a loop in a loop."""
    once, ten_times = (steps(lambda: [1 for _ in range(n) for _ in range(n)]) for n in (20, 200))  # noqa: B023

    assert ten_times > 50 * once
