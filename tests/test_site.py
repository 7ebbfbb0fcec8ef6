"""The site of the documentation, as a browser shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from browsers import CHROMIUM, WITHOUT, started

ROOT = Path(__file__).parents[1]
SERIOUS = ("serious", "critical")
PAGES = (
    "index.html",
    "reference/python.html",
    "reference/commands.html",
    "tutorials/class.html",
    "results.html",
)


@pytest.mark.thorough
@pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)
def test_axe_finds_nothing_serious_on_the_site(tmp_path: Path) -> None:
    """On a first page, references, a story and a page of tables, wide and narrow, light and dark."""
    for package in ("sphinx", "myst_nb", "furo", "playwright"):
        pytest.importorskip(package)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-D", "nb_execution_mode=off"]
    subprocess.run([*build, str(ROOT / "docs"), str(tmp_path)], check=True, capture_output=True)

    with started() as chromium:
        for width, colours in ((1200, "light"), (400, "dark")):
            size = {"width": width, "height": 900}
            page = chromium.new_context(viewport=size, color_scheme=colours).new_page()  # type: ignore[arg-type]
            for name in PAGES:
                page.goto((tmp_path / name).as_uri())
                found = axe.run(page).response
                wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")

                assert found["passes"] and not wide, name
                assert [each["id"] for each in found["violations"] if each["impact"] in SERIOUS] == [], name
                assert page.locator("article img:not([alt])").count() == 0, name
