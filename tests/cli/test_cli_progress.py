"""What is shown while a command works: a bar for people, lines at intervals for a log; and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import pytest

from clocks import Clock, on_a_machine_of
from netveil.cli.networks import _progress as download_progress
from netveil.cli.progress import LogLines, OnTerminal
from netveil.job import Anonymization
from netveil.opening import load
from netveil.progress import bar, can_draw, finished
from netveil.release.gather import PARTS
from netveil.search import Underway, searching
from netveil.search.control import Shown, TimeLeft


@contextmanager
def search_shown(budget: int, quiet: bool) -> Iterator[Callable[[Underway], None]]:
    """What hears of the steps of a search, and shows them."""
    with closing(OnTerminal(Shown("annealing", budget), quiet)) as watcher:
        yield watcher.step


Shower = Callable[[bool], AbstractContextManager[Callable[..., None] | None]]  # given whether to be quiet
STEP = Underway(seconds=2.0, step=1, evaluations=1, objective=7, at_risk=7, deleted=3, at_first=8, share=0.2)
SHOWERS: dict[str, tuple[Shower, tuple[object, ...], str]] = {
    "a search": (
        lambda quiet: search_shown(9, quiet),
        (STEP,),
        "7 of 8 still at risk · 3 of 9 edges deleted · 2 s, about 8 s left\n",
    ),
    "a part of the report": (
        lambda quiet: OnTerminal(Shown("annealing", 9), quiet).report(PARTS["deletion"]["comparison"][1]),
        ("clustering",),
        "measuring what it cost (Ctrl-C skips this) …\n",
    ),
    "a download": (lambda quiet: download_progress("tiny", quiet), (1200, 3000), "tiny: 1.2 kB of 3.0 kB\n"),
}
"""Whatever shows how far it has come: how to begin, what it hears, and what it says in lines."""


def test_lines_of_a_log_are_at_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    """The first at once, others when it is time, and what must be seen whenever it comes."""
    clock = Clock()
    lines = LogLines(5.0, clock=clock)
    for wait, line, must_be_seen in (
        (0.0, "first", False),
        (4.0, "too early", False),
        (1.0, "second", False),
        (1.0, "end of a round", True),
        (4.5, "too early again", False),
        (0.5, "third", False),
    ):
        clock.spend(wait)
        lines.say(line, must_be_seen=must_be_seen)

    assert capsys.readouterr() == ("", "first\nsecond\nend of a round\nthird\n")


def test_a_bar_shows_its_text_and_is_gone_in_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "xterm")
    with bar("reading") as redraw:
        redraw(3, 8, "3 of 8 runs")
    out, shown = capsys.readouterr()

    assert out == ""
    assert "3 of 8 runs" in shown
    assert shown.endswith("\x1b[2K"), "the line is erased"


def test_what_a_terminal_says_of_itself_decides_about_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but a terminal has bars, and not one that says it cannot draw."""
    for is_terminal in (True, False):
        monkeypatch.setattr("sys.stderr.isatty", lambda there=is_terminal: there)
        for term, draws in {"xterm": True, "": True, "dumb": False, "DUMB": False, "unknown": False}.items():
            monkeypatch.setenv("TERM", term)
            assert can_draw() == (draws and is_terminal)


@pytest.mark.parametrize("what", SHOWERS)
def test_a_terminal_that_draws_no_bar_shows_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """With TERM=dumb, as in an editor; and none where nothing but the result is wanted."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    begin, heard, line = SHOWERS[what]
    with begin(False) as listener:
        assert listener is not None
        listener(*heard)
    out, shown = capsys.readouterr()
    assert out == "" and shown.startswith(line) and "\x1b" not in shown

    with begin(True) as silent:
        if silent is not None:
            silent(*heard)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            100,
            "━━━━━━━━━━━━━━━━━━━━ 142 of 748 still at risk · 1,801 of 1,940 edges deleted · about 8 s left",
        ),
        (80, "━━━━━━━━━━ 142 of 748 at risk · 1,801 of 1,940 edges deleted · about 8 s left"),
        (50, " 142 at risk · 1,801 deleted · about 8 s left"),
        (20, " 142 at risk"),
        (9, "142 at r…"),
    ],
)
def test_a_search_is_one_line_on_a_terminal_of_any_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, line: str
) -> None:
    """In shorter words where there is less room, and cut where even the shortest are too long."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with search_shown(1940, quiet=False) as hear:
        hear(Underway(2.0, 1, 1, objective=142, at_risk=142, deleted=1801, at_first=748, share=0.2))
    shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", capsys.readouterr().err)

    *_, last = filter(str.strip, re.split(r"[\r\n]+", shown))
    assert line in last.replace("╸", "━").replace("╺", "━")
    assert len(last.rstrip()) <= columns


REQUEST: dict[str, Any] = {"seed": 1, "threads": 1}
SEARCHES: dict[str, dict[str, Any]] = {
    "effort": {"effort": 1.0, "budget": 4},
    "effort, target": {"effort": 0.02, "target": "90%"},
    "effort, curve": {"effort": 1.0, "budget": "10%", "curve": True},
    "time": {"time": 1.0, "budget": 4},
    "time, target": {"time": 1.0, "target": "90%"},
    "time, curve": {"time": 1.0, "budget": "10%", "curve": True},
    "es": {"algorithm": "es", "budget": "20%"},
}


