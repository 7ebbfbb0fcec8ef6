"""The pages in a browser, on paper and on a telephone: no error, no request, nothing cut or out of sight."""

from __future__ import annotations

import copy
import json
import shutil
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import networkx
import pytest

import netveil as nv
from browsers import CHROMIUM, WITHOUT, pages_of
from graphs import clustered
from netveil.auditing.matching.score import CONSEQUENCE
from netveil.charts import TEXT
from netveil.network import Reading
from netveil.release.gather import gather
from netveil.release.records import run_record
from netveil.report import Evidence, render, render_sign_off, render_synthetic
from netveil.utility import communities
from waiting import HANG

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)

PDFTOTEXT = shutil.which("pdftotext")
LONG = "Maximiliane-Friederike von und zu Hohenlohe-Waldenburg, Öffentlichkeitsarbeit <m.{}@example.org>"
SPACES = range(0, 1000, 90)  # pixels by which a table is moved down the page


@pytest.fixture(scope="module")
def longest() -> dict[str, Any]:
    """A record with all that makes pages long: k = 5, four attackers, a target, limits, protected edges."""
    graph = networkx.gnm_random_graph(60, 250, seed=2)
    network = nv.Network.from_edges([(LONG.format(u), LONG.format(v)) for u, v in graph.edges])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(communities, "RUNS", 10)
        release = nv.anonymize(
            network,
            "10%",
            measure=["count", "degree", "vertex-refinement", "ego"],
            k=5,
            target="99%",
            keep={"clustering": "5%", "lcc": "1%", "degree": "50%"},
            protect=[LONG.format(0)],
            algorithm="ua",
            seed=10**9,
        )
        run = run_record(release, gather(release), published={"network.txt": "c0" * 32})
    named = "contacts-of-everybody-in-the-office-of-public-relations-and-elsewhere-final-2" * 3
    reading = Reading(
        "edge-list",
        "semicolon",
        ("Person A, the one who calls" * 4, "Person B, the one who is called" * 4),
        True,
        "UTF-16 with a byte order mark",
        first=tuple((LONG.format(number), LONG.format(number + 1)) for number in range(3)),
        dropped=("12 further columns", "1,000 self-loops", "20,000 repeated edges"),
        oddities=("a_column_of_dates_is_taken_as_people_" * 8, "more people than lines"),
    )
    run.update(network=named, input=f"{named}.csv", original_sha256="ab" * 32, reading=reading.to_dict())
    run["command"] = (
        f"netveil anonymize {named}.csv " + "--measure ward_seven_measures:contacts_in_pairs " * 12
    )
    plain: dict[str, Any] = json.loads(json.dumps(run))
    return plain


