"""The budget: shares and numbers of edges, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from netveil.errors import SettingError
from netveil.search.budget import budget_in_edges

EDGES = st.integers(0, 10**9)
DECIMALS = st.builds(lambda whole, places: (whole, places), st.integers(0, 10**12), st.integers(1, 12))


def decimal(digits: int, places: int) -> str:
    """A number as text: (29, 2) is 0.29."""
    return f"{digits // 10**places}.{digits % 10**places:0{places}d}"


ALLOWED: dict[int, list[Any]] = {  # of 100 edges
    0: ["0", 0, "0%", "0.0", "-0"],
    1: [1, "1"],  # a whole number is a number of edges …
    100: [1.0, "1.0", "100%", 100],  # … and anything with a point a share
    5: ["5%", "0.05", 0.05, np.float64(0.05), "+5", " 5 % ", "5e-2"],
    29: ["0.29", 0.29, "29%"],  # 0.29 * 100 is 28.999999999999996 in floating point
    57: ["57%"],  # 56.99999999999999
    33: ["1/3", Fraction(1, 3)],
    40: ["40", 40, np.int64(40)],
}


def test_known_budgets() -> None:
    for allowed, budgets in ALLOWED.items():
        assert [budget_in_edges(budget, 100) for budget in budgets] == [allowed] * len(budgets)
    for budget, edges, allowed in (
        ("5%", 99, 4),
        ("12.5%", 16, 2),
        (1e-05, 10**6, 10),
        ("100%", 0, 0),
        (0, 0, 0),
    ):
        assert budget_in_edges(budget, edges) == allowed


NO_NUMBERS = [
    "1e1000000000",
    "1e-1000000000",
    "1E+1000000000%",
    "abc",
    "%",
    "5%%",
    "--5",
    "1/0",
    "nan",
    "inf",
    "²",
]
NO_NUMBERS_EITHER = ("", "5 edges", float("nan"), float("inf"), True, None)


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        *((given, f"budget {given} is negative") for given in ("-1", -1, "-0.01", "-5%")),
        *((given, f"budget {given} is more than all edges") for given in ("500%", "100.1%", "1.01", "1e9")),
        *(
            (given, f"budget {given} is more than all edges (for 2 edges give 2)")
            for given in (2.0, "2.0", "2.")
        ),
        *((given, f"budget '{given}' is not a number") for given in (*NO_NUMBERS, *NO_NUMBERS_EITHER)),
        ("101", "budget 101 is more than the network's 100 edges"),
    ],
)
def test_what_is_no_budget(budget: Any, what: str) -> None:
    with pytest.raises(SettingError) as caught:
        budget_in_edges(budget, 100)

    rule = "give a share up to 100% (5% or 0.05) or a number of edges (at most 100)."
    assert str(caught.value) == f"{what}; {rule}"


@given(DECIMALS, EDGES)
@example((29, 2), 100)
def test_a_share_is_exact(share: tuple[int, int], edges: int) -> None:
    """The floor of share times edges without any rounding, for all digits that are written; p% is p/100."""
    digits, places = share
    exact, text = Fraction(digits, 10**places), decimal(digits, places)
    if exact > 1:
        with pytest.raises(SettingError, match="more than all edges"):
            budget_in_edges(text, edges)
    else:
        assert budget_in_edges(text, edges) == floor(exact * edges)
    if exact <= 100:
        assert budget_in_edges(f"{text}%", edges) == floor(exact / 100 * edges)


@given(st.floats(0, 1), EDGES)
def test_a_float_counts_as_it_is_printed(share: float, edges: int) -> None:
    """0.29 means 29 hundredths and not the binary number nearest to it."""
    assert budget_in_edges(share, edges) == floor(Fraction(repr(share)) * edges)
