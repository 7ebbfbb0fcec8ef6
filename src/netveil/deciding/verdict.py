"""The verdict: one sentence that comes first wherever a release is shown, and remedies if it is no.

private/decision.json   the policy in full, the verdict, the grounds that people stated, when to look again
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from math import ceil
from typing import Any

from netveil._version import __version__
from netveil.deciding.facts import KNOWING, NOBODY_TRIED, OF_ROWS, Facts, NamedAttackers
from netveil.deciding.policy import Grounds, JudgedRule, Policy, judge
from netveil.formatting import are, counted, percentage
from netveil.network import Network

MOST_EDGES_OF_TABLE = 100_000  # below, a table to tell what a synthetic network would bring takes seconds


@dataclass(frozen=True)
class Decided:
    """The verdict on a release; if there is a policy, rule by rule, and what would help if it is not met."""

    verdict: str
    policy: Policy | None = None
    rules: tuple[JudgedRule, ...] = ()
    helps: tuple[str, ...] = ()
    named: NamedAttackers = NOBODY_TRIED
    versions: tuple[Mapping[str, Any], ...] = ()  # that were tried before: the log of the decision

    @property
    def met(self) -> bool | None:
        """Whether every rule of the policy is met; None without a policy."""
        return None if self.policy is None else all(rule.met for rule in self.rules)

    @property
    def grounds(self) -> Grounds:
        """Grounds of the decision, as the policy states them."""
        return Grounds() if self.policy is None else self.policy.grounds

    def to_dict(self) -> dict[str, Any]:
        """The entries of JSON documents: `verdict`, `scenarios`, and `policy` where there is one."""
        told: dict[str, Any] = {"verdict": self.verdict}
        if self.policy is not None:
            rules = [asdict(rule) for rule in self.rules]
            judged = {"name": self.policy.name, "met": self.met, "rules": rules, "helps": list(self.helps)}
            told["policy"] = judged
        return {**told, **self.named.to_dict()}

    def lines(self) -> list[str]:
        """The verdict for a terminal, with the rules of the policy and what would help."""
        rules = [f"  {'met' if rule.met else 'not met':8}{rule.sentence}" for rule in self.rules]
        helps = ["What would help:", *(f"  {sentence}" for sentence in self.helps)] if self.helps else []
        return [self.verdict, *rules, *helps, *self.named.lines()]

    def record(self, made_at: datetime) -> dict[str, Any]:
        """What private/decision.json says."""
        return {
            "netveil": __version__,
            "made_at": made_at.isoformat(timespec="seconds"),
            "verdict": self.verdict,
            "met": self.met,
            "policy": None if self.policy is None else self.policy.to_dict()["policy"],
            "rules": [asdict(rule) for rule in self.rules],
            "helps": list(self.helps),
            "versions": [dict(each) for each in self.versions],
            "grounds": {**asdict(self.grounds), "review": self._review(made_at.date())},
        }

    def _review(self, made_on: date) -> str | None:
        """Date by which the decision is looked at again, if the policy says so."""
        if self.grounds.review is not None:
            return self.grounds.review.isoformat()
        if self.policy is None or self.policy.review_months is None:
            return None
        years, month = divmod(made_on.month - 1 + self.policy.review_months, 12)
        return date(made_on.year + years, month + 1, min(made_on.day, 28)).isoformat()


def decide(
    figures: Mapping[str, Any], facts: Facts, policy: Policy | None = None, original: Network | None = None
) -> Decided:
    """The verdict on a release; where its policy is not met, with what would help."""
    if policy is None:
        return Decided(claims_without_policy(figures, facts), named=facts.named)
    rules = judge(policy, facts)
    helps = tuple(dict.fromkeys(_helps(policy, rules, facts, original)))
    return Decided(verdict(policy, rules), policy, rules, helps, facts.named)


def verdict(policy: Policy, rules: Sequence[JudgedRule]) -> str:
    """Say whether a release meets its policy, with the rule that decides.

    That is the first that is not met, or the one with the least room.

    >>> from netveil.deciding import read_policy
    >>> facts = Facts(people=100, k=2, at_risk={"degree": 0.0, "count": 0.01}, losses={"edges": 0.02})
    >>> secure = read_policy("secure-environment")
    >>> verdict(secure, judge(secure, facts))
    'Does not meet policy secure-environment: leaks were not looked for, at most 0 allowed (and 1 more rule).'
    """
    unmet = [rule for rule in rules if not rule.met]
    if unmet:
        others = f" (and {counted(len(unmet) - 1, 'more rule')})" if unmet[1:] else ""
        return f"Does not meet policy {policy.name}: {unmet[0].sentence}{others}."
    decides = min(rules, key=lambda rule: rule.room)
    closest = "" if decides.room == float("inf") else f"; the closest is: {decides.sentence}"
    return f"Meets policy {policy.name}: {counted(len(rules), 'rule')}, all met{closest}."


def claims_without_policy(figures: Mapping[str, Any], facts: Facts) -> str:
    """Sentences on what may be claimed of a release without a policy, and what may not."""
    if facts.synthetic:
        return (
            f"No policy was set. It may be claimed that nobody can be found with a chance above 1 in "
            f"{figures['smallest_row']:,}, whatever is known, and {percentage(figures['ceiling'])} of the "
            f"people at most on average; it may not be claimed that any of its ties is true, or that a tie "
            f"cannot be guessed."
        )
    left, people, k = figures["at_risk_after"], facts.people, figures["k"]
    who = " or ".join(dict.fromkeys(each["measure"] for each in figures["attackers"]))
    may = (
        f"{left:,} of {counted(people, 'person', 'people')} {are(left)} at risk to {who} with k = {k}"
        if left
        else f"nobody is at risk to {who} with k = {k}"
    )
    tried = [each for each in facts.named.scenarios if each.name in OF_ROWS and each.found is not None]
    if not tried:
        return (
            f"No policy was set. It may be claimed that {may}; nothing may be claimed of somebody who has "
            f"the network or a part of it, which was not tried."
        )
    finding = sorted((each for each in tried if each.found), key=lambda each: -each.share)
    if not finding:
        return (
            f"No policy was set. It may be claimed that {may}, and that the attackers who were tried with "
            f"the network or a part of it find nobody; not that nobody else could."
        )
    told = [each for each in finding if each is finding[0] or each.name == "department"]
    said = "; ".join(f"{each.sentence[0].lower()}{each.sentence[1:-1]}" for each in told)
    return (
        f"No policy was set. It may be claimed that {may}; it may not be claimed that nobody can be found: "
        f"{said}."
    )


def _helps(
    policy: Policy, rules: Sequence[JudgedRule], facts: Facts, original: Network | None
) -> Iterator[str]:
    """Remedies for rules that are not met, a sentence each."""
    unmet = [rule for rule in rules if not rule.met]
    ceiling = None
    if not facts.synthetic and any(rule.rule in KNOWING for rule in unmet):
        ceiling = _ceiling(policy.k, original)
    told = [sentence for rule in unmet for sentence in _help(rule, policy.k, facts, ceiling)]
    yield from told
    if told:
        yield "Or give access under conditions, with another policy, instead of publishing."


def _ceiling(k: int, original: Network | None) -> float | None:
    """Share that anybody finds at most on average in a synthetic network; None if that takes long to tell."""
    from netveil.synthetic import ceilings

    if original is None or original.edge_count > MOST_EDGES_OF_TABLE:
        return None
    return next((each.ceiling for each in ceilings(original, [k])), None)


def _help(rule: JudgedRule, k: int, facts: Facts, ceiling: float | None) -> Iterator[str]:
    """Sentences on what would help to meet one rule; `ceiling` is that of a synthetic network, if known."""
    kind, synthetic = rule.rule.partition(".")[0], facts.synthetic
    if rule.found is None and kind in (*KNOWING, "leaks", "inferred_ties"):
        yield "Have the attacks tried: with the audit, and the option matching set to usual."
    elif rule.found is None and kind == "loss":
        yield "Have the loss measured: with the utility, and from the network itself."
    elif kind in KNOWING and not synthetic:
        finds = f"at most {percentage(ceiling)} on average" if ceiling is not None else f"about 1 in {k}"
        yield (
            f"A synthetic network with k = {k} (netveil synthesize): whoever has the network finds "
            f"{finds} in it. Deleting more ties hardly helps against them."
        )
    elif kind in KNOWING and isinstance(rule.limit, float) and rule.limit > 0:
        yield f"Another k: with k = {ceil(1 / rule.limit)} nobody finds more than {percentage(rule.limit)}."
    elif kind == "at_risk":
        yield f"More budget, or a longer search (effort), against these measures with k = {k}."
        if isinstance(rule.found, float):
            left = counted(round(rule.found * facts.people), "person", "people")
            yield f"Or leave the {left} who would still be at risk out of the data, and make it again."
        yield f"Or a synthetic network with k = {k} (netveil synthesize), where nobody is at risk."
    elif kind in HELPS:
        larger = "a larger k" if synthetic else f"a synthetic network with k = {k} or more"
        less = "a smaller k" if synthetic else "a smaller budget, or a limit on what must be kept (keep)"
        yield HELPS[kind].format(k=k, larger=larger, less=less)


HELPS = {
    "inferred_ties": "Another way: {larger}; deleting more ties does not hide them from who infers them.",
    "k": "Another k: {k}.",
    "loss": "Less loss: {less}.",
    "attributes": "Publish fewer attributes.",
    "leaks": "Mend the leaks that the audit names.",
    "second_release": "Publish one release of the network only, and take the other one away.",
    "review": "Review the policy, and give it a new date.",
}
"""What would help to meet a rule, for rules that need no more than a sentence."""
