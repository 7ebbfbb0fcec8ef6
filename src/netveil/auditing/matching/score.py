"""Scores of matched networks: people found, people mistaken, certainty; as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import Knowledge
from netveil.formatting import PeopleFound, counted, in_columns, percentage
from netveil.registries import MATCHERS

COVERAGES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Shares of the people, the surest first, for which the curve tells the share of right guesses."""


@dataclass(frozen=True, eq=False)
class Trial:
    """Result of one attack on one network, per person looked for; seeds are not."""

    right: NDArray[np.bool_]  # whether the best guess is right
    claimed: NDArray[np.bool_]  # whether she stands by it
    certainty: NDArray[np.float64]  # 0 where she has no guess
    marks: int = 0  # that it took


@dataclass(frozen=True)
class Score:
    """Mean and range of several trials of one case, in people."""

    people: float  # looked for
    found: float  # claimed, and right
    wrong: float  # claimed to be somebody else
    repeats: int
    found_range: tuple[int, int]
    wrong_range: tuple[int, int]
    share_range: tuple[float, float]  # found of those looked for, who need not be as many in each trial

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Score:
        """Score of these trials; all zero for none."""
        if not trials:
            return cls(0.0, 0.0, 0.0, 0, (0, 0), (0, 0), (0.0, 0.0))
        found = [int((trial.claimed & trial.right).sum()) for trial in trials]
        wrong = [int((trial.claimed & ~trial.right).sum()) for trial in trials]
        shares = [right / max(len(trial.right), 1) for right, trial in zip(found, trials, strict=True)]
        return cls(
            people=float(np.mean([len(trial.right) for trial in trials])),
            found=float(np.mean(found)),
            wrong=float(np.mean(wrong)),
            repeats=len(trials),
            found_range=(min(found), max(found)),
            wrong_range=(min(wrong), max(wrong)),
            share_range=(min(shares), max(shares)),
        )

    @property
    def share_found(self) -> float:
        """Share found of the people looked for."""
        return self.found / self.people if self.people else 0.0

    @property
    def shown(self) -> PeopleFound:
        """People found, as every front shows them."""
        return PeopleFound.of_means(self.found, self.people)

    @property
    def shown_wrong(self) -> PeopleFound:
        """People taken for somebody else, as every front shows them."""
        return PeopleFound.of_means(self.wrong, self.people)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; whole ones where they are."""
        plain: dict[str, Any] = {
            name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()
        }
        for name in ("people", "found", "wrong"):
            plain[name] = int(plain[name]) if plain[name] == int(plain[name]) else round(plain[name], 3)
        return plain


@dataclass(frozen=True)
class Matching:
    """Result of one attacker who matches whole networks: a row of the audit."""

    attack: str  # name of the matcher
    title: str  # what she does, as the end of "somebody who …"
    knowledge: Knowledge
    release: Score
    original: Score  # the same on the original, relabelled: how unique people are at all
    random_deletion: Score  # the same where as many edges were deleted at random
    curve: tuple[tuple[float, float], ...]  # (share of the people, share of right guesses among them)

    @property
    def name(self) -> str:
        """The attacker and what she knows."""
        return f"{self.attack}, {self.knowledge}"

    @property
    def knows_all(self) -> bool:
        """Whether she has the whole network, and recognises nobody."""
        return self.knowledge == Knowledge()

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        knowledge = self.knowledge
        return {
            "attack": self.attack,
            "title": self.title,
            "known": knowledge.known,
            "ties": knowledge.ties,
            "seeds": knowledge.seeds,
            "seeds_chosen": knowledge.chosen if knowledge.seeds else None,
            **self.release.to_dict(),
            "original": self.original.to_dict(),
            "random_deletion": self.random_deletion.to_dict(),
            "curve": [list(point) for point in self.curve],
        }


def precision_curve(trials: Sequence[Trial]) -> tuple[tuple[float, float], ...]:
    """Precision against coverage: of the people of whom she is surest, how many she has right.

    Goes as far as she has guesses. All trials count together.
    """
    right = np.concatenate([trial.right for trial in trials])
    certainty = np.concatenate([trial.certainty for trial in trials])
    people, guesses = len(right), int((certainty > 0).sum())
    hits = np.cumsum(right[np.argsort(-certainty, kind="stable")])
    wished = [*(round(share * people) for share in COVERAGES), guesses]
    taken = sorted({count for count in wished if 0 < count <= guesses})
    return tuple((round(count / people, 4), round(float(hits[count - 1] / count), 4)) for count in taken)


# Attackers who match whole networks, for people to read: sentences, and a table for a terminal.


HARDLY_ANYBODY = 0.01  # of the people: fewer found is no reason not to publish
NO_BETTER = 0.02  # of the people: so little less than after random deletions is no protection

CONSEQUENCE = (
    "So publish only if nobody who could attack has the network itself; or publish a synthetic network "
    "instead, in which nobody is found with a chance above 1 in k (netveil synthesize NETWORK; in Python, "
    "nv.synthesize); or do not publish. A larger budget helps little."
)

NOT_TRIED = (
    "Somebody who has the original network itself was not tried, as that takes hours in so large a network. "
    "Do not take it that nobody is found: in smaller ones nearly everybody often is."
)


def clearly_more(more: float, fewer: float, people: float) -> bool:
    """Whether an attacker finds so many more people than another that she is to be named first."""
    return more > fewer and (fewer <= HARDLY_ANYBODY * people or more > fewer + NO_BETTER * people)


def strongest_first(records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Order in which attackers are shown, as places in their list.

    Who finds most people is first, the others follow as they were tried. Whoever has the whole network and
    recognises nobody needs least, so she is first unless another finds clearly more.
    """
    places = list(range(len(records)))
    if not places:
        return []
    alone = (place for place in places if records[place]["known"] == 1 and not records[place]["seeds"])
    unaided = next(alone, 0)
    most = max(places, key=lambda place: float(records[place]["found"]))
    found, people = records[unaided]["found"], records[unaided]["people"]
    first = most if clearly_more(records[most]["found"], found, people) else unaided
    return [first, *(place for place in places if place != first)]


