"""What the attackers see and how many must look alike, as kernels take it. Free of numba."""

from __future__ import annotations

from typing import NamedTuple

from netveil.kernels.arrays import IntMatrix, constants


@constants
class PartColumn(NamedTuple):
    """Columns of AttackerArrays.parts: an ingredient of a state."""

    KIND: int = 0  # see kernels.following.part_kinds
    DISTANCE: int = 1  # how far it reaches
    PER_DEGREE: int = 2  # weights of degree and triangles in a linear one
    PER_TRIANGLE: int = 3
    FIRST_NUMBER: int = 4  # and its two numbers as multiples of degree and triangles: four columns
    FOLLOWER: int = 8  # of a user-defined one, the number of its follower
    OWNER: int = 9  # the attacker whose state it belongs to


@constants
class AttackerColumn(NamedTuple):
    """Columns of AttackerArrays.attackers."""

    FIRST_PART: int = 0  # the parts that make up the state, first and last + 1
    LAST_PART: int = 1
    OFF_BY: int = 2  # numbers may be off by the share OFF_BY / OFF_OF; OFF_OF is 0 if they are known exactly
    OFF_OF: int = 3
    TWINS: int = 4  # whether twins count as one
    FIRST_COLUMN: int = 5  # where General.numbers has the numbers, first column and last + 1
    LAST_COLUMN: int = 6


class AttackerArrays(NamedTuple):
    """What the attackers see, and how many must look alike."""

    k: int  # nodes that fewer than k look like, themselves included, are at risk
    parts: IntMatrix  # (parts, 10): see PartColumn
    attackers: IntMatrix  # (attackers, 7): see AttackerColumn
    one_table: bool  # whether counting keys tells who is at risk: one attacker, no doubts, no twins
    linear: bool  # and its state is a sum over degree and triangles
    count_triangles: bool  # whether a part or a limit looks at triangles; else nobody follows them
    count_edge_triangles: bool  # whether a part looks at the triangles on each edge
    know_circles: bool  # whether twins are followed
    around: int  # the largest distance at which a part looks at whole surroundings; 0 if none does
    looks: bool  # whether any part does, or does not follow flip by flip for another reason
    reach: int  # whose state a deletion can change: see anonymity.measure.Reach
    reach_of_both: bool
