"""Runs, as a worker makes them: steered by the user, kept when the server ends, and gone on with later."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.web.forms import checked_options
from netveil.web.work.run_job import OnPage, ServerEnded, Steering, make, trial
from waiting import until

KARATE = {"kind": "builtin", "name": "karate"}
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
    """Same deletions, same figures to publish."""
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
    monkeypatch.setattr("netveil.web.work.run_job.SECONDS_OF_TRIAL", 0.05)
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
    """The clock of a search stands still while it waits."""
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
    """As `nv.from_curve` takes it."""
    curve = nv.load_release(karate_release)
    point = curve.curve.rows[0]
    source = {"kind": "point", "source_folder": str(karate_release), "budget": point["budget"]}
    figures = made(order_for(tmp_path / "b") | source)

    assert (figures["deleted"], figures["at_risk_after"]) == (point["deleted"], point["at_risk"])
    assert nv.load_release(tmp_path / "b").network == curve.at(point["budget"]).network


@pytest.mark.thorough
def test_whoever_stops_the_report_gets_the_release_without_it(tmp_path: Path) -> None:
    """What was found by then is in it."""
    order = order_for(tmp_path / "a", baselines=True, utility=True, audit=True)
    made(order, Told("stop", doing("trying other algorithms")))
    record = json.loads((tmp_path / "a" / "private" / "run.json").read_text())

    assert record["stopped_by"] != "interrupted"
    assert record["report"]["audit"] is None and record["report"]["utility"] == []