def at_every_maximum(run: dict[str, Any]) -> dict[str, Any]:
    """The record with everything that the page to sign may have to say, each as long as it can be."""
    run = copy.deepcopy(run)
    report, many = run["report"], 123_456_789
    run.update(keep_labels=True, kept_attributes=["what the person said about it" * 9] * 99, resumed=True)
    run.update(nodes=many, edges=9 * many, at_risk_before=many - 1, at_risk_after=many - 2, deleted=many // 2)
    run.update(target="99.99%", enough=many // 3, reached=False, budget=many, protected=many // 7)
    run["reading"]["dropped"] = [f"{many:,} {what}" for what in ("further columns", "self-loops", "ties")] * 3
    report.update(titles=["counts contacts, and something else of hers " * 9] * 9, twins=True)
    report["remaining"].update(people=many, contacts=[many // 9, many // 8], contacts_of_all=many / 2)
    report["consequence"] = [CONSEQUENCE]
    report["audit"]["leaks"] = [
        {
            "severity": "leak",
            "kind": "labels",
            "finding": "Labels look like names of people. " * 9,
            "remedy": "",
        }
    ] * 9
    rule = {
        "rule": "k",
        "limit": 2,
        "found": 1,
        "met": False,
        "sentence": "attributes published: " + "age " * 99,
    }
    run["verdict"] = (
        f"Does not meet policy {'of the whole institute' * 9}: {rule['sentence']} (and 8 more rules)."
    )
    run["policy"] = {
        "name": "institute" * 9,
        "met": False,
        "rules": [rule] * 9,
        "helps": ["Do less. " * 9] * 9,
    }
    said = {name: f"{name} of this release " * 99 for name in run["decision"]["grounds"]}
    run["decision"]["grounds"] = {**said, "review": "2030-12-31"}
    for each in (*run["scenarios"], *run["questions"]):
        each["sentence"] = f"{each['sentence']} And so on. " * 9
    version = {"release": "version" * 9, "kind": "deletion", "k": 5, "made_at": run["made_at"]}
    run["decision"]["versions"] = [{**version, "rejected_because": run["verdict"]}] * 9
    report["limits"] = [{**report["limits"][0], "before": 1 / 3, "after": 1 / 7}] * 9
    return run


def printed(chromium: Browser, html: str, paper: str) -> bytes:
    page = chromium.new_page()
    page.set_default_timeout(1000 * HANG)
    page.set_content(html)
    pdf = page.pdf(format=paper)
    page.close()
    return pdf


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("full", "made_by", "paper"), [*product((True, False), ("command", "python"), ("A4", "Letter"))]
)
def test_the_page_to_sign_is_one_page(
    chromium: Browser, longest: dict[str, Any], paper: str, made_by: str, full: bool
) -> None:
    run = at_every_maximum(longest) if full else copy.deepcopy(longest)
    if made_by == "python":
        run["command"] = ""

    assert pages_of(printed(chromium, render_sign_off(run), paper)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_page_to_sign_of_a_synthetic_release_is_one_page(
    chromium: Browser, longest: dict[str, Any], paper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(communities, "RUNS", 10)
    network = clustered()
    release = nv.synthesize(network, k=5, copies=9, seed=10**9)
    attacks = {
        "rows": [{"what": "rows", "title": "knows the table, and " * 5, "found": 12.3, "people": 60}] * 5,
        "inference": [],
        "warnings": [],
        "sentences": ["Inside rows nobody is told apart by the network: ranks are as by chance."] * 2,
    }
    evidence = Evidence(comparison=nv.compare(network, release), attacks=attacks)
    run = run_record(release, evidence, published={f"network-{copy}.txt": "c0" * 32 for copy in range(9)})
    run.update({name: longest[name] for name in ("network", "input", "reading", "command")})

    assert pages_of(printed(chromium, render_synthetic(run, "sign-off"), paper)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(("paper", "full"), [*product(("A4", "Letter"), (True, False))])
def test_the_report_is_at_most_eight_pages(
    chromium: Browser, longest: dict[str, Any], paper: str, full: bool
) -> None:
    run = copy.deepcopy(longest)
    if full:
        everything = at_every_maximum(longest)
        run.update({name: everything[name] for name in ("scenarios", "questions", "decision", "verdict")})

    assert pages_of(printed(chromium, render(run), paper)) <= 8


@pytest.mark.thorough
def test_what_is_folded_away_is_printed_if_it_is_unfolded(chromium: Browser, longest: dict[str, Any]) -> None:
    page = chromium.new_page()
    page.set_default_timeout(1000 * HANG)
    page.set_content(render(longest))
    page.emulate_media(media="print")
    visible = "all => all.map(each => each.checkVisibility() && each.getBoundingClientRect().height > 100)"
    folded = page.eval_on_selector_all("details figure", visible)
    told = page.eval_on_selector_all("summary", "all => all.map(each => each.checkVisibility())")
    page.eval_on_selector_all("details", "all => all.forEach(each => { each.open = true; })")
    unfolded = page.eval_on_selector_all("details figure", visible)
    page.close()

    assert len(folded) >= 4 and not any(folded) and all(unfolded) and all(told)


@pytest.mark.thorough
@pytest.mark.parametrize("which", [render, render_sign_off], ids=["report", "sign-off"])
def test_on_a_telephone_every_cell_is_in_sight(
    chromium: Browser, longest: dict[str, Any], which: Any
) -> None:
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    page.set_default_timeout(1000 * HANG)
    page.set_content(which(longest))
    outside = page.eval_on_selector_all(
        "td, tbody th, p, h1, h2, li, caption",
        """all => all.filter(each => { const box = each.getBoundingClientRect();
           return box.right > 400.5 || box.left < 0
             || (box.width < 2 && each.innerText && each.checkVisibility())
             || each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX != 'visible'; })
           .map(each => each.innerText)""",
    )
    unnamed = page.eval_on_selector_all(
        ".stacked td",
        "all => all.map(each => getComputedStyle(each, '::before').content).filter(each => each == 'none')",
    )
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()

    assert (wide, outside, unnamed) == (400, [], [])


pytest.importorskip("playwright")


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
    scales = page.eval_on_selector_all("figure svg", "all => all.map(svg => svg.getScreenCTM()?.a)")
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()

    assert errors == []
    assert [url for url in requests if not url.startswith("data:")] == [page_file.as_uri()]
    assert len(pictures) == 6
    assert all(wide > 100 and high > 50 for wide, high in pictures)
    assert all(scale * TEXT >= 10 for scale in scales if scale)  # pixels of a letter
    assert overflow <= 0
    assert background == ("rgb(20, 25, 31)" if scheme == "dark" else "rgb(255, 255, 255)")
