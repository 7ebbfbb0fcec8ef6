"""The files of the page: nothing inline, nothing from elsewhere, no text that could become markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import netveil

PAGE = Path(netveil.__file__).parent / "web" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]


def test_the_page_is_there() -> None:
    """One page, its styles and its modules."""
    assert {path.suffix for path in FILES} == {".html", ".css", ".js"}
    assert (PAGE / "index.html").is_file()


def test_nothing_is_inline() -> None:
    """The policy of the server forbids scripts and styles inside of the page, and listeners as attributes."""
    text = (PAGE / "index.html").read_text(encoding="utf-8")

    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", text) == []
    assert [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_comes_from_elsewhere(file: Path) -> None:
    """No address but the name of SVG, which nobody fetches; no file is longer than a reader likes."""
    text = file.read_text(encoding="utf-8")
    addresses = set(re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", text)) - {"http://www.w3.org"}

    assert addresses == set()
    assert text.count("\n") <= 300


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_text_never_becomes_markup(file: Path) -> None:
    """Labels come from strangers: no script has a way to make elements or code of a text."""
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"
    )

    assert re.findall(forbidden, file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_imports_and_exports_agree(file: Path) -> None:
    """Every name that a module imports is handed out by the one that it names, and used."""
    text = file.read_text(encoding="utf-8")
    for names, source in re.findall(r"import \{([^}]*)\} from \"([^\"]+)\"", text):
        exported = (file.parent / source).resolve().read_text(encoding="utf-8")
        for name in filter(None, map(str.strip, names.split(","))):
            assert re.search(
                rf"^export (?:async )?(?:function|const|class) {name}\b", exported, re.MULTILINE
            ), name
            assert len(re.findall(rf"\b{name}\b", text)) > 1, name
