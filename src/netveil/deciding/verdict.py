"""The verdict: one sentence that comes first wherever a release is shown, and remedies if it is no."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from netveil.deciding.facts import KNOWING, Facts
from netveil.deciding.policy import JudgedRule, Judgement
from netveil.deciding.scenarios import NOBODY_TRIED, OF_ROWS, NamedAttackers
from netveil.formatting import are, counted, percentage


@dataclass(frozen=True)
class Decided:
    """The verdict on a release, and its policy rule by rule if there is one."""

    verdict: str
    judgement: Judgement | None = None
    named: NamedAttackers = NOBODY_TRIED
    versions: tuple[Mapping[str, Any], ...] = ()  # that were tried before: the log of the decision

    @property
    def is_unmet(self) -> bool:
        """Whether there is a policy that is not met."""
        return self.judgement is not None and not self.judgement.met

    @property
    def licence(self) -> str:
        """Licence of the published files, where the grounds of the decision state one."""
        return "" if self.judgement is None else self.judgement.policy.grounds.licence

    def to_dict(self) -> dict[str, Any]:
        """The entries of JSON documents: `verdict`, `scenarios`, and `policy` where there is one."""
        policy = {} if self.judgement is None else {"policy": self.judgement.to_dict()}
        return {"verdict": self.verdict, **policy, **self.named.to_dict()}

    def lines(self) -> list[str]:
        """The verdict for a terminal, with the rules of the policy and what would help."""
        if self.judgement is None:
            return [self.verdict, *self.named.lines()]
        rules = [f"  {'met' if rule.met else 'not met':8}{rule.sentence}" for rule in self.judgement.rules]
        helps = [f"  {sentence}" for sentence in self.judgement.helps]
        return [self.verdict, *rules, *(["What would help:", *helps] if helps else []), *self.named.lines()]


def verdict(judgement: Judgement) -> str:
    """Say whether a release meets its policy, with the rule that decides.

    >>> from netveil.deciding import judge, read_policy
    >>> facts = Facts(people=100, k=2, at_risk={"degree": 0.0, "count": 0.01}, losses={"edges": 0.02})
    >>> verdict(judge(read_policy("secure-environment"), facts))
    'Does not meet policy secure-environment: leaks were not looked for, at most 0 allowed (and 1 more rule).'
    """
    policy, rules = judgement.policy.name, judgement.rules
    if judgement.met:
        decides = judgement.deciding
        closest = "" if decides.room == float("inf") else f"; the closest is: {decides.sentence}"
        return f"Meets policy {policy}: {counted(len(rules), 'rule')}, all met{closest}."
    more = sum(not rule.met for rule in rules) - 1
    others = f" (and {counted(more, 'more rule')})" if more else ""
    return f"Does not meet policy {policy}: {judgement.deciding.sentence}{others}."


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


def helps_for(judgement: Judgement, facts: Facts, ceiling: float | None = None) -> tuple[str, ...]:
    """Remedies for rules that are not met, a sentence each.

    `ceiling` is the share that somebody with the network finds at most on average in a synthetic network with
    the policy's k, where it is known.
    """
    told = [
        sentence
        for rule in judgement.rules
        if not rule.met
        for sentence in _help(rule, judgement, facts, ceiling)
    ]
    if told:
        told.append("Or give access under conditions, with another policy, instead of publishing.")
    return tuple(dict.fromkeys(told))


def _help(rule: JudgedRule, judgement: Judgement, facts: Facts, ceiling: float | None) -> Iterator[str]:
    """Remedies for one rule."""
    k, kind = judgement.policy.k, rule.rule.partition(".")[0]
    if rule.found is None and kind in (*KNOWING, "leaks", "inferred_ties"):
        yield "Have the attacks tried: with the audit, and the option matching set to usual."
    elif rule.found is None and kind == "loss":
        yield "Have the loss measured: with the utility, and from the network itself."
    elif kind in KNOWING and not facts.synthetic:
        finds = f"at most {percentage(ceiling)} on average" if ceiling is not None else f"about 1 in {k}"
        yield (
            f"A synthetic network with k = {k} (netveil synthesize): whoever has the network finds "
            f"{finds} in it. Deleting more ties hardly helps against them."
        )
    elif kind in KNOWING and isinstance(rule.limit, float) and rule.limit > 0:
        yield f"Another k: with k = {ceil(1 / rule.limit)} nobody finds more than {percentage(rule.limit)}."
    elif kind == "inferred_ties":
        larger = "a larger k" if facts.synthetic else f"a synthetic network with k = {k} or more"
        yield f"Another way: {larger}; deleting more ties does not hide them from who infers them."
    elif kind == "k":
        yield f"Another k: {k}."
    elif kind == "at_risk":
        yield f"More budget, or a longer search (effort), against these measures with k = {k}."
        if isinstance(rule.found, float):
            left = counted(round(rule.found * facts.people), "person", "people")
            yield f"Or leave the {left} who would still be at risk out of the data, and make it again."
        yield f"Or a synthetic network with k = {k} (netveil synthesize), where nobody is at risk."
    elif kind == "loss":
        less = "a smaller k" if facts.synthetic else "a smaller budget"
        yield f"Less loss: {less}{'' if facts.synthetic else ', or a limit on what must be kept (keep)'}."
    elif kind == "attributes":
        yield "Publish fewer attributes."
    elif kind == "leaks":
        yield "Mend the leaks that the audit names."
    elif kind == "second_release":
        yield "Publish one release of the network only, and take the other one away."
    elif kind == "review":
        yield "Review the policy, and give it a new date."
