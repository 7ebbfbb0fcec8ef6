"""What errors say, in the words of whoever asked; whose warnings fail a test: ours, not those of others."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import netveil as nv
from netveil.cli import main
from netveil.errors import (
    PAGES,
    FileError,
    MissingPackageError,
    SettingError,
    needing,
    on_command_line,
    option,
)
from netveil.files import FORMATS
from netveil.job import OptionError
from waiting import HANG

PACKAGE = Path(nv.__file__).parent
ROOT = Path(__file__).parents[1]
KARATE = nv.load("karate")
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"(netveil|gzip|dask worker) .*--[a-z]")
IN_COMMANDS_ONLY = {"cli", "studies", "errors.py", "job.py", "web"}  # about what was typed


def texts(node: ast.AST) -> Iterator[str]:
    """The texts in a piece of code but for docstrings, each with `{}` for what is filled in."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "on_command_line":
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
            yield from texts(child)


def test_no_message_names_an_option_as_it_is_typed() -> None:
    """Outside the command line they are named with `option`; whole commands may be quoted."""
    found = [
        f"{module.relative_to(PACKAGE)}: {text}"
        for module in sorted(PACKAGE.rglob("*.py"))
        if module.relative_to(PACKAGE).parts[0] not in IN_COMMANDS_ONLY
        for text in texts(ast.parse(module.read_text(encoding="utf-8")))
        if OPTION.search(text) and not COMMAND.search(text)
    ]

    assert not found
    assert list(texts(ast.parse('raise E(f"{x}: give --out")'))) == ["{}: give --out"]  # it would be found


def test_a_message_is_one_plain_line_of_bounded_length() -> None:
    """Whatever is quoted in it: colours and cursors, line ends, turned letters, half characters."""
    hostile = "a\x1b[2J\x9b\n\r\t\u202e\u2028\ud800b" + "x" * 1_000_000
    error = FileError(f"{hostile}: {option('format', 'gml')}. Fetch it again.")
    error.add_note(f"    {hostile}")

    for message in (str(error), error.for_command_line(), *error.__notes__):
        assert len(message) < 2100 and message.isprintable()
    assert str(error).startswith(r"a\x1b[2J\x9b\n\r\t\u202e\u2028\ud800bxxx")
    assert str(error).endswith("format='gml'. Fetch it again.")
    assert error.for_command_line().endswith("--format gml. Fetch it again.")


def test_a_folder_without_a_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of a variable that is not set: nothing is written, nor anywhere else."""
    monkeypatch.chdir(tmp_path)
    for command in ("anonymize", "tune", "experiment"):
        assert main([command, "karate", "--out", ""]) == 2
        assert "--out: the name of the folder is empty; give one, or leave it out." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_names_in_a_file_do_not_act_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a command shows how it read the file, and where it complains about what was typed."""
    (tmp_path / "a.csv").write_text("from\x1b[31m,to,w\nanna\x1b[2J,bob,1\nbob,carl,2\n", encoding="utf-8")
    code = main(["measure", str(tmp_path / "a.csv"), "--columns", "1,2"])
    shown = "".join(capsys.readouterr())
    wrong = main(["measure", "karate", "--k", "\x1b[31m" + "9" * 1_000_000])
    complained = capsys.readouterr().err

    assert code == 0 and r"anna\x1b[2J" in shown and "\x1b" not in shown
    assert wrong == 2 and len(complained) < 2200 and "\x1b" not in complained


def test_an_option_is_named_in_the_words_of_whoever_reads_it() -> None:
    """Python's where the error is caught, also after a pickle; typed ones on request, also when quoted."""
    error = FileError(f"x exists{on_command_line(' (--out)')}: give {option('keep-labels', True)}.")
    quoted = SettingError(f"line 3: {SettingError(option('distance', 2)).message}")

    for each in (error, pickle.loads(pickle.dumps(error))):
        assert str(each) == each.args[0] == "x exists: give keep_labels=True."
        assert repr(each) == "FileError('x exists: give keep_labels=True.')"
        assert each.for_command_line() == "x exists (--out): give --keep-labels."
    assert (str(quoted), quoted.for_command_line()) == ("line 3: distance=2", "line 3: --distance 2")


