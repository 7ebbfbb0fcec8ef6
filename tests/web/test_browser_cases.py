"""The page in a real browser beside its story: what it refuses, who can use it, how searches are steered."""

from __future__ import annotations

import re
import signal
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from over_http import Served, served
from page_object import Visit, friends_file, visiting

from netveil.web.server import opened
from waiting import until

pytest.importorskip("axe_playwright_python")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.thorough

NASTY = "<img src=x onerror=alert(1)>"
ASKING = b"1,2,3,4\n1,2,4,5\n2,3,4,6\n3,1,5,6\n"  # a table that raises a question
DARK, LIGHT = "rgb(15, 19, 24)", "rgb(246, 248, 250)"
GROUND = "getComputedStyle(document.body).backgroundColor"
BUDGET = "Maximum share of ties to delete"
SUBMIT = "form.panel button[type=submit]"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, karate_release: Path) -> Iterator[Served]:
    """A server that takes files up to a megabyte, with a network, a question about another, and a release."""
    place = tmp_path_factory.mktemp("cases") / "kept"
    with served(place, str(karate_release), "--largest-upload", "1") as running:
        running.upload("friends.csv", friends_file())
        running.upload("visits.csv", b"ward,day,first,second\n3,2024-05-01,anna,bob\n3,2024-05-01,bob,eve\n")
        yield running


@pytest.fixture
def visit(chromium: Browser, server: Served) -> Iterator[Visit]:
    """A window on the page."""
    with visiting(chromium, server) as window:
        yield window.enter()


@pytest.fixture
def karate(tmp_path: Path) -> Iterator[Served]:
    """A server of its own that has the karate club."""
    with served(tmp_path / "kept") as running:
        running.post("/api/networks/builtin", {"name": "karate"})
        yield running


def views(visit: Visit) -> Iterator[str]:
    """Go through all views, with everything unfolded; the questions and readings of files as well."""
    state = visit.server.get("/api/state")
    network, question = (each["id"] for each in state["networks"][:2])
    release = state["releases"][0]["id"]
    for view, name, sign in (
        ("bring", network, ".reading .cells"),
        ("bring", question, ".reading .cells"),
        ("bring", "", "a.listed, .list a"),
        ("look", network, ".guide .card-choice"),
        ("protect", network, "form.panel"),
        ("judge", release, ".tradeoff circle"),
        ("take", release, ".code-box"),
        ("experiments", "", ".empty"),
    ):
        visit.go(view, name)
        visit.page.wait_for_selector(sign, state="attached")
        visit.page.locator("main .loading, main [aria-busy=true]").first.wait_for(state="detached")
        visit.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        yield f"{view} {name}"


def test_axe_finds_nothing_serious(visit: Visit) -> None:
    light = {view: visit.axe() for view in views(visit)}
    visit.page.get_by_label("Colours").select_option("dark")
    dark = {view: visit.axe("color-contrast") for view in views(visit)}

    assert {view: found for view, found in light.items() if found} == {}
    assert {view: found for view, found in dark.items() if found} == {}
    assert visit.page.evaluate(GROUND) == DARK


def test_a_narrow_window_needs_no_scrolling_sideways(chromium: Browser, server: Served) -> None:
    with visiting(chromium, server, width=400) as visit:
        visit.enter()
        too_wide = {view: visit.too_wide() for view in views(visit)}

    assert {view: by for view, by in too_wide.items() if by > 0} == {}


def test_by_keyboard_alone(visit: Visit) -> None:
    """Bring a file, look at a person in the drawing, and come to the form, without a mouse."""
    page = visit.page
    with page.expect_file_chooser() as chooser:
        visit.tab_to("Choose a file")
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": friends_file()})
    visit.wait_for_title("How mine.csv was read")
    assert page.evaluate("document.activeElement.tagName") == "H1"
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
    visit.tab_to(BUDGET)

    assert first.startswith("member ")
    assert "at risk" in page.inner_text("#announcer")


