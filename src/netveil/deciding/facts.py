"""Facts about a release that rules are held against, and attackers in the words of the person who signs.

    colleague    knows the own contacts             attacks by surroundings at distance 1
    department   knows all ties of one department   matching with the ties of one community
    partner      has the raw file                   matching with all ties
    platform     has a similar network              matching with half of the ties or fewer, at random
    journalist   has a few public facts             attacks by the number of contacts

Nothing is tried here: each takes the strongest attack of an audit that fits it. The three questions are those
of the Article 29 Working Party (Opinion 05/2014): singling out, linking, inference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from netveil.anonymity import Attackers, anonymity_of
from netveil.formatting import PeopleFound, counted, figure, percentage
from netveil.network import Network

if TYPE_CHECKING:
    from netveil.auditing import Audit
    from netveil.auditing.matching.score import Matching
    from netveil.deciding.policy import Policy
    from netveil.utility import Comparison
    from netveil.utility.metric import Finding

NEAR = {
    "colleague": ("degree", "count", "edge-count", "degree-distribution", "ego"),
    "journalist": ("degree",),
}
"""Measures that attack by surroundings at distance 1, by the scenario that they fit."""

UNKNOWN = "not known, as it is not known who is who"


@dataclass(frozen=True)
class Scenario:
    """An attacker by name, the assumed knowledge, and the result of the strongest such attack."""

    name: str
    who: str
    knows: str
    attack: str  # that measured it; empty where none did
    found: int | None  # people; None where it was not tried
    of: int | None  # people looked for
    sentence: str

    @property
    def share(self) -> float:
        """Share found of the people looked for; 0 where nothing was tried."""
        return self.found / self.of if self.found and self.of else 0.0


@dataclass(frozen=True)
class Question:
    """A question of data protection authorities, the attack that measured it, and its figure."""

    question: str
    attack: str
    found: float | None  # a share of people, or for inference the area under the curve
    sentence: str


@dataclass(frozen=True)
class NamedAttackers:
    """All scenarios and questions of one release."""

    scenarios: tuple[Scenario, ...] = ()
    questions: tuple[Question, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The entries `scenarios` and `questions` of JSON documents."""
        return {name: [asdict(each) for each in told] for name, told in vars(self).items()}

    def lines(self) -> list[str]:
        """Lines for a terminal."""
        if not self.scenarios:
            return []
        ends = {each.sentence.removeprefix(each.who) for each in self.scenarios}
        told = (
            [f"Whoever it is{ends.pop()}"] if len(ends) == 1 else [each.sentence for each in self.scenarios]
        )
        return [
            "Who is the attacker?",
            *(f"  {sentence}" for sentence in told),
            "What authorities ask:",
            *(f"  {each.sentence}" for each in self.questions),
        ]


NOBODY_TRIED = NamedAttackers()


def rows_knowing(rows: Sequence[Matching]) -> dict[str, list[Matching]]:
    """Attackers who match networks, by the field of a policy that limits what they find."""
    return {
        "found_with_network": [row for row in rows if row.knowledge.known == 1],
        "found_with_group": [row for row in rows if row.knowledge.ties == "community"],
        "found_with_half": [
            row for row in rows if row.knowledge.known <= 0.5 and row.knowledge.ties == "random"
        ],
    }


WHO = {
    "colleague": (
        "A colleague who knows their own contacts",
        "the own contacts, and who of them know each other",
    ),
    "department": (
        "Somebody from one department who knows all ties there",
        "all ties within one group of people",
    ),
    "partner": ("A research partner who has the raw file", "all ties"),
    "platform": ("A platform with a similar network", "half of the ties, or fewer"),
    "journalist": (
        "A journalist with a few public facts",
        "how many contacts a person has, exactly or nearly",
    ),
}
"""Scenarios by name: the attacker, and the assumed knowledge."""

FINDS = {
    "colleague": "finds themselves, and so these contacts, in {} cases ({})",
    "department": "finds {} people ({}) there",
}
"""Verb of a scenario's sentence, if not "finds … people"."""

OF_ROWS = {"department": "found_with_group", "partner": "found_with_network", "platform": "found_with_half"}


