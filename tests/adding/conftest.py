"""Shared by tests of what is added from outside the package."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from recipes import FILES, look_again


@pytest.fixture(autouse=True)
def _recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of the page in the current folder, which is empty else."""
    for file, text in FILES.items():
        Path(tmp_path, file).write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, Path(file).stem, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    look_again()
    for file in FILES:
        sys.modules.pop(Path(file).stem, None)
