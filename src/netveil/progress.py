"""Long work as generators: each yields how far it has come and returns what it found.

A caller shows each step, pauses by not asking for the next one, and gives up by closing the generator. Jobs
report to a `Watcher`; `watched_by` makes one of an argument `progress`.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from contextvars import ContextVar
from html import escape
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from netveil.errors import SettingError

Told = TypeVar("Told")
Retold = TypeVar("Retold")
Returned = TypeVar("Returned")


def finished(
    work: Generator[Told, None, Returned], listener: Callable[[Told], Any] | None = None
) -> Returned:
    """Run the work to its end, tell the listener each thing that it yields, and return what it returns.

    >>> def count_to(most):
    ...     yield from range(1, most + 1)
    ...     return "done"
    >>> finished(count_to(2), print)
    1
    2
    'done'
    """
    steps = work if listener is None else retold(work, listener)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Returned, end.value)


def retold(
    work: Generator[Told, None, Returned], words: Callable[[Told], Retold]
) -> Generator[Retold, None, Returned]:
    """Run a generator, and translate each thing that it yields."""
    while True:
        try:
            told = next(work)
        except StopIteration as end:
            return cast(Returned, end.value)
        yield words(told)


class Watcher:
    """Receives the progress of a job; each front overrides what it shows: terminal, page, notebook, log.

    What its methods raise ends the job, so a front may also stop it here.
    """

    wants_report_of_stopped = False  # whether a search that was stopped gets its report all the same

    def warn(self, sentence: str) -> None:
        """Receive a warning for the user, with options marked as in `netveil.errors`."""

    def announce(self, sentence: str) -> None:
        """Receive a remark before something long begins; it is logged."""
        logging.getLogger("netveil").info(sentence)

    def prepare(self, doing: str, share: float) -> None:
        """Receive what is being set up before the search, and the share done, from 0 to 1."""

    def step(self, progress: Any) -> None:
        """Receive the progress of the search, a `search.Underway`."""

    def end_search(self) -> None:
        """Receive the end of the search; the report begins."""

    def report(self, doing: str) -> AbstractContextManager[Callable[[str], None] | None]:
        """Context of one part of the report; yields a listener for its progress.

        If it swallows an interruption, the report goes without that part.
        """
        return nullcontext()


class ProgressReport(NamedTuple):
    """Progress of a long call, with which a function given as `progress` is called.

    >>> import netveil as nv
    >>> heard = []
    >>> _ = nv.synthesize("karate", seed=1, progress=heard.append)
    >>> heard[-1]
    ProgressReport(doing='drawing the network', share=1.0, state=None)
    """

    doing: str  # a line for people
    share: float | None = None  # of it that is done, from 0 to 1; None where nobody can tell
    state: Any = None  # of a search its `search.Underway`, of an experiment its `studies.ExperimentStatus`


AnyProgress: TypeAlias = "bool | Watcher | Callable[[ProgressReport], object] | None"
"""Argument `progress`: True for a bar, False for none, None for one if somebody sees it, or a function."""

Worded = Callable[[Any], tuple[Any, ...]]
"""Function from a step of a job to (done, total or None, texts about it from long to short)."""


@contextmanager
def watched_by(progress: AnyProgress, worded: Worded | None = None) -> Iterator[Watcher]:
    """Make a `Watcher` of an argument `progress`; `worded` words its steps."""
    if isinstance(progress, Watcher):
        yield progress
    elif callable(progress) and not isinstance(progress, type):
        yield CallsFunction(progress, worded)
    elif progress is False or (progress is None and not (can_draw() or in_notebook())):
        yield Watcher()
    elif progress is None or progress is True:
        with closing(OnBar(worded)) as watcher:
            yield watcher
    else:
        kind = type(progress).__name__
        raise SettingError(f"progress: a {kind} cannot watch; give True, False or a function of a report.")


class CallsFunction(Watcher):
    """Calls a function with a `ProgressReport` each time."""

    def __init__(self, function: Callable[[ProgressReport], object], worded: Worded | None) -> None:
        self._function, self._worded = function, worded

    def prepare(self, doing: str, share: float) -> None:
        """Report what is done before the search."""
        self._function(ProgressReport(doing, share))

    def step(self, progress: Any) -> None:
        """Report a step."""
        assert self._worded is not None, "work in steps has words for them"
        done, total, text, *_ = self._worded(progress)
        self._function(ProgressReport(text, done / total if total else None, progress))

    @contextmanager
    def report(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Report what is done in a part."""

        def heard(words: str) -> None:
            self._function(ProgressReport(f"{doing}: {words}"))

        yield heard


