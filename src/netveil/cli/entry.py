"""The way in, as short as can be: Ctrl-C is told in one line even while Python imports all the rest."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from netveil.cli.ending import end_interrupted, handling_signals


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    try:
        # SIGTERM and SIGHUP end a command as Ctrl-C does; searches have their own way.
        with handling_signals(signal.default_int_handler):
            from netveil.cli.command_line import run

            return run(arguments)
    except KeyboardInterrupt:
        return end_interrupted()
