"""Who was at risk, and who still is: a row a person, those first who remain. Private: it holds labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from netveil.anonymity.people import People, attackers_by_name, riskiest_first, states_in_words

if TYPE_CHECKING:
    from netveil.release.release import Release


@dataclass(frozen=True, slots=True)
class PersonOfRelease:
    """Somebody who was at risk in the original, or is in the release. Private.

    Class numbers, in states that are no numbers, are those of one network: they tell nothing across two.
    """

    label: Hashable
    published: Hashable  # the label in the published network
    contacts: int  # in the original
    state_before: str
    state_after: str
    class_size_before: int  # people who look like them, themselves included
    class_size_after: int
    at_risk_before: bool
    at_risk_after: bool
    attackers: str  # to whom they are at risk; if they no longer are, to whom they were


def people_of(release: Release) -> People[PersonOfRelease]:
    """Everybody who was or is at risk: those who still are first, in each part the riskiest first."""
    original, before, after = release.original, release.before, release.after
    remaining = riskiest_first(np.flatnonzero(after.nodes_at_risk), after, original)
    no_longer = np.flatnonzero(before.nodes_at_risk & ~after.nodes_at_risk)
    nodes = np.concatenate((remaining, riskiest_first(no_longer, before, original)))
    attackers = attackers_by_name(after, remaining) + attackers_by_name(before, nodes[len(remaining) :])
    published = release.published_labels
    rows = [
        PersonOfRelease(
            label=original.labels[node],
            published=published[node],
            contacts=int(original.degrees[node]),
            state_before=state_before,
            state_after=state_after,
            class_size_before=int(before.lookalikes[node]),
            class_size_after=int(after.lookalikes[node]),
            at_risk_before=bool(before.nodes_at_risk[node]),
            at_risk_after=bool(after.nodes_at_risk[node]),
            attackers=by,
        )
        for node, state_before, state_after, by in zip(
            nodes.tolist(),
            states_in_words(original, before, nodes),
            states_in_words(release.remaining, after, nodes),
            attackers,
            strict=True,
        )
    ]
    return People(PersonOfRelease, rows)