class OnBar(Watcher):
    """Shows a job on a bar, in a terminal or in a notebook."""

    def __init__(self, worded: Worded | None = None) -> None:
        self._worded, self._bar = worded, ExitStack()
        self._redraw: Redraw | None = None

    def prepare(self, doing: str, share: float) -> None:
        """Fill a bar while the search is set up."""
        if (redraw := self.open_bar()) is not None:
            redraw(share, 1.0, f"preparing: {doing}", "preparing")

    def step(self, progress: Any) -> None:
        """Fill the bar over the search, or just move it where nobody knows how long it takes."""
        if self._worded is not None and (redraw := self.open_bar()) is not None:
            redraw(*self._worded(progress))

    def end_search(self) -> None:
        """Take the bar of the search away."""
        self._bar.close()
        self._redraw = None

    @contextmanager
    def report(self, doing: str) -> Iterator[Callable[[str], None] | None]:
        """Move a bar beside what is done in a part."""
        with bar(doing) as redraw:
            redraw(0, None, doing)
            yield lambda words: redraw(0, None, f"{doing}: {words}")

    def open_bar(self) -> Redraw | None:
        """Open the bar unless it is open; None if none is to be drawn."""
        if self._redraw is None:
            self._redraw = self._bar.enter_context(bar("preparing"))
        return self._redraw

    close = end_search


# Bars: rich draws them in terminals, the browser in notebooks.


Redraw = Callable[..., None]
"""Redraws a bar from (done, total or None, texts); the first text that fits stands beside it."""

WIDEST_BAR, NARROW_BAR = 20, 10  # columns
ROOM_FOR_WIDEST, ROOM_FOR_BAR = 100, 60  # columns of a terminal that has room for such a bar, and for any
SECONDS_BETWEEN_DRAWINGS = 0.5  # in a notebook, and before the first: what is soon done leaves no trace

UNABLE = ("dumb", "unknown")
"""Values of TERM where no bar shows, as rich has them: terminals inside editors and other programs."""


def is_terminal() -> bool:
    """Whether a person is watching standard error, rather than a file."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, as in a window without a terminal, or it is closed
        return False


def can_draw() -> bool:
    """Whether standard error is a terminal that can draw a line again."""
    return is_terminal() and os.environ.get("TERM", "").lower() not in UNABLE


def in_notebook() -> bool:
    """Whether a kernel of IPython runs this, as in Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def bar(text: str) -> AbstractContextManager[Redraw]:
    """Draw a bar that is gone in the end; beside it stands the first of the texts for which there is room."""
    return bar_in_notebook() if in_notebook() else bar_in_terminal(text)


@contextmanager
def bar_in_terminal(text: str) -> Iterator[Redraw]:
    """Draw a bar with rich."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True)
    width = WIDEST_BAR if console.width >= ROOM_FOR_WIDEST else NARROW_BAR
    filled = (BarColumn(bar_width=width),) if console.width >= ROOM_FOR_BAR else ()
    beside = TextColumn("{task.description}", markup=False)
    taken = 2 + (1 + width if filled else 0)  # by the spinner, the bar and what is between
    with Progress(SpinnerColumn(), *filled, beside, console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)

        def redraw(done: float, total: float | None, *texts: str) -> None:
            fitting = next((text for text in texts if len(text) <= console.width - taken), texts[-1])
            progress.update(task, completed=done, total=total, description=fitting)

        yield redraw


@contextmanager
def bar_in_notebook(clock: Callable[[], float] = time.monotonic) -> Iterator[Redraw]:
    """Draw a bar as HTML, now and then."""
    from IPython.display import HTML, display

    handle, drawn = None, clock()

    def redraw(done: float, total: float | None, *texts: str) -> None:
        nonlocal handle, drawn
        if clock() - drawn < SECONDS_BETWEEN_DRAWINGS:
            return
        drawn = clock()
        filled = f' value="{done / total:.3f}"' if total else ""
        shown = HTML(f"<progress{filled}></progress> {escape(texts[0])}")
        if handle is None:
            handle = display(shown, display_id=True)
        else:
            handle.update(shown)

    try:
        yield redraw
    finally:
        if handle is not None:
            handle.update(HTML(""))


# Share of the work that is done, for readers and measures deep below whoever waits for them.


Listener = Callable[[float], None]
"""Receives the share of the work that is done, from 0 to 1."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Let readers and measures report their progress to the listener, inside the block."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def current_listener() -> Listener | None:
    """Listener that readers and measures report to."""
    return _listener.get()
