"""Names, entries and functions that are imported when they are first used are there like any others."""

from __future__ import annotations

import ast
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import netveil as nv
from netveil.anonymity import MEASURES
from netveil.files import FORMATS
from netveil.registries import Registry
from netveil.search import ALGORITHMS, LIMITS
from netveil.utility import METRICS

PARTS = (*("anonymity", "blocks", "cli", "files", "search", "studies", "studies.generators"), "utility")
LAZY = ("netveil", *(f"netveil.{part}" for part in PARTS))
each_package = pytest.mark.parametrize("package", [import_module(name) for name in LAZY], ids=LAZY)


def told_to_type_checkers(package: ModuleType) -> dict[str, str]:
    """The module of each name that `if TYPE_CHECKING:` imports into a package."""
    source = ast.parse(Path(package.__file__ or "").read_text(encoding="utf-8"))
    (block,) = (node for node in source.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(each.module) for each in imports for alias in each.names}


def test_every_lazy_package_is_known_here() -> None:
    """The checks below are of all packages that hand out names lazily."""
    sources = [Path(nv.__file__).parent, *Path(nv.__file__).parent.rglob("*/")]
    lazy = {
        ".".join(("netveil", *folder.relative_to(sources[0]).parts))
        for folder in sources
        if (folder / "__init__.py").is_file() and "lazy_names(" in (folder / "__init__.py").read_text("utf-8")
    }

    assert lazy == set(LAZY)


def test_modules_are_found_like_names() -> None:
    names: Any = nv

    assert names.search.ALGORITHMS is ALGORITHMS
    assert names.anonymity.MEASURES is MEASURES
    assert callable(nv.audit) and nv.audit is import_module("netveil.api").audit


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package `lazily` with a lazy name, a module that works and one that needs what is not installed."""
    folder = tmp_path / "lazily"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from netveil.lazy import lazy_names\n"
        "if False:\n    from lazily.colours import RED\n    from lazily.broken import GREEN\n"
        "__getattr__, __dir__, __all__ = lazy_names(__name__)\n"
    )
    (folder / "colours.py").write_text(
        "RED = ['red']\nclass Blue:\n    name = 'blue'\ndef mixed(*several):\n    return several\n"
    )
    (folder / "broken.py").write_text("import nothing_of_this_name\n")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("lazily", "lazily.colours", "lazily.broken"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return "lazily"


def test_a_module_that_cannot_be_imported_says_why(package: str) -> None:
    lazily: Any = import_module(package)

    for name in ("broken", "GREEN"):
        with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
            getattr(lazily, name)
    assert lazily.RED == ["red"]
    assert {"RED", "GREEN"} <= set(dir(lazily))


def test_a_registry_imports_an_entry_when_it_is_looked_up(package: str) -> None:
    """Not to list names, nor to tell whether one is there; and then once. It is changed like a dictionary."""
    colours: Registry[Any] = Registry(
        package, {"red": "colours:RED", "blue": "colours:Blue", "x": "broken:X"}
    )

    assert (list(colours), len(colours), repr(colours)) == (["red", "blue", "x"], 3, "Registry(red, blue, x)")
    assert "x" in colours and "green" not in colours
    assert "lazily.colours" not in sys.modules
    assert colours["red"] == ["red"]
    assert colours["blue"].name == "blue" and colours["blue"] is colours["blue"]
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        colours["x"]
    with pytest.raises(KeyError):
        colours["green"]
    del colours["blue"], colours["x"]
    colours["red"], colours["green"] = "scarlet", "emerald"
    assert dict(colours) == {"red": "scarlet", "green": "emerald"}
    del colours["green"]
    assert dict(colours) == {"red": "scarlet"}
    with pytest.raises(KeyError):
        del colours["green"]


@pytest.mark.parametrize(
    "registry", [MEASURES, FORMATS, ALGORITHMS, LIMITS, METRICS], ids=lambda each: str(list(each))
)
def test_entries_are_called_what_their_registry_calls_them(registry: Any) -> None:
    """The name by which users ask is the name that records and reports show."""
    assert {name: entry.name for name, entry in registry.items()} == {name: name for name in registry}


@each_package
def test_names_are_what_type_checkers_think(package: ModuleType) -> None:
    """Each name that they see is there, listed, and no module's name: importing that would replace it."""
    told = told_to_type_checkers(package)

    for name, module in told.items():
        assert getattr(package, name) is getattr(import_module(module), name)
    assert told.keys() <= set(package.__all__) <= set(dir(package))
    assert all(name in told or name in vars(package) for name in package.__all__)
    assert not {module.name for module in pkgutil.iter_modules(package.__path__)} & set(package.__all__)
    for name in ("meassure", "_private", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"^module '{package.__name__}' has no attribute '{name}'$"):
            getattr(package, name)
