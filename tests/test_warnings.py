"""Whose warnings fail a test: ours, and not what other packages announce. See docs/decisions.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import netveil
from waiting import HANG

PACKAGE = Path(netveil.__file__).parent
HOME = Path(__file__).parent.parent
WARNS = re.compile(r"(?!watcher\.).*\b(warn|warn_explicit|warn_caller)")  # a watcher's is shown by a front
FOLDERS = (PACKAGE, HOME / "tests", HOME / "benchmarks")

TESTS = """\
import threading
import warnings
from pathlib import Path

import numpy as np

import another_package


def test_arithmetic_fails():
    np.array([1.0]) / np.array([0.0])


def test_file_left_open_fails():
    Path(__file__).open()


def test_thread_fails():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def test_deprecation_of_what_we_call_passes():
    another_package.deprecated()


def test_advice_on_what_we_call_passes():
    another_package.slow()


def test_arithmetic_of_others_passes():
    another_package.divide()
"""

ANOTHER_PACKAGE = """\
import warnings

import numpy as np


def deprecated():
    warnings.warn("use something else", DeprecationWarning, stacklevel=2)
    warnings.warn("use something else", FutureWarning, stacklevel=2)


def slow():
    warnings.warn("there is a faster way", UserWarning, stacklevel=2)


def divide():
    np.array([1.0]) / np.array([0.0])
"""


@pytest.mark.thorough
def test_only_our_own_warnings_fail_a_test(tmp_path: Path) -> None:
    """Tests run with our settings, each named by how it must end."""
    (tmp_path / "test_of_warnings.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "another_package.py").write_text(ANOTHER_PACKAGE, encoding="utf-8")
    options = ("-c", str(HOME / "pyproject.toml"), "-p", "no:cacheprovider", "-rA")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_of_warnings.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANG,
    )

    ended = re.findall(r"^(PASSED|FAILED) .*::test_\w+_(passes|fails)\b", done.stdout, re.MULTILINE)
    assert sorted(ended) == 3 * [("FAILED", "fails")] + 3 * [("PASSED", "passes")], done.stdout


@pytest.mark.thorough
def test_no_file_of_ours_has_syntax_that_python_warns_of() -> None:
    """Python says so only when it compiles a file, which it does once: here, each time."""
    files = [file for folder in FOLDERS for file in sorted(folder.rglob("*.py"))]

    assert len(files) > 300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for file in files:
            compile(file.read_bytes(), file, "exec", dont_inherit=True)


def test_netveil_warns_of_what_its_warnings_are_for_only() -> None:
    """Otherwise it raises an error, logs, or speaks on standard error; so other warnings are never ours."""
    warned = []
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and WARNS.fullmatch(ast.unparse(node.func)):
                warned.append((file.name, [ast.unparse(argument) for argument in node.args[1:]]))
    assert warned == [
        ("api.py", ["AttributesWarning"]),
        ("api.py", ["NoEffectWarning"]),
        ("api.py", ["AttributesWarning"]),  # of a synthetic network
        ("attributes.py", ["DirectionsWarning"]),
        ("errors.py", ["category"]),  # what `warn_caller` was given
        ("read_write.py", ["category"]),  # of directions, or of other losses
        ("workflow.py", ["SecondReleaseWarning"]),
    ]
