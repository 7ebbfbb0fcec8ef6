"""Deletions that follow from the figures in about.json: the audit tries to reconstruct them.

An attacker who holds the published network adds missing ties to it, one, two or three at a time, until the
figures of the original come out that about.json prints. How many sets of ties agree with all of them?
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import anonymity_of
from netveil.auditing.added_ties import AddedTies, Ends
from netveil.auditing.leak import Leak
from netveil.auditing.printed_figures import PEOPLE, Record, read_record
from netveil.network import Network
from netveil.utility import METRICS, MetricSettings, Side
from netveil.utility.metric import Property, Undefined
from netveil.words import counted

MOST_TIES = 3  # deletions that are reconstructed together
MOST_SETS = 25_000_000  # sets that are all looked at; of more, a sample
FIRST_LOOK = 20_000  # random sets: if enough of them agree, the others need no look
SAMPLE = 200_000
RECOMPUTED = 50  # sets for which every figure is computed from scratch
HARDLY_ANY = 0.1  # of them: if fewer agree,
MOST_RECOMPUTED = 2_000  # so many are computed from scratch
WORK = 60_000_000  # nodes times edges that this may take
FEW = 0.01  # of all sets: fewer are a leak
SEED = 0

REMEDY = "Make the release again, or take the figures of the original out of about.json."


@dataclass(frozen=True)
class Reconstruction:
    """How far an attacker gets who takes so many ties for deleted."""

    ties: int
    sets: int  # of so many missing ties
    tried: int
    left: int  # of those tried, that agree in what is quickly computed
    agreeing: int  # of those, that agree in everything, as far as could be told

    @property
    def all_tried(self) -> bool:
        """Whether no set was left out."""
        return self.tried == self.sets

    @property
    def share(self) -> float:
        """Sets that agree, of those tried."""
        return self.agreeing / self.tried if self.tried else 1.0

    def __str__(self) -> str:
        what = "single ones" if self.ties == 1 else f"sets of {self.ties}"
        of = f"{self.tried:,} {what}"
        return f"{self.agreeing:,} of {of if self.all_tried else f'{of} drawn from {self.sets:,}'}"


@dataclass(frozen=True)
class FigureLeaks:
    """What follows from the figures of a release."""

    leaks: tuple[Leak, ...] = ()
    told: str = ""  # how far the reconstruction got, in a sentence


def figure_leaks(public: Path, released: Network) -> FigureLeaks:
    """What about.json in a public folder tells of the deletions; nothing if there is none to read."""
    try:
        about = json.loads((public / "about.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return FigureLeaks()
    return leaks_of_record(about, released) if isinstance(about, dict) else FigureLeaks()


def leaks_of_record(about: dict[str, Any], released: Network) -> FigureLeaks:
    """What a record tells of the deletions, to somebody who has the published network."""
    record = read_record(about, released)
    if record.edges_deleted == 0 or (record.edges_deleted is None and not record.figures):
        return FigureLeaks()  # nothing was deleted, or nothing is said
    numbers = record.numbers_of_deletions(released)
    ties = AddedTies(released)
    reconstructions = [reconstruct(ties, record, int(number)) for number in numbers[numbers <= MOST_TIES]]
    reconstructions = [each for each in reconstructions if each.sets]
    return FigureLeaks(tuple(_leaks(record, numbers, reconstructions)), _told(reconstructions))


def _leaks(
    record: Record, numbers: np.ndarray[Any, Any], reconstructions: Iterable[Reconstruction]
) -> Iterator[Leak]:
    certain = len(numbers) == 1
    for each in reconstructions:
        if each.share < FEW and (each.agreeing or (certain and not each.all_tried)):
            agree = "agrees" if each.agreeing == 1 else "agree"
            finding = (
                f"Of the deletions that may have been made, {each} {agree} with the figures of the "
                f"original in about.json: they can be told."
            )
            yield Leak("leak", "figures", finding, REMEDY)
    if certain:
        finding = f"From the figures in about.json it follows how many edges were deleted: {numbers[0]:,}."
        yield Leak("warning", "figures", finding, REMEDY)
    if record.exact:
        finding = (
            f"about.json has {counted(record.exact, 'figure')} of the original with more than three digits: "
            f"who adds ties until they come out may find those that were deleted."
        )
        yield Leak("warning", "figures", finding, REMEDY)


def _told(reconstructions: list[Reconstruction]) -> str:
    if not reconstructions:
        return "By the figures in about.json, too many edges were deleted to try which they were."
    return f"Deletions that agree with the figures in about.json: {'; '.join(map(str, reconstructions))}."


def reconstruct(ties: AddedTies, record: Record, number: int) -> Reconstruction:
    """How many sets of so many missing ties agree with a record: all are tried where few agree."""
    sets = ties.number_of_sets(number)
    rng = np.random.default_rng(SEED)
    if sets > FIRST_LOOK:
        first = _look(ties, record, number, [ties.random_sets(number, FIRST_LOOK, rng)], rng)
        if first.left > FEW * first.tried:
            return first  # to look at all of them would not tell more
    if sets <= MOST_SETS:
        return _look(ties, record, number, ties.all_sets(number), rng)
    return _look(ties, record, number, [ties.random_sets(number, SAMPLE, rng)], rng)


def _look(
    ties: AddedTies, record: Record, number: int, parts: Iterable[Ends], rng: np.random.Generator
) -> Reconstruction:
    """Which sets agree in what is quickly computed, and of these, from scratch, a few in everything."""
    tried, left = 0, []
    for part in parts:
        tried += len(part)
        left.append(part[_agree_quickly(ties, record, part)])
    kept = np.concatenate(left) if left else np.empty((0, number, 2), dtype=np.int64)
    return Reconstruction(
        number, ties.number_of_sets(number), tried, len(kept), _agree_closely(ties, record, kept, rng)
    )


def _agree_closely(ties: AddedTies, record: Record, sets: Ends, rng: np.random.Generator) -> int:
    """How many sets agree in everything: from scratch for a few, for all if hardly any of these do."""
    affordable = WORK // max(ties.nodes * ties.network.edge_count, 1)
    few = min(RECOMPUTED, affordable, len(sets))
    if few == 0:
        return len(sets)
    mixed = rng.permutation(sets)
    hits = sum(_agrees(ties.with_ties(each), record) for each in mixed[:few])
    if hits >= HARDLY_ANY * few or len(sets) > min(MOST_RECOMPUTED, affordable):
        return round(len(sets) * hits / few)
    return hits + sum(_agrees(ties.with_ties(each), record) for each in mixed[few:])


def _agree_quickly(ties: AddedTies, record: Record, ends: Ends) -> np.ndarray[Any, np.dtype[np.bool_]]:
    agree = np.ones(len(ends), dtype=np.bool_)
    if "assortativity" in record.figures:
        agree &= record.figures["assortativity"].fits(ties.assortativity(ends))
    if "clustering" in record.figures and ends.shape[1] == 1:
        alone = np.flatnonzero(agree)
        agree[alone] = record.figures["clustering"].fits(ties.clustering(ends[alone, 0]))
    return agree


def _agrees(original: Network, record: Record) -> bool:
    """Whether a network may be the original: every figure from scratch."""
    side = Side(original, MetricSettings())
    for name, metric in METRICS.items():
        if name in record.figures and isinstance(metric, Property):
            try:
                if not record.figures[name].fits(metric.value(side)):
                    return False
            except Undefined:
                continue
    if not record.attackers or not record.figures.keys() & set(PEOPLE):
        return True
    found = anonymity_of(original, record.attackers, record.k)
    people = dict(zip(PEOPLE, (found.at_risk, found.unique), strict=True))
    return all(record.figures[name].fits(people[name]) for name in PEOPLE if name in record.figures)
