"""Decisions on releases: facts from a release and its evidence, the verdict, and the record of a decision.

private/decision.json   the policy in full, the verdict, the grounds that people stated, when to look again
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from netveil._version import __version__
from netveil.auditing import Audit
from netveil.deciding import Decided, Facts, Judgement, Policy, judge, verdict
from netveil.deciding.facts import KNOWING, leaks_in, losses_of, shares_at_risk, shares_found
from netveil.deciding.policy import Grounds
from netveil.deciding.scenarios import named_attackers
from netveil.deciding.verdict import claims_without_policy, helps_for
from netveil.network import Network
from netveil.utility import Comparison

MOST_EDGES_OF_TABLE = 100_000  # below, a table to tell what a synthetic network would bring takes seconds


def decide(
    figures: Mapping[str, Any], facts: Facts, policy: Policy | None, original: Network | None
) -> Decided:
    """The verdict on a release; where its policy is not met, with what would help."""
    if policy is None:
        return Decided(claims_without_policy(figures, facts), named=facts.named)
    judgement = judge(policy, facts)
    if not judgement.met:
        ceiling = None if facts.synthetic else _ceiling(judgement, original)
        judgement = Judgement(policy, judgement.rules, helps_for(judgement, facts, ceiling))
    return Decided(verdict(judgement), judgement, facts.named)


def _ceiling(judgement: Judgement, original: Network | None) -> float | None:
    """Share found at most on average in a synthetic network with the policy's k; None if it is not needed."""
    from netveil.synthetic import ceilings

    is_asked = any(not rule.met and rule.rule in KNOWING for rule in judgement.rules)
    if not is_asked or original is None or original.edge_count > MOST_EDGES_OF_TABLE:
        return None
    return next((each.ceiling for each in ceilings(original, [judgement.policy.k])), None)


def facts_of_published(
    published: Network, audit: Audit | None, comparison: Comparison | None, policy: Policy | None
) -> Facts:
    """Facts about a published network, however it was made."""
    return Facts(
        people=published.node_count,
        at_risk={} if policy is None else shares_at_risk(published, policy.attackers, policy.k),
        found=shares_found(audit),
        named=named_attackers(audit),
        losses=losses_of(comparison),
        attributes=published.attributes.names,
        leaks=leaks_in(audit),
    )


def decision_record(decided: Decided, made_at: datetime) -> dict[str, Any]:
    """What private/decision.json says."""
    judgement = decided.judgement
    policy = None if judgement is None else judgement.policy
    grounds = Grounds() if policy is None else policy.grounds
    told = {} if policy is None else policy.to_dict()
    return {
        "netveil": __version__,
        "made_at": made_at.isoformat(timespec="seconds"),
        "verdict": decided.verdict,
        "met": None if judgement is None else judgement.met,
        "policy": told.get("policy"),
        "rules": [] if judgement is None else judgement.to_dict()["rules"],
        "helps": [] if judgement is None else list(judgement.helps),
        "versions": [dict(each) for each in decided.versions],
        "grounds": {**asdict(grounds), "review": _review(policy, grounds, made_at.date())},
    }


def _review(policy: Policy | None, grounds: Grounds, made_on: date) -> str | None:
    """Date by which the decision is looked at again, if the policy says so."""
    if grounds.review is not None:
        return grounds.review.isoformat()
    if policy is None or policy.review_months is None:
        return None
    years, month = divmod(made_on.month - 1 + policy.review_months, 12)
    return date(made_on.year + years, month + 1, min(made_on.day, 28)).isoformat()
