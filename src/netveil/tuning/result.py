"""What tuning returns: the curve of every configuration, and their ranking."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any

from netveil._version import __version__
from netveil.errors import FileError
from netveil.files.json_records import (
    DamagedRecordError,
    any_record,
    any_text,
    any_whole,
    check_shape,
    number,
    or_none,
    text,
    whole,
    yes_or_no,
)
from netveil.search import ALGORITHMS

CURVE = {
    "number": whole(1),
    "settings": any_record,
    "objectives": [whole()],
    "eliminated_at": or_none(whole()),
    "at_risk": or_none(whole()),
    "stopped_by": text,
    "evaluations": whole(),
    "further_at_risk": [whole()],
    "seconds": number,
}
TUNING = {
    "network": any_text,
    **dict.fromkeys(("algorithm", "version"), text),
    **dict.fromkeys(("nodes", "edges", "distance", "k", "budget", "at_risk_before"), whole()),
    **dict.fromkeys(("grid_size", "every", "finalists", "runs"), whole()),
    **dict.fromkeys(("twins", "interrupted"), yes_or_no),
    "measures": [text],
    "fuzzy": or_none(text),
    "seed": any_whole,
    "seconds": number,
    "curves": [CURVE],
}
"""What the record of a tuning must hold."""


@dataclass(frozen=True)
class Curve:
    """How one configuration did."""

    number: int  # of the configuration in the grid, from 1
    settings: dict[str, Any]
    objectives: tuple[int, ...]  # the best so far by generation (or step), from 0
    eliminated_at: int | None  # the generation; None if it ran to its end
    at_risk: int | None  # in the end; None where it was eliminated before: its best may break the budget
    stopped_by: str  # 'eliminated', or what ended the search
    evaluations: int
    further_at_risk: tuple[int, ...] = ()  # of further runs, with other seeds
    seconds: float = field(default=0.0, compare=False)  # of computing, without pauses

    @property
    def objective(self) -> int:
        """The best in the end."""
        return self.objectives[-1]

    @property
    def generations(self) -> int:
        """Generations, or steps, that it ran."""
        return len(self.objectives) - 1

    @property
    def score(self) -> float:
        """Nodes at risk, in the mean of further runs if any; the objective of one that was eliminated."""
        if self.further_at_risk:
            return fmean(self.further_at_risk)
        return self.objective if self.at_risk is None else self.at_risk

    @property
    def deviation(self) -> float | None:
        """The standard deviation of further runs, if there are several."""
        return stdev(self.further_at_risk) if len(self.further_at_risk) > 1 else None

    @property
    def rank_key(self) -> tuple[float, ...]:
        """Lower is better: finalists by score, then others by how long they stayed; then by objective."""
        if self.eliminated_at is None:
            return 0, self.score, self.objective, self.number
        return 1, -self.eliminated_at, self.objective, self.number


@dataclass(frozen=True)
class TuningResult:
    """The outcome of a tournament of configurations."""

    network: str
    nodes: int
    edges: int
    measures: tuple[str, ...]
    distance: int
    fuzzy: str | None
    twins: bool
    k: int
    budget: int  # in edges
    at_risk_before: int
    algorithm: str
    seed: int  # of every run: `anonymize` with it and a finalist's settings repeats that run
    grid_size: int
    every: int  # generations between two halvings
    finalists: int  # at most so many ran to the end
    runs: int  # of each finalist
    interrupted: bool
    curves: tuple[Curve, ...]  # in the order of the grid
    seconds: float = field(default=0.0, compare=False)
    version: str = __version__

    @property
    def best_first(self) -> tuple[Curve, ...]:
        """All curves, the winner's first."""
        return tuple(sorted(self.curves, key=lambda curve: curve.rank_key))

    @property
    def ranking(self) -> tuple[int, ...]:
        """The numbers of the configurations, the winner's first."""
        return tuple(curve.number for curve in self.best_first)

    @property
    def winner(self) -> Curve:
        """The best configuration."""
        return self.best_first[0]

    @property
    def halvings(self) -> tuple[int, ...]:
        """The generations after which some were eliminated."""
        return tuple(sorted({each.eliminated_at for each in self.curves if each.eliminated_at is not None}))

    @property
    def counts_generations(self) -> bool:
        """Whether what a run takes is called a generation, as the paper has it."""
        return ALGORITHMS[self.algorithm].counts_generations

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; `from_dict` reads it again."""
        document = {
            **asdict(self),
            "measure": " + ".join(self.measures),
            "ranking": self.ranking,
            "winner": {"number": self.winner.number, "settings": self.winner.settings},
        }
        for curve, record in zip(self.curves, document["curves"], strict=True):
            record["objective"] = curve.objective
            record["generations"] = curve.generations
        plain: dict[str, Any] = json.loads(json.dumps(document))  # lists for tuples
        return plain

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> TuningResult:
        """The result that `to_dict` told."""
        try:
            check_shape(document, TUNING)
            if not document["curves"] or not all(curve["objectives"] for curve in document["curves"]):
                raise DamagedRecordError("a curve is empty")
            if document["algorithm"] not in ALGORITHMS:
                raise DamagedRecordError("algorithm names none")
        except DamagedRecordError as error:
            raise FileError(f"this is not the record of a tuning ({error}); give a tuning.json.") from None
        curves = tuple(_read(Curve, curve) for curve in document["curves"])
        result: TuningResult = _read(cls, {**document, "curves": curves})
        return result


def differing(curves: Sequence[Curve]) -> list[str]:
    """The settings in which these configurations differ."""
    first = curves[0].settings
    return [name for name in first if any(curve.settings[name] != first[name] for curve in curves)]


def _read(kind: Any, document: Mapping[str, Any]) -> Any:
    """A record from what its fields are called; lists become tuples again."""
    given = {name: document[name] for name in kind.__dataclass_fields__}
    return kind(**{name: tuple(each) if isinstance(each, list) else each for name, each in given.items()})