def test_colours_are_chosen_and_kept(chromium: Browser, server: Served) -> None:
    """The page follows the system until one chooses, and keeps the choice over a reload."""
    with visiting(chromium, server, scheme="dark") as visit:
        found = [visit.enter().page.evaluate(GROUND)]
        visit.page.get_by_label("Colours").select_option("light")
        found.append(visit.page.evaluate(GROUND))
        visit.page.reload()
        found.append(visit.ready().page.evaluate(GROUND))

    assert found == [DARK, LIGHT, LIGHT]


def test_the_table_of_an_experiment(visit: Visit) -> None:
    """What is the same in all runs is told once; figures have as many digits as people read."""
    name = "0123456789abcdef"
    row = {"id": name, "name": "study", "finished": 2, "failed": 0, "damaged": 0, "total": 4}
    columns = ["network", "nodes", "k", "fuzzy", "at_risk_after", "reduction"]
    rows = [["demo", 1000, 2, None, 740, 0.0013495276653171389], ["karate", 34, 2, None, 12, 0.2]]
    document = {**row, "columns": columns, "rows": rows, "failures": []}
    visit.page.route("**/api/experiments/*", lambda route: route.fulfill(json=document))
    visit.know("experiments", row)
    visit.go("experiments", name)
    visit.page.wait_for_selector(".results")
    names = visit.page.locator(".results thead th").all_inner_texts()
    first = visit.page.locator(".results tbody tr").first.locator("th, td").all_inner_texts()

    assert names == ["network", "nodes", "at risk after", "reduction"]
    assert first == ["demo", "1,000", "740", "0.0013"]
    assert "The same in all runs: k 2." in visit.text() and "2 of 4 runs finished" in visit.text()
    assert visit.axe() == []


def test_a_wrong_file_and_one_that_is_too_large(visit: Visit) -> None:
    """No network is refused with a sentence, what is too large before it is sent; the next is taken."""
    visit.drop("half.graphml", b"<graphml><graph><node id=")
    visit.page.wait_for_selector(".reading .note")
    problem = visit.text(".reading .note")
    visit.go("bring")
    sent = len(visit.requests)
    visit.drop("large.csv", b"anna,bob\n" * 200_000)
    visit.page.wait_for_selector(".drop [role=alert]")
    too_large, asked = visit.text(".drop [role=alert]"), visit.requests[sent:]
    visit.choose("two.csv", b"from,to\nanna,bob\nbob,carl\n")
    visit.wait_for_title("How two.csv was read")

    assert problem.startswith("half.graphml, line 1: not valid GraphML: its XML is damaged.")
    assert "large.csv has 1.7 MB, and this page takes files up to 1 MB" in too_large and asked == []


def test_a_script_in_a_label_is_text(visit: Visit) -> None:
    """Labels and file names that are markup are shown as they are, in tables, lists and cards."""
    rows = f"person,friend\n{NASTY},<script>alert(2)</script>\n{NASTY},eve\n"
    visit.drop(f"{NASTY}.csv".replace("/", ""), rows.encode())
    visit.page.wait_for_selector(".reading .cells")
    cells = visit.text(".reading .cells")
    visit.page.get_by_role("link", name="That is right: look at it").click()
    visit.page.locator("details button.link", has_text="onerror").click()
    visit.page.wait_for_selector(".person-name")
    markup = visit.page.evaluate("document.querySelectorAll('main img, main script, #context img').length")

    assert NASTY in cells and "<script>alert(2)</script>" in cells
    assert visit.text(".person-name") == NASTY and markup == 0


