"""`netveil anonymize`: search for edges to delete, write a release folder."""

from __future__ import annotations

import shlex
import sys

import click

import netveil.api
from netveil.cli.options import attacker_options, load_network, network_options, output_options, print_json
from netveil.cli.progress import cut_short_by_signals, progress_on, stopping_on_signals
from netveil.errors import SettingError
from netveil.files import suffix_for
from netveil.release import Release
from netveil.release_folder import ReleaseFolder
from netveil.search import ALGORITHMS, DEFAULT_ALGORITHM, LIMITS, Control


@click.command()
@network_options
@attacker_options
@click.option(
    "--budget", default="5%", show_default=True, metavar="B", help="Edges to delete at most: 5%, 0.05 or 40."
)
@click.option(
    "--algorithm",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    metavar="NAME",
    help="How to search: "
    + "; ".join(f"{each.name}, {each.description}" for each in ALGORITHMS.values())
    + ".",
)
@click.option(
    "--config", metavar="FILE", help="Settings of the algorithm: a TOML file, or a preset (conf1 to conf4)."
)
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="One setting of the algorithm. Repeatable."
)
@click.option(
    "--keep",
    multiple=True,
    metavar="METRIC=SHARE",
    help="What must be kept, such as clustering=1%. Repeatable. "
    + "; ".join(f"{each.name}: {each.description}" for each in LIMITS.values())
    + ".",
)
@click.option(
    "--protect",
    metavar="FILE",
    help="Edges that must stay: a line with two labels, or one for all of a node's.",
)
@click.option("--seed", type=int, metavar="N", help="Same seed, same release. Drawn at random if not given.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop the search after this time.")
@click.option("--threads", type=int, metavar="N", help="Threads to search with. [default: all cores]")
@click.option("--out", metavar="DIR", help="Folder of the release. [default: NETWORK-release]")
@click.option("--overwrite", is_flag=True, help="Replace the release that is there.")
@click.option("--resume", is_flag=True, help="Go on from the best of a search that was cut off.")
@click.option("--keep-labels", is_flag=True, help="Publish the original labels: only if they tell nothing.")
@click.option("--utility/--no-utility", default=True, help="Measure what the deletion cost, for the report.")
@output_options
def anonymize(
    network: str,
    format_name: str | None,
    measure_name: str,
    distance: int,
    k: int,
    budget: str,
    algorithm: str,
    config: str | None,
    changes: tuple[str, ...],
    keep: tuple[str, ...],
    protect: str | None,
    seed: int | None,
    seconds: float | None,
    threads: int | None,
    out: str | None,
    overwrite: bool,
    resume: bool,
    keep_labels: bool,
    utility: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Delete few edges of NETWORK so that nearly nobody can be singled out, and write a release.

    NETWORK is a file or the name of a built-in network (see `netveil networks`). The release folder has a
    public part to publish and a private part to keep. Ctrl-C stops the search and writes the best so far.
    """
    control = Control()
    with stopping_on_signals(control):
        loaded = load_network(network, format_name)
        folder = ReleaseFolder(out or f"{loaded.name}-release", overwrite=overwrite)
        if folder.was_cut_off() and not (resume or overwrite):
            raise SettingError(
                f"{folder.path}: an earlier search was cut off here; go on from its best with --resume, "
                f"or start anew with --overwrite."
            )
        start = folder.best_of_unfinished(loaded) if resume else None
        control.keeper = lambda edges, at_risk: folder.keep_best(loaded, edges, at_risk)
        folder.claim()
        try:
            with progress_on(control, seconds, quiet):
                release = netveil.api.anonymize(
                    loaded,
                    budget,
                    algorithm=algorithm,
                    measure=measure_name,
                    distance=distance,
                    k=k,
                    seed=seed,
                    time=seconds,
                    threads=threads,
                    config=config,
                    settings=dict(_pair(change, "--set", "NAME=VALUE", "patience=80") for change in changes),
                    keep=_limits(keep),
                    protect=protect,
                    keep_labels=keep_labels,
                    start=start,
                    control=control,
                )
            comparison = None
            if utility and release.outcome.stopped_by != "interrupted":
                with cut_short_by_signals():
                    if not quiet:
                        click.echo("measuring what it cost (Ctrl-C skips this) …", err=True)
                    comparison = netveil.api.compare(loaded, release.remaining, threads=threads)
        except BaseException:  # an error, or a second Ctrl-C
            folder.abandon()
            raise
        if resume and start is None:
            click.echo(f"warning: nothing was cut off at {folder.path}; this was a new search.", err=True)
        if keep_labels:
            click.echo("warning: the release carries the original labels (--keep-labels).", err=True)
        folder.save(release, suffix_for(network, format_name), comparison, command_line())
    if as_json:
        print_json({**release.figures(), "network": network, "release": str(folder.path)})
    else:
        click.echo(_summary(release, folder))
    interrupted = release.outcome.stopped_by == "interrupted" or (utility and comparison is None)
    return 130 if interrupted else 0


def command_line() -> str:
    """The command as it was typed, for the private record."""
    return shlex.join(["netveil", *sys.argv[1:]])


def _pair(given: str, option: str, form: str, example: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals:
        raise SettingError(f"{option} {given}: give {form}, such as {option} {example}.")
    return name.strip(), value.strip()


def _limits(keep: tuple[str, ...]) -> dict[str, str]:
    limits: dict[str, str] = {}
    for given in keep:
        name, share = _pair(given, "--keep", "METRIC=SHARE", "clustering=1%")
        if name in limits:
            raise SettingError(
                f"--keep {given}: {name}={limits[name]} is given already; give each limit once."
            )
        limits[name] = share
    return limits


def _summary(release: Release, folder: ReleaseFolder) -> str:
    outcome, original = release.outcome, release.original
    share = len(outcome.deleted_edges) / max(original.edge_count, 1)
    at_risk = (
        "unique: nobody else is like them" if outcome.k == 2 else f"at risk: fewer than {outcome.k} are alike"
    )
    lines = [
        f"Of {original.node_count:,} people, {outcome.at_risk_before:,} were {at_risk}. "
        f"Now {outcome.at_risk_after:,} are.",
        f"{len(outcome.deleted_edges):,} of {original.edge_count:,} edges deleted ({share:.2%}; "
        f"the budget is {outcome.budget:,}).",
        f"{outcome.algorithm}, seed {outcome.seed}: {outcome.evaluations:,} solutions tried in "
        f"{outcome.seconds:.1f} s, stopped by: {outcome.stopped_by}.",
        f"To publish:   {folder.path / 'public'}",
        f"To keep:      {folder.path / 'private'}",
        f"Report:       {folder.path / 'private' / 'report.html'}",
    ]
    if len(outcome.protected_edges):
        lines.insert(2, f"Protected: {len(outcome.protected_edges):,} edges, which all stay.")
    if outcome.limits:
        kept = (
            f"{limit.name} {limit.before:.4g} → {limit.after:.4g} (at most {limit.share})"
            for limit in outcome.limits
        )
        lines.insert(2, f"Kept: {', '.join(kept)}.")
    if outcome.budget == 0 and outcome.at_risk_before:
        lines.insert(2, "The budget is less than one edge, so nothing was deleted. Give more with --budget.")
    if outcome.stopped_by == "interrupted":
        lines.insert(0, "Interrupted: this is the best found so far.")
    return "\n".join(lines)
