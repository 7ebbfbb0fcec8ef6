"""`netveil anonymize`: search for edges to delete, write a release folder."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    attacker_options,
    network_options,
    out_option,
    output_options,
    print_json,
    reading_lines,
    warn_of_oddities,
)
from netveil.cli.progress import Shown, progress_on, skippable, stopping_on_signals
from netveil.errors import SettingError, for_command_line
from netveil.formatting import are, counted, figure, in_columns, percentage, seconds
from netveil.search import ALGORITHMS, DEFAULT_ALGORITHM, LIMITS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from netveil.anonymity import Attackers
    from netveil.auditing import Audit
    from netveil.auditing.matching.score import Matching
    from netveil.files import ReadAs
    from netveil.network import Network
    from netveil.release.folder import ReleaseFolder
    from netveil.release.release import Release


# What `netveil anonymize` says in the end.


def summary(release: Release, folder: Path, audit: Audit | None = None) -> str:
    """Who is at risk now, what was deleted, what the strongest attacker finds, and where it is."""
    from netveil.auditing.matching.score import brief

    outcome, original = release.outcome, release.original
    share = percentage(len(outcome.deleted_edges), original.edge_count)
    at_risk = (
        "unique: nobody else is like them" if outcome.k == 2 else f"at risk: fewer than {outcome.k} are alike"
    )
    before, after = outcome.at_risk_before, outcome.at_risk_after
    nobody = "" if after else f" (to {outcome.attackers.name}, k = {outcome.k})"
    lines = [
        f"Of {original.node_count:,} people, {before:,} {'was' if before == 1 else 'were'} {at_risk}. "
        f"Now {after:,} {are(after)}{nobody}.",
        *_each_alone(release),
        f"{len(outcome.deleted_edges):,} of {counted(original.edge_count, 'edge')} deleted ({share}; "
        f"the budget is {outcome.budget:,}).",
    ]
    if outcome.stopped_by == "interrupted":
        lines.insert(0, "Interrupted: this is the best found so far.")
    if outcome.target is not None:
        lines.append(_of_target(release))
    if outcome.budget == 0 and outcome.at_risk_before:
        lines.append("The budget is less than one edge, so nothing was deleted. Give more with --budget.")
    if outcome.limits:
        kept = (
            f"{limit.name} {figure(limit.before)} → {figure(limit.after)} (at most {limit.share})"
            for limit in outcome.limits
        )
        lines.append(f"Kept: {', '.join(kept)}.")
    if len(outcome.protected_edges):
        lines.append(f"Protected: {counted(len(outcome.protected_edges), 'edge')}, none of them deleted.")
    lines += [
        *([] if audit is None else brief(audit.matching, audit.matching_left_out)),
        f"{outcome.algorithm}, seed {outcome.seed}: {counted(outcome.evaluations, 'solution')} tried in "
        f"{seconds(outcome.seconds)}, stopped by: {outcome.stopped_by}.",
        *_whether_least(release),
        f"To publish:   {folder / 'public'}",
        f"To keep:      {folder / 'private'}",
        f"Report:       {folder / 'private' / 'report.html'}",
        f"To sign:      {folder / 'private' / 'sign-off.html'}",
    ]
    return "\n".join(lines)


def _whether_least(release: Release) -> list[str]:
    """Whether it was shown to be the least; if not, what a longer search would probably leave, in figures."""
    from netveil.report.summary import longer_search, whether_least

    left = longer_search(release.outcome, release.original.edge_count).left
    if left is None:
        return [sentence] if (sentence := whether_least(release.outcome)) else []
    return [
        f"Not shown to be the least: ten times as long, it would probably leave {left.fewest:,} to "
        f"{left.most:,} at risk."
    ]


def _each_alone(release: Release) -> list[str]:
    """Where there are several attackers, how many are at risk to each of them."""
    if len(release.each_alone) == 1:
        return []
    lines = in_columns(
        [
            [f"  {each.title} ({each.name})", f"{before:,} → {after:,}"]
            for each, before, after in release.each_alone
        ],
        left=2,
    )
    if any(after > before for _, before, after in release.each_alone):
        lines.append("  Where one rises: the search minds those at risk to any of them together.")
    return lines


def _of_target(release: Release) -> str:
    """Whether the target was reached, and what to do if not."""
    outcome = release.outcome
    after = outcome.at_risk_after
    counts = f"{counted(outcome.enough, 'person', 'people')} may be at risk, {after:,} {are(after)}"
    if after <= outcome.enough:
        return f"Target {outcome.target}: reached, {counts}."
    if outcome.budget == release.original.edge_count:
        return f"Target {outcome.target} was not reached: {counts}; give more --time."
    return (
        f"Target {outcome.target} was not reached within the budget: {counts}; "
        f"give a larger --budget or more --time."
    )


def curve_table(release: Release, network: str, folder: Path, audited: Sequence[Matching] = ()) -> str:
    """The points of the curve, and how to release one of them; with whom an attacker finds, if tried."""
    points = release.figures()["curve"]
    rows = [
        [percentage(row["budget"], release.original.edge_count), f"{row['deleted']:,}", f"{row['at_risk']:,}"]
        for row in points
    ]
    header = ["budget", "edges deleted", "at risk"]
    legend = []
    if audited:
        header += ["found", "found at random"]
        shares = ([row.release.shown.share, row.random_deletion.shown.share] for row in audited)
        rows = [[*row, *each] for row, each in zip(rows, shares, strict=True)]
        legend = [
            "found: people whom somebody finds who has the whole network; found at random: if as many edges",
            "had been deleted at random.",
        ]
    command = f"netveil anonymize {network} --from-curve {folder} --budget B --out DIR"
    table = in_columns([header, *rows], left=0)
    return "\n".join([*table, *legend, f"To release a point: {command}"])


def left_of(folder: ReleaseFolder) -> str:
    """What is left of the work for a release where it is cut off."""
    if folder.is_written:
        return f"the release is in {folder.path}."
    if folder.was_cut_off():
        go_on = "the same command with --resume goes on from it"
        return f"the best so far is kept beside {folder.path}: {go_on}."
    return "nothing was written."


SEARCHING = (
    *("--target", "--algorithm", "--config", "--set", "--keep", "--protect", "--seed", "--time", "--effort"),
    *("--curve", "--resume", "--fuzzy", "--twins"),
)
"""Options that are about a search."""


@click.command()
@network_options
@attacker_options
@click.option(
    "--budget",
    metavar="B",
    help="Edges to delete at most: 5%, 0.05 or 40. [default: 5%, or all edges with --target]",
)
@click.option(
    "--target",
    metavar="SHARE",
    help="Reach that share of k-anonymous people (95%, 0.95) with as few deletions as possible, within the "
    "budget if one is given.",
)
@click.option(
    "--algorithm",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    metavar="NAME",
    help="How to search: "
    + "; ".join(f"{name}, {description}" for name, description in ALGORITHMS.descriptions.items())
    + ".",
)
@click.option(
    "--config", metavar="FILE", help="Settings of the algorithm: a TOML file, or a preset (conf1 to conf4)."
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="One setting of the algorithm. Repeatable."
)
@click.option(
    "--keep",
    multiple=True,
    metavar="METRIC=SHARE",
    help="What must be kept, such as clustering=1%. Repeatable. "
    + "; ".join(f"{name}: {description}" for name, description in LIMITS.descriptions.items())
    + ".",
)
@click.option(
    "--protect",
    metavar="FILE",
    help="Edges that must stay: a line with two labels, or one for all of a node's.",
)
@click.option(
    "--seed", type=int, metavar="N", help="Same seed, same deletions. Drawn at random if not given."
)
@click.option("--time", type=float, metavar="SECONDS", help="Stop the search after this time.")
@click.option(
    "--effort",
    type=float,
    metavar="X",
    help="How long to search where --time is not given: 2 is twice as long as 1. For annealing. [default: 1]",
)
@click.option("--threads", type=int, metavar="N", help="Threads to search with. [default: all cores]")
@click.option("--curve", is_flag=True, help="Find a solution for parts of the budget too, and show them all.")
@click.option(
    "--audit-curve",
    is_flag=True,
    help="Tell for each point of the curve whom somebody finds who has the whole network.",
)
@click.option(
    "--from-curve",
    metavar="RELEASE",
    help="Release the point for --budget of the curve that RELEASE keeps, without a new search.",
)
@out_option("Folder of the release. [default: NETWORK-release]")
@click.option("--overwrite", is_flag=True, help="Replace the release that is there.")
@click.option("--resume", is_flag=True, help="Go on from the best of a search that was cut off.")
@click.option("--keep-labels", is_flag=True, help="Publish the original labels: only if they tell nothing.")
@click.option(
    "--keep-attributes",
    metavar="A,B",
    help="Publish these attributes of nodes and edges of a GraphML or GML file: only if they tell nothing.",
)
@click.option("--utility/--no-utility", default=True, help="Measure what the deletion cost, for the report.")
@click.option("--audit/--no-audit", default=True, help="Try attacks on the release, for the report.")
@click.option(
    "--baselines/--no-baselines",
    default=True,
    help="Try other algorithms with the same budget, for the report.",
)
@output_options
@click.pass_context
def anonymize(
    context: click.Context,
    /,
    network: str,
    read_as: ReadAs,
    from_curve: str | None,
    out: str | None,
    overwrite: bool,
    resume: bool,
    keep_labels: bool,
    keep_attributes: str | None,
    utility: bool,
    audit: bool,
    baselines: bool,
    audit_curve: bool,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Delete few edges of NETWORK so that nearly nobody can be singled out, and write a release.

    NETWORK is a file, - for standard input, or the name of a built-in network (see `netveil networks`). The
    release folder has a public part to publish and a private part to keep. Ctrl-C stops the search and writes
    the best so far.
    """
    from netveil.files import suffix_for
    from netveil.opening import open_network
    from netveil.progress import finished
    from netveil.release.folder import ReleaseFolder, warning_of_others
    from netveil.search import Control, Request
    from netveil.search.budget import edges_allowed, tell_if_ambiguous
    from netveil.workflow import anonymizing_into, publish

    given = _given(context)
    if from_curve is not None:
        _check_without_search(given)
    if audit_curve and not asked["curve"]:
        raise SettingError("--audit-curve is about the points of a curve; give --curve as well.")
    control = Control()
    with stopping_on_signals(control):
        loaded = _with_attributes(open_network(network, read_as), keep_attributes)
        warn_of_oddities(loaded)
        folder = ReleaseFolder(out or f"{loaded.name}-release", overwrite=overwrite)
        start = folder.where_to_go_on(loaded, resume=resume)
        control.keeper = lambda edges, at_risk: folder.keep_best(loaded, edges, at_risk)
        say_what_is_left(lambda: left_of(folder))
        with folder.claimed():
            if from_curve is not None:
                release = _point_of_curve(from_curve, loaded, given, asked["budget"], asked["attackers"])
            else:
                asked["settings"] = dict(
                    _pair(each, "--set", "NAME=VALUE", "effort=2") for each in asked["settings"]
                )
                request = Request(**asked | {"keep": _limits(asked["keep"]), "start": start})
                allowed = edges_allowed(request.budget, request.target is not None, loaded.edge_count)
                tell_if_ambiguous(request.budget, loaded.edge_count)
                shown = Shown(request.algorithm, allowed, request.time)
                with progress_on(shown, quiet, control) as listener:
                    steps = anonymizing_into(folder, loaded, request, control, resume=resume)
                    release = finished(steps, listener)
            if resume and start is None:
                click.echo(f"warning: nothing was cut off at {folder.path}; this was a new search.", err=True)
            if keep_labels:
                click.echo("warning: the release carries the original labels (--keep-labels).", err=True)
                release = replace(release, keep_labels=True)
            cut_short = from_curve is None and release.outcome.stopped_by == "interrupted"
            evidence = publish(
                release,
                folder,
                suffix_for(network, read_as.format or _format_of_stdin(network, loaded)),
                command=command_line(),
                utility=utility and not cut_short,
                audit=audit and not cut_short,
                baselines=baselines and not cut_short,
                audit_curve=audit_curve and not cut_short,
                threads=asked["threads"],
                around=lambda part: skippable(part, quiet),
            )
    if (second := warning_of_others(folder.path)) is not None:
        click.echo(f"warning: {for_command_line(second)}", err=True)
    if as_json:
        found = {"audit_curve": [row.to_dict() for row in evidence.audit_curve]} if audit_curve else {}
        print_json({**release.figures(), **found, "network": network, "release": str(folder.path)})
    else:
        if from_curve is not None:
            click.echo(f"A point of the curve of {from_curve}, without a new search.")
        if not quiet and (lines := reading_lines(loaded)):
            click.echo("\n".join(lines))
        click.echo(summary(release, folder.path, evidence.audit))
        if asked["curve"] and release.outcome.curve:
            click.echo(f"\n{curve_table(release, network, folder.path, evidence.audit_curve)}")
    return 130 if cut_short or evidence.skipped else 0


