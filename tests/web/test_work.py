"""What workers do, each by itself: read, look, draw, find a person; figures as in `netveil measure`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_http import CONTACTS, NASTY

import netveil as nv
from netveil.web.work.__main__ import _without_paths
from netveil.web.work.loading import read_network, take_in
from netveil.web.work.looking import (
    DEAR,
    MOST_EDGES,
    MOST_NODES,
    _dear,
    drawing,
    look,
    measure,
    people,
    person,
)

KARATE = {"kind": "builtin", "name": "karate"}
ASKED = {"measures": ["count"], "distance": 1, "k": 2, "fuzzy": None, "twins": False}


def of_file(path: Path, content: bytes, **asked: Any) -> dict[str, Any]:
    """How a file is read, and what is shown of it."""
    path.write_bytes(content)
    how = dict.fromkeys(("format", "columns", "separator", "header", "encoding")) | asked
    given = {"kind": "file", "path": str(path), "shown": "mine.csv", "asked": how}
    return read_network({"network": given})


def test_other_releases_are_told_of_without_their_paths(tmp_path: Path) -> None:
    """The register names folders of the page, which its user has never seen."""
    folders = [str(tmp_path / name / "release") for name in ("0123456789abcdef", "fedcba9876543210")]
    told = _without_paths(f"one release, and {folders[1]} holds one.", {"folder": folders[0]})
    assert told == "one release, and another release of this page holds one."


def test_reading_shows_columns_and_first_ties(tmp_path: Path) -> None:
    """The record of `nv.read`, and the first lines as cells with the two columns that were taken."""
    found = of_file(tmp_path / "content.csv", CONTACTS.encode())

    assert (found["nodes"], found["edges"], found["problem"]) == (6, 6, None)
    assert found["reading"]["first"][0] == ("Zebediah", "Anna")
    assert found["table"]["rows"][:2] == [["who", "whom", "weight"], ["Zebediah", "Anna", "1"]]
    assert (found["table"]["people"], found["table"]["header"]) == ([0, 1], True)
    given = {
        "kind": "file",
        "path": str(tmp_path / "content.csv"),
        "shown": "x.csv",
        "asked": {"columns": None},
    }
    searched = people({"network": given, "attackers": ASKED, "find": "script", "offset": 0, "limit": 9})
    assert [row["label"] for row in searched["rows"]] == [NASTY], "escaping is for whoever shows it"


def test_a_question_comes_with_the_first_lines(tmp_path: Path) -> None:
    """And with cells to choose columns from; the answer settles it."""
    content = b"a,b,c\nx,y,z\ny,z,x\nz,w,y\n"
    asked = of_file(tmp_path / "content.csv", content)
    settled = of_file(tmp_path / "content2.csv", content, header=False, columns=["1", "3"])

    assert asked["problem"]["asks"] and asked["problem"]["message"].startswith("mine.csv: ")
    assert asked["problem"]["lines"][0] == "a | b | c"
    assert asked["table"]["rows"][3] == ["z", "w", "y"]
    assert settled["table"]["people"] == [0, 2]
    assert settled["reading"]["first"][0] == ("a", "c")


@pytest.mark.parametrize("content", [b"\0\1\2", b"", b"only one label\n" * 3])
def test_what_is_no_network_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    """By the name that the user gave the file, not by ours."""
    problem = of_file(tmp_path / "content.csv", content)["problem"]

    assert "mine.csv" in problem["message"] and str(tmp_path) not in problem["message"]


def test_all_cheap_measures_at_once() -> None:
    """Each with the figures of `nv.measure`; of the dear ones, what they would cost."""
    found = look({"network": KARATE, "k": 2})

    assert {row["name"] for row in found["measures"] + found["dear"]} == {*nv.anonymity.MEASURES}
    for row in found["measures"]:
        figures = nv.measure(nv.load("karate"), row["name"])
        assert row["figures"] == figures.to_dict()
        assert sum(band["people"] for band in row["by_degree"]) == 34
        assert sum(band["at_risk"] for band in row["by_degree"]) == figures.at_risk
    assert [row["name"] for row in found["dear"]] == list(DEAR)
    assert all(row["seconds"] > 0 and row["cost"] for row in found["dear"])
    costs = [_dear("ego", seconds)["cost"] for seconds in (0.2, 3, 200)]
    assert costs == ["less than a second", "about 3 s", "about 3 min"]
    asked = {**ASKED, "measures": ["count", "degree"], "k": 3, "fuzzy": "5%", "twins": True}
    several = nv.measure(nv.load("karate"), ["count", "degree"], k=3, fuzzy="5%", twins=True)
    assert measure({"network": KARATE, "attackers": asked})["figures"] == several.to_dict()


def test_a_small_network_is_drawn_whole() -> None:
    """Everybody in the unit square, coloured as `nv.measure` says, every tie once."""
    drawn, anonymity = drawing({"network": KARATE, "attackers": ASKED}), nv.measure(nv.load("karate"))

    assert drawn["whole"] and len(drawn["nodes"]) == 34 and len(drawn["edges"]) == 78
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y, *_ in drawn["nodes"])
    assert [node[2] for node in drawn["nodes"]] == anonymity.nodes_at_risk.astype(int).tolist()
    assert (
        drawing({"network": KARATE, "attackers": {**ASKED, "k": 5}})["nodes"][0][:2] == drawn["nodes"][0][:2]
    )


def test_a_large_network_is_drawn_around_those_at_risk(tmp_path: Path) -> None:
    """As many as can be drawn smoothly, many of them at risk, and a sentence that says so."""
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 6000, (20_000, 2))
    hubs = [(0, other) for other in range(1, 3000)]  # of one hub, few are taken
    path = tmp_path / "content.csv"
    path.write_text("".join(f"{u},{v}\n" for u, v in [*pairs.tolist(), *hubs] if u != v))
    given = {"kind": "file", "path": str(path), "shown": "x.csv", "asked": dict.fromkeys(("columns",))}
    drawn = drawing({"network": given, "attackers": {**ASKED, "measures": ["vertex-refinement"]}})

    assert not drawn["whole"] and "A sample of" in drawn["note"]
    assert len(drawn["nodes"]) <= MOST_NODES and len(drawn["edges"]) <= MOST_EDGES
    assert sum(node[2] for node in drawn["nodes"]) > len(drawn["nodes"]) / 2
    numbers = [node[5] for node in drawn["nodes"]]
    network = nv.read(path)
    assert all(numbers[v] in network.neighbours(numbers[u]) for u, v in drawn["edges"][:50])


def test_people_at_risk_are_those_of_the_table() -> None:
    """As `netveil measure --people` has them, in the same order; others are found by their label."""
    karate = nv.load("karate")
    found = people({"network": KARATE, "attackers": ASKED, "find": "", "offset": 2, "limit": 5})
    expected = nv.measure(karate).people(karate)

    assert found["total"] == len(expected) == 15
    assert [(row["label"], row["state"]) for row in found["rows"]] == [
        (str(row.label), row.state) for row in expected[2:7]
    ]
    searched = people({"network": KARATE, "attackers": ASKED, "find": "33", "offset": 0, "limit": 5})
    assert [row["label"] for row in searched["rows"]] == ["33"]


def test_a_person_is_told_of_with_contacts_and_lookalikes() -> None:
    """Those at risk with what gives them away, others with who hides them."""
    karate = nv.load("karate")
    anonymity = nv.measure(karate)
    risky = person({"network": KARATE, "attackers": ASKED, "node": 33})
    hidden = next(node for node in range(34) if not anonymity.nodes_at_risk[node])
    safe = person({"network": KARATE, "attackers": ASKED, "node": hidden})

    assert risky["at_risk"] and "contacts 17, ties among them 15" in risky["why"]
    assert {row["node"] for row in risky["among"]} == set(karate.neighbours(33).tolist())
    assert safe["why"].startswith("Not at risk")
    assert len(safe["lookalikes"]) == safe["lookalikes_total"] == anonymity.lookalikes[hidden] - 1
    narrowed = person({"network": KARATE, "attackers": {**ASKED, "k": 5}, "node": hidden})
    assert narrowed["at_risk"] == (anonymity.lookalikes[hidden] < 5)
    with pytest.raises(nv.NetveilError, match="person 34"):
        person({"network": KARATE, "attackers": ASKED, "node": 34})


def test_pages_of_a_release_that_was_brought_are_rendered_anew(karate_release: Path, tmp_path: Path) -> None:
    """Also in its folder, from which they are taken away again: what came is not trusted."""
    folder = Path(shutil.copytree(karate_release, tmp_path / "release"))
    pages = [folder / "private" / name for name in ("report.html", "sign-off.html")]
    for page in pages:
        page.write_text("<script>alert(1)</script>", encoding="utf-8")
    take_in({"release": str(folder)})

    assert all(
        "karate" in (text := page.read_text(encoding="utf-8")) and "alert" not in text for page in pages
    )


@pytest.mark.thorough
def test_a_release_that_was_brought_runs_no_code(
    karate_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record may name a measure of somebody's own, in a module of the folder that one works in."""
    monkeypatch.chdir(tmp_path)
    ran = "from pathlib import Path\nPath('ran').touch()\n"
    Path("sent.py").write_text(f"{ran}def contacts(network):\n    return network.degrees.tolist()\n")
    record = Path(shutil.copytree(karate_release, "release")) / "private" / "run.json"
    run = json.loads(record.read_text(encoding="utf-8"))
    run["attackers"][0]["measure"] = "sent:contacts"
    record.write_text(json.dumps(run), encoding="utf-8")
    order = {"id": 1, "do": "take-in", "release": str(tmp_path / "release")}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "netveil.web.work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        print(json.dumps(order), file=worker.stdin, flush=True)
        answer = json.loads(worker.stdout.readline())

    assert "code of a user, which is refused" in answer["error"]["message"]
    assert str(tmp_path) not in answer["error"]["message"], "our own files have the user's names for them"
    assert not Path("ran").exists()
