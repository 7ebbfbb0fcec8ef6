"""Everybody can use the page: by keyboard alone, with a screen reader, in the dark, in a narrow window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsers import CHROMIUM, WITHOUT

pytest.importorskip("playwright")
pytest.importorskip("starlette")
pytest.importorskip("axe_playwright_python")

from over_http import Served, served
from page_object import Visit, friends_file, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

SHOWN = {
    "bring": "a.listed, .list a",
    "look": ".guide .card-choice",
    "protect": "form.panel",
    "judge": ".tradeoff circle",
    "take": ".code-box",
    "experiments": ".empty",
}
"""The views, and what is there when each stands."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, karate_release: Path) -> Iterator[Served]:
    """A server with a network, a question about another, and a release."""
    with served(tmp_path_factory.mktemp("access") / "kept", str(karate_release)) as running:
        running.upload("friends.csv", friends_file())
        running.upload("visits.csv", b"ward,day,first,second\n3,2024-05-01,anna,bob\n3,2024-05-01,bob,eve\n")
        yield running


def views(visit: Visit) -> Iterator[str]:
    """Go through all views, with everything unfolded; the questions and readings of files as well."""
    for network in visit.server.get("/api/state")["networks"]:
        visit.go("bring", network["id"])
        visit.page.wait_for_selector(".reading .cells")
        yield f"reading of {network['file']}"
    for view, sign in SHOWN.items():
        visit.go(view)
        visit.page.wait_for_selector(sign, state="attached")
        visit.page.locator("main .loading, main [aria-busy=true]").first.wait_for(state="detached")
        visit.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        yield view


def test_axe_finds_nothing_serious(chromium: Browser, server: Served) -> None:
    """In all views, light; of colours also in the dark."""
    with visiting(chromium, server) as visit:
        visit.enter()
        light = {view: visit.axe() for view in views(visit)}
        visit.page.get_by_label("Colours").select_option("dark")
        dark = {view: visit.axe("color-contrast") for view in views(visit)}
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert {view: found for view, found in light.items() if found} == {}
    assert {view: found for view, found in dark.items() if found} == {}
    assert ground == "rgb(15, 19, 24)"


def test_a_narrow_window_needs_no_scrolling_sideways(chromium: Browser, server: Served) -> None:
    """400 pixels are enough for every view."""
    with visiting(chromium, server, width=400) as visit:
        visit.enter()
        too_wide = {view: visit.too_wide() for view in views(visit)}

    assert {view: by for view, by in too_wide.items() if by > 0} == {}


def test_by_keyboard_alone(chromium: Browser, server: Served) -> None:
    """Bring a file, look at a person in the drawing, and come to the form, without a mouse."""
    with visiting(chromium, server) as visit:
        page = visit.enter().page
        with page.expect_file_chooser() as chooser:
            visit.tab_to("Choose a file")
            page.keyboard.press("Enter")
        chooser.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": friends_file()})
        visit.wait_for_title("How mine.csv was read")
        heading = page.evaluate("document.activeElement.tagName")
        visit.tab_to("That is right: look at it")
        page.keyboard.press("Enter")
        page.wait_for_selector("canvas")
        visit.tab_to("Drawing of 34 people")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".person-name")
        first = visit.text(".person-name")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.locator(".person-name").filter(has_not_text=re.compile(f"^{first}$")).wait_for()
        visit.tab_to("I know already: go to the form")
        page.keyboard.press("Enter")
        page.wait_for_selector("form.panel")
        visit.tab_to("Ties that may go, at most")
        spoken = page.inner_text("#announcer")

    assert heading == "H1"
    assert first.startswith("member ")
    assert "at risk" in spoken


def test_colours_are_chosen_and_kept(chromium: Browser, server: Served) -> None:
    """The page follows the system until one chooses, and keeps the choice over a reload."""
    with visiting(chromium, server, scheme="dark") as visit:
        visit.enter()
        ground = "getComputedStyle(document.body).backgroundColor"
        system = visit.page.evaluate(ground)
        visit.page.get_by_label("Colours").select_option("light")
        chosen = visit.page.evaluate(ground)
        visit.page.reload()
        kept = visit.ready().page.evaluate(ground)

    assert (system, chosen, kept) == ("rgb(15, 19, 24)", "rgb(246, 248, 250)", "rgb(246, 248, 250)")


def test_the_table_of_an_experiment(chromium: Browser, server: Served) -> None:
    """What is the same in all runs is told once; figures have as many digits as people read."""
    name = "0123456789abcdef"
    row = {"id": name, "name": "study", "finished": 2, "failed": 0, "damaged": 0, "total": 4}
    columns = ["network", "nodes", "k", "fuzzy", "at_risk_after", "reduction"]
    rows = [["demo", 1000, 2, None, 740, 0.0013495276653171389], ["karate", 34, 2, None, 12, 0.2]]
    document = {**row, "columns": columns, "rows": rows, "failures": []}
    with visiting(chromium, server) as visit:
        visit.enter()
        visit.page.route("**/api/experiments/*", lambda route: route.fulfill(json=document))
        visit.page.evaluate(
            "async (row) => (await import('/page/js/store.js')).know('experiments', row)", row
        )
        visit.go("experiments", name)
        visit.page.wait_for_selector(".results")
        names = visit.page.locator(".results thead th").all_inner_texts()
        first = visit.page.locator(".results tbody tr").first.locator("td").all_inner_texts()
        told, wrong = visit.text(), visit.axe()

    assert names == ["network", "nodes", "at risk after", "reduction"]
    assert first == ["demo", "1,000", "740", "0.0013"]
    assert "The same in all runs: k 2." in told and "2 of 4 runs finished" in told
    assert wrong == []
