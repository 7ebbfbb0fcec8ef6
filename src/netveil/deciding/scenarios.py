"""Attackers in the words of the person who signs, with whom they find, and the questions of authorities.

    colleague    knows the own contacts             attacks by surroundings at distance 1
    department   knows all ties of one department   matching with the ties of one community
    partner      has the raw file                   matching with all ties
    platform     has a similar network              matching with half of the ties or fewer, at random
    journalist   has a few public facts             attacks by the number of contacts

Nothing is tried here: each takes the strongest attack of an audit that fits it. The three questions are those
of the Article 29 Working Party (Opinion 05/2014): singling out, linking, inference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from netveil.formatting import PeopleFound, counted, figure, percentage

if TYPE_CHECKING:
    from netveil.auditing import Audit
    from netveil.auditing.matching.score import Matching

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
    if strongest is None:
        return _told(name, WHO[name][1], "", None, audit.scored)
    found = PeopleFound(strongest.release.found or 0, audit.nodes)
    return _told(name, WHO[name][1], strongest.name, found, audit.scored)


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
    if audit.scored:
        found = PeopleFound(strongest.release.found or 0, audit.nodes)
        yield Question(
            "singling out",
            strongest.name,
            found.fraction,
            f"Singling out: by surroundings, {found} people ({found.share}; {strongest.name}).",
        )
    else:
        yield Question("singling out", strongest.name, None, f"Singling out: {UNKNOWN}.")
    linked = max(audit.matching, key=lambda row: row.release.shown.fraction, default=None)
    if linked is None:
        yield Question("linking", "", None, f"Linking: {'not tried' if audit.scored else UNKNOWN}.")
    else:
        shown = linked.release.shown
        said = f"Linking: with the network or a part of it, {shown} people ({shown.share}; {linked.name})."
        yield Question("linking", linked.name, shown.fraction, said)
    yield _about_inference([asdict(each) for each in audit.inference], audit.scored)


def _about_inference(found: Sequence[Mapping[str, Any]], scored: bool = True) -> Question:
    """The question about inference: of deleted ties, or of any where none was deleted."""
    if not found:
        return Question("inference", "", None, f"Inference: {'not tried' if scored else UNKNOWN}.")
    told = found[-1]
    what = "a deleted tie" if told["question"] == "deleted" else "a tie"
    beside = [
        f"{name} {figure(told[key])}, "
        for key, name in (("original", "original"), ("random_deletion", "random deletion"))
        if told[key] is not None
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
