"""What the attackers see and how many must look alike, as kernels take it."""

from __future__ import annotations

from typing import NamedTuple

from netveil.kernels.arrays import IntMatrix

# Columns of Rule.parts; FIRST_NUMBER is the first of four.
KIND, DISTANCE, PER_DEGREE, PER_TRIANGLE, FIRST_NUMBER, FOLLOWER, OWNER = 0, 1, 2, 3, 4, 8, 9
PART_COLUMNS = 10
# Columns of Rule.attackers.
FIRST_PART, LAST_PART, OFF_BY, OFF_OF, TWINS, FIRST_COLUMN, LAST_COLUMN = 0, 1, 2, 3, 4, 5, 6
ATTACKER_COLUMNS = 7


class Rule(NamedTuple):
    """What the attackers see, and how many must look alike. See kernels.kinds for the kinds of parts.

    A row of `parts` is an ingredient of a state: its kind, how far it reaches, the weights of degree and
    triangles in a linear one and its two numbers as multiples of them (four columns), the number of the
    follower of a given one, and whose state it belongs to. A row of `attackers` says which parts make up the
    state, first and last + 1; by how much numbers may be off, OFF_BY / OFF_OF, where OFF_OF = 0 if they are
    known exactly; whether twins count as one; and where FlipState.numbers has the numbers, first column and
    last + 1.
    """

    k: int  # nodes that fewer than k look like, themselves included, are at risk
    parts: IntMatrix  # (parts, PART_COLUMNS)
    attackers: IntMatrix  # (attackers, ATTACKER_COLUMNS)
    one_table: bool  # whether counting keys tells who is at risk: one attacker, no doubts, no twins
    linear: bool  # and its state is a sum over degree and triangles
    count_triangles: bool  # whether a part or a limit looks at triangles; else nobody follows them
    count_ties: bool  # whether triangles are followed edge by edge
    know_circles: bool  # whether twins are followed
    around: int  # the largest distance at which a part looks at whole surroundings; 0 if none does
    looks: bool  # whether any part does, or does not follow flip by flip for another reason
    reach: int  # whose state a deletion can change: see anonymity.measure.Reach
    reach_of_both: bool
