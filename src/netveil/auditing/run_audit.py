"""The audit: every attacker, every check, one result."""

from __future__ import annotations

import os
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import MEASURES, AnyMeasure, Attacker, attackers_of, find_measure
from netveil.anonymity.circles import edges_around
from netveil.anonymity.measure import OwnMeasure
from netveil.auditing.attack import Attack, DeletionsAttacker, Scene, parsed_deletions
from netveil.auditing.audit_result import Audit
from netveil.auditing.inference import infer_ties
from netveil.auditing.leaks import Identity, identify, leaks_of
from netveil.auditing.matching.run_matching import cases_for, marks_for, match_all
from netveil.auditing.matching.score import Matching
from netveil.errors import NetworkError, SettingError, is_whole
from netveil.network import Network
from netveil.progress import finished
from netveil.registries import ATTACKS

FUZZY = ("5%", "10%")
DELETIONS = ("5%", "10%", "20%")
MOST_EDGES_AROUND = 2_000_000_000
"""With more edges to look at, distance 2 is only tried on request. So many take about half a minute."""


def audit(original: Network, released: Network, **options: Any) -> Audit:
    """Run `auditing` to its end.

    >>> from netveil import load
    >>> karate = load("karate")
    >>> less = karate.without_edges([0, 1, 2])
    >>> whole = audit(karate, less, measures=["degree"], distances=[1], matching="none")
    >>> whole.attacks[0].original.found, whole.attacks[0].release.found
    (6, 4)
    """
    return finished(auditing(original, released, **options))


def auditing(
    original: Network,
    released: Network,
    *,
    labels: Mapping[Any, Hashable] | None = None,
    measures: AnyMeasure | Sequence[AnyMeasure] | None = None,
    distances: int | Sequence[int] | None = None,
    fuzzy: str | float | Sequence[str | float] | None = None,
    deletions: str | float | Sequence[str | float] | None = None,
    also: Sequence[Attacker] = (),
    file: str | os.PathLike[str] | None = None,
    format_name: str | None = None,
    matching: str = "usual",
    seed: int = 0,
    threads: int | None = None,
) -> Generator[Attack | Matching, None, Audit]:
    """Audit a release: what attackers who know the original could still find, and what else it gives away.

    Yields each attack when it was tried.

    Parameters
    ----------
    labels
        Original label → published label, to score the attacks. Without it nodes with equal labels are the
        same person; where there are none, the audit tells how many candidates there are, and no success.
    measures
        What attackers know: all of `netveil.anonymity.MEASURES` by default. A function of your own is given
        each network without its labels, which would tell who is who.
    distances
        How far it reaches: 1 and 2 by default, and 1 alone where 2 would take long.
    fuzzy
        By which shares the numbers that attackers know may be off, for measures whose states are numbers: 5%
        and 10% by default. What they know exactly is tried in any case.
    deletions
        By which shares attackers who know that edges were deleted take these numbers to have fallen: 5%, 10%
        and 20% by default. Where one of `fuzzy` and `deletions` is given alone, the other is not tried.
    also
        Further attackers, such as those that a release was made against. Twins make no difference to whom an
        attacker finds.
    file
        The file that is to be published, to be looked through; and its folder, if that is a release's public
        one.
    format_name
        The format of that file, where its suffix does not say.
    matching
        How much is tried of attackers who match the whole network: 'none', 'brief', 'usual' or 'all'.
    seed
        Decides what those attackers know, and what they draw: same seed, same result.
    threads
        Threads for those attackers, all cores by default; the result does not depend on it.
    """
    for network, which in ((original, "original"), (released, "released network")):
        if network.node_count == 0:
            raise NetworkError(
                f"the {which} has no nodes, so there is nobody to look for; give another file."
            )
    for name, value, least in (("seed", seed, 0), ("threads", threads, 1)):
        if value is not None and (not is_whole(value) or value < least):
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    chosen, notes = _several(distances), list[str]()
    if chosen is None:
        around = int(sum(edges_around(network, 2).sum() for network in (original, released)))
        chosen = [1, 2] if around <= MOST_EDGES_AROUND else [1]
        if around > MOST_EDGES_AROUND:
            notes.append(
                f"distance 2 is left out: with up to {around:,} edges around all people together it would "
                f"take long. Ask for distance 2 to have it tried."
            )
    attackers = [
        attacker
        for attacker in _attackers(_several(measures), chosen, _several(fuzzy), _several(deletions))
        # How far a user's own measure looks is its own affair, unless somebody insists.
        if attacker.distance == 1 or distances is not None or not isinstance(attacker.measure, OwnMeasure)
    ]
    attackers = list(dict.fromkeys([*attackers, *(replace(each, twins=False) for each in also)]))
    identity = identify(original, released, labels)
    scored = identity.people is not None
    cases, left_out = cases_for(original, matching)
    if not scored:  # nobody could tell how many are right
        cases, left_out = [], 0
    if left_out and not cases:
        notes.append(
            f"attackers who match the whole network were not tried: with {original.edge_count:,} edges each "
            f"would take hours. Ask for matching 'all' to have them tried."
        )
    scene = Scene(original, identity.released, tuple(attackers), scored)
    attacks = []
    for kind in ATTACKS.values():
        for attack in kind.attempts(scene):
            attacks.append(attack)
            yield attack
    matched = yield from match_all(
        original, identity.released, cases, marks=marks_for(original, matching), seed=seed, threads=threads
    )
    path = None if file is None else Path(file)
    return Audit(
        original=original.name,
        released=released.name,
        nodes=original.node_count,
        edges=original.edge_count,
        released_nodes=released.node_count,
        released_edges=released.edge_count,
        edges_added=added_edges(original, identity),
        scored=scored,
        attacks=tuple(attacks),
        leaks=tuple(leaks_of(original, released, identity, path, format_name)),
        matching=tuple(matched),
        inference=infer_ties(original, identity.released, seed) if scored else (),
        matching_left_out=left_out + len(cases) - len(matched),
        notes=(*identity.notes, *notes),
    )


