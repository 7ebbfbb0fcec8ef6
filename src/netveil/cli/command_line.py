"""The list of commands, and what becomes of errors and signals: one line and an exit code.

Exit codes: 0 done; 3 done, but a policy is not met; 2 the user's mistake, told in one line; 130 interrupted;
1 anything else.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Sequence

import click

from netveil._version import __version__
from netveil.cli.entry import end_for_lack, end_unprinted, say_what_is_left, tell
from netveil.errors import NetveilError, plain
from netveil.registries import Registry

COMMANDS = {
    "measure": "Who in NETWORK can be singled out.",
    "blocks": "Cut NETWORK into blocks on disk, to measure it where it does not fit into one memory.",
    "anonymize": "Delete few edges of NETWORK so that nearly nobody can be singled out, and write a release.",
    "synthesize": "Draw a new network from a table of NETWORK in which everybody is one of K equals.",
    "compare": "What changed between ORIGINAL and RELEASED.",
    "audit": "What an attacker who knows ORIGINAL could still find in RELEASED.",
    "verify": "Recompute what a RELEASE folder claims: a line a claim, exit code 3 if one differs.",
    "convert": "Write NETWORK to another file: each tie once, no loops, nothing but people and ties.",
    "report": "Render report, page to sign and decision of a RELEASE folder again, from its record.",
    "experiment": "Run what PLAN describes: networks × algorithms × budgets × measures × k × seeds.",
    "tune": "Find good settings of an algorithm for NETWORK, by successive halving.",
    "networks": "List the built-in networks and those to fetch; fetch some.",
    "compile": "Compile what the main commands need, so that the first run of each does not wait for it.",
    "web": "Do the same in a page of your browser, on this machine only.",
}
"""Every command, in the module of its name, and the first sentence of its help."""

LACKING = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EMFILE", "ENFILE", "ENOMEM")
}
"""Errors for which the machine is to blame: no room, a broken disk, too many files, no memory."""

NO_MEMORY_SIGNS = ("failed to map segment", "annot allocate memory", "libllvmlite")
"""Parts of error messages of libraries that could not be loaded for lack of memory."""


class _Commands(click.Group):
    """Imports a command when it is called, and none of them to list them all."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands by the sentences above."""
        listed = {name: click.Command(name, help=sentence) for name, sentence in COMMANDS.items()}
        click.Group(commands=listed).format_commands(ctx, formatter)


@click.group(
    cls=_Commands,
    commands=Registry("netveil.cli", {name: f"{name}:{name}" for name in COMMANDS}),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="netveil", message="%(prog)s %(version)s")
def netveil() -> None:
    """Make a social network safe to publish.

    netveil tells who in a network can be singled out by what surrounds them, finds a small set of edges to
    delete so that nearly everybody has a lookalike, and writes a release that can be published.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code. KeyboardInterrupt if it is interrupted."""
    say_what_is_left()  # nothing yet
    logging.basicConfig(stream=sys.stderr, format="%(message)s", level=logging.WARNING)
    logging.getLogger("netveil").setLevel(logging.INFO)
    try:
        result = netveil.main(arguments, prog_name="netveil", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        return _mistake(plain(" ".join(error.format_message().split())))
    except NetveilError as error:
        more = f" (more: {error.page})" if error.page else ""
        return _mistake(error.for_command_line() + more, getattr(error, "__notes__", ()))
    except click.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Tell in one line that the machine lacks something, or a defect of ours; returns the exit code."""
    is_of_system = isinstance(error, ImportError | OSError)
    if isinstance(error, MemoryError) or (
        is_of_system and any(sign in str(error) for sign in NO_MEMORY_SIGNS)
    ):
        return end_for_lack("not enough memory, for this network or for netveil at all")
    if isinstance(error, OSError):
        if (code := end_unprinted(error)) is not None:
            return code
        if error.errno in LACKING:
            return end_for_lack(f"the machine cannot go on: {error.strerror}")
    if os.environ.get("NETVEIL_DEBUG"):
        raise error
    tell(
        f"a defect of netveil, not of yours: {type(error).__name__}: {plain(str(error))}. "
        f"Set NETVEIL_DEBUG=1 to see where, and please report it."
    )
    return 1


def _mistake(message: str, notes: Sequence[str] = ()) -> int:
    """Tell a mistake in one line; below it what a question shows, such as the first lines of a file."""
    click.echo(f"netveil: {' '.join(message.split())}", err=True)
    for note in notes:
        click.echo(note, err=True)
    return 2
