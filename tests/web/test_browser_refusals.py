"""What the page and its server refuse, tried in a real browser: strangers, strange files, strange labels."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsers import CHROMIUM, WITHOUT

pytest.importorskip("playwright")
pytest.importorskip("starlette")

from over_http import Served, served
from page_object import Visit, visiting

from netveil.web.server import opened
from waiting import HANG, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

NASTY = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that takes files up to a megabyte."""
    with served(tmp_path_factory.mktemp("refusals") / "kept", "--largest-upload", "1") as running:
        yield running


@pytest.fixture
def visit(chromium: Browser, server: Served) -> Iterator[Visit]:
    """A window on the page."""
    with visiting(chromium, server) as window:
        yield window.enter()


def test_a_wrong_file(visit: Visit) -> None:
    """What is no network is refused with a sentence; the page goes on with the next."""
    visit.drop("half.graphml", b"<graphml><graph><node id=")
    visit.page.wait_for_selector(".reading .note")
    problem = visit.text(".reading .note")
    visit.choose("two.csv", b"from,to\nanna,bob\nbob,carl\n")
    visit.wait_for_title("How two.csv was read")

    assert problem.startswith("half.graphml, line 1: not valid GraphML.")


def test_a_script_in_a_label_is_text(visit: Visit) -> None:
    """Labels and file names that are markup are shown as they are, in tables, lists and cards."""
    visit.drop(
        f"{NASTY}.csv".replace("/", ""),
        f"person,friend\n{NASTY},<script>alert(2)</script>\n{NASTY},eve\n".encode(),
    )
    visit.page.wait_for_selector(".reading .cells")
    cells = visit.text(".reading .cells")
    visit.page.get_by_role("link", name="That is right: look at it").click()
    visit.page.locator("details button.link", has_text="onerror").click()
    visit.page.wait_for_selector(".person-name")
    markup = visit.page.evaluate("document.querySelectorAll('main img, main script, #context img').length")

    assert NASTY in cells and "<script>alert(2)</script>" in cells
    assert visit.text(".person-name") == NASTY
    assert markup == 0


def test_a_file_that_is_too_large(visit: Visit) -> None:
    """The page says so before it sends anything, and the server refuses whoever sends it all the same."""
    sent = len(visit.requests)
    visit.drop("large.csv", b"anna,bob\n" * 200_000)
    visit.page.wait_for_selector(".drop [role=alert]")
    problem, asked = visit.text(".drop [role=alert]"), visit.requests[sent:]
    answered = visit.page.evaluate(
        """async () => {
            const names = encodeURIComponent(JSON.stringify([{name: "large.csv", size: 2 << 20}]));
            const headers = {"X-Netveil-Files": names};
            const body = new Uint8Array(2 << 20);
            return (await fetch("/api/networks", {method: "POST", body, headers})).status;
        }"""
    )
    visit.errors.clear()  # the browser notes every refusal

    assert "large.csv has 1.7 MB, and this page takes files up to 1 MB" in problem
    assert asked == []
    assert answered == 413


def test_a_wrong_token_and_a_used_one(chromium: Browser, server: Served) -> None:
    """Neither opens the page; its files and figures stay shut as well."""
    used = server.post("/api/address")["address"]
    with visiting(chromium, server) as owner:
        owner.page.goto(used)
        owner.ready()
    context = chromium.new_context()
    context.set_default_timeout(1000 * HANG)
    page = context.new_page()
    found = {}
    for path in ("/", "/?token=guessed", used.removeprefix(server.base), "/page/js/main.js", "/api/state"):
        answer = page.goto(server.base + path)
        assert answer is not None
        found[path] = (answer.status, "Bring a network" in page.content())
    context.close()

    assert set(found.values()) == {(403, False)}


def test_a_rebound_host(chromium: Browser, server: Served) -> None:
    """A page whose name was bound to this machine reaches the server, and gets nothing of it."""
    context = chromium.new_context()
    context.set_default_timeout(1000 * HANG)
    page = context.new_page()
    port = server.base.rpartition(":")[2]
    statuses = []
    for path in ("/", server.post("/api/address")["address"].removeprefix(server.base), "/api/state"):
        answer = page.goto(f"http://evil.example:{port}{path}")
        assert answer is not None
        statuses.append(answer.status)
    context.close()

    assert statuses == [403, 403, 403]


def test_a_foreign_origin(visit: Visit) -> None:
    """A page of another server on this machine, in a browser with our cookie, changes and reads nothing."""
    other, before = "http://127.0.0.1:9/trap.html", visit.server.get("/api/state")["networks"]
    page = visit.context.new_page()
    page.route(other, lambda route: route.fulfill(content_type="text/html", body="<title>a trap</title>"))
    page.goto(other)
    told = page.evaluate(
        """async (base) => {
            const send = (body) => ({method: "POST", mode: "no-cors", credentials: "include", body});
            const attempts = [
                ["/api/networks/builtin", send('{"name": "karate"}')],
                ["/api/quit", send("{}")],
                ["/api/state", {credentials: "include"}],
            ];
            const told = [];
            for (const [path, settings] of attempts) {
                const answer = await fetch(base + path, settings).then((found) => found.text(), () => "");
                told.push(answer);
            }
            return told;
        }""",
        visit.server.base,
    )

    assert told == ["", "", ""]
    assert visit.server.get("/api/state")["networks"] == before


