"""The report: from the numbers of a run to one page that answers a privacy officer's questions."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import clustered
from netveil.release.records import read_run, run_record
from netveil.report import Evidence, render
from netveil.report.summary import NODES_OF_A_PART


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
