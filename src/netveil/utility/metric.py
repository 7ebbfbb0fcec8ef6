"""Base classes of metrics: a question about two networks, and the figures that answer it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar

from netveil.utility.side import Side

CLOSER = "closer to before is better"
HIGHER = "higher is better"
LOWER = "lower is better"


class Undefined(Exception):  # noqa: N818  # not an error: there is no answer, and the text says why
    """Raised by a metric that has no value for a network; its text says why."""


@dataclass(frozen=True)
class Finding:
    """Figures of a metric for two networks. A figure that does not exist is None, and `note` says why."""

    title: str
    before: float | None
    after: float | None
    better: str  # which direction is better: CLOSER, HIGHER or LOWER
    score: float | None = None  # similarities only: 1.0 = same
    is_similarity: bool = False
    note: str = ""  # how the figures came about
    standard_error: Mapping[str, float] = field(default_factory=dict)  # of each figure that is an estimate
    details: Mapping[str, float] = field(default_factory=dict)  # further figures by name

    @property
    def change(self) -> float | None:
        """Difference between after and before."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def relative_change(self) -> float | None:
        """The change as a share of the figure before."""
        return self.change / abs(self.before) if self.change is not None and self.before else None

    @property
    def size_of_change(self) -> float:
        """How much changed: 1 - score of a similarity, else the share, or the change; inf if unknown."""
        if self.is_similarity:
            return inf if self.score is None else 1 - self.score
        changed = self.change if self.relative_change is None else self.relative_change
        return inf if changed is None else abs(changed)

    def to_dict(self) -> dict[str, Any]:
        """The figures under their names in JSON, and the note."""
        names = ("title", "before", "after", "change", "relative_change", "better")
        figures = {name: getattr(self, name) for name in names}
        if self.is_similarity:
            figures["score"] = self.score
        if self.standard_error:
            figures["standard_error"] = dict(self.standard_error)
        if self.note:
            figures["note"] = self.note
        return figures | dict(self.details)


class Metric(ABC):
    """One question about what a network still tells after edges were deleted."""

    name: ClassVar[str]
    title: ClassVar[str]
    better: ClassVar[str]  # CLOSER, HIGHER or LOWER
    meaning: ClassVar[str]  # what it says to people who work with the data, in one sentence
    needs_paths: ClassVar[bool] = False  # whether it asks for `Side.paths`, which are then searched at once
    holds_interpreter: ClassVar[bool] = False  # whether it is slow and blocks other Python threads

    @abstractmethod
    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the figures of both networks, whose nodes have the same numbers."""


class Property(Metric):
    """Metric that is a number of each network by itself."""

    better = CLOSER

    @abstractmethod
    def value(self, side: Side) -> float:
        """Compute the number of one network; raise Undefined where there is none."""

    def note(self, before: Side, after: Side) -> str:
        """Note on how the number was computed; empty if nothing is special."""
        return ""

    def standard_error(self, before: Side, after: Side) -> dict[str, float]:
        """The standard error of each figure that is an estimate."""
        return {}

    def details(self, before: Side, after: Side) -> dict[str, float]:
        """Further figures by name."""
        return {}

    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the number before and the number after."""
        numbers: dict[str, float | None] = {"before": None, "after": None}
        reasons = []
        for when, side in (("before", before), ("after", after)):
            try:
                numbers[when] = self.value(side)
            except Undefined as reason:
                reasons.append(f"{when}: {reason}")
        finding = Finding(
            self.title, numbers["before"], numbers["after"], self.better, note="; ".join(reasons)
        )
        if reasons:
            return finding
        return replace(
            finding,
            note=self.note(before, after),
            standard_error=self.standard_error(before, after),
            details=self.details(before, after),
        )


class Similarity(Metric):
    """Metric that is a number of the two networks together: 1.0 where they are the same.

    Before is 1.0, because a network is the same as itself, and after is the score.
    """

    better = HIGHER

    @abstractmethod
    def similarity(self, before: Side, after: Side) -> Finding:
        """Compute the finding with `found`; raise Undefined where there is no score."""

    def found(
        self, score: float, note: str, details: dict[str, float], standard_error: float | None = None
    ) -> Finding:
        """Make the finding with this score."""
        errors = {} if standard_error is None else {"score": standard_error}
        return Finding(self.title, 1.0, score, self.better, score, True, note, errors, details)

    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the score, or say why there is none."""
        try:
            return self.similarity(before, after)
        except Undefined as reason:
            return Finding(self.title, None, None, self.better, is_similarity=True, note=str(reason))
