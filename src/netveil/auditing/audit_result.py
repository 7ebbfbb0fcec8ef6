"""The result of an audit: a table, a paragraph for the person who signs the release, and a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from netveil.auditing.attack import Attack, DeletionsAttacker
from netveil.auditing.inference import Inference
from netveil.auditing.leaks import LOOKED_FOR, Leak
from netveil.auditing.matching.score import Matching, clearly_more, matching_table, sentences
from netveil.formatting import MISSING, are, counted, html_view, in_columns, percentage, table_of
from netveil.plotting import plot_matching

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


# Attacks for people to read on a terminal: figures in columns, an attacker a line, within 100 columns.


SCORED = ("found", "few", "many", "misled", "none", "success", "95%", "original")
UNSCORED = ("one", "few", "many", "none", "original")


def attack_table(attacks: Sequence[Attack], scored: bool) -> str:
    """Table of attacks: people by outcome in the release, and the success."""
    rows = [_cells(attack, scored) for attack in attacks]
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
    """Legend of the attackers' names: a line a measure, and what the columns beside it mean."""
    measures = dict.fromkeys(each.attacker.measure for each in attacks if each.attacker)
    if not measures:
        return []
    return [
        "Beside a name: how far the attacker sees, and by how much numbers may be off (±) or have fallen by",
        "deletions (−). What the attacker does:",
        *in_columns(
            [[f"  {measure.name}", measure.title or measure.attacker] for measure in measures], left=2
        ),
    ]


def at_risk_table(attacks: Sequence[Attack]) -> str:
    """Table of nodes at risk inside the release, by k."""
    by_states = [attack for attack in attacks if attack.at_risk]
    if not by_states:
        return ""
    rows = [[f"{nodes:,}" for nodes in attack.at_risk.values()] for attack in by_states]
    table = _in_columns(by_states, [f"k = {k}" for k in by_states[0].at_risk], rows)
    return f"{table}\nPeople at risk inside the release: fewer than k look alike."


def _cells(attack: Attack, scored: bool) -> list[str]:
    """Figures of an attack in the order of SCORED or UNSCORED."""
    tally = attack.release
    counts: tuple[int | None, ...]
    if not scored:
        counts = (tally.one, tally.few, tally.many, tally.not_found, attack.original.found)
        return [f"{count:,}" for count in counts]
    counts = (tally.found, tally.among_few, tally.among_many, tally.misled, tally.not_found)
    low, high = map(percentage, tally.interval or (None, None))
    between = MISSING if tally.interval is None else f"{low.removesuffix('%')}–{high}"
    shares = percentage(tally.success), between, percentage(attack.original.success)
    return [*(f"{count:,}" for count in counts), *shares]


