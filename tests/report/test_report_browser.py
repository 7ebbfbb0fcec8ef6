"""The report in a real browser: no error, no request, no empty picture. Skipped without Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import netveil as nv
from browsers import CHROMIUM, WITHOUT
from waiting import HANG

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)


@pytest.fixture(scope="module")
def release_with_curve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the karate club with its curve."""
    release = nv.anonymize(nv.load("karate"), "10%", target="100%", effort=0.02, seed=1, curve=True)
    return nv.save(release, tmp_path_factory.mktemp("browser") / "release")


@pytest.fixture(params=["clustered_release", "release_with_curve"])
def page_file(request: pytest.FixtureRequest) -> Path:
    """The report of a release with baselines, and of one of the karate club with its curve."""
    release: Path = request.getfixturevalue(request.param)
    return release / "private" / "report.html"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "scheme"), [(400, "dark"), (1400, "light"), (400, "light"), (1400, "dark")]
)
def test_the_report_shows_well(
    chromium: Browser, page_file: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(1000 * HANG)
    errors: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_file.as_uri())
    page.click("summary")  # what is for researchers is folded away
    pictures = page.eval_on_selector_all(
        "figure svg", "all => all.map(svg => [svg.getBBox().width, svg.getBBox().height])"
    )
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()

    assert errors == []
    assert [url for url in requests if not url.startswith("data:")] == [page_file.as_uri()]
    assert len(pictures) == 6
    assert all(wide > 100 and high > 50 for wide, high in pictures)
    assert overflow <= 0
    assert background == ("rgb(20, 25, 31)" if scheme == "dark" else "rgb(255, 255, 255)")
