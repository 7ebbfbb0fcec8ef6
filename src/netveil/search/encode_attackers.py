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
    from netveil.kernels.following.attacker_arrays import AttackerArrays

MOST_PARTS = 10**9  # of a share φ: a number of 9 digits, times this, still fits in 64 bits


def encode_attackers(
    attackers: Sequence[Attacker], k: int, followers: Sequence[int], *, count_triangles: bool
) -> AttackerArrays:
    """The arrays for these attackers; `followers` are the numbers of user-defined measures' followers."""
    from netveil.kernels.following.attacker_arrays import AttackerArrays, AttackerColumn, PartColumn

    parts: list[NDArray[np.int64]] = []
    rows: list[NDArray[np.int64]] = []
    waiting = iter(followers)
    columns = 0
    for owner, attacker in enumerate(attackers):
        own_parts = attacker.measure.parts(attacker.distance)
        row = np.zeros(len(AttackerColumn._fields), dtype=np.int64)
        row[[AttackerColumn.FIRST_PART, AttackerColumn.LAST_PART]] = len(parts), len(parts) + len(own_parts)
        row[AttackerColumn.TWINS] = attacker.twins
        row[AttackerColumn.FIRST_COLUMN] = columns
        if attacker.fuzzy is not None:
            _check_fuzzy(attacker, attacker.fuzzy)
            row[[AttackerColumn.OFF_BY, AttackerColumn.OFF_OF]] = attacker.fuzzy.as_integer_ratio()
            columns += 2 * attacker.distance
        row[AttackerColumn.LAST_COLUMN] = columns
        rows.append(row)
        for part in own_parts:
            values = np.zeros(PartColumn.OWNER + 1, dtype=np.int64)
            values[[PartColumn.KIND, PartColumn.DISTANCE, PartColumn.OWNER]] = part.kind, part.distance, owner
            if part.weights is not None:
                values[[PartColumn.PER_DEGREE, PartColumn.PER_TRIANGLE]] = part.weights[:2]
                first = PartColumn.FIRST_NUMBER
                values[first : first + 4] = np.ravel(part.weights.numbers)
            if part.kind == GIVEN:
                values[PartColumn.FOLLOWER] = next(waiting)
            parts.append(values)
    one_table = len(rows) == 1 and attackers[0].fuzzy is None and not attackers[0].twins
    kinds = {(int(values[PartColumn.KIND]), int(values[PartColumn.DISTANCE])) for values in parts}
    around = max((distance for kind, distance in kinds if kind in AROUND_KINDS), default=0)
    reach = reach_of(attackers)
    return AttackerArrays(
        k=k,
        parts=np.array(parts),
        attackers=np.array(rows),
        one_table=one_table,
        linear=one_table and len(parts) == 1 and parts[0][PartColumn.KIND] == LINEAR,
        count_triangles=bool(
            count_triangles
            or around == 1
            or any(kind == TIES for kind, _ in kinds)
            or any(values[PartColumn.KIND] == LINEAR and values[PartColumn.PER_TRIANGLE] for values in parts)
        ),
        count_edge_triangles=any(kind == TIES for kind, _ in kinds),
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
