"""Fuzzy knowledge: each number that the attacker knows may be off by a share φ (de Jong et al. 2026).

w is φ-similar to v when each number a of its state has |a_v − a_w| ≤ φ·a_v: measured from v, so it is
not symmetric, and 0 is only similar to 0. Whole numbers are used, because at 7%, 14% and 28% floating-point
numbers give wrong answers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from netveil.anonymity.partition import classes_of
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.share import Share, parsed_share


def parsed_fuzzy(value: Share) -> Fraction:
    """The share that is meant, exactly: a floating-point number means the shortest decimal that gives it.

    >>> parsed_fuzzy("5%"), parsed_fuzzy(0.07)
    (Fraction(1, 20), Fraction(7, 100))
    """
    return parsed_share(value, "fuzzy", "give a share from 0% to 100%, such as 5% or 0.05.")


def similar_counts(
    references: IntMatrix, states: IntMatrix, fuzzy: Fraction | None, *, fallen: bool = False
) -> IntVector:
    """For each row of `references` (r, c), how many rows of `states` (s, c) are φ-similar, or equal, to it.

    With `fallen`, those whose numbers have fallen by the share φ at most, and not risen: see `bounds`. Each
    distinct row is compared once, so a million people with one contact take no longer than one.
    """
    if fuzzy is None:
        class_of, sizes = classes_of(np.concatenate((references, states)))
        return np.bincount(class_of[len(references) :], minlength=len(sizes))[class_of[: len(references)]]
    from netveil.kernels.counting.range_counts import counts_within

    reference_of, distinct_references, _ = _distinct(references)
    _, distinct_states, how_often = _distinct(states)
    lowest, highest = bounds(distinct_references, fuzzy, fallen=fallen)
    return counts_within(lowest, highest, distinct_states, how_often)[reference_of]


def bounds(numbers: IntMatrix, fuzzy: Fraction, *, fallen: bool = False) -> tuple[IntMatrix, IntMatrix]:
    """The lowest and the highest number that is φ-similar to each; with `fallen`, none above it is.

    >>> bounds(np.array([[100, 3]]), Fraction(7, 100), fallen=True)
    (array([[93,  3]]), array([[100,   3]]))
    """
    tolerance = tolerances(numbers, fuzzy)
    return numbers - tolerance, numbers if fallen else numbers + tolerance


def tolerances(numbers: IntMatrix, fuzzy: Fraction) -> IntMatrix:
    """By how much each number a may be off: φ·a rounded down, because |a - b| is whole."""
    distinct, place = np.unique(numbers, return_inverse=True)
    # In Python's integers, because the product may need more than 64 bits.
    allowed = [number * fuzzy.numerator // fuzzy.denominator for number in distinct.tolist()]
    return np.array(allowed, dtype=np.int64)[place].reshape(numbers.shape)


def _distinct(rows: IntMatrix) -> tuple[IntVector, IntMatrix, IntVector]:
    """The number of each row's value, the values in ascending order, and how often each occurs.

    Where there is only one column, a second one of zeros is added.
    """
    class_of, sizes = classes_of(rows)
    values = np.zeros((len(sizes), max(rows.shape[1], 2)), dtype=np.int64)
    values[class_of, : rows.shape[1]] = rows
    return class_of, values, sizes