def at(seconds: float, share: float | None, **figures: int) -> Underway:
    """A search after so many seconds."""
    known = {"step": 7, "evaluations": 900, "objective": 123, "at_risk": 123, "deleted": 801, "at_first": 748}
    return Underway(seconds=seconds, share=share, **{**known, **figures})


def test_a_line_of_a_log() -> None:
    """Generations where there are any; the objective where it is not the people at risk."""
    at_risk, spent = "123 of 748 still at risk", "801 of 940 edges deleted"
    for algorithm, limit, progress, line in (
        ("annealing", None, at(0.2, 0.001), f"{at_risk} · {spent} · 0 s"),
        ("annealing", None, at(12.34, 0.5), f"{at_risk} · {spent} · 12 s, about 13 s left"),
        ("annealing", 60, at(12.34, 0.2), f"{at_risk} · {spent} · 12 s, 48 s left"),
        (
            "annealing",
            None,
            at(60, 0.5, enough=37),
            f"{at_risk} (37 may be) · {spent} · 60 s, about 60 s left",
        ),
        ("uga", None, at(3, None), f"generation 7 · {at_risk} · {spent} · 3 s"),
        (
            "ga",
            300,
            at(3, None, step=1007, objective=133),
            f"generation 1,007 · objective 133 · {at_risk} · {spent} · 3 s, at most 5 min left",
        ),
    ):
        assert Shown(algorithm, 940, limit).line(progress) == line


def test_a_bar_says_less_from_wording_to_wording() -> None:
    """The longest has everything, the shortest who is at risk; with a target, how many may be."""
    told = Shown("ga", 940, None).wordings(at(3, None, objective=133, enough=37))

    assert told[0].startswith(
        "generation 7 · objective 133 · 123 of 748 still at risk (37 may be) · 801 of 940"
    )
    assert told[2] == "123 of 748 at risk (37 may be) · 801 of 940 edges deleted · 3 s so far"
    assert told[-1] == "123 at risk"
    assert [*map(len, told)] == sorted(map(len, told), reverse=True)


def test_a_bar_fills_over_the_time_or_over_the_work() -> None:
    for limit, share, filled in (
        (60, 0.5, (12.0, 60)),
        (60, None, (12.0, 60)),
        (None, 0.5, (0.5, 1.0)),
        (None, None, (0.0, None)),
    ):
        assert Shown("annealing", 940, limit).on_bar(at(12.0, share))[:2] == filled


def test_time_that_is_limited_counts_down() -> None:
    """Exactly; whatever comes after it is finishing. Who may stop by himself takes at most as long."""
    left = TimeLeft(200)

    said = [left.words(at(seconds, seconds / 200)) for seconds in (0, 30.5, 140.2, 199.9, 200, 201)]
    assert said == ["3 min left", "3 min left", "60 s left", "1 s left", "finishing", "finishing"]
    assert left.words(at(30.5, None)) == "at most 3 min left"


def test_an_estimate_counts_down_and_does_not_flicker() -> None:
    """Steps that are a little quicker or slower in turn change nothing; the clock does."""
    left = TimeLeft(None)
    shares = [seconds / (50 + (-1) ** seconds) for seconds in range(1, 40)]
    said = [left.words(at(seconds, share)) for seconds, share in enumerate(shares, start=1)]
    figures = [int(words.removeprefix("about ").removesuffix(" s left")) for words in said]

    assert figures[:2] == [50, 50] and 8 <= figures[-1] <= 12
    assert figures == sorted(figures, reverse=True)
    assert all(figure % 5 == 0 for figure in figures if figure > 20)


def test_an_estimate_that_was_wrong_is_corrected_and_none_is_given_too_early_or_late() -> None:
    """As where walks with larger budgets take longer; dots while it is too early, and the end is named."""
    left, other = TimeLeft(None), TimeLeft(None)
    said = [left.words(at(*given)) for given in ((10, 0.5), (14, 0.55), (18, 0.6), (26, 0.999))]

    assert said == ["about 10 s left", "about 12 s left", "about 12 s left", "about 1 s left"]
    assert other.words(at(9, None)) == ""
    assert other.words(at(0.9, 0.3)) == other.words(at(9, 0.009)) == "about … left"
    assert other.words(at(9, 0.9)) == "about 1 s left"
    assert other.words(at(10, 1.0)) == other.words(at(10, None)) == "finishing"


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_tell_which_share_of_them_is_done(name: str) -> None:
    """From none to all, never less than before, in proportion to the work; and how many were at risk."""
    control = on_a_machine_of(20_000)
    told: list[Underway] = []
    finished(searching(load("karate"), Anonymization(**REQUEST, **SEARCHES[name]), control), told.append)
    shares = [progress.share for progress in told if progress.share is not None]

    assert len(shares) > 10
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    assert {progress.at_first for progress in told} == {15}
    assert {progress.enough for progress in told} == {3 if "target" in name else 0}
    if "es" not in name:
        done = [
            progress.evaluations / told[-1].evaluations for progress in told if progress.share is not None
        ]
        assert all(abs(one - other) < 0.2 for one, other in zip(shares, done, strict=True))
