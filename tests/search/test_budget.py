"""The budget: shares and numbers of edges, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from netveil.errors import SettingError
from netveil.search.budget import budget_in_edges, tell_if_ambiguous

EDGES = st.integers(0, 10**9)
DECIMALS = st.builds(lambda whole, places: (whole, places), st.integers(0, 10**12), st.integers(1, 12))


def decimal(digits: int, places: int) -> str:
    """A number as text: (29, 2) is 0.29."""
    return f"{digits // 10**places}.{digits % 10**places:0{places}d}"


@pytest.mark.parametrize(
    ("budget", "edges", "allowed"),
    [
        ("5%", 100, 5),
        ("5%", 99, 4),  # 4.95, rounded down
        ("0.05", 100, 5),
        (0.05, 100, 5),
        ("0.29", 100, 29),  # in floating point 28.999999999999996
        (0.29, 100, 29),
        ("29%", 100, 29),
        ("57%", 100, 57),  # 0.57 * 100 is 56.99999999999999
        ("40", 100, 40),
        (40, 100, 40),
        (np.int64(40), 100, 40),
        (np.float64(0.05), 100, 5),
        (1, 100, 1),  # a whole number is a number of edges …
        ("1", 100, 1),
        (1.0, 100, 100),  # … and anything with a point a share
        ("1.0", 100, 100),
        ("100%", 100, 100),
        (100, 100, 100),
        ("0", 100, 0),
        (0, 100, 0),
        ("0%", 100, 0),
        ("0.0", 100, 0),
        ("-0", 100, 0),
        ("+5", 100, 5),
        (" 5 % ", 100, 5),
        ("12.5%", 16, 2),
        ("1/3", 100, 33),
        (Fraction(1, 3), 100, 33),
        ("5e-2", 100, 5),
        (1e-05, 10**6, 10),
        ("100%", 0, 0),
        (0, 0, 0),
    ],
)
def test_known_budgets(budget: str | int | float | Fraction, edges: int, allowed: int) -> None:
    """Each way to write a budget."""
    assert budget_in_edges(budget, edges) == allowed


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        ("-1", "budget -1 is negative"),
        (-1, "budget -1 is negative"),
        ("-0.01", "budget -0.01 is negative"),
        ("-5%", "budget -5% is negative"),
        ("101", "budget 101 is more than the network's 100 edges"),
        ("500%", "budget 500% is more than all edges"),
        ("100.1%", "budget 100.1% is more than all edges"),
        ("1.01", "budget 1.01 is more than all edges"),
        (40.0, "budget 40.0 is more than all edges (for 40 edges give 40)"),
        ("2.0", "budget 2.0 is more than all edges (for 2 edges give 2)"),
        ("2.", "budget 2. is more than all edges (for 2 edges give 2)"),
        ("1e9", "budget 1e9 is more than all edges"),
        ("1e1000000000", "budget '1e1000000000' is not a number"),
        ("1e-1000000000", "budget '1e-1000000000' is not a number"),
        ("1E+1000000000%", "budget '1E+1000000000%' is not a number"),
        ("abc", "budget 'abc' is not a number"),
        ("", "budget '' is not a number"),
        ("%", "budget '%' is not a number"),
        ("5%%", "budget '5%%' is not a number"),
        ("5 edges", "budget '5 edges' is not a number"),
        ("--5", "budget '--5' is not a number"),
        ("1/0", "budget '1/0' is not a number"),
        ("nan", "budget 'nan' is not a number"),
        ("inf", "budget 'inf' is not a number"),
        (float("nan"), "budget 'nan' is not a number"),
        (float("inf"), "budget 'inf' is not a number"),
        ("²", "budget '²' is not a number"),
        (True, "budget 'True' is not a number"),
        (None, "budget 'None' is not a number"),
    ],
)
def test_what_is_no_budget(budget: str, what: str) -> None:
    """The message has the value and the rule, with the number of edges of this network."""
    with pytest.raises(SettingError) as caught:
        budget_in_edges(budget, 100)

    rule = "give a share up to 100% (5% or 0.05) or a number of edges (at most 100)."
    assert str(caught.value) == f"{what}; {rule}"


@pytest.mark.parametrize(
    ("budget", "edges", "told"),
    [
        ("1", 78, "budget 1 is one edge; for all edges give 100%."),
        ("+1", 78, "budget +1 is one edge; for all edges give 100%."),
        (1, 78, "budget 1 is one edge; for all edges give 100%."),
        (np.int64(1), None, "budget 1 is one edge; for all edges give 100%."),
        ("1.0", 78, "budget 1.0 is a share: all 78 edges; for one edge give 1."),
        (" 1. ", 2000, "budget 1. is a share: all 2,000 edges; for one edge give 1."),
        ("1e0", 78, "budget 1e0 is a share: all 78 edges; for one edge give 1."),
        (1.0, 78, "budget 1.0 is a share: all 78 edges; for one edge give 1."),
        (1.0, None, "budget 1.0 is a share: all edges; for one edge give 1."),
    ],
)
def test_one_edge_and_all_edges_are_told_apart(
    caplog: pytest.LogCaptureFixture, budget: str | int | float, edges: int | None, told: str
) -> None:
    """1 and 1.0 look alike and are not: which was taken, and what to write for the other."""
    tell_if_ambiguous(budget, edges)

    assert [(record.levelname, record.message) for record in caplog.records] == [("WARNING", told)]


@pytest.mark.parametrize(
    ("budget", "edges"),
    [
        *((budget, 78) for budget in ("1%", "100%", "0", "0.0", "2", "0.1", "1.01", 2, 0, 0.0, 0.999, None)),
        *((budget, 78) for budget in ("abc", True, "-1", "2.0", "101")),  # said by whoever takes it
        ("1", 1),  # one edge is all edges
        ("1.0", 1),
        ("1.0", 0),
    ],
)
def test_nothing_is_told_of_what_is_clear(
    caplog: pytest.LogCaptureFixture, budget: str | int | float | None, edges: int
) -> None:
    """Percentages, other numbers, and networks in which both come to the same."""
    tell_if_ambiguous(budget, edges)

    assert caplog.records == []


@given(DECIMALS, EDGES)
@example((29, 2), 100)
def test_a_share_is_exact(share: tuple[int, int], edges: int) -> None:
    """The floor of share times edges without any rounding, for all the digits that are written."""
    digits, places = share
    exact = Fraction(digits, 10**places)
    text = decimal(digits, places)
    if exact > 1:
        with pytest.raises(SettingError, match="more than all edges"):
            budget_in_edges(text, edges)
    else:
        assert budget_in_edges(text, edges) == floor(exact * edges)


@given(DECIMALS, EDGES)
def test_percent_are_hundredths(percent: tuple[int, int], edges: int) -> None:
    """p% is the share p / 100, exactly."""
    digits, places = percent
    exact = Fraction(digits, 10**places) / 100
    if exact <= 1:
        assert budget_in_edges(f"{decimal(digits, places)}%", edges) == floor(exact * edges)


@given(st.floats(0, 1), EDGES)
def test_a_float_counts_as_it_is_printed(share: float, edges: int) -> None:
    """0.29 means 29 hundredths and not the binary number nearest to it."""
    assert budget_in_edges(share, edges) == floor(Fraction(repr(share)) * edges)


@given(st.integers(0, 10**9), EDGES)
def test_a_number_of_edges_is_itself(number: int, edges: int) -> None:
    """Or too many."""
    if number > edges:
        with pytest.raises(SettingError, match="more than the network's"):
            budget_in_edges(number, edges)
    else:
        assert budget_in_edges(number, edges) == budget_in_edges(str(number), edges) == number
