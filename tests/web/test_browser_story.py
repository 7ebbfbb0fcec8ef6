"""The whole story in a real browser: from dropping a file to downloading both parts of a release."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import networkx
import pytest
from over_http import Served, served
from page_object import Visit, friends_file, visiting

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.formatting import percentage
from netveil.synthetic import ceilings
from waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, karate_release: Path) -> Iterator[Served]:
    """A server that has two releases of the karate club from the command line, one with its curve."""
    place = tmp_path_factory.mktemp("story")
    small = nv.anonymize(nv.load("karate"), 1, effort=0.02, seed=1)
    other = nv.save(small, place / "small", utility=False, audit=False, baselines=False)
    with served(place / "kept", str(karate_release), str(other)) as running:
        yield running
        assert running.end() == 0
        said = running.log.read_text()
        assert "member" not in said and "friends" not in said, "no log names people or files"


@pytest.fixture
def visit(chromium: Browser, server: Served) -> Iterator[Visit]:
    """A window on the page."""
    with visiting(chromium, server) as window:
        yield window.enter()


def test_from_a_file_to_a_release(visit: Visit) -> None:
    """Bring, look, ask the guide, protect, judge, take away both parts: one after the other."""
    page = visit.page
    visit.drop("friends.csv", friends_file())
    page.wait_for_selector(".reading")
    read = visit.text(".reading")
    page.get_by_role("link", name="That is right: look at it").click()
    page.wait_for_selector(".attackers tr.chosen")
    assert visit.text(".attackers tr.chosen").endswith("count 15 44.1%")
    for answer in ("Somebody who knows the person a little", "Two are enough", "A few: 5%"):
        page.get_by_text(answer, exact=True).click()
    page.wait_for_selector(".guide .note")
    assert "Budget 5%" in visit.text(".guide .note")
    visit.button("Fill the form with this").click()
    page.get_by_text("Quick", exact=True).click()
    visit.tick("Try attacks on the release", on=False)
    card = visit.start_search(A_name_for_it="the first")
    visit.wait_for_run("done", card)
    card.get_by_role("link", name="Judge it").click()
    page.wait_for_selector(".verdict")
    verdict, warning = visit.text(".verdict"), visit.text(".note.warn:not(.verdict)")
    assert page.get_by_role("link", name="Good enough").count() == 0
    page.get_by_role("link", name="Take away").click()
    page.wait_for_selector(".code-box >> nth=2")
    all_the_same = page.get_by_role("link", name="Download the public files all the same")
    public = names_in(visit.download(all_the_same).path())
    visit.button("Download the private files …").click()
    assert "Never publish them" in visit.text("dialog")
    private = names_in(visit.download(visit.button("Download the private files", inside="dialog")).path())

    assert "34 people, 78 ties." in read
    assert "separator semicolon, people in columns person and friend" in read
    assert "member 0" in read
    assert verdict.startswith("Does not meet policy answers to the guide: at risk to count with k = 2: ")
    assert "What would help" in verdict and "Draw a synthetic network with k = 2" in verdict
    assert "Somebody who knows the person a little" in verdict  # the answers are the grounds
    assert "No attacks were tried on this release" in warning
    assert {*DEPOSIT_FILES, "about.json", "network.csv", "nodes.csv"} == public
    assert {"report.html", "sign-off.html", "labels.csv", "people_at_risk.csv"} < private
    assert "--effort 0.1" in visit.text(".code-box >> nth=0")
    assert "nv.anonymize(" in visit.text(".code-box >> nth=1")
    assert 'name = "answers to the guide"' in visit.text(".code-box >> nth=2")


@pytest.mark.thorough
def test_a_policy_that_is_not_met_leads_to_a_release_that_meets_it(visit: Visit, tmp_path: Path) -> None:
    """Chosen from the menu, or from a file; what would help is a click away, and keeps the policy."""
    page = visit.page
    network = visit.server.post("/api/networks/builtin", {"name": "karate"})["id"]
    visit.go("protect", network)
    menu = page.get_by_label("What must the release meet?")
    menu.select_option("open-repository")
    assert page.get_by_label("How many alike (k)").input_value() == "11"
    page.get_by_text("Quick", exact=True).click()
    card = visit.start_search()
    visit.wait_for_run("done", card)
    told = card.inner_text()
    card.get_by_role("link", name="Judge it").click()
    page.wait_for_selector(".verdict")
    verdict, serious = visit.text(".verdict"), visit.axe()
    assert page.get_by_role("link", name="take it away").count() == 0
    found = visit.text(".figures")
    visit.button("Draw a synthetic network with k = 11").click()
    page.wait_for_selector("form.panel")
    assert menu.input_value() == "open-repository"
    card = visit.start_search()
    visit.wait_for_run("done", card)
    card.get_by_role("link", name="Judge it").click()
    page.get_by_role("link", name="Good enough: take it away").click()
    page.wait_for_selector(".code-box")
    lines = visit.text(".code-box >> nth=0")
    visit.go("protect", network)
    own = tmp_path / "own.toml"
    own.write_text('[policy]\nk = 4\nattackers = ["degree"]\n[decision]\npurpose = "A study"\n')
    page.locator("input[aria-label='A policy file']").set_input_files(own)
    until(lambda: menu.input_value() == "own")
    assert page.get_by_label("Purpose").input_value() == "A study"
    own.write_text("[policy]\nk = 1\n")
    page.locator("input[aria-label='A policy file']").set_input_files(own)
    assert "k cannot be as it is: Expected a whole number >= 2" in visit.text(".policy .note.warn")
    visit.errors.clear()  # the browser notes an answer that refuses

    assert "does not meet its policy" in told and "Take it away" not in told
    assert verdict.startswith(
        "Does not meet policy open-repository: found by somebody who has the whole network"
    )
    assert serious == []
    assert "At risk after" in found and "Found by whoever has the network" in found
    assert "netveil synthesize karate --k 11" in lines and "--policy open-repository" in lines


@pytest.mark.thorough
def test_what_failed_is_thrown_away_at_once_and_a_lost_server_is_seen(
    chromium: Browser, tmp_path: Path
) -> None:
    """Searches stand below their network; far down the page one still sees that nobody answers."""
    with served(tmp_path / "kept") as server, visiting(chromium, server, width=400) as visit:
        page = visit.enter().page
        network = server.upload("friends.csv", friends_file())["id"]
        for _ in range(2):
            server.run(network, protect="nobody;here\n")
        until(lambda: all(run["state"] == "failed" for run in server.get("/api/state")["runs"]))
        visit.go("protect", network)
        page.locator(".run[data-state=failed]").nth(1).wait_for()  # it throws away only what it has heard of
        project = visit.text("h3.project")
        visit.button("Throw away what failed").click()
        page.get_by_text("Nothing yet.").wait_for()
        left = server.get("/api/state")["runs"]
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        server.end()
        page.locator("#connection", has_text="netveil").wait_for()
        top = page.evaluate("document.getElementById('connection').getBoundingClientRect().top")
        visit.errors.clear()  # the browser notes who does not answer

        assert (project, left, top) == ("friends", [], 0)


@pytest.mark.thorough
def test_a_synthetic_network_from_the_form_to_the_lines(visit: Visit) -> None:
    """What nobody can exceed stands before it is drawn; the release leads with what may be claimed."""
    page = visit.page
    network = visit.server.post("/api/networks/builtin", {"name": "karate"})["id"]
    visit.go("protect", network)
    page.get_by_text("Draw a synthetic network", exact=True).click()
    page.wait_for_selector("form caption")
    told = [
        visit.text(f"form tbody tr >> nth={place}") for place in range(page.locator("form tbody tr").count())
    ]
    serious, others = visit.axe(), page.get_by_label("Maximum share of ties to delete").count()
    card = visit.start_search(Networks_to_draw="2")
    visit.wait_for_run("done", card)
    release, outcome = str(card.get_attribute("data-run")), card.inner_text()
    card.get_by_role("link", name="Judge it").click()
    page.wait_for_selector(".verdict")
    judged, serious_there = visit.text(), visit.axe()
    page.set_viewport_size({"width": 400, "height": 900})
    narrow = [visit.too_wide()]
    page.get_by_role("link", name="Take it away").click()
    page.wait_for_selector(".code-box")
    lines = visit.text(".code-box >> nth=0"), visit.text(".code-box >> nth=1")
    visit.go("protect", network)
    page.wait_for_selector("form caption")
    narrow.append(visit.too_wide())
    record = visit.server.get(f"/api/releases/{release}")["record"]
    most = percentage(record["rows"], record["nodes"])

    assert told == [
        f"{each.k} {percentage(each.ceiling)} 1 in {each.smallest_row}"
        for each in ceilings(nv.load("karate"))
    ]
    assert others == 0 and serious == serious_there == [] and narrow == [0, 0]
    assert f"At most {most} of people found on average" in outcome and "2 networks" in outcome
    assert all(sentence in judged for sentence in record["report"]["sentences"])
    assert f"{most} {record['rows']} of 34 people" in judged and percentage(record["true_ties"]) in judged
    assert "at risk" not in visit.text(".context")
    assert f"netveil synthesize karate --copies 2 --seed {record['seed']}" in lines[0]
    assert "nv.synthesize(" in lines[1]


@pytest.mark.thorough
def test_attributes_that_are_known_are_asked_for_where_there_are_some(visit: Visit) -> None:
    graph = nv.load("karate").to_networkx()
    for person in graph:
        graph.nodes[person]["team"] = person % 2
    content = "\n".join(networkx.generate_graphml(graph)).encode()
    with_teams = visit.server.upload("teams.graphml", content)["id"]
    without = visit.server.upload("friends.csv", friends_file())["id"]
    field = visit.page.get_by_label("Attributes of a person that the attacker knows")
    visit.go("protect", without).page.wait_for_selector("form.panel")
    assert field.count() == 0
    visit.go("protect", with_teams).page.wait_for_selector("form.panel")
    field.evaluate("each => each.closest('details').setAttribute('open', '')")
    field.fill("team")
    visit.page.locator("form.panel button[type=submit]").click()
    visit.page.get_by_text("only what a release publishes of people is known from it").wait_for()

    assert field.get_attribute("aria-invalid") == "true"
    visit.errors.clear()  # the browser notes an answer that refuses


@pytest.mark.thorough
def test_what_cannot_be_told_is_asked(visit: Visit) -> None:
    """A table of four columns: the page asks, the answer is taken, and the marked columns are the people."""
    visit.choose(
        "visits.csv",
        b"ward,day,first,second\n3,2024-05-01,anna,bob\n3,2024-05-01,bob,eve\n4,2024-05-02,eve,anna\n",
    )
    visit.wait_for_title("A question about visits.csv")
    assert "which two of its 4 columns are the people" in visit.text(".reading .note")
    visit.page.get_by_label("First person in").select_option(label="3: column 3")
    visit.page.get_by_label("Second person in").select_option(label="4: column 4")
    visit.button("Read it again").click()
    visit.wait_for_title("How visits.csv was read")

    assert "3 people, 3 ties." in visit.text(".reading")
    assert visit.page.locator(".cells thead .people").all_inner_texts() == ["first", "second"]


@pytest.mark.thorough
def test_persons_are_dropped_beside_the_ties(visit: Visit) -> None:
    """What is wrong with a table is told where it was dropped; the right one is read, and taken away."""
    visit.choose("two.csv", b"from,to\nanna,bob\nbob,carl\n")
    visit.wait_for_title("How two.csv was read")
    visit.page.get_by_text("Add attributes of people from another file").click()
    visit.drop("other.csv", b"who,age\nxena,30\n", zone=".persons")
    visit.page.wait_for_selector(".persons .note")
    wrong, refused = visit.text(".persons .note"), len(visit.errors)
    visit.errors.clear()  # the browser notes an answer that refuses
    visit.page.get_by_label("Column of the people").fill("who")
    visit.drop("people.csv", b"age,who\n30,anna\n40,bob\n50,dora\n", zone=".persons")
    visit.button("Read it without persons").wait_for()
    read, serious = visit.text(".reading"), visit.axe()
    visit.button("Read it without persons").click()
    visit.page.get_by_text("Add attributes of people from another file").wait_for()

    assert wrong.startswith("other.csv: none of its keys is a person of the network.") and refused == 1
    assert "4 people, 2 ties." in read and "1 person without ties from people.csv" in read
    assert "Odd: 1 person of the ties is not in people.csv" in read and serious == []
    assert "3 people, 2 ties." in visit.text(".reading")


@pytest.mark.thorough
def test_a_release_is_judged_and_its_trade_off_walked(visit: Visit) -> None:
    """The warning stands first; arrow keys move along the curve; a point becomes a release of its own."""
    page = visit.page
    visit.go("judge", larger_of_those_given(visit))
    page.wait_for_selector(".tradeoff svg")
    order = page.evaluate("document.querySelector('main :is(.note, .figures, table)').className")
    warning, before = visit.text(".note.loud"), visit.text(".readout")
    page.focus(".tradeoff svg")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    moved = visit.text(".readout")
    assert moved == page.get_attribute(".tradeoff svg", "aria-valuetext")
    visit.button("Take this point").click()
    page.locator(".run .asked", has_text="A point of a trade-off, at most 1 tie deleted.").wait_for()

    assert order == "note loud verdict "
    assert (
        "it may not be claimed that nobody can be found: a research partner who has the raw file" in warning
    )
    assert moved != before
    assert moved.startswith("1 tie deleted (1.28%)")


@pytest.mark.thorough
def test_two_releases_in_one_table(visit: Visit) -> None:
    """What differs is marked; only that is shown if one likes; a warning tells not to publish both.

    Those of different networks are called so.
    """
    other = visit.server.post("/api/networks/builtin", {"name": "les-miserables"})["id"]
    drawn = {"network": other, "kind": "synthetic", "options": {"audit": False, "utility": False}}
    run = visit.server.post("/api/runs", drawn)["id"]
    visit.server.wait(run, "done")
    visit.go("judge", run).go("judge", larger_of_those_given(visit))
    page = visit.page
    page.locator("label.card-choice", has_text="small: 1 deleted").locator("input").check()
    page.wait_for_selector(".compared")
    everything = page.locator(".compared tbody tr").count()
    page.get_by_label("Show only what differs").check()
    differing = page.locator(".compared tbody tr")
    assert [row for row in differing.all() if not row.locator(".differs, .group").count()] == []

    assert 0 < differing.count() < everything
    assert "Publish one of them only" in visit.text()
    page.locator("label.card-choice", has_text="les-miserables: synthetic").locator("input").check()
    page.get_by_text("These are releases of different networks").wait_for()


@pytest.mark.thorough
def test_figures_and_sentences_are_those_of_the_reports(visit: Visit) -> None:
    """The page rounds as Python does, also halves and small shares; nobody at risk is so to some attacker."""
    pairs = [(part, 400) for part in range(-400, 401)]
    pairs += [(1, 8), (1, 16), (3, 1_000_000), (97, 10_000_000), (999_600, 10**11), (0, 7), (9995, 100_000)]
    record = {"at_risk_after": 0, "k": 5, "report": {"attacker": "has counted a person's contacts"}}
    shown = visit.says("numbers.js: percentage && given.map((pair) => found.percentage(...pair))", pairs)
    told = visit.says("parts/before-after.js: remaining(given, given.report).textContent", record)

    assert shown == [percentage(*pair) for pair in pairs]
    assert told == (
        "Nobody: to an attacker who has counted a person's contacts, everybody is one of at least 5 people "
        "who look alike (k = 5)."
    )


@pytest.mark.thorough
def test_the_table_of_attackers_shows_the_figures_of_the_report(visit: Visit) -> None:
    """Those for each share of the ties at once, the others folded; as the report writes them."""
    page, name = visit.page, larger_of_those_given(visit)
    attackers = visit.server.get(f"/api/releases/{name}")["audit"]["attackers"]
    visit.go("judge", name)
    page.wait_for_selector(".tradeoff svg")
    panel = page.locator("section.panel", has_text="What could an attacker still do?")
    rows = panel.locator("table").first.locator("tbody tr").all()
    cells = [[cell.inner_text() for cell in row.locator("td.number").all()] for row in rows]

    assert cells == [list(each["shown"].values()) for each in attackers if each["at_once"]]
    assert 0 < len(cells) < len(attackers)
    assert f"{len(attackers) - len(cells)} further attackers" in panel.inner_text()


def larger_of_those_given(visit: Visit) -> str:
    """The id of that release from the command line in which more ties are deleted."""
    releases = [each for each in visit.server.get("/api/state")["releases"] if each["source"] == "folder"]
    return str(max(releases, key=lambda each: each["figures"]["deleted"])["id"])


def names_in(file: Path) -> set[str]:
    """The names of the files in an archive, without folders."""
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        return {Path(name).name for name in archive.namelist() if not name.endswith("/")}
