"""The result of auditing several releases of one network: the audit of each, and of each two together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netveil.auditing.result import Audit
from netveil.auditing.together import Pair
from netveil.columns import in_columns
from netveil.digits import MISSING, percentage
from netveil.notebook import html_view
from netveil.words import are, counted


@dataclass(frozen=True, repr=False)
class Audits:
    """What each of several releases gives away, and what each two of them do together."""

    releases: tuple[Audit, ...]
    compared: tuple[Pair, ...]  # the first with the second, the first with the third, …

    def to_dict(self) -> dict[str, Any]:
        """The document: plain numbers, texts and None."""
        return {
            "releases": [audit.to_dict() for audit in self.releases],
            "compared": [pair.to_dict() | {"paragraph": paragraph_of(pair)} for pair in self.compared],
            "paragraph": self.paragraph(),
        }

    def table(self) -> str:
        """The figures of each two releases for a terminal."""
        return "\n\n".join(map(_table, self.compared))

    def findings(self) -> str:
        """What labels give away of each two, a line each; nothing where there is nothing."""
        return "\n".join(str(leak) for pair in self.compared for leak in pair.leaks)

    def paragraph(self) -> str:
        """What a privacy officer must know of two releases, or of each two of several."""
        return "\n\n".join(map(paragraph_of, self.compared))

    def _repr_html_(self) -> str:
        remarks = [str(leak) for pair in self.compared for leak in pair.leaks]
        rows = [row for pair in self.compared for row in _rows(pair)]
        header = ["", "one", "other", "together"]
        return html_view(self.paragraph(), header, rows, remarks)

    def __repr__(self) -> str:
        return f"Audits({counted(len(self.releases), 'release')}, {counted(len(self.compared), 'pair')})"


def paragraph_of(pair: Pair) -> str:
    """What two releases give away together, in a few sentences."""
    sentences = [
        "Whoever has both releases can lay them on each other.",
        *(_with_score(pair) if pair.scored else _without_score(pair)),
    ]
    if pair.leaks:
        sentences.append("Their labels are the same, so that nothing need be found out.")
    return " ".join([*sentences, "Publish one."])


def _with_score(pair: Pair) -> list[str]:
    one, other = pair.releases
    together = pair.at_risk_together or 0
    return [
        f"Of the {counted(one.deleted or 0, 'edge')} deleted in {one.released}, {other.released} shows "
        f"{one.shown_by_other:,}; of the {other.deleted:,} deleted in {other.released}, {one.released} shows "
        f"{other.shown_by_other:,}.",
        f"Both together hide {counted(pair.deleted_in_both or 0, 'edge')}, and of {pair.nodes:,} people "
        f"{together:,} {are(together)} at risk in them ({pair.attackers}), against {one.at_risk:,} and "
        f"{other.at_risk:,} in each alone and {pair.at_risk_original:,} in the original.",
        f"Who is who in the two is found without a label, by structure alone, for "
        f"{counted(pair.linked or 0, 'person', 'people')} ({percentage(pair.linked or 0, pair.nodes)}), and "
        f"wrongly for {pair.linked_wrongly:,}; that puts {one.put_back:,} of the deleted edges back into "
        f"{one.released}, and {other.put_back:,} into {other.released}.",
    ]


def _without_score(pair: Pair) -> list[str]:
    return [
        f"By structure alone, somebody in the second is found for "
        f"{counted(pair.claimed, 'person', 'people')} of the first.",
        "Whether these are the right people is not known, because the audit was not told who is who.",
    ]


def _table(pair: Pair) -> str:
    names = [each.released for each in pair.releases]
    return "\n".join(in_columns([["", *names, "together"], *_rows(pair)]))


def _rows(pair: Pair) -> list[list[str]]:
    """What each release hides, and what both together do."""
    one, other = pair.releases
    return [
        ["edges deleted", _number(one.deleted), _number(other.deleted), _number(pair.deleted_in_both)],
        ["of these, shown by the other", _number(one.shown_by_other), _number(other.shown_by_other), ""],
        ["put back by structure alone", _number(one.put_back), _number(other.put_back), ""],
        ["put back wrongly", _number(one.put_back_wrongly), _number(other.put_back_wrongly), ""],
        ["people at risk", _number(one.at_risk), _number(other.at_risk), _number(pair.at_risk_together)],
        ["people linked by structure", "", "", _number(pair.linked)],
        ["people linked wrongly", "", "", _number(pair.linked_wrongly)],
        ["people with the same label", "", "", _number(pair.same_labels)],
    ]


def _number(figure: int | None) -> str:
    return MISSING if figure is None else f"{figure:,}"
