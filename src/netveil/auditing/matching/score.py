"""How a match of two networks went: people found, people mistaken for others, and how sure she is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.knowledge import Knowledge
from netveil.digits import PeopleFound

COVERAGES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Shares of the people, the surest first, for which the curve tells the share of right guesses."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One attack on one network, for each person who was looked for; people recognised beforehand are not."""

    right: NDArray[np.bool_]  # whether the best guess is right
    claimed: NDArray[np.bool_]  # whether she stands by it
    certainty: NDArray[np.float64]  # 0 where she has no guess


@dataclass(frozen=True)
class Score:
    """Several trials of one case: means, and the lowest and the highest. In people."""

    people: float  # looked for
    found: float  # claimed, and right
    wrong: float  # claimed to be somebody else
    repeats: int
    found_range: tuple[int, int]
    wrong_range: tuple[int, int]
    share_range: tuple[float, float]  # found of those looked for, who need not be as many in each trial

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Score:
        """The figures of these trials; all zero for none."""
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
        """Of those looked for."""
        return self.found / self.people if self.people else 0.0

    @property
    def share_wrong(self) -> float:
        """Of those looked for."""
        return self.wrong / self.people if self.people else 0.0

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
        means = {name: getattr(self, name) for name in ("people", "found", "wrong")}
        return {
            **{name: int(mean) if mean == int(mean) else round(mean, 3) for name, mean in means.items()},
            "repeats": self.repeats,
            "found_range": list(self.found_range),
            "wrong_range": list(self.wrong_range),
            "share_range": list(self.share_range),
        }


@dataclass(frozen=True)
class Matching:
    """What an attacker who matches whole networks achieves, knowing so much: a row of the audit."""

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
