"""Fuzzy knowledge and twins, against their definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive_measures
from graphs import networks
from naive_measures import same_partition, twin_classes
from netveil.anonymity.attackers import one_of_each_twin_class, similar_counts, twin_class_of
from netveil.network import Network

shares = st.integers(0, 100).map(lambda percent: Fraction(percent, 100)) | st.fractions(0, 1)


@st.composite
def references_and_states(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Some references and some states with as many numbers, close enough to be similar at times."""
    columns = draw(st.integers(1, 4))
    row = st.lists(
        st.integers(0, 30) | st.sampled_from([100, 107, 93, 2**40]), min_size=columns, max_size=columns
    )
    return draw(st.lists(row, min_size=1)), draw(st.lists(row, min_size=1))


@given(references_and_states(), shares)
def test_similar_states_are_those_of_the_definition(
    both: tuple[list[list[int]], list[list[int]]], fuzzy: Fraction
) -> None:
    """For any number of columns and any share."""
    references, states = both
    found = similar_counts(np.array(references), np.array(states), fuzzy)

    assert found.tolist() == naive_measures.similar_counts(references, states, fuzzy)


@pytest.mark.parametrize("percent", [7, 14, 28, 29, 57, 58])
def test_the_border_is_exact(percent: int) -> None:
    """Of a number a, exactly the numbers within a·percent/100 are similar; floats get some of them wrong."""
    fuzzy = Fraction(percent, 100)
    numbers = np.arange(2000).reshape(-1, 1)
    found = similar_counts(numbers, numbers, fuzzy)
    expected = [min(a + a * percent // 100, 1999) - (a - a * percent // 100) + 1 for a in range(len(numbers))]

    assert found.tolist() == expected


def test_shares_with_many_digits_do_not_overflow() -> None:
    """The product of the share's numerator with a number is beyond 64 bits."""
    share = Fraction(10**18 // 3, 10**18)
    states = np.array([[3 * 10**12], [2 * 10**12], [2 * 10**12 + 1]])

    assert similar_counts(states, states, share).tolist() == [2, 2, 2]


@pytest.mark.many_steps
def test_a_million_alike_are_quick() -> None:
    """Only different states are compared with each other; else this would not end."""
    states = np.ones((1_000_000, 2), dtype=np.int64)

    assert (similar_counts(states, states, Fraction(1, 20)) == 1_000_000).all()


@given(networks())
def test_twins_are_those_of_the_definition(network: Network) -> None:
    """On any small network, against sets; one of each class stands for it."""
    class_of = twin_class_of(network)
    classes = twin_classes(network)
    chosen = one_of_each_twin_class(network, np.zeros(network.node_count, dtype=np.int64))

    assert same_partition(class_of.tolist(), classes)
    assert len(chosen) == len(set(classes)) == len(set(class_of[chosen].tolist()))
    assert (np.diff(chosen) > 0).all()
