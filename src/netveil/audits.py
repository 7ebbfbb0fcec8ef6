"""`netveil.audit_together`: several releases of one network, each audited and laid on the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from netveil.anonymity import AnyMeasure, Attacker, attackers_of
from netveil.api import audit
from netveil.auditing.identity import identify
from netveil.auditing.together import PublishedRelease, laid_together
from netveil.auditing.together_result import Audits
from netveil.errors import SettingError
from netveil.given import all_from, made_against
from netveil.open_network import Released
from netveil.release.release import Release

if TYPE_CHECKING:
    from netveil.given import AnyNetwork, AnyReleased


def audit_together(
    original: AnyNetwork,
    releases: Sequence[AnyReleased | Released],
    *,
    measure: AnyMeasure | Sequence[AnyMeasure] | None = None,
    distance: int | Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Audits:
    """What each of several releases of one network gives away, and what each two of them do together.

    Parameters
    ----------
    original
        The network that all of them are releases of.
    releases
        Two or more: releases, their folders, or networks with the labels of the original. A `Release` and a
        release folder bring their labels along.
    measure, distance
        What attackers know, for the audit of each as in `audit`. People are at risk to the first distance of
        all measures; without a measure, to those attackers that the releases were made against.
    names
        What to call the releases.
    options
        Whatever else `audit` takes, for each of them.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> both = [nv.anonymize(karate, "10%", algorithm="ua", seed=seed) for seed in (1, 2)]
    >>> pair = nv.audit_together(karate, both, measure="count").compared[0]
    >>> pair.releases[0].deleted, pair.releases[0].at_risk, pair.at_risk_original
    (7, 11, 15)
    """
    if isinstance(releases, str | os.PathLike | Release | Released) or len(releases) < 2:
        raise SettingError("releases: give a list of two or more releases of the network; for one use audit.")
    network, given = all_from(original, releases)
    against = _attackers(measure, distance) or tuple(
        dict.fromkeys(attacker for each in releases for attacker in made_against(each))
    )
    audits = [
        audit(
            network,
            each.network,
            labels=each.labels,
            measure=measure,
            distance=distance,
            file=each.file,
            format=each.format_name,
            **options,
        )
        for each in given
    ]
    called = [f"release {number}" for number in range(1, len(given) + 1)] if names is None else list(names)
    sides = [
        PublishedRelease(name, each.network, identify(network, each.network, each.labels))
        for name, each in zip(called, given, strict=True)
    ]
    attackers = against or attackers_of("count")
    pairs = [laid_together(network, one, other, attackers) for one, other in combinations(sides, 2)]
    return Audits(tuple(audits), tuple(pairs))


def _attackers(
    measure: AnyMeasure | Sequence[AnyMeasure] | None, distance: int | Sequence[int] | None
) -> tuple[Attacker, ...]:
    """Those to whom people are at risk, where the caller says so."""
    if measure is None:
        return ()
    reach = distance if isinstance(distance, Sequence) else [1 if distance is None else distance]
    return attackers_of(measure, reach[0] if reach else 1)
