"""The list of commands, and what becomes of errors and signals: one line and an exit code.

Exit codes: 0 done; 2 the user's mistake, told in one line; 130 interrupted; 1 anything else.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Sequence

import click

from netveil._version import __version__
from netveil.errors import NetveilError
from netveil.lazy import Registry

COMMANDS = {
    "measure": "Who in NETWORK can be singled out.",
    "anonymize": "Delete few edges of NETWORK so that nearly nobody can be singled out, and write a release.",
    "compare": "What changed between ORIGINAL and RELEASED.",
    "audit": "What an attacker who knows ORIGINAL could still find in RELEASED.",
    "report": "Render the report and the page to sign of a RELEASE folder again, from its record.",
    "experiment": "Run what PLAN describes: networks × algorithms × budgets × measures × k × seeds.",
    "tune": "Find good settings of an algorithm for NETWORK, by successive halving.",
    "networks": "List the built-in networks and those to fetch; fetch some.",
}
"""Every command, in the module of its name, and the first sentence of its help."""


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    logging.basicConfig(stream=sys.stderr, format="%(message)s", level=logging.WARNING)
    logging.getLogger("netveil").setLevel(logging.INFO)
    # SIGTERM ends a command as Ctrl-C does; `anonymize` has its own way while it searches.
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        result = netveil.main(arguments, prog_name="netveil", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        return _mistake(error.format_message())
    except NetveilError as error:
        return _mistake(error.for_command_line(), getattr(error, "__notes__", ()))
    except (KeyboardInterrupt, click.Abort):
        click.echo("netveil: interrupted; nothing was written.", err=True)
        return 130
    except BrokenPipeError:
        # Whoever read our output, such as `head`, has seen enough. Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        click.echo("netveil: not enough memory for this network.", err=True)
        return 1
    except Exception as error:  # a defect of ours: one line for the user, the traceback on request
        if os.environ.get("NETVEIL_DEBUG"):
            raise
        click.echo(
            f"netveil: a defect of netveil, not of yours: {type(error).__name__}: {error}. "
            f"Set NETVEIL_DEBUG=1 to see where, and please report it.",
            err=True,
        )
        return 1
    finally:
        signal.signal(signal.SIGTERM, previous)


def _mistake(message: str, notes: Sequence[str] = ()) -> int:
    """Tell a mistake in one line; below it what a question shows, such as the first lines of a file."""
    click.echo(f"netveil: {' '.join(message.split())}", err=True)
    for note in notes:
        click.echo(note, err=True)
    return 2