def strongest_of_each_share(records: Sequence[Mapping[str, Any]]) -> dict[float, list[int]]:
    """Places of the attackers to name for each share of known ties, the largest share first.

    Who finds most people; and who finds a clearly larger share of those whom she looks for, such as of one
    group of people.

    >>> cases = [(0.25, 0, 400), (0.25, 9, 350), (0.5, 130, 400), (0.5, 128, 130)]
    >>> strongest_of_each_share([dict(zip(("known", "found", "people"), case)) for case in cases])
    {0.5: [2, 3], 0.25: [1]}
    """
    places: dict[float, list[int]] = {}
    for place in sorted(range(len(records)), key=lambda place: -records[place]["known"]):
        places.setdefault(records[place]["known"], []).append(place)
    shown = [PeopleFound.of_means(record["found"], record["people"]) for record in records]
    named = {}
    for known, of_share in places.items():
        most = max(of_share, key=lambda place: (shown[place].found, shown[place].fraction))
        surest = max(of_share, key=lambda place: shown[place].fraction)
        clearly = shown[surest].fraction > shown[most].fraction + NO_BETTER
        named[known] = [most, surest] if clearly else [most]
    return named


def sentences(rows: Sequence[Matching], left_out: int = 0, *, brief: bool = False) -> list[str]:
    """Sentences on attackers who have the network itself, for the person who signs.

    Nothing if nobody was to be tried; that nobody was, if it takes too long. `brief`, the strongest alone.
    """
    unaided = next((row for row in rows if row.knows_all), None)
    if unaided is None:
        return [NOT_TRIED] if left_out and not rows else []
    first = rows[strongest_first([row.to_dict() for row in rows])[0]]
    wrong = first.release.shown_wrong.found
    mistaken = counted(wrong, "person", "people") if wrong else "nobody"
    by = "" if first is unaided else f" ({first.attack})"
    told = [
        f"{_who(first)} finds {_of_all(first)} in the release, and mistakes {mistaken} for somebody else{by}."
    ]
    if inside := [row for row in rows if row.knowledge.ties == "community" and row is not first]:
        row = max(inside, key=lambda row: row.release.shown.fraction)
        told.append(
            f"Somebody from one group of people who knows all ties there ({_ties(row)} of all) finds "
            f"{_of_all(row)} of that group."
        )
    told.append(
        f"The same attacker finds {first.original.shown.share} in the original, and "
        f"{first.random_deletion.shown.share} after as many random deletions."
    )
    if is_no_better(first):
        told.append("Deleting ties at random would protect just as little.")
    if not brief:
        told += _further_sentences(rows, first, unaided)
    return [*told, *consequence(rows)]


def consequence(rows: Sequence[Matching]) -> list[str]:
    """Sentence on what to do about attackers who have the network itself, unless they find hardly anybody."""
    order = strongest_first([row.to_dict() for row in rows])
    found = rows[order[0]].release.share_found if order else 0.0
    return [CONSEQUENCE] if found > HARDLY_ANYBODY else []


