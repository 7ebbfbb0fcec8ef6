"""What is shown while a command works: a bar for people, lines at intervals for a log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from clocks import Clock
from netveil.cli.networks import _progress as download_progress
from netveil.cli.progress import LogLines, OnTerminal
from netveil.progress import bar, can_draw
from netveil.release.gather import PARTS
from netveil.search import Underway
from netveil.search.control import Shown


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
    """On standard error."""
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
