"""The page on security: every promise names a test, and that test is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^\| (.+) \| (`tests/.+`) \|$", PAGE, flags=re.MULTILINE)


def test_promises_are_found() -> None:
    """The checks below would pass on anything if this did not hold."""
    table = PAGE.split("## Promises")[1].split("\n\n")[1]

    assert len(PROMISES) == len(table.splitlines()) - 2 > 10


@pytest.mark.parametrize("tests", [tests for _, tests in PROMISES])
def test_what_shows_a_promise_exists(tests: str) -> None:
    """By file and name."""
    for file, name in re.findall(r"`([\w/.]+)::(\w+)`", tests):
        source = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b", source, flags=re.MULTILINE), f"{file}::{name}"
