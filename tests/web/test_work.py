"""What workers do: read, look, draw, find a person; and runs, steered by the user, kept and gone on with."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_http import CONTACTS, NASTY

import netveil as nv
from netveil.cli import main
from netveil.job import Synthesis
from netveil.release.synthetic_release import load_drawn
from netveil.web.forms import checked_options
from netveil.web.loading import read_network
from netveil.web.looking import DEAR, LONG, MOST_EDGES, MOST_NODES, drawing, look, measure, people, person
from netveil.web.worker import OnPage, ServerEnded, Steering, _without_paths, make, trial
from waiting import until

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
    problem = of_file(tmp_path / "content.csv", content)["problem"]

    assert "mine.csv" in problem["message"] and str(tmp_path) not in problem["message"]


def test_all_measures_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with the figures of `nv.measure`; where some would take long, what they would cost instead."""
    found = look({"network": KARATE, "k": 2})

    assert [row["name"] for row in found["measures"]] == list(nv.anonymity.MEASURES) and not found["dear"]
    for row in found["measures"]:
        figures = nv.measure(nv.load("karate"), row["name"])
        assert row["figures"] == figures.to_dict()
        assert sum(band["people"] for band in row["by_degree"]) == 34
        assert sum(band["at_risk"] for band in row["by_degree"]) == figures.at_risk
    monkeypatch.setattr("netveil.web.looking.SECONDS_AN_EDGE", 0.5)
    for cores, cost in ((1, "about 4 min"), (4, "about 56 s")):  # 444 edges around people alike by degrees
        monkeypatch.setattr("netveil.web.looking.available_cores", lambda cores=cores: cores)
        found = look({"network": KARATE, "k": 2})
        assert [row["name"] for row in found["dear"]] == list(DEAR)
        assert [row["cost"] for row in found["dear"]] == [cost, cost]
        assert {row["name"] for row in found["measures"]} == {*nv.anonymity.MEASURES} - {*DEAR}
    for seconds, dear in ((LONG, []), (1.1 * LONG, list(DEAR))):
        monkeypatch.setattr("netveil.web.looking.SECONDS_AN_EDGE", 4 * seconds / 444)
        assert [row["name"] for row in look({"network": KARATE, "k": 2})["dear"]] == dear
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
        [sys.executable, "-P", "-m", "netveil.web.worker"],
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


BRIEF = {"utility": False, "audit": False, "baselines": False}


def order_for(folder: Path, **options: Any) -> dict[str, Any]:
    """What the server orders for a search."""
    checked = checked_options({"seed": 1, "budget": "10%", **BRIEF, **options}, 34, 78)
    nothing = dict.fromkeys(("protect", "policy", "source_folder", "budget"))
    what = {"kind": "search", "network": KARATE, "options": checked, "extension": "txt", "command": "so"}
    return {**what, **nothing, "folder": str(folder), "resumed": False}


class Told(list[dict[str, Any]]):
    """What a worker tells; at a message that fits, the user says a word."""

    def __init__(self, word: str = "", at: Callable[[dict[str, Any]], Any] = lambda message: False) -> None:
        super().__init__()
        self.steering, self._word, self._at = Steering(), word, at

    def hear(self, message: dict[str, Any]) -> None:
        """Note what is told."""
        self.append(message)
        if self._at(message) and not self.steering.stops:
            self.steering.hear(self._word)

    def states(self) -> list[str]:
        """The states, one after the other."""
        return [each["state"] for each in self if "state" in each]


def doing(begin: str) -> Callable[[dict[str, Any]], bool]:
    """Whether a message tells that a part of the report begins."""
    return lambda message: str(message.get("doing", "")).startswith(begin)


def made(order: dict[str, Any], told: Told | None = None) -> dict[str, Any]:
    """The figures of a release that is made of an order."""
    told = Told() if told is None else told
    return make(order, told.hear, told.steering)