def test_the_browser_is_opened_by_a_file(
    chromium: Browser, server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `netveil web` does it: from another origin, and yet the page that follows gets the strict cookie."""
    told: list[str] = []
    monkeypatch.setattr(webbrowser, "open", told.append)
    monkeypatch.setenv("HOME", str(tmp_path))
    with opened(server.post("/api/address")["address"], tmp_path), visiting(chromium, server) as visit:
        until(lambda: bool(told))
        visit.page.goto(told[0])
        visit.ready()
        visit.requests = [url for url in visit.requests if not url.startswith("file:")]
        assert visit.page.url.startswith(f"{server.base}/#/")


def test_a_step_waits_for_a_network_that_is_being_read(visit: Visit) -> None:
    """What another window brings is looked at once it is read; what raised a question leads back to that."""
    page = visit.page
    question = visit.server.upload("which.csv", b"1,2,3,4\n1,2,4,5\n2,3,4,6\n3,1,5,6\n")
    network = visit.server.upload("few.csv", b"from,to\nanna,bob\nbob,carl\ncarl,dora\ndora,eve\n")
    page.get_by_role("link", name="few.csv").wait_for()
    page.get_by_text("5 people, 4 ties").wait_for()  # the stream has told all that it has to tell
    page.evaluate(
        """async (network) => {
            const { know } = await import("/page/js/store.js");
            know("networks", {...network, state: "reading"});
        }""",
        network,
    )
    visit.go("look", network["id"])
    page.wait_for_selector("text=Reading few.csv")
    page.evaluate("async (network) => (await import('/page/js/store.js')).know('networks', network)", network)
    page.wait_for_selector("text=At risk, by what an attacker knows")
    visit.go("protect", question["id"])
    page.get_by_role("link", name="See what is asked").click()
    visit.wait_for_title("A question about which.csv")
    page.get_by_label("First person in").select_option(label="1: column 1")
    visit.button("Read it again").click()

    assert "Choose both columns" in visit.text(".reading [role=alert]")


def test_what_was_told_first_and_arrives_last_is_passed_over(visit: Visit) -> None:
    """An answer may overtake the stream: the question stays, with what one has chosen already."""
    page = visit.page
    network = visit.server.upload("which.csv", b"1,2,3,4\n1,2,4,5\n2,3,4,6\n3,1,5,6\n")
    visit.go("bring", network["id"])
    visit.wait_for_title("A question about which.csv")
    page.get_by_label("First person in").select_option(label="1: column 1")
    shown = page.evaluate(
        """async (network) => {
            const { know, store } = await import("/page/js/store.js");
            const late = {...network, state: "reading", revision: network.revision - 1};
            know("networks", late);
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
            return store.networks.get(network.id).state;
        }""",
        network,
    )

    assert shown == "question"
    assert page.get_by_label("First person in").input_value() == "1"


@pytest.mark.parametrize(
    ("view", "told"), [("look", "network"), ("protect", "network"), ("judge", "release")]
)
def test_what_is_not_here_is_not_replaced_by_another(view: str, told: str, visit: Visit) -> None:
    """One would look at the wrong network, or protect it; what comes later is shown."""
    visit.server.post("/api/networks/builtin", {"name": "karate"})
    visit.page.evaluate(
        """async () => {
            const { know } = await import("/page/js/store.js");
            know("releases", { id: "0123", made_at: "2024", name: "other" });
        }"""
    )
    visit.page.goto(f"{visit.server.base}/#/{view}/0000000000000000")
    visit.wait_for_title(f"This {told} is not here")

    assert visit.page.locator("#context").inner_text() == ""


def test_nothing_is_warned_of_while_a_file_is_read(visit: Visit) -> None:
    """Read again after a question: the question is gone, and no empty box stands in its place."""
    network = visit.server.upload("which.csv", b"1,2,3,4\n1,2,4,5\n2,3,4,6\n3,1,5,6\n")
    visit.go("bring", network["id"])
    visit.wait_for_title("A question about which.csv")
    visit.page.evaluate(
        """async (network) => {
            const { know } = await import("/page/js/store.js");
            know("networks", {...network, state: "reading", revision: network.revision + 1});
        }""",
        network,
    )
    visit.wait_for_title("Reading which.csv …")

    assert visit.page.locator(".reading .note").count() == 0


def test_what_one_has_filled_in_stays(visit: Visit) -> None:
    """While one looks at another step; what the guide proposes takes its place."""
    page, network = visit.page, visit.server.post("/api/networks/builtin", {"name": "karate"})["id"]
    visit.go("protect", network)
    page.get_by_label("Ties that may go, at most").fill("7%")
    visit.go("bring")
    visit.go("protect", network)
    kept = page.get_by_label("Ties that may go, at most").input_value()
    page.evaluate(
        "async (key) => (await import('/page/js/store.js')).note(key, {budget: '1%'})", f"form {network}"
    )
    visit.go("bring")
    visit.go("protect", network)

    assert kept == "7%"
    assert page.get_by_label("Ties that may go, at most").input_value() == "1%"
