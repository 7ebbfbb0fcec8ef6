"""Audit of several releases of one network: what one hides the other may show.

Each release lacks other edges, so the edges of both together lack only those that were deleted twice. Whoever
has both, and neither the original nor a label, must find out who in one release is who in the other: by equal
labels, if they were kept, or by structure. Knowing who is who, the audit keeps the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, anonymity_of
from netveil.auditing.audit_result import Audit
from netveil.auditing.leaks import Identity, Leak
from netveil.auditing.matching.matcher import NOBODY, Situation, reversed_match
from netveil.formatting import MISSING, are, counted, html_view, in_columns, percentage
from netveil.network import Network
from netveil.registries import MATCHERS, STRONGEST

# Which node of one release is which of another, by structure alone: who has both needs no labels.


def linked_by_structure(
    first: Network, second: Network, edges: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Match nodes of two releases by structure: the node of the second for each of the first, or NOBODY.

    `edges` is how many the original has, of which a release tells its share. Neither release is a part of the
    other. The order of nodes and their labels are not looked at.
    """
    if first.edge_count == 0 or second.edge_count == 0:
        return np.full(first.node_count, NOBODY, dtype=np.int64)
    orders = [rng.permutation(each.node_count) for each in (first, second)]
    mixed = [each.relabelled(order) for each, order in zip((first, second), orders, strict=True)]
    shares = [min(each.edge_count / max(edges, 1), 1.0) for each in mixed]
    situation = Situation(mixed[0], mixed[1], shares[0], shares[1], only_deleted=False)
    found = MATCHERS[STRONGEST].claims(situation, rng, lambda share=1.0: None)
    claimed = np.where(found.claimed, found.nodes, NOBODY)[orders[0]]
    return np.where(claimed == NOBODY, NOBODY, np.argsort(orders[1])[claimed])


K = 2  # people whom fewer than two look like, themselves included, are at risk
SAME_LABELS = 0.5  # share of edges with the same labels in both that no two random orders have
ONE_SEED = 0  # the order in which nodes are looked at must not follow the files


@dataclass(frozen=True, eq=False)
class PublishedRelease:
    """A release to be laid on another."""

    name: str
    network: Network  # as published
    identity: Identity  # who is who in it, where known


@dataclass(frozen=True)
class ReleaseOfPair:
    """One of two releases: what it hides by itself, and what the other one undoes. None without a score."""

    released: str
    at_risk: int  # people at risk in it alone
    deleted: int | None = None  # edges of the original that it lacks
    shown_by_other: int | None = None  # of these, edges that the other release has
    put_back: int | None = None  # of these, edges found without labels, by linking people by structure
    put_back_wrongly: int | None = None  # edges found in this way that the original does not have


@dataclass(frozen=True)
class Pair:
    """Result of two releases laid on each other. Figures only."""

    releases: tuple[ReleaseOfPair, ReleaseOfPair]
    nodes: int  # of the original
    attackers: str  # to whom people are at risk, by name
    at_risk_original: int
    claimed: int  # people of the first for whom somebody is found in the second by structure, right or wrong
    scored: bool = False  # whether it is known who is who in both; if not, what follows is None
    deleted_in_both: int | None = None  # edges of the original that neither shows
    at_risk_together: int | None = None  # people at risk in the edges of both
    same_labels: int | None = None  # people who have the same label in both
    linked: int | None = None  # people of the first who are rightly found in the second by structure
    linked_wrongly: int | None = None
    leaks: tuple[Leak, ...] = ()


def laid_together(
    original: Network, first: PublishedRelease, second: PublishedRelease, attackers: Sequence[Attacker]
) -> Pair:
    """Lay two releases on each other; people at risk are counted for `attackers`."""

    def at_risk(network: Network) -> int:
        return anonymity_of(network, tuple(attackers), K).at_risk

    sides = (first, second)
    rng = np.random.default_rng(ONE_SEED)
    claimed = linked_by_structure(first.network, second.network, original.edge_count, rng)
    alone = [ReleaseOfPair(side.name, at_risk(side.identity.released)) for side in sides]
    pair = Pair(
        (alone[0], alone[1]),
        nodes=original.node_count,
        attackers=" + ".join(attacker.name for attacker in attackers),
        at_risk_original=at_risk(original),
        claimed=int(np.count_nonzero(claimed >= 0)),
        leaks=_leaks_of_labels(first.network, second.network),
    )
    if first.identity.people is None or second.identity.people is None:
        return pair
    people = (first.identity.people, second.identity.people)
    who = np.flatnonzero(claimed != NOBODY)
    right = int(np.count_nonzero(people[0][who] == people[1][claimed[who]]))
    missing = [np.setdiff1d(original.edge_keys, side.identity.released.edge_keys) for side in sides]
    in_both = len(np.intersect1d(missing[0], missing[1]))
    translations = (reversed_match(claimed, second.network.node_count), claimed)
    scored = []
    for here, (translated, lacks) in enumerate(zip(translations, map(len, missing), strict=True)):
        # Edges of the other release between people who are linked, and which of them this one lacks.
        brought = translated[sides[1 - here].network.edges]
        brought = brought[(brought != NOBODY).all(axis=1)]
        new = brought[~sides[here].network.are_edges(brought)]
        put_back = original.shared_edges(people[here][new])
        figures = (lacks, lacks - in_both, put_back, len(new) - put_back)
        scored.append(ReleaseOfPair(alone[here].released, alone[here].at_risk, *figures))
    edges = np.concatenate([side.identity.released.edges for side in sides])
    labels = [np.array([*map(str, side.network.labels)]) for side in sides]
    same_labels = labels[0][np.argsort(people[0])] == labels[1][np.argsort(people[1])]
    return replace(
        pair,
        releases=(scored[0], scored[1]),
        scored=True,
        deleted_in_both=in_both,
        at_risk_together=at_risk(Network.from_numbered_edges(edges, original.node_count)),
        same_labels=int(np.count_nonzero(same_labels)),
        linked=right,
        linked_wrongly=pair.claimed - right,
    )