def _further_sentences(rows: Sequence[Matching], first: Matching, unaided: Matching) -> Iterator[str]:
    """Sentences on other attackers: without help, with seeds, and with fewer of the ties."""
    if first is not unaided:
        yield f"Somebody who has all ties and recognises nobody finds {_of_all(unaided)}."
    anywhere = [row for row in rows if row.knowledge.ties == "random"]
    by_share = strongest_of_each_share([row.to_dict() for row in anywhere])
    for row in (anywhere[place] for place in by_share[1.0]):
        if row.release.shown.fraction > first.release.shown.fraction + NO_BETTER:
            yield (
                f"Somebody who recognises {_recognised(row)} beforehand finds {_of_all(row)}, and is wrong "
                f"about {row.release.shown_wrong.share} ({row.attack})."
            )
    with_less = [anywhere[place] for known, places in by_share.items() if known < 1 for place in places]
    found = [
        f"{_of_all(row)} with {_ties(row)} of them"
        + (f", recognising {_recognised(row)}" if row.knowledge.seeds else "")
        for row in with_less
    ]
    if found:
        yield f"With fewer of the ties, an attacker finds {'; '.join(found)}."


def is_no_better(row: Matching) -> bool:
    """Whether the release protects no better than random deletion."""
    found, after_random = row.release.share_found, row.random_deletion.share_found
    return found > HARDLY_ANYBODY and found > after_random - NO_BETTER


def _who(row: Matching) -> str:
    """An attacker by what she has and whom she recognises: the subject of a sentence."""
    knowledge = row.knowledge
    has = "the original network itself" if knowledge.known == 1 else f"{_ties(row)} of the original's ties"
    where = ", those within one group," if knowledge.ties == "community" and knowledge.known < 1 else ","
    recognised = _recognised(row) if knowledge.seeds else "nobody"
    return f"Somebody who has {has}{where} and recognises {recognised} beforehand,"


def _ties(row: Matching) -> str:
    """The share of the ties that she knows, in words."""
    known = row.knowledge.known
    return {0.5: "half", 0.25: "a quarter"}.get(known, f"{100 * known:g}%")


def _recognised(row: Matching) -> str:
    """The people whom she recognises beforehand."""
    which = " (the best-connected)" if row.knowledge.chosen == "best-connected" else ""
    return f"{counted(row.knowledge.seeds, 'person', 'people')}{which}"


def _of_all(row: Matching) -> str:
    """People found of those looked for, with the share."""
    others = "others" if row.knowledge.seeds else "people"
    return f"{row.release.shown} {others} ({row.release.shown.share})"


def matching_table(rows: Sequence[Matching], left_out: int) -> str:
    """Table of attackers who match networks, for a terminal."""
    header = ["attacker", "ties", "seeds", "people", "found", "range", "wrong", "share", "original", "random"]
    cells = [_cells(rows[place]) for place in strongest_first([row.to_dict() for row in rows])]
    names = dict.fromkeys(row.attack for row in rows)
    more = f"{counted(left_out, 'further case')} would take long: matching 'all' tries them."
    return "\n".join(
        [
            *in_columns([header, *cells], left=3),
            "Attackers who match the whole network. ties: how many are known (c: those of one community);",
            "seeds: people recognised beforehand (b: the best-connected), not counted; found, wrong: people",
            "who are named rightly and wrongly, on average; share: found of people; range: lowest",
            "and highest share of several attempts; original, random: the share in the original, and if as",
            "many edges were deleted at random. What the attacker does:",
            *in_columns([[f"  {name}", MATCHERS[name].title] for name in names], left=2),
            *([more] if left_out else []),
        ]
    )


def _cells(row: Matching) -> list[str]:
    knowledge, score = row.knowledge, row.release
    low, high = (percentage(share) for share in score.share_range)
    return [
        row.attack,
        f"{100 * knowledge.known:g}%{' c' if knowledge.ties == 'community' else ''}",
        f"{knowledge.seeds:,}{' b' if knowledge.seeds and knowledge.chosen == 'best-connected' else ''}",
        f"{score.shown.people:,}",
        f"{score.shown.found:,}",
        low if low == high else f"{low.removesuffix('%')}–{high}",
        f"{score.shown_wrong.found:,}",
        score.shown.share,
        row.original.shown.share,
        row.random_deletion.shown.share,
    ]
