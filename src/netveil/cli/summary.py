"""What `netveil anonymize` says in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.columns import in_columns
from netveil.digits import figure, percentage, seconds
from netveil.words import are, counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from netveil.auditing import Audit
    from netveil.auditing.matching.score import Matching
    from netveil.release.folder import ReleaseFolder
    from netveil.release.release import Release


def summary(release: Release, folder: Path, audit: Audit | None = None) -> str:
    """Who is at risk now, what was deleted, what the strongest attacker finds, and where it is."""
    from netveil.auditing.matching.telling import brief

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
    from netveil.report.longer import longer_search, whether_least

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
