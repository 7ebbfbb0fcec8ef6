"""The files of the page: nothing inline, nothing from elsewhere, no text that could become markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import netveil

PAGE = Path(netveil.__file__).parent / "web" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())


def test_nothing_is_inline() -> None:
    """The policy of the server forbids scripts and styles inside of the page, and listeners as attributes."""
    text = (PAGE / "index.html").read_text(encoding="utf-8")

    assert {path.suffix for path in FILES} == {".html", ".css", ".js"}
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", text) == []
    assert [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_comes_from_elsewhere_or_becomes_markup(file: Path) -> None:
    """No address but the name of SVG; labels come from strangers, and no script makes markup or code of text.

    Every name that a module imports is exported by the one that it names, and used.
    """
    text = file.read_text(encoding="utf-8")
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"

    assert set(re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", text)) <= {"http://www.w3.org"}
    assert text.count("\n") <= 300
    assert file.suffix != ".js" or re.findall(markup, text) == []
    for names, source in re.findall(r"import \{([^}]*)\} from \"([^\"]+)\"", text):
        exported = (file.parent / source).resolve().read_text(encoding="utf-8")
        for name in filter(None, map(str.strip, names.split(","))):
            pattern = rf"^export (?:async )?(?:function|const|class) {name}\b"
            assert re.search(pattern, exported, re.MULTILINE), name
            assert len(re.findall(rf"\b{name}\b", text)) > 1, name
