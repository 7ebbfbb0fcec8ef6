"""Policies: rules for a release, set beforehand in a TOML file; whether it meets them, and what would help.

    [policy]                     k, attackers, shares that may be found at most, loss at most, attributes, …
    [decision]                   purpose, legal basis, licence, names: grounds that people fill in

A rule that was not measured is not met. Presets are in `data/policies/`. The verdict is one sentence that
comes first wherever a release is shown.

private/decision.json   the policy in full, the verdict, the grounds that people stated, when to look again
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date, datetime
from fractions import Fraction
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, ValidationError, convert, json

from netveil._version import __version__
from netveil.deciding.facts import KNOWING, NOBODY_TRIED, OF_ROWS, Facts, NamedAttackers
from netveil.errors import FileError, SettingError, option, unknown_name
from netveil.formatting import MISSING, are, counted, figure, parsed_share, percentage
from netveil.network import Network
from netveil.registries import MEASURES, METRICS

Share: TypeAlias = str | int | float
LeastK: TypeAlias = Annotated[int, Meta(ge=2)]
Months: TypeAlias = Annotated[int, Meta(ge=1, le=1200)]
Area: TypeAlias = Annotated[float, Meta(ge=0.5, le=1)]
PRESETS = ("open-repository", "registered-users", "secure-environment", "teaching")


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """Grounds of a decision, as stated in the policy."""

    purpose: str = ""
    legal_basis: str = ""
    licence: str = ""  # of the published files
    conditions: str = ""  # under which others may have them
    decided_by: str = ""
    second_person: str = ""
    review: date | None = None  # the decision holds until then


class PolicyError(SettingError):
    """A policy with an invalid entry."""

    about = "policy"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Rules that a release must meet; a limit that is None is no rule."""

    name: str = ""
    reason: str = ""
    k: LeastK = 2  # the release was made for this k, or a larger one
    attackers: tuple[str, ...] = ()  # measures: to each of them, the share below is at risk at most
    at_risk: Share = 0
    found_with_network: Share | None = None  # by somebody who has the whole original
    found_with_group: Share | None = None  # by somebody who has all ties within some groups of people
    found_with_half: Share | None = None  # by somebody who has at most half of the ties, at random
    inferred_ties: Area | None = None  # area under the curve at most, of who tells ties from none
    loss: Mapping[str, Share] = field(default_factory=dict)  # share by which a metric changes at most
    attributes: tuple[str, ...] | None = None  # that may be published; None for any
    leaks: int = 0  # that an audit may find: labels, order, comments, files
    second_release: bool = True  # whether another release of the network may be there
    review_months: Months | None = None  # after which the decision is looked at again
    grounds: Grounds = Grounds()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `from_document` takes them."""
        told: dict[str, Any] = json.decode(json.encode(asdict(self)))
        return {"decision": told.pop("grounds"), "policy": told}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], source: str, name: str = "") -> Policy:
        """Make a policy of the tables [policy] and [decision] of a document; `source` names it in errors."""
        if document.keys() - {"policy", "decision"} or not isinstance(document.get("policy"), Mapping):
            raise PolicyError(
                f"{source}: write what a release must meet below [policy], such as k = 5, its grounds below "
                f"[decision], and nothing else."
            )
        grounds = _converted(document.get("decision", {}), Grounds, f"{source}, [decision]")
        told = _converted({"name": name, **document["policy"]}, cls, f"{source}, [policy]")
        policy: Policy = replace(told, grounds=grounds)
        policy._check(source)
        return policy

    def _check(self, source: str) -> None:
        """Raise PolicyError for a name that is not netveil's own, and for what is no share."""
        for kind, given, known in (("measure", self.attackers, MEASURES), ("metric", self.loss, METRICS)):
            for name in given:
                if name not in known:
                    raise PolicyError(f"{source}: {unknown_name(kind, name, known)}")
        shares = {"at_risk": self.at_risk} | {name: getattr(self, name) for name in KNOWING}
        shares |= {f"loss.{metric}": share for metric, share in self.loss.items()}
        for name, share in shares.items():
            if share is not None:
                parsed_share(share, f"{source}: {name}", "give a share from 0% to 100%, such as 5% or 0.05.")


def read_policy(given: str | Path | Policy) -> Policy:
    """Read a policy from a TOML file, or by the name of a preset.

    >>> read_policy("teaching").k
    10
    """
    if isinstance(given, Policy):
        return given
    name = str(given)
    if name in PRESETS:
        text = (files("netveil") / "data" / "policies" / f"{name}.toml").read_text(encoding="utf-8")
        return Policy.from_document(tomllib.loads(text), name, name)
    from netveil.files.storage import bounded_bytes

    remedy = f"give a TOML file, or one of {', '.join(PRESETS)}"
    try:
        document = tomllib.loads(bounded_bytes(Path(name)).decode())
    except FileNotFoundError:
        raise FileError(f"{name}: no such file, and no policy of this name; {remedy}.", "policy") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{name}: the policy cannot be read ({error}); {remedy}.", "policy") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: not a TOML file: {error}. Write lines such as: k = 5", "policy") from None
    return Policy.from_document(document, name, Path(name).stem)


