"""`netveil synthesize`: make a table in which everybody is one of k equals, draw networks from it alone."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    Output,
    job_options,
    opened_on_bar,
    options,
    out_options,
    output_options,
    places,
    reading_lines,
    reading_options,
    typed_options,
)
from netveil.cli.progress import OnTerminal
from netveil.errors import SettingError
from netveil.formatting import counted, in_columns, percentage
from netveil.job import Synthesis
from netveil.search.control import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from netveil.files import ReadAs
    from netveil.network import Network
    from netveil.release.synthetic_release import SyntheticRelease
    from netveil.report import Evidence
    from netveil.synthetic import Ceiling


def ceilings_table(found: Sequence[Ceiling], chosen: int) -> str:
    """Table of upper bounds on people found, for several k."""
    rows = [
        [
            f"{each.k}{' (asked for)' if each.k == chosen else ''}",
            percentage(each.ceiling),
            f"1 in {each.smallest_row}",
        ]
        for each in found
    ]
    head = ["k", "people found on average, at most", "chance of anybody, at most"]
    return "\n".join(["Whoever has the network itself:", *in_columns([head, *rows], left=1)])


def summary(release: SyntheticRelease, evidence: Evidence, folder: Path) -> str:
    """The verdict, what may be claimed, what attacks found, and where it is."""
    lines = [*evidence.decided.lines(), ""]
    lines += release.sentences()
    if evidence.attacks:
        lines += [
            *evidence.attacks["warnings"],
            *evidence.attacks["sentences"][1:],
        ]  # the bound is said already
    lines += [
        f"{counted(len(release.drawn), 'network')} of {release.table.node_count:,} people and "
        f"{release.network.edge_count:,} ties drawn, seed {release.seed}.",
        *places(folder),
        f"Further ones: netveil synthesize --from {folder} --out DIR",
    ]
    return "\n".join(lines)


@click.command()
@click.argument("network", required=False)
@reading_options
@job_options(Synthesis, "search")
@options(
    ("--from table_of", "RELEASE", "Draw from the table of this synthetic release; no network is needed.")
)
@out_options("Folder of the release. [default: NETWORK-synthetic]", "the release that is there")
@job_options(Synthesis, "report")
@output_options
@click.pass_context
def synthesize(
    context: click.Context,
    /,
    network: str | None,
    read_as: ReadAs,
    table_of: str | None,
    out: str | None,
    overwrite: bool,
    output: Output,
    **asked: Any,
) -> int:
    """Draw a new network from a table of NETWORK in which everybody is one of K equals.

    All its ties are made up: whoever has NETWORK itself finds nobody with a chance above 1 in K, and
    statistics of the whole network are kept. First it is told what nobody can exceed, for several K.
    """
    from netveil.files import suffix_for
    from netveil.release.folder import ReleaseFolder
    from netveil.release.synthetic_release import SyntheticRelease
    from netveil.synthetic import ceilings
    from netveil.synthetic.grouping import check_k
    from netveil.workflow import attributes_to_keep, make_synthetic

    job = Synthesis(**asked)
    job.check()
    given = _given(network, read_as, table_of, job, set(typed_options(context)), output.quiet)
    folder = ReleaseFolder(out or f"{given.name}-synthetic", overwrite=overwrite)
    say_what_is_left(
        lambda: f"the release is in {folder.path}." if folder.is_written else "nothing was written."
    )
    extension = suffix_for(network or "", read_as.format)
    if isinstance(given, SyntheticRelease):
        extension = given.extension
    elif not output.quiet:
        check_k(job.k, given.node_count)
        kept, _ = attributes_to_keep(given, job)
        found = ceilings(given, sorted({2, 5, 10, 20, job.k}), kept=kept)
        click.echo(ceilings_table(found, job.k) + "\n", err=output.as_json)
    with closing(OnTerminal(Shown("", 0), output.quiet)) as watcher:
        release, evidence = make_synthetic(
            job, given, folder, watcher, extension=extension, command=shlex.join(["netveil", *sys.argv[1:]])
        )
    verdict = evidence.decided.to_dict()
    named = {"network": network or release.name, "release": str(folder.path)}
    output.tell({**release.figures(), **named, **verdict}, summary(release, evidence, folder.path))
    return 3 if evidence.decided.met is False else 0


def _given(
    network: str | None, read_as: ReadAs, table_of: str | None, job: Synthesis, typed: set[str], quiet: bool
) -> Network | SyntheticRelease:
    """The network to make a table of, or the release that has a table."""
    from dataclasses import replace

    from netveil.release.records import new_secret
    from netveil.release.synthetic_release import load_synthetic
    from netveil.search.run_search import random_seed

    if (network is None) == (table_of is None):
        raise SettingError(
            "give either NETWORK or --from RELEASE: a table is made, or one that is there is used."
        )
    if table_of is not None:
        for flag in sorted(typed & {"--k", "--keep", "--keep-attributes", "--within", "--diverse"}):
            raise SettingError(f"{flag} is of no use with --from: the table is there; leave one of them out.")
        seed = random_seed() if job.seed is None else job.seed
        return replace(load_synthetic(table_of), seed=seed, secret=new_secret())
    loaded = opened_on_bar(network or "", read_as, quiet, original=True)
    if not quiet and (lines := reading_lines(loaded)):
        click.echo("\n".join(lines), err=True)
    return loaded
