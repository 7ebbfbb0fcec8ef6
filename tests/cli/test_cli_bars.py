"""What is shown while a command works: a bar for people, lines at intervals for a log."""

from __future__ import annotations

import pytest

from clocks import Clock
from netveil.cli.bars import LogLines, bar


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


@pytest.mark.parametrize("counts_bytes", [True, False])
def test_a_bar_shows_its_text_and_is_gone_in_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, counts_bytes: bool
) -> None:
    """On standard error; with bytes, how many of how many."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "xterm")
    with bar("reading", counts_bytes=counts_bytes) as redraw:
        redraw(3, 8, "3 of 8 runs")
    out, shown = capsys.readouterr()

    assert out == ""
    assert "3 of 8 runs" in shown
    assert ("3/8 bytes" in shown) == counts_bytes
    assert shown.endswith("\x1b[2K"), "the line is erased"