def _several(value: Any) -> list[Any] | None:
    """A list of what is given alone or as several; None stays None."""
    if value is None:
        return None
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(value)
    return [value.item() if isinstance(value, np.generic) else value]


def added_edges(original: Network, identity: Identity) -> int:
    """Edges of the release that the original lacks; where it is not known who is who, a lower bound.

    Deletions lower degrees, so the release's degrees in descending order then nowhere exceed the original's:
    where they do, edges were added, each of which raises two degrees by one. Swaps cannot be told so.
    """
    released = identity.released
    if identity.people is not None:
        return released.edge_count - original.shared_edges(released.edges)
    places = max(original.node_count, released.node_count)
    before, after = (
        np.pad(np.sort(network.degrees.astype(np.int64))[::-1], (0, places - network.node_count))
        for network in (original, released)
    )
    return -(-int(np.maximum(after - before, 0).sum()) // 2)


def _attackers(
    measures: list[AnyMeasure] | None,
    distances: list[int],
    fuzzy: list[str | float] | None,
    deletions: list[str | float] | None,
) -> Iterator[Attacker]:
    """Attackers of each measure and distance: with exact numbers, with fuzzy ones, allowing for deletions."""
    found = [find_measure(each) for each in (MEASURES if measures is None else measures)]
    if not found or not distances:
        raise SettingError("nothing to try: give at least one measure, such as count, and one distance.")
    if fuzzy is None and deletions is None:
        fuzzy, deletions = list(FUZZY), list(DELETIONS)
    elif fuzzy and not any(measure.numeric for measure in found):
        attackers_of(found[0], 1, fuzzy[0])  # tells which measures can be fuzzy
    elif deletions and not any(measure.only_falls for measure in found):
        DeletionsAttacker(found[0], 1, parsed_deletions(deletions[0]))
    for measure in dict.fromkeys(found):
        for distance in distances:
            yield from attackers_of(measure, distance)
            for share in (fuzzy or ()) if measure.numeric else ():
                yield from attackers_of(measure, distance, share)
            for share in (deletions or ()) if measure.only_falls else ():
                yield DeletionsAttacker(measure, distance, parsed_deletions(share))
