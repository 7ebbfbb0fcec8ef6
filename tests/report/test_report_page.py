"""The report: from the numbers of a run to one page that answers what its readers ask."""

from __future__ import annotations

import copy
import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import clustered
from netveil.formatting import counted
from netveil.job import Anonymization
from netveil.release.gather import gather
from netveil.release.records import read_run, run_record
from netveil.report import Evidence, render, render_sign_off
from netveil.report.page import with_the_same_budget
from netveil.report.summary import NODES_OF_A_PART
from netveil.utility import communities


@pytest.fixture
def folder(clustered_release: Path) -> Path:
    return clustered_release


@pytest.fixture
def run(folder: Path) -> dict[str, Any]:
    return copy.deepcopy(read_run(folder))


def page_of(folder: Path) -> str:
    return (folder / "private" / "report.html").read_text(encoding="utf-8")


def test_the_report_answers_seven_questions_in_order(folder: Path) -> None:
    questions = re.findall(r"<h2[^>]*>(.*?)</h2>", page_of(folder))

    assert questions == [
        "May it be published?",
        "Is it safe?",
        "What did it cost?",
        "Is it a good deal?",
        "What could an attacker still do?",
        "What does it not protect against?",
        "How was it made?",
    ]


def test_the_report_is_one_small_file_that_needs_nothing_else(folder: Path) -> None:
    page = page_of(folder)
    addresses = set(re.findall(r"""(?:src|href)=["']([^"'#][^"']*)""", page))

    assert len(page.encode()) < 1_000_000
    assert "<script" not in page
    assert page.count("<svg") == 6
    assert all(address.startswith("data:") for address in addresses)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_numbers_of_the_report_are_those_of_the_release(folder: Path, run: dict[str, Any]) -> None:
    published = nv.read(folder / "public" / "network.txt")
    original = clustered(200, 1500)

    assert [row["k"] for row in run["report"]["at_risk_by_k"]] == [2, 3, 5, 10]
    for row in run["report"]["at_risk_by_k"]:
        assert row["before"] == nv.measure(original, k=row["k"]).at_risk
        assert row["after"] == nv.measure(published, k=row["k"]).at_risk
    by_degree = run["report"]["by_degree"]
    assert sum(row["people"] for row in by_degree) == original.node_count
    assert sum(row["after"] for row in by_degree) == run["at_risk_after"]
    assert f"<strong>{run['at_risk_after']:,}</strong> can" in page_of(folder)


@pytest.mark.thorough
def test_a_metric_without_a_value_says_why_and_breaks_nothing(run: dict[str, Any]) -> None:
    run["report"]["utility"][2].update(
        before=None, after=None, change=None, relative_change=None, note="no two nodes are connected"
    )
    page = render(run)

    assert "no two nodes are connected" in page
    assert '<td data-label="before">–</td>' in page


@pytest.mark.quick(1)
@pytest.mark.parametrize("edges", [[], [("a", "b")], [("a", "b"), ("b", "c")]])
def test_tiny_networks_have_a_report(edges: list[tuple[str, str]], tmp_path: Path) -> None:
    network = nv.Network.from_edges(edges, nodes=["a", "b", "c"])
    folder = nv.save(nv.anonymize(network, "50%", seed=1), tmp_path / "release")

    assert "What did it cost?" in page_of(folder)


def test_a_release_of_an_exact_search_has_no_steps_of_a_search_to_tell_of() -> None:
    """Its page does not say that nothing could be deleted; no page names a line that is not there."""
    pages = [
        render(run_record(nv.anonymize(nv.load("karate"), budget, seed=1), Evidence())) for budget in (3, 0)
    ]

    assert ["Shown to be the least" in page for page in pages] == [True, False]
    assert ["took no step" in page for page in pages] == [False, True]
    assert not any("thin line" in page for page in pages)


def test_small_networks_are_drawn_whole_and_large_ones_in_part(run: dict[str, Any]) -> None:
    karate = run_record(nv.anonymize(nv.load("karate"), 5, seed=1), Evidence())["report"]["drawing"]
    part = run["report"]["drawing"]

    assert karate["whole"] and len(karate["nodes"]) == 34 and len(karate["edges"]) == 78
    assert sum(deleted for _, _, deleted in karate["edges"]) == 5
    assert not part["whole"] and len(part["nodes"]) == NODES_OF_A_PART
    assert part["nodes"][0][3]
    assert any(deleted for _, _, deleted in part["edges"])


def test_pictures_are_told_to_whoever_cannot_see_them(folder: Path, run: dict[str, Any]) -> None:
    page = page_of(folder)
    alone = run["report"]["class_sizes"]["before"]["1"]

    assert f"{alone} without a lookalike before" in page
    assert all(
        f"{row['degree']} contacts: {row['before']} before" in page for row in run["report"]["by_degree"]
    )


TONGA = timezone(timedelta(hours=13))


