"""The way in, and the ends of a command that is cut off or cannot print: one line says what is left.

It imports next to nothing: Ctrl-C is told in one line even while Python imports all the rest.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130  # exit code
NO_MORE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what a stream says then
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C; `kill`, batch systems; a terminal that is closed."""


_left: list[Callable[[], str]] = []


def say_what_is_left(sentence: Callable[[], str] = lambda: "nothing was written.") -> None:
    """Set what is told of the command's work if it is cut off from now on."""
    _left[:] = [sentence]


say_what_is_left()


def tell(line: str) -> None:
    """Print a line on standard error; nothing happens where the terminal is gone."""
    with suppress(OSError, ValueError, AttributeError):
        print(f"netveil: {line}", file=sys.stderr, flush=True)


def end_interrupted() -> int:
    """Say what is left of a command that was interrupted, whatever signals follow; returns the exit code."""
    with handling_signals(signal.SIG_IGN):
        tell(f"interrupted; {_left[0]()}")
    return INTERRUPTED


def end_at_once(number: int, frame: FrameType | None) -> None:
    """Handle a signal: say what is left, and exit at once. The next command sweeps the remains."""
    tell(f"interrupted; {_left[0]()}")
    os._exit(INTERRUPTED)


def end_unprinted(error: OSError) -> int | None:
    """Say that standard output takes no more, if it is that; None if it is not. Returns the exit code."""
    if error.filename is not None or error.errno not in NO_MORE:  # a stream has no name, unlike a file
        return None
    forget_output()
    if error.errno != errno.EPIPE:  # `head` and the like have seen enough, and say nothing
        tell(f"the result cannot be printed: standard output takes no more ({error.strerror}); {_left[0]()}")
    return 1


def end_for_lack(what: str) -> int:
    """Say that the machine lacks something; returns the exit code."""
    tell(f"{what}; {_left[0]()}")
    return 1


def forget_output() -> None:
    """Send standard output nowhere: at its exit Python must not complain of what it could not print."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def handling_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    """Handle signals with `handler` inside; one that is ignored, as by `nohup`, stays so."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number, previous in before.items():
            if number == signal.SIGINT or previous is not signal.SIG_IGN:
                signal.signal(number, handler)
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    # Compiling makes many objects that stay: looking through them all the time took a tenth of a first run.
    gc.set_threshold(20_000, 10, 50)
    try:
        # SIGTERM and SIGHUP end a command as Ctrl-C does; searches have their own way.
        with handling_signals(signal.default_int_handler):
            from netveil.cli.command_line import run

            return run(arguments)
    except KeyboardInterrupt:
        return end_interrupted()