def _in_columns(attacks: Sequence[Attack], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of a table, one an attacker: measure, distance, tolerance, then the cells."""
    names = in_columns([_name(attack) for attack in attacks], left=3, gap=" ")
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    return "\n".join(in_columns([["attacker", *header], *body]))


def _name(attack: Attack) -> tuple[str, str, str]:
    by = attack.attacker
    if by is None:
        return attack.name, "", ""
    sign = "−" if isinstance(by, DeletionsAttacker) else "±"
    return by.measure.name, str(by.distance), "" if by.fuzzy is None else f"{sign}{float(100 * by.fuzzy):g}%"


Told = TypeVar("Told")


@dataclass(frozen=True, repr=False)
class Audit:
    """Result of an audit: what attackers could still do, and leaks. Holds figures only, no labels.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> audit = nv.audit(karate, nv.anonymize(karate, "10%", algorithm="ua", seed=1), measure="count")
    >>> audit.nodes, audit.edges_added, audit.leaks
    (34, 0, ())
    """

    original: str  # name of the network
    released: str
    nodes: int  # of the original
    edges: int
    released_nodes: int
    released_edges: int
    scored: bool  # whether it is known who is who, so that hits can be told from misses
    attacks: tuple[Attack, ...]
    leaks: tuple[Leak, ...]
    edges_added: int = 0  # released edges that the original lacks; so many at least where not `scored`
    matching: tuple[Matching, ...] = ()  # attackers who match the whole network, the most telling first
    matching_left_out: int = 0  # further cases of those, which would take long
    inference: tuple[Inference, ...] = ()  # of ties; empty where not `scored`
    notes: tuple[str, ...] = ()

    @property
    def strongest(self) -> Attack:
        """The attacker with limited knowledge who is certain of most people, with single matches of her own.

        Among equals, who guesses right more often; then the first: she knows least.
        """

        def certain_of(attack: Attack) -> tuple[float, float]:
            release = attack.release
            return (release.one if release.found is None else release.found, release.success or 0.0)

        return max(self.attacks, key=certain_of)

    def to_dict(self) -> dict[str, Any]:
        """The document: plain numbers, texts and None."""
        return {
            **vars(self),
            "attacks": [attack.to_dict() for attack in self.attacks],
            "matching": [row.to_dict() for row in self.matching],
            "inference": [asdict(each) for each in self.inference],
            "leaks": [asdict(leak) for leak in self.leaks],
            "notes": list(self.notes),
            "paragraph": self.paragraph(),
        }

    def table(self) -> str:
        """The figures of every attacker for a terminal: what she achieves, and who is at risk to her."""
        by_states = f"{attack_table(self.attacks, self.scored)}\n\n{at_risk_table(self.attacks)}".rstrip()
        if not self.matching:
            return by_states
        return "\n\n".join(self._in_order(matching_table(self.matching, self.matching_left_out), by_states))

    def findings(self) -> str:
        """Leaks, a line each; or that there is none, and what was checked."""
        return "\n".join(map(str, self.leaks)) or f"No leak found. Looked for {LOOKED_FOR}."

    def paragraph(self) -> str:
        """Summary for a privacy officer, in a few sentences."""
        on_whole = sentences(self.matching, self.matching_left_out)
        first, second = self._in_order(on_whole, self._on_surroundings())
        more = "An attacker who knows more, such as attributes of people, may find more."
        return " ".join(filter(None, [self.about_added(), *first, *second, self._about_leaks(), more]))

    def about_added(self) -> str:
        """Warning that ties were added or swapped; empty where none can be told."""
        if not self.edges_added:
            return ""
        ties = f"{self.edges_added:,} of the {counted(self.released_edges, 'released tie')}"
        many = (
            f"{ties} {are(self.edges_added)} not in the original"
            if self.scored
            else f"at least {ties} cannot be in the original, whoever is who"
        )
        return (
            f"Ties were added or swapped, not only deleted: {many}. The attacker who needs no help "
            f"(weighing) learns how many from the release; who knows how it was made may find more people "
            "than is told."
        )

    def _in_order(self, on_whole: Told, on_surroundings: Told) -> tuple[Told, Told]:
        """Both parts in order: first the kind of attacker that finds clearly more people."""
        most = max((row.release.found for row in self.matching), default=None)
        by_surroundings = self.strongest.release.found or 0
        is_more = most is not None and clearly_more(by_surroundings, most, self.nodes)
        return (on_surroundings, on_whole) if is_more else (on_whole, on_surroundings)

    def _on_surroundings(self) -> list[str]:
        """Sentences on the strongest attacker who knows only surroundings."""
        strongest, release, original = self.strongest, self.strongest.release, self.strongest.original
        of_all = f"Of {len(self.attacks):,} attackers who know only people's surroundings, the strongest"
        who = of_all if len(self.attacks) > 1 else "An attacker who knows only people's surroundings"
        told = [f"{who} {strongest.knowledge} ({strongest.name})."]
        if not self.scored:
            return [
                *told,
                f"In the release there is a single match for {self._people(release.one)}, two to nine "
                f"matches for {release.few:,}, ten or more for {release.many:,} and none for "
                f"{release.not_found:,}.",
                "Whether these are the right people is not known, because the audit was not told who is who.",
            ]
        low, high = release.interval or (0.0, 1.0)
        elsewhere = (release.misled or 0) + release.not_found
        return [
            *told,
            f"The attacker can single out {self._people(release.found)} in the release, against "
            f"{self._people(original.found)} in the original, and narrow down {release.among_few:,} others "
            f"to fewer than ten matches; for {elsewhere:,} nobody is found, or only wrong people.",
            f"A guess among the matches is right {percentage(release.success)} of the time (95% interval "
            f"{percentage(low)} to {percentage(high)}), against {percentage(original.success)} in the "
            f"original and {percentage(strongest.guessing)} for a random guess.",
        ]

    def _about_leaks(self) -> str:
        leaks = sum(leak.severity == "leak" for leak in self.leaks)
        if leaks:
            return f"Apart from its edges the release gives people away: {counted(leaks, 'leak')} found."
        if self.leaks:
            return f"What else the release may give away: {counted(len(self.leaks), 'warning')}."
        return "Apart from its edges the release gives nothing away, as far as the checks can tell."

    def _people(self, count: int | None) -> str:
        return f"{counted(count or 0, 'person', 'people')} ({percentage(count or 0, self.nodes)})"

    def plot(self, ax: Axes | None = None) -> Axes:
        """People found by attackers who match the whole network, on axes of matplotlib that are returned."""
        return plot_matching(self.to_dict(), ax)

    def to_pandas(self) -> pandas.DataFrame:
        """Table with one row an attacker: results in the release, success in the original."""
        return table_of(_flat(attack.to_dict()) for attack in self.attacks).set_index("attacker")

    def _repr_html_(self) -> str:
        header = ["attacker", *(SCORED if self.scored else UNSCORED)]
        rows = [[attack.name, *_cells(attack, self.scored)] for attack in self.attacks]
        return html_view(self.paragraph(), header, rows, [*map(str, self.leaks), *self.notes])

    def __repr__(self) -> str:
        return f"Audit({self.original!r}, {len(self.attacks):,} attackers, {len(self.leaks):,} findings)"


def _flat(attack: dict[str, Any]) -> dict[str, Any]:
    """Flatten the document of an attack into a row of a table."""
    release, original = attack["release"], attack["original"]
    low, high = release["interval"] or (None, None)
    figures = ("found", "among_few", "among_many", "misled", "not_found", "success")
    return {
        **{name: attack[name] for name in ("attacker", "measure", "distance", "fuzzy", "deletions")},
        **{name: release[name] for name in figures},
        "success_low": low,
        "success_high": high,
        **{f"candidates_{name}": people for name, people in release["candidates"].items()},
        "original_found": original["found"],
        "original_success": original["success"],
        "guessing": attack["guessing"],
    }