def named_attackers(audit: Audit | None) -> NamedAttackers:
    """Scenarios and questions, from the attacks of an audit; empty without one.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> found = named_attackers(nv.audit(karate, karate, measure="degree", matching="none"))
    >>> found.scenarios[-1].sentence
    'A journalist with a few public facts finds 6 of 34 people (17.6%).'
    """
    if audit is None:
        return NOBODY_TRIED
    rows = rows_knowing(audit.matching)
    scenarios = [
        _by_matching(name, rows[OF_ROWS[name]], audit.scored)
        if name in OF_ROWS
        else _by_surroundings(name, audit)
        for name in WHO
    ]
    return NamedAttackers(tuple(scenarios), tuple(_questions(audit)))


def _by_matching(name: str, rows: Sequence[Matching], scored: bool) -> Scenario:
    if not rows:
        return _told(name, WHO[name][1], "", None, scored)
    strongest = max(rows, key=lambda row: row.release.shown.fraction)
    knowledge, (_, knows) = strongest.knowledge, WHO[name]
    if knowledge.known < 1:
        half = "half" if knowledge.known == 0.5 else f"{100 * knowledge.known:g}%"
        knows = f"{knows} ({half} of all)" if name == "department" else f"{half} of the ties"
    seeds = counted(knowledge.seeds, "person", "people") if knowledge.seeds else ""
    return _told(name, knows, strongest.name, strongest.release.shown, scored, seeds)


def _by_surroundings(name: str, audit: Audit) -> Scenario:
    tried = [
        attack
        for attack in audit.attacks
        if audit.scored and (by := attack.attacker) and by.distance == 1 and by.measure.name in NEAR[name]
    ]
    strongest = max(tried, key=lambda attack: attack.release.found or 0, default=None)
    found = None if strongest is None else PeopleFound(strongest.release.found or 0, audit.nodes)
    return _told(name, WHO[name][1], "" if strongest is None else strongest.name, found, audit.scored)


def _told(
    name: str, knows: str, attack: str, found: PeopleFound | None, scored: bool, seeds: str = ""
) -> Scenario:
    """A scenario with its sentence; `seeds` are people who are recognised beforehand, and not counted."""
    who = WHO[name][0]
    if found is None:
        return Scenario(name, who, knows, attack, None, None, f"{who}: {'not tried' if scored else UNKNOWN}.")
    said = FINDS.get(name, "finds {} people ({})").format(found, found.share)
    if seeds:
        said = f"and recognises {seeds} beforehand {said.replace(' people', ' others')}"
        knows += f", and recognises {seeds} beforehand"
    return Scenario(name, who, knows, attack, found.found, found.people, f"{who} {said}.")


def _questions(audit: Audit) -> Iterator[Question]:
    """Singling out by surroundings, linking by matching, inference of deleted ties."""
    strongest = audit.strongest
    alone = PeopleFound(strongest.release.found or 0, audit.nodes) if audit.scored else None
    yield _question("singling out", strongest.name, alone, "by surroundings", audit.scored)
    linked = max(audit.matching, key=lambda row: row.release.shown.fraction, default=None)
    attack, found = ("", None) if linked is None else (linked.name, linked.release.shown)
    yield _question("linking", attack, found, "with the network or a part of it", audit.scored)
    yield _about_inference([asdict(each) for each in audit.inference], audit.scored)


def _question(question: str, attack: str, found: PeopleFound | None, how: str, scored: bool) -> Question:
    if found is None:
        told = "not tried" if scored else UNKNOWN
        return Question(question, attack, None, f"{question.capitalize()}: {told}.")
    told = f"{how}, {found} people ({found.share}; {attack})"
    return Question(question, attack, found.fraction, f"{question.capitalize()}: {told}.")


def _about_inference(found: Sequence[Mapping[str, Any]], scored: bool = True) -> Question:
    """The question about inference: of deleted ties, or of any where none was deleted."""
    if not found:
        return _question("inference", "", None, "", scored)
    told = found[-1]
    what = "a deleted tie" if told["question"] == "deleted" else "a tie"
    beside = [
        f"{name.replace('_', ' ')} {figure(told[name])}, "
        for name in ("original", "random_deletion")
        if told[name] is not None
    ]
    said = (
        f"Inference: area under the curve {figure(told['release'])} for telling {what} from none "
        f"({''.join(beside)}guessing 0.5; {told['predictor']})."
    )
    return Question("inference", told["predictor"], told["release"], said)