PLAIN_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "object": "a table",
}
"""Kinds of values in msgspec's messages, as people say them."""


def _converted(document: Any, kind: type[Any], source: str) -> Any:
    """A record of plain values as its type; PolicyError names the value that does not fit."""
    known = [each.name for each in fields(kind) if each.name != "grounds"]
    for name in document if isinstance(document, Mapping) else ():
        if name not in known:
            raise PolicyError(f"{source}: {unknown_name('entry', str(name)[:40], known)}")
    try:
        return convert(document, kind)
    except ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        for kind_of_value, words in PLAIN_KINDS.items():
            problem = problem.replace(f"`{kind_of_value}`", words)
        name = place.strip("`.") or "all of it"
        raise PolicyError(f"{source}: {name} cannot be as it is: {problem}. Change it.") from None


# Whether what is known of a release meets a policy.


Found: TypeAlias = float | int | bool | str | list[str] | None


@dataclass(frozen=True)
class JudgedRule:
    """A rule of a policy: its limit, what was found, and whether it is met."""

    rule: str
    limit: Found
    found: Found
    met: bool
    sentence: str  # what it says of the release

    @property
    def room(self) -> float:
        """Share of a limit on shares that is left; infinite where there is no such limit."""
        if isinstance(self.limit, float) and isinstance(self.found, int | float) and self.limit > 0:
            return 1 - self.found / self.limit
        return float("inf")


def judge(policy: Policy, facts: Facts) -> tuple[JudgedRule, ...]:
    """Check facts about a release against a policy, rule by rule; the gravest rules come first."""
    return tuple(_rules(policy, facts))


def _rules(policy: Policy, facts: Facts) -> Iterator[JudgedRule]:
    for name, who in KNOWING.items():
        if (limit := getattr(policy, name)) is not None:
            yield _share_rule(name, f"found by {who}:", limit, facts.found.get(name))
    found: Any
    if (area := policy.inferred_ties) is not None:
        found = facts.inferred
        told = "not measured" if found is None else figure(found)
        said = f"ties inferred, area under the curve: {told}, at most {figure(area)} allowed"
        yield JudgedRule("inferred_ties", area, found, found is not None and found <= area, said)
    found = facts.k
    told = "the k that it was made for is not known" if found is None else f"made for k = {found}"
    said = f"{told}, at least {policy.k} asked for"
    yield JudgedRule("k", policy.k, found, found is not None and found >= policy.k, said)
    for measure in policy.attackers:
        subject = f"at risk to {measure} with k = {policy.k}:"
        yield _share_rule(f"at_risk.{measure}", subject, policy.at_risk, facts.at_risk.get(measure))
    found = facts.leaks
    told = "leaks were not looked for" if found is None else f"leaks found: {found:,}"
    said = f"{told}, at most {policy.leaks} allowed"
    yield JudgedRule("leaks", policy.leaks, found, found is not None and found <= policy.leaks, said)
    if policy.attributes is not None:
        may, published = list(policy.attributes), list(facts.attributes)
        said = f"attributes published: {', '.join(published) or 'none'}; allowed: {', '.join(may) or 'none'}"
        yield JudgedRule("attributes", may, published, set(published) <= set(may), said)
    for metric, limit in policy.loss.items():
        yield _share_rule(f"loss.{metric}", f"loss of {metric}:", limit, facts.losses.get(metric))
    if not policy.second_release:
        found = facts.second_release
        told = {None: "not known whether there is", True: "there is", False: "there is not"}[found]
        said = f"{told} another release of the network, none allowed"
        yield JudgedRule("second_release", False, found, found is False, said)
    if (review := policy.grounds.review) is not None:
        today = facts.made_on
        said = f"made on {MISSING if today is None else today}, to be reviewed by {review}"
        is_before = today is not None and today <= review
        yield JudgedRule("review", str(review), None if today is None else str(today), is_before, said)


def _share_rule(name: str, subject: str, limit: Share, found: float | None) -> JudgedRule:
    most = parsed_share(limit, name, "give a share.")
    allowed = f"at most {percentage(float(most))} allowed"
    if found is None:
        return JudgedRule(name, float(most), None, False, f"{subject} not measured, {allowed}")
    met = Fraction(found) <= most or found <= float(most)
    return JudgedRule(name, float(most), found, met, f"{subject} {percentage(found)}, {allowed}")


def warning_before(policy: Policy, k: int) -> str | None:
    """Warning before a search if the requested k cannot meet the policy, else None."""
    if k >= policy.k:
        return None
    return (
        f"policy {policy.name} asks for k = {policy.k} or more, so a release for k = {k} will not meet it; "
        f"give {option('k', policy.k)}."
    )


# The verdict, and remedies if it is no.


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


UNDECIDED = Decided("")
"""Before a release is held against a policy, or none."""


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
