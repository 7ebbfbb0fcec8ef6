"""Attacks for people to read on a terminal: figures in columns, an attacker a line, within 100 columns."""

from __future__ import annotations

from collections.abc import Sequence

from netveil.anonymity.measure import title_of
from netveil.auditing.attack import Attack, Tally
from netveil.auditing.deletions import DeletionsAttacker
from netveil.columns import in_columns
from netveil.digits import MISSING, percentage
from netveil.notebook import html_view

SCORED = ("found", "few", "many", "misled", "none", "success", "95%", "original")
UNSCORED = ("one", "few", "many", "none", "original")


def attack_table(attacks: Sequence[Attack], scored: bool) -> str:
    """People by what the attack on them in the release came to, and its success."""
    rows = [_scored(attack) if scored else _unscored(attack) for attack in attacks]
    guessing = percentage(attacks[0].guessing)
    legend = (
        "People in the release. found: the only match, and right; few, many: among 2 to 9, 10 or more;\n"
        "misled: matches, but none right; none: no match. success: how often a guess among the matches is\n"
        f"right, with its 95% interval; original: the same there. A random guess: {guessing}."
        if scored
        else "People by their matches in the release: one, few (2 to 9), many (10 or more), none.\n"
        "original: people who are the only match there."
    )
    table = _in_columns(attacks, SCORED if scored else UNSCORED, rows)
    return "\n".join([table, legend, *_who_they_are(attacks)])


def _who_they_are(attacks: Sequence[Attack]) -> list[str]:
    """What the names of the measures stand for, a line each; the other two columns are said beforehand."""
    titles = {
        each.attacker.measure.name: title_of(each.attacker.measure) for each in attacks if each.attacker
    }
    if not titles:
        return []
    return [
        "Beside a name: how far she sees, and by how much her numbers may be off (±) or have fallen by",
        "deletions (−). What she does:",
        *in_columns([[f"  {name}", title] for name, title in titles.items()], left=2),
    ]


def html_of_attacks(attacks: Sequence[Attack], scored: bool, sentence: str, remarks: Sequence[str]) -> str:
    """The same figures for a notebook."""
    rows = [[attack.name, *(_scored(attack) if scored else _unscored(attack))] for attack in attacks]
    return html_view(sentence, ["attacker", *(SCORED if scored else UNSCORED)], rows, remarks)


def at_risk_table(attacks: Sequence[Attack]) -> str:
    """Nodes of the release that have fewer than k lookalikes in it, themselves included."""
    by_states = [attack for attack in attacks if attack.at_risk]
    if not by_states:
        return ""
    rows = [[f"{nodes:,}" for nodes in attack.at_risk.values()] for attack in by_states]
    header = [f"k = {k}" for k in by_states[0].at_risk]
    return (
        f"{_in_columns(by_states, header, rows)}\nPeople at risk inside the release: fewer than k look alike."
    )


def _scored(attack: Attack) -> list[str]:
    tally = attack.release
    counts = (tally.found, tally.among_few, tally.among_many, tally.misled, tally.not_found)
    return [*(f"{count:,}" for count in counts), _success(tally), _interval(tally), _success(attack.original)]


def _unscored(attack: Attack) -> list[str]:
    tally = attack.release
    return [
        f"{count:,}" for count in (tally.one, tally.few, tally.many, tally.not_found, attack.original.found)
    ]


def _success(tally: Tally) -> str:
    return percentage(tally.success)


def _interval(tally: Tally) -> str:
    if tally.interval is None:
        return MISSING
    low, high = map(percentage, tally.interval)
    return f"{low.removesuffix('%')}–{high}"


def _in_columns(attacks: Sequence[Attack], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line an attacker: measure, distance, how far off; then the cells, to the right."""
    names = in_columns([_name(attack) for attack in attacks], left=3, gap=" ")
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    return "\n".join(in_columns([["attacker", *header], *body]))


def _name(attack: Attack) -> tuple[str, str, str]:
    by = attack.attacker
    if by is None:
        return attack.name, "", ""
    sign = "−" if isinstance(by, DeletionsAttacker) else "±"
    return by.measure.name, str(by.distance), "" if by.fuzzy is None else f"{sign}{float(100 * by.fuzzy):g}%"
