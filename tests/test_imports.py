"""The shape of the package: imports point one way, numba stays in kernels/, functions are short.

docs/architecture.md shows it as it is: the picture has its imports, the page its folders."""

from __future__ import annotations

import ast
import re
import runpy
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import netveil

PACKAGE = Path(netveil.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    {"errors", "lazy", "registries", "_version"},
    {"formatting", "progress", "threads", "extensions"},
    {"charts"},
    {"plotting"},
    {"kernels"},
    {"attributes"},
    {"network"},
    {"files", "anonymity", "utility"},
    {"synthetic"},
    {"auditing", "fetching"},
    {"job"},
    {"search"},
    {"deciding"},
    {"report"},
    {"release"},
    {"opening"},
    {"workflow"},
    {"api"},
    {"blocks"},
    {"studies"},
    {"blocks"},
    {"web"},
    {"cli"},
    {"__init__", "__main__"},
)
"""What is imported stands in an earlier row, or in the same folder."""

LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
MOST_LINES_OF_FUNCTION = 60
SHARED_NAMES = {"__init__", "__main__"}
MIRRORED = ("cli/",)  # a file a command, named like what it calls


def part_of(module: Path) -> str:
    """The folder or module right below the package to which a file belongs."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(module: Path) -> ast.Module:
    """Syntax of a module, parsed once for all tests."""
    return ast.parse(module.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> list[str]:
    """Full names of everything that a module imports, at its top or inside functions."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def parts_imported(tree: ast.Module) -> set[str]:
    """The parts of netveil that a module imports."""
    names = [name.split(".") for name in imports(tree)]
    return {name[1] if len(name) > 1 else "__init__" for name in names if name[0] == "netveil"}


def test_imports_are_found_wherever_they_stand() -> None:
    """The checks below would pass on anything if this did not hold."""
    source = (
        "import netveil.api\ndef f():\n  from netveil.search import x\n  from netveil import cli\nimport os"
    )

    assert parts_imported(ast.parse(source)) == {"api", "search", "cli"}
    assert parts_imported(ast.parse("import netveil")) == {"__init__"}


def test_every_part_has_its_place() -> None:
    """A new folder or module must be put into the order, and one that is gone taken out."""
    assert {part_of(module) for module in MODULES} == LEVEL.keys()


def test_imports_point_one_way() -> None:
    """A module imports from its own folder and from earlier rows only; registries name types."""
    wrong = [
        f"{module.relative_to(PACKAGE)} imports {imported}"
        for module in MODULES
        if (part := part_of(module)) != "registries"
        for imported in parts_imported(tree_of(module)) - {part}
        if not LEVEL[imported] < LEVEL[part]
    ]

    assert not wrong


def test_only_kernels_know_numba() -> None:
    """Whoever reads the rest of netveil needs no knowledge of a compiler."""
    knowing = {
        part_of(module)
        for module in MODULES
        if "numba" in {name.split(".")[0] for name in imports(tree_of(module))}
    }

    assert knowing == {"kernels"}


def test_functions_outside_kernels_are_short() -> None:
    """A file is as long as its idea, a function as long as one reads at a glance (ruff checks complexity)."""
    long = [
        f"{module.relative_to(PACKAGE)}: {node.name} has {length} lines"
        for module in MODULES
        if part_of(module) != "kernels"
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := lines_of_code(node)) > MOST_LINES_OF_FUNCTION
    ]

    assert not long


def lines_of_code(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's statements, its docstring and signature not counted."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_name_has_two_meanings() -> None:
    """Two modules or two public classes of one name would be taken for each other."""
    modules, classes = Counter[str](), Counter[str]()
    for module in MODULES:
        place = module.relative_to(PACKAGE).as_posix()
        if module.stem not in SHARED_NAMES and not place.startswith(MIRRORED):
            modules[module.stem] += 1
        tree = tree_of(module)
        classes.update(node.name for node in tree.body if isinstance(node, ast.ClassDef))

    assert [name for name, count in (modules + classes).items() if count > 1] == []


def test_no_package_holds_logic() -> None:
    """A package says what is in it, and hands out names: functions and classes have modules of their own."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.Try)
    with_logic = [
        str(module.relative_to(PACKAGE))
        for module in MODULES
        if module.name == "__init__.py"
        for node in ast.walk(tree_of(module))
        if isinstance(node, defined)
    ]

    assert not with_logic


ROOT = Path(__file__).parents[1]
SCRIPT = "scripts/make_architecture_picture.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """What the script that draws the picture defines."""
    return runpy.run_path(str(ROOT / SCRIPT))


def test_the_picture_has_every_import_and_no_other(script: dict[str, Any]) -> None:
    """Drawn anew it is the same, byte by byte; the first row, which everybody may import, is left out."""
    kept, drawn = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8"), script["picture"]()
    shown = re.findall(r"<title>(\w+) imports (\w+)</title>", drawn)
    imports = {
        (part_of(module), imported) for module in MODULES for imported in parts_imported(tree_of(module))
    }

    assert len(set(shown)) == len(shown)
    assert set(shown) == {pair for pair in imports if pair[0] != pair[1] and not LAYERS[0] & {*pair}}
    assert ("release", "search") in shown
    assert kept == drawn, f"imports or docstrings have changed: run `python {SCRIPT}`"


def test_an_import_is_light_where_others_imply_it(script: dict[str, Any]) -> None:
    """From a to c there is a way through b; from a to b and from b to c there is no other."""
    implied = script["implied"]
    a, b, c = "cli", "search", "network"

    assert implied({(a, b), (b, c), (a, c)}) == {(a, c)}
    assert implied({(a, b), (a, c)}) == set()
    assert {a, b, c} <= LEVEL.keys()


def test_the_page_has_a_paragraph_for_every_folder() -> None:
    """A new folder gets one, and the paragraph of one that is gone goes."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = [module.parent.name for module in PACKAGE.glob("*/__init__.py")]

    assert sorted(re.findall(r"^\*\*`(\w+)/`: ", page, flags=re.MULTILINE)) == sorted(folders)