def test_strangers_change_and_read_nothing(chromium: Browser, visit: Visit) -> None:
    """A page of another server on this machine, with our cookie; a rebound name; a token that was used."""
    base, before = visit.server.base, visit.server.get("/api/state")["networks"]
    other = "http://127.0.0.1:9/trap.html"
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
            const asked = attempts.map(([path, settings]) => fetch(base + path, settings));
            return Promise.all(asked.map((answer) => answer.then((found) => found.text(), () => "")));
        }""",
        base,
    )
    used, fresh = (visit.server.post("/api/address")["address"] for _ in range(2))
    visit.page.goto(used)
    visit.ready()
    rebound = fresh.replace("127.0.0.1", "evil.example")
    with chromium.new_context() as stranger:
        window = stranger.new_page()
        answers = [window.goto(each) for each in (base, used, f"{base}/page/js/main.js", rebound)]

    assert told == ["", "", ""]
    assert visit.server.get("/api/state")["networks"] == before
    assert [answer and answer.status for answer in answers] == [403] * 4


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
    page, question = visit.page, visit.server.upload("which.csv", ASKING)
    network = visit.server.upload("few.csv", b"from,to\nanna,bob\nbob,carl\ncarl,dora\ndora,eve\n")
    page.get_by_role("link", name="few.csv").wait_for()
    page.get_by_text("5 people, 4 ties").wait_for()  # the stream has told all that it has to tell
    visit.know("networks", network, state="reading")
    visit.go("look", network["id"])
    page.wait_for_selector("text=Reading few.csv")
    visit.know("networks", network)
    page.wait_for_selector("text=At risk, by what an attacker knows")
    visit.go("protect", question["id"])
    page.get_by_role("link", name="See what is asked").click()
    visit.wait_for_title("A question about which.csv")
    page.get_by_label("First person in").select_option(label="1: column 1")
    visit.button("Read it again").click()

    assert "Choose both columns" in visit.text(".reading [role=alert]")


def test_what_was_told_first_and_arrives_last_is_passed_over(visit: Visit) -> None:
    """The question stays with what one has chosen; it is gone, and leaves no empty box, when read again."""
    network = visit.server.upload("which.csv", ASKING)
    visit.go("bring", network["id"])
    visit.wait_for_title("A question about which.csv")
    first = visit.page.get_by_label("First person in")
    first.select_option(label="1: column 1")
    visit.know("networks", network, state="reading", revision=network["revision"] - 1)
    visit.page.evaluate("async () => { for (const _ of [1, 2]) await new Promise(requestAnimationFrame); }")
    assert first.input_value() == "1"
    visit.know("networks", network, state="reading", revision=network["revision"] + 1)
    visit.wait_for_title("Reading which.csv …")

    assert visit.page.locator(".reading .note").count() == 0


def test_what_is_not_here_is_not_replaced_by_another(visit: Visit) -> None:
    """One would look at the wrong network, or protect it."""
    for view, told in {"look": "network", "protect": "network", "judge": "release"}.items():
        visit.page.goto(f"{visit.server.base}/#/{view}/0000000000000000")
        visit.wait_for_title(f"This {told} is not here")
        assert visit.page.locator("#context").inner_text() == ""


def test_what_one_has_filled_in_stays(visit: Visit) -> None:
    """While one looks at another step; what the guide proposes takes its place."""
    page, network = visit.page, visit.server.post("/api/networks/builtin", {"name": "karate"})["id"]
    visit.go("protect", network)
    page.get_by_label(BUDGET).fill("7%")
    visit.go("bring")
    visit.go("protect", network)
    kept = page.get_by_label(BUDGET).input_value()
    visit.says("store.js: note(given, {budget: '1%'})", f"form {network}")
    visit.go("bring")
    visit.go("protect", network)

    assert (kept, page.get_by_label(BUDGET).input_value()) == ("7%", "1%")


def test_a_wrong_budget_is_told_at_its_field(visit: Visit) -> None:
    """The sentence stands at the field, which has the focus; nothing is queued."""
    visit.go("protect", visit.server.get("/api/state")["networks"][0]["id"])
    field = visit.page.get_by_label(BUDGET)
    field.fill("many")
    visit.page.locator(SUBMIT).click()
    visit.page.wait_for_selector("[aria-invalid=true]")
    assert "many" in visit.page.locator(".field", has=field).locator(".error").inner_text()
    visit.errors.clear()  # the browser notes every refusal

    assert field.evaluate("each => each === document.activeElement")
    assert visit.server.get("/api/state")["runs"] == []


def test_an_option_without_a_field_of_its_own_gets_one(chromium: Browser, server: Served) -> None:
    """By the kind of its value, with its help beside it; what is filled in is sent."""
    filled: dict[str, tuple[str, Any]] = {
        "whole": ("3", 3),
        "number": ("0.5", 0.5),
        "text": ("words", "words"),
        "share": ("5%", "5%"),
        "names": ("a, b", ["a", "b"]),
        "pairs": ("a=1,b=2", {"a": "1", "b": "2"}),
    }
    made_up = [{"name": f"made_{kind}", "kind": kind, "help": "Made up."} for kind in (*filled, "flag")]

    def with_made_up(route: Route) -> None:
        answer = route.fetch()
        about = answer.json()
        about["options"] += made_up
        route.fulfill(response=answer, json=about)

    with visiting(chromium, server) as visit:
        visit.page.route("**/api/about", with_made_up)
        visit.enter().go("protect", server.get("/api/state")["networks"][0]["id"])
        visit.page.get_by_text("More: seed, what the report shows").click()
        for kind, (text, _) in filled.items():
            visit.page.get_by_label(f"Made {kind}").fill(text)
        visit.tick("Made flag")
        with visit.page.expect_request(lambda request: request.method == "POST") as sent:
            visit.page.locator(SUBMIT).click()
        options = (sent.value.post_data_json or {})["options"]
        visit.page.wait_for_selector("[role=alert]:not([hidden])")
        visit.errors.clear()  # the server knows no such options

    assert [options[row["name"]] for row in made_up] == [*(value for _, value in filled.values()), True]
    assert (options["seed"], options["threads"], options["algorithm"]) == (None, None, "annealing")
    assert (options["audit"], options["baselines"], options["effort"]) == (True, False, None)


def long_search(visit: Visit) -> None:
    """Start a search that only a hand ends, and pause it; 5% would be looked through at once."""
    visit.go("protect")
    visit.page.get_by_text("A given time", exact=True).click()
    visit.start_search(Seconds="900", **{BUDGET: "10%"})
    visit.wait_for_run("searching")
    visit.button("Pause").click()
    visit.wait_for_run("paused")


def test_a_search_goes_on_over_reloads_and_in_two_windows(chromium: Browser, karate: Served) -> None:
    """The second waits and is cancelled; the first is paused, reloaded, gone on with elsewhere, stopped."""
    with visiting(chromium, karate) as first, visiting(chromium, karate) as second:
        first.enter()
        long_search(first)
        assert first.text(SUBMIT) == "Add to the queue"
        first.page.get_by_text("Quick", exact=True).click()
        waiting = first.start_search(A_name_for_it="the second")
        first.wait_for_run("queued")
        assert "the second waiting, number 1" in " ".join(waiting.inner_text().split())
        waiting.get_by_role("button", name="Cancel").click()
        assert "Nothing of it is kept" in first.text("dialog")
        first.button("Cancel it", inside="dialog").click()
        first.wait_for_run("cancelled")
        second.enter().go("protect")
        second.wait_for_run("paused")
        first.page.reload()
        first.ready().wait_for_run("paused")
        figures = first.text(".live")
        curve = first.page.locator(".run[data-state=paused] svg.chart").get_attribute("aria-label")
        second.button("Go on").click()
        first.wait_for_run("searching")
        second.button("Stop and keep the best").click()
        for window in (first, second):
            window.wait_for_run("done")
        outcome = {window.text(".run[data-state=done] .outcome") for window in (first, second)}
        assert len(karate.get("/api/state")["releases"]) == 1

    assert "of 15" in figures and "ties deleted" in figures
    assert curve is not None and "of 15 people at risk" in curve
    assert len(outcome) == 1 and outcome.pop().startswith("15 → ")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_the_server_is_killed_and_started_again(chromium: Browser, karate: Served) -> None:
    """The page says that nobody answers, then that it needs a new address; the search can go on."""
    with visiting(chromium, karate) as visit:
        visit.enter()
        long_search(visit)
        karate.end(signal.SIGKILL)
        visit.page.locator("#connection", has_text="does not answer").wait_for()
        with served(karate.folder, "--port", karate.base.rpartition(":")[2]) as again:
            visit.page.locator("#connection", has_text="started anew: open the address").wait_for()
            visit.server = again
            visit.enter().go("protect")
            visit.wait_for_run("cut-off")
            card = visit.text(".run")
            visit.errors.clear()  # the browser notes every request that nobody answered

    assert "It can go on from the best it had found." in card and "Go on from its best" in card