def _format_of_stdin(given: str, network: Network) -> str | None:
    """The format in which standard input was found to be; None for what has a name that says it."""
    from netveil.files.storage import STDIN

    return network.reading.format if given == STDIN and network.reading is not None else None


def _point_of_curve(
    folder: str, network: Network, given: set[str], budget: str, attackers: Attackers
) -> Release:
    """The release of a point of a curve, which must be about the attackers that stand on the command line."""
    import netveil.api
    from netveil.attributes import NO_ATTRIBUTES

    release = netveil.api.from_curve(
        replace(network, attributes=NO_ATTRIBUTES),  # of which the user has heard already
        folder,
        budget,
        measure=[each.measure for each in attackers.each] if "--measure" in given else None,
        distance=attackers.distance if "--distance" in given else None,
        k=attackers.k if "--k" in given else None,
    )
    return replace(release, original=network)


def _with_attributes(network: Network, keep: str | None) -> Network:
    """The network with the attributes that are to be published; a warning says that they are, or none is."""
    attributes, warning = network.attributes.chosen(keep)
    if warning is not None:
        click.echo(f"warning: {for_command_line(warning)}", err=True)
    return replace(network, attributes=attributes)


def _given(context: click.Context) -> set[str]:
    """The options that stand on the command line."""
    return {
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    }


def _check_without_search(given: set[str]) -> None:
    """Raise where --from-curve stands beside what only a search can use, or without a budget."""
    for option in SEARCHING:
        if option in given:
            raise SettingError(
                f"{option} is of no use with --from-curve, which does not search; leave one of them out."
            )
    if "--budget" not in given:
        raise SettingError("--from-curve needs the budget of a point; give it, such as --budget 1%.")


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
