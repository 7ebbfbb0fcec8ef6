"""Searches in the page: paused, stopped, reloaded, in two windows, and over the death of the server."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsers import CHROMIUM, WITHOUT

pytest.importorskip("playwright")
pytest.importorskip("starlette")

from over_http import Served, served
from page_object import Visit, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server that has the karate club."""
    with served(tmp_path / "kept") as running:
        running.post("/api/networks/builtin", {"name": "karate"})
        yield running


def long_search(visit: Visit) -> None:
    """Start a search that only a hand ends, and pause it, so that it takes no time of others."""
    visit.go("protect")
    visit.page.get_by_text("A given time", exact=True).click()
    visit.start_search(Seconds="900")
    visit.wait_for_run("searching")
    visit.button("Pause").click()
    visit.wait_for_run("paused")


def test_a_search_goes_on_over_reloads_and_in_two_windows(chromium: Browser, server: Served) -> None:
    """Paused, seen by another window, reloaded, gone on with there, stopped: both show the release."""
    with visiting(chromium, server) as first, visiting(chromium, server) as second:
        first.enter()
        long_search(first)
        second.enter().go("protect")
        second.wait_for_run("paused")
        first.page.reload()
        first.ready().wait_for_run("paused")
        figures = first.text(".live")
        curve = first.page.get_attribute(".run svg.chart", "aria-label")
        second.button("Go on").click()
        first.wait_for_run("searching")
        second.button("Stop and keep the best").click()
        for window in (first, second):
            window.wait_for_run("done")
        outcome = [window.text(".run .outcome") for window in (first, second)]

    assert "of 15" in figures and "ties deleted" in figures
    assert curve is not None and "of 15 people at risk" in curve
    assert outcome[0] == outcome[1]
    assert outcome[0].startswith("15 → ")


def test_the_queue_and_cancelling(chromium: Browser, server: Served) -> None:
    """A second search waits; a cancelled one asks first, and leaves nothing."""
    with visiting(chromium, server) as visit:
        visit.enter()
        long_search(visit)
        label = visit.text("form.panel button[type=submit]")
        visit.page.get_by_text("Quick", exact=True).click()
        visit.start_search(A_name_for_it="the second")
        visit.wait_for_run("queued")
        waiting = visit.page.locator(".run[data-state=queued]")
        waits = " ".join(waiting.inner_text().split())
        waiting.get_by_role("button", name="Cancel").click()
        asked = visit.text("dialog")
        visit.button("Cancel the search", inside="dialog").click()
        visit.wait_for_run("cancelled")
        left = server.get("/api/state")["releases"]

    assert label == "Add to the queue"
    assert "the second waiting, number 1" in waits
    assert "Nothing of it is kept" in asked
    assert left == []


def test_a_wrong_budget_is_told_at_its_field(chromium: Browser, server: Served) -> None:
    """The sentence stands at the field, which has the focus; nothing is queued."""
    with visiting(chromium, server) as visit:
        visit.enter().go("protect")
        field = visit.page.get_by_label("Ties that may go, at most")
        field.fill("many")
        visit.page.locator("form.panel button[type=submit]").click()
        visit.page.wait_for_selector("[aria-invalid=true]")
        wrong = " ".join(visit.page.locator(".field", has=field).locator(".error").inner_text().split())
        focused = field.evaluate("each => each === document.activeElement")
        visit.errors.clear()  # the browser notes every refusal

    assert "many" in wrong
    assert focused
    assert server.get("/api/state")["runs"] == []


def test_an_option_without_a_field_of_its_own_gets_one(chromium: Browser, server: Served) -> None:
    """By the kind of its value, with its help beside it; what is filled in is sent."""
    filled = {
        "whole": "3",
        "number": "0.5",
        "text": "words",
        "share": "5%",
        "names": "a, b",
        "pairs": "a=1,b=2",
    }
    made_up = [{"name": f"made_{kind}", "kind": kind, "help": "Made up."} for kind in (*filled, "flag")]

    def with_made_up(route: Route) -> None:
        answer = route.fetch()
        about = answer.json()
        about["options"] += made_up
        route.fulfill(response=answer, json=about)

    with visiting(chromium, server) as visit:
        visit.page.route("**/api/about", with_made_up)
        visit.enter().go("protect")
        visit.page.get_by_text("More: seed, what the report shows").click()
        for kind, text in filled.items():
            visit.page.get_by_label(f"Made {kind}").fill(text)
        visit.tick("Made flag")
        with visit.page.expect_request(lambda request: request.method == "POST") as sent:
            visit.page.locator("form.panel button[type=submit]").click()
        options = (sent.value.post_data_json or {})["options"]
        visit.page.wait_for_selector("[role=alert]:not([hidden])")
        visit.errors.clear()  # the server knows no such options

    values = [3, 0.5, "words", "5%", ["a", "b"], {"a": "1", "b": "2"}, True]
    assert [options[row["name"]] for row in made_up] == values
    assert (options["seed"], options["threads"], options["algorithm"]) == (None, None, "annealing")
    assert (options["audit"], options["baselines"], options["effort"]) == (True, False, None)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_the_server_is_killed_and_started_again(chromium: Browser, server: Served) -> None:
    """The page says that nobody answers, then that it needs a new address; the search can go on."""
    with visiting(chromium, server) as visit:
        visit.enter()
        long_search(visit)
        server.end(signal.SIGKILL)
        visit.page.locator("#connection", has_text="does not answer").wait_for()
        with served(server.folder, "--port", server.base.rpartition(":")[2]) as again:
            visit.page.locator("#connection", has_text="started anew: open the address").wait_for()
            visit.server = again
            visit.enter().go("protect")
            visit.wait_for_run("cut-off")
            card = visit.text(".run")
            visit.errors.clear()  # the browser notes every request that nobody answered

    assert "It can go on from the best it had found." in card
    assert "Go on from its best" in card