def named_attackers_of_synthetic(
    rows: int, people: int, smallest_row: int, attacks: Mapping[str, Any] | None
) -> NamedAttackers:
    """Scenarios and questions of a synthetic network: its table bounds what any of them finds on average."""
    most = PeopleFound(rows, people)
    at_most = f"finds at most {most} people on average ({most.share})."
    scenarios = (
        Scenario(name, who, knows, "ceiling", most.found, most.people, f"{who} {at_most}")
        for name, (who, knows) in WHO.items()
    )
    tried = [] if attacks is None else attacks["rows"]
    best = max(tried, key=lambda row: (row["what"] != "ceiling", row["found"] / row["people"]), default=None)
    linked = most if best is None else PeopleFound.of_means(best["found"], best["people"])
    attack = "ceiling" if best is None else best["what"]
    in_a_draw = "" if best is None else f"{linked} people in one draw ({linked.share}; {attack}), "
    chance = percentage(1, smallest_row)
    questions = (
        Question(
            "singling out",
            "table",
            1 / smallest_row,
            f"Singling out: nobody with a chance above 1 in {smallest_row:,} ({chance}).",
        ),
        Question(
            "linking",
            attack,
            linked.fraction,
            f"Linking: with the network itself, {in_a_draw}at most {most.share} on average.",
        ),
        _about_inference([] if attacks is None else attacks["inference"]),
    )
    return NamedAttackers(tuple(scenarios), questions)


# Facts, however the release was made.


KNOWING = {
    "found_with_network": "somebody who has the whole network",
    "found_with_group": "somebody who has the ties within one group",
    "found_with_half": "somebody who has half of the ties",
}
"""Attackers who match networks, by the field of a policy."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Measured facts about a release; None for those that were not measured."""

    people: int
    k: int | None = None  # that it was made for; of a synthetic network, of its table
    at_risk: Mapping[str, float] = field(default_factory=dict)  # share for the policy's k, by measure
    named: NamedAttackers = NOBODY_TRIED  # attackers as the person who signs knows them
    found: Mapping[str, float | None] = field(default_factory=dict)  # share, by KNOWING
    losses: Mapping[str, float | None] = field(default_factory=dict)  # share, by metric
    attributes: Sequence[str] = ()
    leaks: int | None = None
    second_release: bool | None = None
    made_on: date | None = None
    synthetic: bool = False

    @property
    def inferred(self) -> float | None:
        """Area under the curve of the attack that infers ties; None if it was not tried."""
        return next((each.found for each in self.named.questions if each.question == "inference"), None)


def facts_of_published(
    published: Network, audit: Audit | None, comparison: Comparison | None, policy: Policy | None
) -> Facts:
    """Facts about a published network, however it was made; of leaks attributes do not count."""
    tried = rows_knowing(() if audit is None else audit.matching)
    leaks = None if audit is None else [leak for leak in audit.leaks if leak.kind != "columns"]
    return Facts(
        people=published.node_count,
        at_risk={} if policy is None else shares_at_risk(published, policy.attackers, policy.k),
        found={
            name: max((row.release.shown.fraction for row in rows), default=None)
            for name, rows in tried.items()
        },
        named=named_attackers(audit),
        losses=losses_of(comparison),
        attributes=published.attributes.names,
        leaks=None if leaks is None else sum(leak.severity == "leak" for leak in leaks),
    )


def shares_at_risk(published: Network, measures: Iterable[str], k: int) -> dict[str, float]:
    """Share of the people at risk in a published network to each measure, for k.

    Attributes of people that are published count as known.

    >>> from netveil import load
    >>> shares_at_risk(load("karate"), ["degree"], 2)
    {'degree': 0.17647058823529413}
    """
    known = tuple(published.attributes.node) or None
    attackers = {measure: Attackers.of(measure, known=known, k=k).each for measure in measures}
    people = max(published.node_count, 1)
    return {measure: anonymity_of(published, each, k).at_risk / people for measure, each in attackers.items()}


def losses_of(comparison: Comparison | None) -> dict[str, float | None]:
    """Share by which each metric has changed; 1 - score for similarities."""
    return {} if comparison is None else {name: _loss(each) for name, each in comparison.metrics.items()}


def _loss(finding: Finding) -> float | None:
    if finding.is_similarity:
        return None if finding.score is None else 1 - finding.score
    if finding.relative_change is not None:
        return abs(finding.relative_change)
    return 0.0 if finding.change == 0 else None  # of a figure that was 0