def test_python_is_told_of_arguments_and_the_command_line_of_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same mistakes, made in two places: a format, a folder that exists."""
    (tmp_path / "people.xyz").write_text("a b\n", encoding="utf-8")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    mistakes: list[tuple[Callable[[], object], str, str]] = [
        (
            lambda: nv.read("people.xyz"),
            "measure people.xyz",
            "Name one with {}: edge-list, |format=…|--format",
        ),
        (
            lambda: nv.save(nv.anonymize(KARATE, 0, seed=1), "there"),
            "anonymize karate --out there",
            "there exists already. Choose another folder{}).|, or overwrite it (overwrite=True"
            "| (--out), or overwrite it (--overwrite",
        ),
    ]
    for call, command, told in mistakes:
        message, in_python, typed = told.split("|")
        with pytest.raises(nv.NetveilError) as caught:
            call()
        assert message.format(in_python) in str(caught.value) and "--" not in str(caught.value)
        assert main(command.split()) == 2
        assert message.format(typed) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("pandas", "pandas", lambda: KARATE.to_pandas()),
        ("pandas", "pandas", lambda: nv.compare(KARATE, KARATE).to_pandas()),
        ("networkx", "networkx", lambda: KARATE.to_networkx()),
        ("networkx", "networkx", lambda: nv.load("les-miserables")),
        ("pyarrow", "parquet", lambda: FORMATS["parquet"].read(b"x", "a.parquet")),
        ("pyarrow", "parquet", lambda: FORMATS["arrow"].write(KARATE, "a.feather")),
        ("openpyxl", "xlsx", lambda: FORMATS["xlsx"].read(b"x", "a.xlsx")),
    ],
)
def test_a_missing_package_is_told_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, package: str, extra: str, call: Callable[[], object]
) -> None:
    """Rather than as a module that Python did not find; one that lacks another is there, and not missing."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(nv.NetveilError, match=rf"which is not installed: pip install 'netveil\[{extra}\]'"):
        call()
    with pytest.raises(ModuleNotFoundError), needing(package, "a table"):
        raise ModuleNotFoundError(name="no_such_part")
    missing = pytest.raises(MissingPackageError, match=r"^a cluster needs no_such_part, .*'netveil\[dask\]'$")
    with missing, needing("no_such_part", "a cluster", extra="dask"):
        raise ModuleNotFoundError(name="no_such_part")


def test_pages_that_errors_name_are_in_the_documentation() -> None:
    """Each address is a page of docs, and what follows # a heading of it."""
    for address in PAGES.values():
        page, _, anchor = address.partition("#")
        text = (ROOT / "docs" / page).with_suffix(".md").read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)

        assert anchor in ["", *(re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings)]


def test_the_command_line_ends_with_the_page_that_says_more(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the error has become one of an option; a copy sent by another process has it, too."""
    assert main(["anonymize", "karate", "--algorithm", "annealling"]) == 2
    assert capsys.readouterr().err.endswith(f" (more: {PAGES['algorithm']})\n")

    for error in (OptionError("no", "measure", "measure"), FileError("no", about="measure")):
        assert pickle.loads(pickle.dumps(error)).page == PAGES["measure"]


WARNS = re.compile(r"(?!watcher\.).*\b(warn|warn_explicit|warn_caller)")  # a watcher's is shown by a front
FOLDERS = (PACKAGE, ROOT / "tests", ROOT / "benchmarks")

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
    (tmp_path / "test_of_warnings.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "another_package.py").write_text(ANOTHER_PACKAGE, encoding="utf-8")
    options = ("-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "-rA")
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
