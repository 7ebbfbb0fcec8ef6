"""`netveil anonymize`: search for edges to delete, write a release folder."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    FLAG,
    Output,
    job_options,
    network_options,
    opened_on_bar,
    options,
    out_options,
    output_options,
    places,
    reading_lines,
    typed_options,
    user_code_option,
)
from netveil.cli.progress import OnTerminal, stopping_on_signals
from netveil.errors import SettingError
from netveil.formatting import are, counted, figure, in_columns, percentage, seconds
from netveil.job import Anonymization
from netveil.search.control import Shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from netveil.auditing import Audit
    from netveil.files import ReadAs
    from netveil.network import Network
    from netveil.release.folder import ReleaseFolder
    from netveil.release.release import Release


def summary(release: Release, folder: Path, audit: Audit | None = None) -> str:
    """Summary for the terminal: people at risk, deletions, the strongest attacker, the folder."""
    from netveil.auditing.matching.score import sentences
    from netveil.report.summary import whether_least

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
        *([] if audit is None else sentences(audit.matching, audit.matching_left_out, brief=True)),
        f"{outcome.algorithm}, seed {outcome.seed}: {counted(outcome.evaluations, 'solution')} tried in "
        f"{seconds(outcome.seconds)}, stopped by: {outcome.stopped_by}.",
        *filter(None, [whether_least(outcome)]),
        *places(folder),
    ]
    return "\n".join(lines)


def _each_alone(release: Release) -> list[str]:
    """Lines on people at risk to each attacker, if there are several."""
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
    outcome, after = release.outcome, release.outcome.at_risk_after
    counts = f"{counted(outcome.enough, 'person', 'people')} may be at risk, {after:,} {are(after)}"
    if after <= outcome.enough:
        return f"Target {outcome.target}: reached, {counts}."
    if outcome.budget == release.original.edge_count:
        return f"Target {outcome.target} was not reached: {counts}; give more --time."
    remedy = "give a larger --budget or more --time"
    return f"Target {outcome.target} was not reached within the budget: {counts}; {remedy}."


def curve_table(release: Release, network: str, folder: Path) -> str:
    """The points of the curve, and how to release one of them."""
    command = f"netveil anonymize {network} --from-curve {folder} --budget B --out DIR"
    return "\n".join([*in_columns(release.curve.cells(), left=0), f"To release a point: {command}"])


def left_of(folder: ReleaseFolder) -> str:
    """Sentence on what is left of the work for a release that is cut off."""
    if folder.is_written:
        return f"the release is in {folder.path}."
    kept = f"the best so far is kept beside {folder.path}: the same command with --resume goes on from it."
    return kept if folder.was_cut_off() else "nothing was written."


@click.command()
@network_options
@job_options(Anonymization, "attackers")
@user_code_option
@job_options(Anonymization, "search")
@options(
    (
        "--from-curve",
        "RELEASE",
        "Release the point for --budget of the curve that RELEASE keeps, without a new search.",
    )
)
@out_options("Folder of the release. [default: NETWORK-release]", "the release that is there")
@options(("--resume", "", "Go on from the best of a search that was cut off.", FLAG))
@job_options(Anonymization, "release", "report")
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
    output: Output,
    **asked: Any,
) -> int:
    """Delete few edges of NETWORK so that nearly nobody can be singled out, and write a release.

    NETWORK is a file, - for standard input, or the name of a built-in network (see `netveil networks`). The
    release folder has a public part to publish and a private part to keep. Ctrl-C stops the search and writes
    the best so far.
    """
    from netveil.files import suffix_for
    from netveil.files.storage import STDIN
    from netveil.release.folder import ReleaseFolder
    from netveil.search import Control
    from netveil.search.budget import edges_allowed
    from netveil.workflow import make_release

    job, given, control = Anonymization(**asked), set(typed_options(context)), Control()
    job.check()
    point = None if from_curve is None else _point_of_curve(from_curve, job, given)
    with stopping_on_signals(control):
        loaded = opened_on_bar(network, read_as, output.quiet, original=True)
        # Standard input has no name that says its format.
        found_on_stdin = loaded.reading.format if network == STDIN and loaded.reading else None
        folder = ReleaseFolder(out or f"{loaded.name}-release", overwrite=overwrite)
        say_what_is_left(lambda: left_of(folder))
        allowed = edges_allowed(job.budget, job.target is not None, loaded.edge_count)
        with closing(OnTerminal(Shown(job.algorithm, allowed, job.time), output.quiet)) as watcher:
            made = make_release(
                job,
                loaded,
                folder,
                watcher,
                control,
                resume=resume,
                point=point,
                extension=suffix_for(network, read_as.format or found_on_stdin),
                command=shlex.join(["netveil", *sys.argv[1:]]),
            )
    decided, outcome = made.evidence.decided, made.release.outcome
    texts = [*decided.lines(), ""]
    if from_curve is not None:
        texts.append(f"A point of the curve of {from_curve}, without a new search.")
    texts += [] if output.quiet else reading_lines(loaded)
    texts.append(summary(made.release, folder.path, made.evidence.audit))
    if job.curve and outcome.curve:
        texts += ["", curve_table(made.release, network, folder.path)]
    named = {"network": network, "release": str(folder.path)}
    output.tell({**made.release.figures(), **named, **decided.to_dict()}, *texts)
    if made.is_cut_short and (from_curve is None or made.evidence.skipped):
        return 130
    return 3 if decided.met is False else 0


def _point_of_curve(folder: str, job: Anonymization, given: set[str]) -> Callable[[Network], Release]:
    """Make the function that takes a point of a curve; it must be about the attackers on the command line."""
    from netveil.release.folder import release_from_curve

    searching = {**Anonymization.declared("attackers"), **Anonymization.declared("search")}
    for flag in (*(each.flag for each in searching.values()), "--resume"):
        if flag in given - {"--budget", "--measure", "--distance", "--k", "--threads"}:
            raise SettingError(
                f"{flag} is of no use with --from-curve, which does not search; leave one of them out."
            )
    if job.budget is None:
        raise SettingError("--from-curve needs the budget of a point; give it, such as --budget 1%.")
    attackers = job.attackers
    asked = {name: getattr(attackers, name) for name in ("measure", "distance", "k") if f"--{name}" in given}
    own = [each.measure for each in attackers.each]
    return lambda network: release_from_curve(network, folder, job.budget or "", asked, own)
