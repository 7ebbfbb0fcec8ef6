"""Who watches a long call from Python: a bar, nobody, or a function; and what Ctrl-C does."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import netveil as nv
from netveil.progress import OnBar, Watcher, in_notebook, watched_by

KARATE = nv.load("karate")
GA: dict[str, Any] = {"budget": 5, "algorithm": "ga", "seed": 1}


def at_step(number: int, act: Callable[[], Any]) -> Callable[[nv.ProgressReport], None]:
    """A function that acts when a search has come to this step."""

    def hear(report: nv.ProgressReport) -> None:
        if report.state is not None and report.state.step == number:
            act()

    return hear


def interrupt() -> None:
    """Do what Ctrl-C does in Python."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "act", [interrupt, lambda: signal.raise_signal(signal.SIGINT)], ids=["raised", "signal"]
)
def test_an_interrupted_search_returns_its_best(act: Callable[[], Any]) -> None:
    """Marked as interrupted, soon after; unless it is to be raised. Ctrl-C is as it was, afterwards."""
    whole = nv.anonymize(KARATE, **GA).outcome
    release = nv.anonymize(KARATE, **GA, progress=at_step(3, act))

    assert (release.outcome.stopped_by, release.outcome.generations) == ("interrupted", 3)
    assert release.outcome.history[3].at_risk == whole.history[3].at_risk
    assert release.outcome.at_risk_after < release.outcome.at_risk_before
    with pytest.raises(KeyboardInterrupt):
        nv.anonymize(KARATE, **GA, progress=at_step(3, act), on_interrupt="raise")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interruption_is_raised() -> None:
    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    assert nv.anonymize(KARATE, **GA, progress=at_step(2, twice)).outcome.stopped_by == "interrupted"


def test_of_runs_that_are_interrupted_the_best_so_far_is_returned() -> None:
    seen: list[int] = []

    def second(report: nv.ProgressReport) -> None:
        seen.extend([report.state.step] if report.state is not None else [])
        if seen.count(0) == 2:
            raise KeyboardInterrupt

    release = nv.anonymize(KARATE, **GA, runs=5, progress=second)
    alone = nv.anonymize(KARATE, **GA)

    assert release.runs is not None and len(release.runs) == 2
    assert (release.outcome.stopped_by, release.deleted_edges) == ("interrupted", alone.deleted_edges)


def test_every_long_call_tells_how_far_it_is(tmp_path: Path) -> None:
    """In words, with the share where it is known; results do not depend on who watches."""
    heard: list[nv.ProgressReport] = []

    def told() -> list[nv.ProgressReport]:
        said = list(heard)
        heard.clear()
        return said

    release = nv.anonymize(KARATE, **GA, progress=heard.append)
    searched = told()
    assert searched[0] == nv.ProgressReport("counting who is at risk", searched[0].share)
    assert searched[-1].state.at_risk == release.outcome.history[-1].at_risk
    assert "edges deleted" in searched[-1].doing
    assert release.deleted_edges == nv.anonymize(KARATE, **GA).deleted_edges

    nv.synthesize(KARATE, seed=1, progress=heard.append)
    assert [each.share for each in told()][-1] == 1.0
    nv.compare(KARATE, release, metrics=["lcc"], progress=heard.append)
    assert [each.doing for each in told()] == ["comparing: share of nodes in the largest component"]
    nv.audit(KARATE, release, measure="degree", distance=1, matching="none", fuzzy=[], progress=heard.append)
    assert told()[0].doing == "trying attacks: degree"
    nv.save(release, tmp_path / "saved", audit=False, progress=heard.append)
    assert "measuring what it cost: share of nodes in the largest component" in [
        each.doing for each in told()
    ]
    nv.pareto_front(release, progress=heard.append)
    assert [each.doing for each in told()] == ["comparing releases: 1 of 1"]
    plan = tmp_path / "plan.toml"
    plan.write_text("networks = ['karate']\nalgorithms = ['es']\nseeds = 2\n", encoding="utf-8")
    nv.experiment(plan, tmp_path / "runs", workers=1, progress=heard.append)
    assert (heard[0].share, heard[-1].share, heard[-1].state.done) == (0.0, 1.0, 2)
    assert heard[0].doing == "0 of 2 runs"


def test_a_bar_is_shown_where_somebody_watches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default in a terminal, not in a file; never with False; on request in any case."""
    nv.anonymize(KARATE, **GA)
    nv.compare(KARATE, KARATE, metrics=["lcc"])
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    nv.anonymize(KARATE, **GA, progress=True)
    assert "at risk" in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    nv.compare(KARATE, KARATE, metrics=["lcc"], progress=False)
    assert capsys.readouterr() == ("", "")
    nv.compare(KARATE, KARATE, metrics=["lcc"])
    assert "comparing" in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr", None)
    nv.compare(KARATE, KARATE, metrics=["lcc"])


def test_a_notebook_shows_html_that_is_gone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, html: str) -> None:
            shown.append(html)

    def display(html: str, display_id: bool) -> Handle:
        shown.append(f"first {html}")
        return Handle()

    module = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    assert in_notebook()
    with watched_by(None) as watcher:
        watcher.prepare("a <b>", 0.5)
    assert isinstance(watcher, OnBar) and shown == []
    monkeypatch.setattr("netveil.progress.SECONDS_BETWEEN_DRAWINGS", 0.0)
    with watched_by(None) as watcher:
        watcher.prepare("a <b>", 0.25)
        watcher.prepare("a <b>", 0.5)
    bar = '<progress value="{}"></progress> preparing: a &lt;b&gt;'
    assert shown == [f"first {bar.format('0.250')}", bar.format("0.500"), ""]


def test_a_watcher_of_ones_own_is_taken_as_it_is() -> None:
    steps: list[Any] = []

    class Mine(Watcher):
        def step(self, progress: Any) -> None:
            steps.append(progress)

    release = nv.anonymize(KARATE, **GA, progress=Mine())
    assert len(steps) == len(release.history)
