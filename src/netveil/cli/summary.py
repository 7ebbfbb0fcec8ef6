"""What `netveil anonymize` says in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from netveil.release.release import Release


def summary(release: Release, folder: Path) -> str:
    """Who is at risk now, what was deleted, how it was found and where it is."""
    outcome, original = release.outcome, release.original
    share = len(outcome.deleted_edges) / max(original.edge_count, 1)
    at_risk = (
        "unique: nobody else is like them" if outcome.k == 2 else f"at risk: fewer than {outcome.k} are alike"
    )
    lines = [
        f"Of {original.node_count:,} people, {outcome.at_risk_before:,} were {at_risk}. "
        f"Now {outcome.at_risk_after:,} are.",
        *_each_alone(release),
        f"{len(outcome.deleted_edges):,} of {original.edge_count:,} edges deleted ({share:.2%}; "
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
            f"{limit.name} {limit.before:.4g} → {limit.after:.4g} (at most {limit.share})"
            for limit in outcome.limits
        )
        lines.append(f"Kept: {', '.join(kept)}.")
    if len(outcome.protected_edges):
        lines.append(f"Protected: {len(outcome.protected_edges):,} edges, which all stay.")
    lines += [
        f"{outcome.algorithm}, seed {outcome.seed}: {outcome.evaluations:,} solutions tried in "
        f"{outcome.seconds:.1f} s, stopped by: {outcome.stopped_by}.",
        f"To publish:   {folder / 'public'}",
        f"To keep:      {folder / 'private'}",
        f"Report:       {folder / 'private' / 'report.html'}",
    ]
    return "\n".join(lines)


def _each_alone(release: Release) -> list[str]:
    """Where there are several attackers, how many are at risk to each of them."""
    if len(release.each_alone) == 1:
        return []
    widest = max(len(attacker.name) for attacker, _, _ in release.each_alone)
    return [
        f"  {attacker.name:<{widest}}  {before:,} → {after:,}"
        for attacker, before, after in release.each_alone
    ]


def _of_target(release: Release) -> str:
    """Whether the target was reached, and what to do if not."""
    outcome = release.outcome
    counts = f"{outcome.enough:,} people may be at risk, {outcome.at_risk_after:,} are"
    if outcome.at_risk_after <= outcome.enough:
        return f"Target {outcome.target}: reached, {counts}."
    if outcome.budget == release.original.edge_count:
        return f"Target {outcome.target} was not reached: {counts}; give more --time."
    return (
        f"Target {outcome.target} was not reached within the budget: {counts}; "
        f"give a larger --budget or more --time."
    )


def curve_table(release: Release, network: str, folder: Path) -> str:
    """The points of the curve, and how to release one of them."""
    rows = release.figures()["curve"]
    lines = ["  budget   edges deleted     at risk"]
    lines += [f"{row['share']:>8.2%}{row['deleted']:>16,}{row['at_risk']:>12,}" for row in rows]
    lines.append(
        f"To release a point: netveil anonymize {network} --from-curve {folder} --budget B --out DIR"
    )
    return "\n".join(lines)