def test_a_run_is_the_release_of_the_same_call(tmp_path: Path) -> None:
    told, options = Told(), {"measures": ["degree"], "k": 3, "keep": {"lcc": "0"}}
    figures = made(order_for(tmp_path / "a", **options), told)
    release = nv.anonymize(nv.load("karate"), "10%", seed=1, measure=["degree"], k=3, keep={"lcc": "0"})
    nv.save(release, tmp_path / "b", utility=False, audit=False, baselines=False)

    for name in ("public/about.json", "private/deleted_edges.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert figures["at_risk_after"] == nv.load_release(tmp_path / "b").outcome.at_risk_after
    assert told.states()[0] == "searching" and told.states()[-1] == "reporting"
    heard = [each["progress"] for each in told if "progress" in each]
    progress = next(each for each in heard if "budget" in each)
    assert progress["budget"] == 7 and progress["at_first"] == figures["at_risk_before"]


def test_what_is_set_up_and_warned_of_is_told(tmp_path: Path) -> None:
    """A bar for what comes before the search; that the policy asks for another k, in the page's words."""
    told = Told()
    figures = made(order_for(tmp_path / "a", effort=0.01) | {"policy": "teaching"}, told)
    watcher = OnPage(told.hear, told.steering)
    watcher.prepare("counting", 0.5)

    assert told[-1] == {"progress": {"doing": "counting", "share": 0.5}}
    warned = next(each["announced"] for each in told if "announced" in each)
    assert warned.startswith("Policy teaching asks for k = 10") and warned.endswith("give “k” 10.")
    assert figures["policy"]["met"] is False and figures["verdict"].startswith(
        "Does not meet policy teaching"
    )


def test_a_trial_says_what_deleting_would_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within what may be lost, or that it cannot be had; nothing is written."""
    monkeypatch.setattr("netveil.web.worker.SECONDS_OF_TRIAL", 0.05)
    asked = {"seed": 0, "protect": None}
    enough, little = (
        trial({"network": KARATE, "options": checked_options({"budget": budget}, 34, 78) | asked})
        for budget in ("90%", "1")
    )

    assert enough["fits"] and "to give 95% of the people lookalikes" in enough["sentence"]
    assert not little["fits"] and "With the 1 tie that may be lost" in little["sentence"]
    assert "cannot be had by deleting so few ties; a synthetic network can" in little["sentence"]


def test_a_stopped_run_keeps_its_best(tmp_path: Path) -> None:
    """It is written as a release that says that it was stopped, with its report."""
    told = Told()
    told.steering.hear("stop")  # before there is anything to stop
    figures = made(order_for(tmp_path / "a", effort=1000.0, k=5, utility=True), told)

    assert figures["stopped_by"] == "interrupted"
    assert nv.load_release(tmp_path / "a").outcome.stopped_by == "interrupted"
    assert json.loads((tmp_path / "a" / "private" / "run.json").read_text())["report"]["utility"]


@pytest.mark.thorough
def test_a_pause_stops_the_clock(tmp_path: Path) -> None:
    """And nothing is tried in it; the search goes on from where it was."""
    told = Told()
    told.steering.hear("pause")
    figures: dict[str, Any] = {}
    thread = threading.Thread(target=lambda: figures.update(made(order_for(tmp_path / "a"), told)))
    thread.start()
    until(lambda: "paused" in told.states())
    tried = sum("progress" in each for each in told)
    assert thread.is_alive() and not figures
    assert sum("progress" in each for each in told) == tried
    told.steering.hear("continue")
    thread.join()

    assert told.states()[:3] == ["searching", "paused", "searching"]
    assert figures["at_risk_after"] < figures["at_risk_before"]


def test_a_pause_does_not_count() -> None:
    ticks = iter([0.0, 10.0, 70.0, 71.0])
    steering = Steering(lambda: next(ticks))
    assert steering.seconds() == 0.0
    steering.hear("pause")
    steering.on_pause = lambda paused: steering.hear("continue") if paused else None
    steering._changed = threading.Condition(threading.RLock())
    steering.obey()

    assert steering.seconds() == 11.0


@pytest.mark.thorough
def test_a_run_that_is_left_goes_on_from_its_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server ends: what was found is kept where `netveil anonymize --resume` finds it."""
    order = order_for(tmp_path / "a", effort=1000.0, k=5)
    with pytest.raises(ServerEnded):
        made(order, Told("leave", lambda message: message.get("progress", {}).get("deleted")))
    best = json.loads((tmp_path / ".a.unfinished" / "best.json").read_text())
    words = (
        "anonymize karate --k 5 --budget 10% --effort 0.01 --seed 1 --no-utility --no-audit --no-baselines"
    )

    assert not (tmp_path / "a").exists()
    assert main([*words.split(), "--json", "--quiet", "--resume", "--out", str(tmp_path / "a")]) == 0
    assert json.loads(capsys.readouterr().out)["at_risk_after"] <= best["at_risk"]
    assert nv.load_release(tmp_path / "a").outcome.resumed


def test_what_a_finished_search_found_is_not_searched_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends while the report is written: the run that is resumed begins with the report."""
    told, order = Told(), order_for(tmp_path / "a", utility=True)
    with pytest.raises(ServerEnded):
        made(order, Told("leave", doing("measuring what it cost")))
    assert not (tmp_path / "a").exists()
    monkeypatch.setattr("netveil.workflow.searching", lambda *job: pytest.fail("searched anew"))
    figures = made(order | {"resumed": True}, told)

    assert figures["stopped_by"] != "interrupted" and figures["at_risk_after"] < figures["at_risk_before"]
    assert any("had come to its end" in each.get("announced", "") for each in told)
    assert nv.load_release(tmp_path / "a").figures().items() <= figures.items()


def test_a_point_of_a_curve_is_taken_without_a_search(tmp_path: Path, karate_release: Path) -> None:
    curve = nv.load_release(karate_release)
    point = curve.curve.rows[0]
    source = {"kind": "point", "source_folder": str(karate_release), "budget": point["budget"]}
    figures = made(order_for(tmp_path / "b") | source)

    assert (figures["deleted"], figures["at_risk_after"]) == (point["deleted"], point["at_risk"])
    assert nv.load_release(tmp_path / "b").network == curve.at(point["budget"]).network


@pytest.mark.thorough
def test_whoever_stops_the_report_gets_the_release_without_it(tmp_path: Path) -> None:
    order = order_for(tmp_path / "a", baselines=True, utility=True, audit=True)
    made(order, Told("stop", doing("trying other algorithms")))
    record = json.loads((tmp_path / "a" / "private" / "run.json").read_text())

    assert record["stopped_by"] != "interrupted"
    assert record["report"]["audit"] is None and record["report"]["utility"] == []


@pytest.mark.thorough
def test_what_is_cut_off_is_drawn_again(tmp_path: Path) -> None:
    """The server ends while ties are drawn: nothing is left; the run that is resumed draws the same ties."""
    asked = checked_options({"k": 3, "copies": 2, "seed": 7, "audit": False}, 34, 78, Synthesis)
    order = order_for(tmp_path / "a") | {"kind": "synthetic", "options": asked}
    leaving, told = Told("leave", lambda message: "progress" in message), Told()
    with pytest.raises(ServerEnded):
        made(order, leaving)
    left = sorted(path.name for path in tmp_path.iterdir())
    figures = made(order | {"resumed": True}, told)
    drawn, same = load_drawn(tmp_path / "a"), nv.synthesize("karate", k=3, copies=2, seed=7)

    assert left == []
    assert leaving[1]["progress"]["doing"] == "drawing the network"
    assert 0 <= leaving[1]["progress"]["share"] <= 1
    assert told[-1]["doing"].startswith("measuring what it still tells")
    assert (figures["kind"], drawn.seed) == ("synthetic", 7)
    for one, other in zip(drawn.drawn, same.drawn, strict=True):
        assert np.array_equal(one.edges, other.edges)
