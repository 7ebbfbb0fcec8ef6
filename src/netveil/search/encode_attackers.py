"""Puts attackers into the arrays that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Attacker, Reach
from netveil.anonymity.own import OwnMeasure
from netveil.errors import SettingError
from netveil.kernels.following.part_kinds import AROUND_KINDS, CONTACTS, GIVEN, LINEAR, TIES

if TYPE_CHECKING:
    from netveil.kernels.following.attacker_arrays import Rule

MOST_PARTS = 10**9  # of a share φ: a number of 9 digits, times this, still fits in 64 bits


def encode_attackers(
    attackers: Sequence[Attacker], k: int, followers: Sequence[int], *, count_triangles: bool
) -> Rule:
    """The rule for these attackers; `followers` are the numbers of those who tell given states, in order."""
    from netveil.kernels.following import attacker_arrays as rules
    from netveil.kernels.following.attacker_arrays import ATTACKER_COLUMNS, PART_COLUMNS, Rule

    parts: list[NDArray[np.int64]] = []
    rows: list[NDArray[np.int64]] = []
    waiting = iter(followers)
    columns = 0
    for owner, attacker in enumerate(attackers):
        own_parts = attacker.measure.parts(attacker.distance)
        row = np.zeros(ATTACKER_COLUMNS, dtype=np.int64)
        row[[rules.FIRST_PART, rules.LAST_PART]] = len(parts), len(parts) + len(own_parts)
        row[rules.TWINS] = attacker.twins
        row[rules.FIRST_COLUMN] = columns
        if attacker.fuzzy is not None:
            _check_fuzzy(attacker, attacker.fuzzy)
            row[[rules.OFF_BY, rules.OFF_OF]] = attacker.fuzzy.as_integer_ratio()
            columns += 2 * attacker.distance
        row[rules.LAST_COLUMN] = columns
        rows.append(row)
        for part in own_parts:
            values = np.zeros(PART_COLUMNS, dtype=np.int64)
            values[[rules.KIND, rules.DISTANCE, rules.OWNER]] = part.kind, part.distance, owner
            if part.weights is not None:
                values[[rules.PER_DEGREE, rules.PER_TRIANGLE]] = part.weights[:2]
                first = rules.FIRST_NUMBER
                values[first : first + 4] = np.ravel(part.weights.numbers)
            if part.kind == GIVEN:
                values[rules.FOLLOWER] = next(waiting)
            parts.append(values)
    one_table = len(rows) == 1 and attackers[0].fuzzy is None and not attackers[0].twins
    kinds = {(int(values[rules.KIND]), int(values[rules.DISTANCE])) for values in parts}
    around = max((distance for kind, distance in kinds if kind in AROUND_KINDS), default=0)
    reach = reach_of(attackers)
    return Rule(
        k=k,
        parts=np.array(parts),
        attackers=np.array(rows),
        one_table=one_table,
        linear=one_table and len(parts) == 1 and parts[0][rules.KIND] == LINEAR,
        count_triangles=bool(
            count_triangles
            or around == 1
            or any(kind == TIES for kind, _ in kinds)
            or any(values[rules.KIND] == LINEAR and values[rules.PER_TRIANGLE] for values in parts)
        ),
        count_ties=any(kind == TIES for kind, _ in kinds),
        know_circles=any(attacker.twins for attacker in attackers),
        around=around,
        looks=around > 0 or any(kind == GIVEN or (kind == CONTACTS and far > 1) for kind, far in kinds),
        reach=reach.distance,
        reach_of_both=reach.both,
    )


def reach_of(attackers: Sequence[Attacker]) -> Reach:
    """Whose state, to any of the attackers, a deletion can change, at most."""
    reaches = [attacker.measure.reach(attacker.distance) for attacker in attackers]
    distance = max(reach.distance for reach in reaches)
    # The two ends themselves are among those who have both within distance 1.
    either = any(not reach.both and reach.distance > 0 for reach in reaches)
    return Reach(distance, both=not either and distance > 0)


def _check_fuzzy(attacker: Attacker, fuzzy: Fraction) -> None:
    """Raise where a search could not tell exactly whether numbers are off by more."""
    if fuzzy.denominator > MOST_PARTS:
        raise SettingError(f"fuzzy {float(fuzzy):%}: give a share of at most 7 digits for a search.")
    if isinstance(attacker.measure, OwnMeasure):
        raise SettingError(
            f"measure {attacker.measure.name} is your own: no search can follow it fuzzily; leave fuzzy out."
        )