@pytest.fixture(scope="module")
def record_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The record of a release of a file that has something odd about it, made at a known time."""
    file = tmp_path_factory.mktemp("answers") / "club.csv"
    nv.write(nv.load("karate"), file)
    network = nv.read(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(communities, "RUNS", 10)
        release = nv.anonymize(network, "10%", measure=["count", "degree"], effort=0.02, seed=1)
        evidence = gather(release, Anonymization(baselines=True))
    record = run_record(release, evidence, clock=lambda: datetime(2026, 3, 4, 14, 5, 9, tzinfo=TONGA))
    record["reading"]["oddities"] = ["90% of the lines are <repeats>"]
    plain: dict[str, Any] = json.loads(json.dumps(record))
    return plain


@pytest.fixture
def record(record_once: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(record_once)


def test_both_pages_tell_when_it_was_made_and_how_the_file_was_read(record: dict[str, Any]) -> None:
    """In a sentence, with what is odd; the first ties name people, and stand in the report alone."""
    ties = "; ".join(f"{one} – {other}" for one, other in record["reading"]["first"])
    report, to_sign = render(record), render_sign_off(record)

    for page in (report, to_sign):
        assert "4 March 2026, 14:05 (UTC+13:00)" in page
    for page in (report.split("Is it safe?")[0], to_sign.split("Result")[0]):
        assert "<strong>club.csv</strong>: " in page
        assert "Read as edge-list" in page
        assert "90% of the lines are &lt;repeats&gt;" in page
    assert ties in report and len(record["reading"]["first"]) == 3
    assert ties not in to_sign and "First ties" not in to_sign


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({3: 99}, "For k = 3 <strong>more</strong> people"),
        ({3: 99, 5: 99, 10: 99}, "For k = 3, 5 and 10 <strong>more</strong> people"),
    ],
)
def test_other_k_that_got_worse_are_explained_where_they_are_shown(
    record: dict[str, Any], after: dict[int, int], said: str
) -> None:
    for row in record["report"]["at_risk_by_k"]:
        row["after"] = after.get(row["k"], 0)
    page = render(record)
    below = page.split("People at risk: those")[1].split("</table>")[1].split("</p>")[0]

    assert said in below
    assert "The search was for k = 2 only" in below and "<code>--k 3</code>" in below


def test_communities_have_their_noise_beside_them(record: dict[str, Any]) -> None:
    (row,) = [metric for metric in record["report"]["utility"] if "stability" in metric]
    row.update(score=0.91, after=0.91, change=-0.09, relative_change=-0.09, stability=0.875)
    cells = render(record).split("similarity of communities")[1].split("</tr>")[0]

    assert "similarity 0.9100<span" in cells
    assert "the original against itself: 0.8750" in cells
    assert ">-9.00%<span" in cells and "by chance alone: -12.5%" in cells


def test_research_figures_are_folded_away(record: dict[str, Any]) -> None:
    section = render(record).split("Is it a good deal?")[1].split("</section>")[0]
    open_part, folded = section.split("<details>")
    others = record["report"]["baselines"]

    left = " and ".join(str(other["at_risk"]) for other in others.values())
    assert f"With the same budget, other ways to choose edges leave {left}." in open_part
    assert not any(name.upper() in open_part for name in others), "names are for researchers"
    assert all(f'<th scope="row">{name}<' in folded for name in others)
    assert "<svg" not in open_part and "<table" not in open_part
    assert folded.count("<svg") == 2 and "The best objective" in folded


def test_other_algorithms_are_told_in_words() -> None:
    def told(baselines: dict[str, int], rivals: dict[str, int]) -> str:
        one, other = ({name: {"at_risk": n} for name, n in each.items()} for each in (baselines, rivals))
        return with_the_same_budget({"at_risk_after": 1, "report": {"baselines": one, "rivals": other}})

    assert told({"es": 1234}, {}).endswith("With the same budget, another way to choose edges leaves 1,234.")
    assert told({"es": 5, "ua": 0}, {"ga": 3}).endswith("other ways to choose edges leave 5, 0 and 3.")
    assert told({}, {}) == ""


@pytest.fixture(scope="module")
def curve_run() -> dict[str, Any]:
    """The record of a release of the karate club, with a curve and a target that is not reached."""
    release = nv.anonymize(nv.load("karate"), "10%", target="100%", effort=0.02, seed=1, curve=True)
    return run_record(release, gather(release, Anonymization(utility=False, audit=False, baselines=True)))


def test_every_point_is_in_the_table_and_told_to_whoever_cannot_see(curve_run: dict[str, Any]) -> None:
    page = render(curve_run)

    for point in curve_run["curve"]:
        assert (
            f"<td>{point['deleted']}</td><td>{point['deleted'] / 78:.2%}</td><td>{point['at_risk']}</td>"
            in page
        )
        assert f"{counted(point['deleted'], 'edge')}: {point['at_risk']:,} at risk" in page
    assert page.count("(this release)") == 2  # in the table of algorithms and in that of points


def test_a_rival_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netveil.release.gather.SECONDS_OF_BASELINE", 1e-9)
    release = nv.anonymize(nv.load("karate"), 3, effort=0.01, seed=1, curve=True)
    others = gather(release, Anonymization(utility=False, audit=False, baselines=True)).baselines

    assert others.keys() == {"uga", "es", "ua"}
    assert {other.stopped_by for other in others.values()} == {"time"}


@pytest.mark.parametrize(("reached", "said"), [(True, "It is reached."), (False, "It is not reached.")])
def test_a_target_is_told_in_the_first_answer(curve_run: dict[str, Any], reached: bool, said: str) -> None:
    record = {**curve_run, "target": "95%", "enough": 1, "reached": reached}
    answer = render(record).split("What did it cost?")[0]

    assert "The target was that 95% of the people have lookalikes, so 1 may be at risk." in answer
    assert f"<strong>{said}</strong>" in answer
