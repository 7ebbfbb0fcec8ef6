"""The shape of the package: imports point one way, numba stays in kernels/, and no module is long."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import netveil

PACKAGE = Path(netveil.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    {
        *(
            "errors",
            "cores",
            "iterate",
            "lazy",
            "listening",
            "words",
            "columns",
            "charts",
            "digits",
            "reading",
            "notebook",
            "spreadsheet_cells",
            "threads",
        ),
        "_version",
    },
    {"share"},
    {"kernels"},
    {"adjacency", "attributes", "simple_edges"},
    {"network"},
    {"any_network", "label_order"},
    {"files", "builtin", "anonymity", "utility"},
    {"auditing", "fetching", "simulated", "measuring_cost"},
    {"open_network"},
    {"search"},
    {"report"},
    {"release"},
    {"workflow", "given"},
    {"api"},
    {"audits"},
    {"experiments"},
    {"blocks"},
    {"tuning"},
    {"studies"},
    {"web"},
    {"cli", "paper"},
    {"__init__", "__main__"},
)
"""What is imported stands in an earlier row, or in the same folder."""

LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
MOST_LINES = 300


def part_of(module: Path) -> str:
    """The folder or module right below the package to which a file belongs."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(source: str) -> list[str]:
    """Full names of everything that a module imports, at its top or inside functions."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def parts_imported(source: str) -> set[str]:
    """The parts of netveil that a module imports."""
    names = [name.split(".") for name in imports(source)]
    return {name[1] if len(name) > 1 else "__init__" for name in names if name[0] == "netveil"}


def test_imports_are_found_wherever_they_stand() -> None:
    """The checks below would pass on anything if this did not hold."""
    source = (
        "import netveil.api\ndef f():\n  from netveil.search import x\n  from netveil import cli\nimport os"
    )

    assert parts_imported(source) == {"api", "search", "cli"}
    assert parts_imported("import netveil") == {"__init__"}


def test_every_part_has_its_place() -> None:
    """A new folder or module must be put into the order, and one that is gone taken out."""
    assert {part_of(module) for module in MODULES} == LEVEL.keys()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(PACKAGE)))
def test_imports_point_one_way(module: Path) -> None:
    """A module imports from its own folder and from earlier rows only."""
    part = part_of(module)

    for imported in parts_imported(module.read_text(encoding="utf-8")) - {part}:
        assert LEVEL[imported] < LEVEL[part], f"{part} imports {imported}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(PACKAGE)))
def test_only_kernels_know_numba(module: Path) -> None:
    """Whoever reads the rest of netveil needs no knowledge of a compiler."""
    knows = {name.split(".")[0] for name in imports(module.read_text(encoding="utf-8"))}

    assert "numba" not in knows or part_of(module) == "kernels"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(PACKAGE)))
def test_no_module_is_long(module: Path) -> None:
    """What does not fit is two things."""
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


PACKAGES = [module for module in MODULES if module.name == "__init__.py"]


@pytest.mark.parametrize("module", PACKAGES, ids=lambda module: str(module.relative_to(PACKAGE)))
def test_no_package_holds_logic(module: Path) -> None:
    """It says what is in it, and hands out names: functions and classes have modules of their own."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.Try)

    assert not [node for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, defined)]
