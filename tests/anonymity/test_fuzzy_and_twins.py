"""Fuzzy knowledge and twins, against their definitions."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive_measures
from graphs import networks
from naive_measures import same_partition, twin_classes
from netveil.anonymity.attackers import one_of_each_twin_class, parsed_fuzzy, similar_counts, twin_class_of
from netveil.errors import SettingError
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


@pytest.mark.parametrize("percent", [7, 14, 28])
def test_floats_would_get_the_border_wrong(percent: int) -> None:
    """The test above has cases in it in which rounding matters: 7% of 100 is 7.000000000000001."""
    share = percent / 100

    assert any(
        floor(share * a) != a * percent // 100 or ceil(share * a) != -(-a * percent // 100)
        for a in range(2000)
    )


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


@pytest.mark.parametrize(
    ("value", "share"),
    [
        ("5%", Fraction(1, 20)),
        ("7 %", Fraction(7, 100)),
        ("0.5%", Fraction(1, 200)),
        ("0.05", Fraction(1, 20)),
        (".05", Fraction(1, 20)),
        ("1/20", Fraction(1, 20)),
        (0.07, Fraction(7, 100)),
        (0.1 + 0.2, Fraction(30000000000000004, 10**17)),
        (1e-5, Fraction(1, 100_000)),
        (np.float64(0.28), Fraction(28, 100)),
        (0, Fraction(0)),
        (1, Fraction(1)),
        ("100%", Fraction(1)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_share_means_what_is_written(value: str | float | Fraction, share: Fraction) -> None:
    """Percent, decimals, fractions and floats, exactly."""
    assert parsed_fuzzy(value) == share


@pytest.mark.parametrize(
    "value",
    [
        "-5%",
        -0.05,
        "101%",
        1.01,
        5,
        float("nan"),
        float("inf"),
        "nan",
        "much",
        "",
        "%",
        "1/0",
        "1e-999999999",
        True,
    ],
)
def test_other_shares_are_refused_in_one_line(value: str | float) -> None:
    """Below 0, above all, or no number at all."""
    with pytest.raises(SettingError, match=r"^fuzzy .*; give a share from 0% to 100%") as refused:
        parsed_fuzzy(value)

    assert "\n" not in str(refused.value)


@given(networks())
def test_twins_are_those_of_the_definition(network: Network) -> None:
    """On any small network, against sets; one of each class stands for it."""
    class_of = twin_class_of(network)
    classes = twin_classes(network)
    chosen = one_of_each_twin_class(network, np.zeros(network.node_count, dtype=np.int64))

    assert same_partition(class_of.tolist(), classes)
    assert len(chosen) == len(set(classes)) == len(set(class_of[chosen].tolist()))
    assert (np.diff(chosen) > 0).all()