def _leaks_of_labels(first: Network, second: Network) -> tuple[Leak, ...]:
    """Find equal labels in both, by edges that have the same two."""
    both = [
        {tuple(sorted((str(one), str(other)))) for one, other in each.to_edges()} for each in (first, second)
    ]
    shared, fewest = len(both[0] & both[1]), min(map(len, both))
    if not fewest or shared < SAME_LABELS * fewest:
        return ()
    finding = (
        f"{shared:,} edges have the same two labels in both releases. Nothing need be matched to lay one on "
        f"the other."
    )
    return (Leak("leak", "labels", finding, "Publish one release only, with fresh numbers in random order."),)


# The result of auditing several releases of one network: the audit of each, and of each two together.


@dataclass(frozen=True, repr=False)
class Audits:
    """Audits of several releases, and of each two of them together.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> both = [nv.anonymize(karate, "10%", algorithm="ua", seed=seed) for seed in (1, 2)]
    >>> len(nv.audit_together(karate, both, measure="count").releases)
    2
    """

    releases: tuple[Audit, ...]
    compared: tuple[Pair, ...]  # the first with the second, the first with the third, …

    def to_dict(self) -> dict[str, Any]:
        """The document: plain numbers, texts and None."""
        return {
            "releases": [audit.to_dict() for audit in self.releases],
            "compared": [asdict(pair) | {"paragraph": paragraph_of(pair)} for pair in self.compared],
            "paragraph": self.paragraph(),
        }

    def table(self) -> str:
        """The figures of each two releases for a terminal."""
        return "\n\n".join(map(_table, self.compared))

    def findings(self) -> str:
        """Leaks by equal labels, a line each."""
        return "\n".join(str(leak) for pair in self.compared for leak in pair.leaks)

    def paragraph(self) -> str:
        """Summary for a privacy officer, of each two releases."""
        return "\n\n".join(map(paragraph_of, self.compared))

    def _repr_html_(self) -> str:
        remarks = [str(leak) for pair in self.compared for leak in pair.leaks]
        rows = [row for pair in self.compared for row in _rows(pair)]
        header = ["", "one", "other", "together"]
        return html_view(self.paragraph(), header, rows, remarks)

    def __repr__(self) -> str:
        return f"Audits({counted(len(self.releases), 'release')}, {counted(len(self.compared), 'pair')})"


def paragraph_of(pair: Pair) -> str:
    """Summary of two releases laid on each other, in a few sentences."""
    one, other = pair.releases
    if pair.scored:
        together, linked = pair.at_risk_together or 0, pair.linked or 0
        told = [
            f"Of the {counted(one.deleted or 0, 'edge')} deleted in {one.released}, {other.released} shows "
            f"{one.shown_by_other:,}; of the {other.deleted:,} deleted in {other.released}, {one.released} "
            f"shows {other.shown_by_other:,}.",
            f"Both together hide {counted(pair.deleted_in_both or 0, 'edge')}, and of {pair.nodes:,} people "
            f"{together:,} {are(together)} at risk in them ({pair.attackers}), against {one.at_risk:,} and "
            f"{other.at_risk:,} in each alone and {pair.at_risk_original:,} in the original.",
            f"Who is who in the two is found without a label, by structure alone, for "
            f"{counted(linked, 'person', 'people')} ({percentage(linked, pair.nodes)}), and wrongly for "
            f"{pair.linked_wrongly:,}; that puts {one.put_back:,} of the deleted edges back into "
            f"{one.released}, and {other.put_back:,} into {other.released}.",
        ]
    else:
        told = [
            f"By structure alone, somebody in the second is found for "
            f"{counted(pair.claimed, 'person', 'people')} of the first.",
            "Whether these are the right people is not known, because the audit was not told who is who.",
        ]
    if pair.leaks:
        told.append("Their labels are the same, so that nothing need be found out.")
    return " ".join(["Whoever has both releases can lay them on each other.", *told, "Publish one."])


def _table(pair: Pair) -> str:
    names = [each.released for each in pair.releases]
    return "\n".join(in_columns([["", *names, "together"], *_rows(pair)]))


ROWS = (
    ("edges deleted", "deleted", "deleted_in_both"),
    ("of these, shown by the other", "shown_by_other", ""),
    ("put back by structure alone", "put_back", ""),
    ("put back wrongly", "put_back_wrongly", ""),
    ("people at risk", "at_risk", "at_risk_together"),
    ("people linked by structure", "", "linked"),
    ("people linked wrongly", "", "linked_wrongly"),
    ("people with the same label", "", "same_labels"),
)
"""Rows of the table of two releases: title, figure of each release, figure of both together."""


def _rows(pair: Pair) -> list[list[str]]:
    def cell(of: Pair | ReleaseOfPair, name: str) -> str:
        figure = getattr(of, name) if name else ""
        return MISSING if figure is None else f"{figure:,}" if name else ""

    return [
        [title, *(cell(each, of_each) for each in pair.releases), cell(pair, of_both)]
        for title, of_each, of_both in ROWS
    ]
