"""docs/architecture.md shows the package as it is: the picture has its imports, the page its folders."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from test_imports import LAYERS, LEVEL, MODULES, PACKAGE, part_of, parts_imported, tree_of

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
