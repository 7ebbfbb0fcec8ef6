"""`netveil tune`: find good settings of an algorithm for a network."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from netveil import studies
from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    WHOLE,
    Output,
    attacker_options,
    network_options,
    opened_on_bar,
    options,
    out_options,
    output_options,
    typed_options,
)
from netveil.cli.progress import LogLines, stopping_on_signals
from netveil.job import Anonymization
from netveil.search import ALGORITHMS

if TYPE_CHECKING:
    from netveil.anonymity import Attackers
    from netveil.files import ReadAs
    from netveil.progress import ProgressReport
    from netveil.studies.tuning_folder import TuningFolder

SECONDS_BETWEEN_LINES = 5.0
GA = {"default": "ga"}
PROBLEM = {
    *("--format", "--columns", "--separator", "--header", "--no-header", "--encoding", "--budget"),
    *(each.flag for each in Anonymization.declared("attackers").values()),
}
"""Options that `anonymize` needs too to pose the same problem."""


@click.command(context_settings={"show_default": True})
@network_options
@options(("--algorithm", "NAME", f"Whose settings to tune: {', '.join(ALGORITHMS.descriptions)}.", GA))
@attacker_options
@options(
    ("--budget", "B", "Edges to delete at most: 5%, 0.05 or 40.", {"default": "5%"}),
    ("--configurations", "N", "How many of the grid to draw at random.", {"default": 50}),
    (
        "--every",
        "N",
        "Generations after which the worse half is eliminated. [default: 10, or 50 steps of annealing; es "
        "and ua run to their end]",
        WHOLE,
    ),
    ("--finalists", "N", "How many to let run to their end.", {"default": studies.FINALISTS}),
    (
        "--grid",
        "FILE",
        "TOML file with the values to try, such as crossover = [25, 'uniform']. [default: the paper's 432 "
        "configurations for ga and uga]",
    ),
    ("--seed", "N", "Same seed, same result. Drawn at random if not given.", WHOLE),
    ("--workers", "N", "How many runs compute at once. [default: as many as cores]", WHOLE),
)
@out_options("Folder for the result. [default: NETWORK-tuning]", "the tuning that is there")
@output_options
@click.pass_context
def tune(
    context: click.Context,
    /,
    network: str,
    read_as: ReadAs,
    algorithm: str,
    attackers: Attackers,
    out: str | None,
    overwrite: bool,
    output: Output,
    **wishes: Any,  # called as the parameters of `netveil.studies.tuning.tune`
) -> int:
    """Find good settings of an algorithm for NETWORK, by successive halving.

    Configurations drawn from a grid run side by side. Again and again the better half goes on and the others
    are eliminated; the last few run to their end. The winner is written as a file for `anonymize --config`.
    Ctrl-C stops it and writes the best so far.
    """
    from netveil.plotting import check_figures
    from netveil.search import Control
    from netveil.studies.tuning_folder import TuningFolder, summary

    check_figures()
    control, lines = Control(), LogLines(SECONDS_BETWEEN_LINES)

    def say(report: ProgressReport) -> None:
        if control.asked_to_stop() is None:
            lines.say(report.doing, must_be_seen=report.share == 1.0)

    with stopping_on_signals(control):
        loaded = opened_on_bar(network, read_as, output.quiet, original=True)
        folder = TuningFolder(out or f"{loaded.name}-tuning", overwrite=overwrite)
        result = studies.tune(
            loaded,
            algorithm=algorithm,
            measure=attackers,
            control=control,
            progress=False if output.quiet else say,
            **wishes,
        )
        folder.save(result)
        say_what_is_left(lambda: f"the tuning is in {folder.path}.")
    command = _command_to_use(context, network, algorithm, folder)
    document = {**result.to_dict(), "network": network, "folder": str(folder.path), "command": command}
    places = f"\nWinner:     {folder.preset}\nFigure:     {folder.path / 'halving.svg'}"
    output.tell(document, summary(result), places, f"To use it:  {command}")
    return 130 if result.interrupted else 0


def _command_to_use(context: click.Context, network: str, algorithm: str, folder: TuningFolder) -> str:
    """The command that anonymizes the network with the winner, for the same attackers and budget."""
    words = ["netveil", "anonymize", network, "--algorithm", algorithm, "--config", str(folder.preset)]
    for flag, value in typed_options(context).items():
        if flag in PROBLEM:
            values = value if isinstance(value, tuple) else (value,)
            words += (
                [flag] if isinstance(value, bool) else [each for one in values for each in (flag, str(one))]
            )
    return shlex.join(words)
