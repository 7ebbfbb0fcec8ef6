"""Numbers and shares that users give: read exactly, and refused in words that name what they are for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from netveil.errors import SettingError
from netveil.formatting import Share, parsed_number, parsed_share

RULE = "give a share, such as 5%."


@pytest.mark.parametrize(
    ("given", "share"),
    [
        ("5%", Fraction(1, 20)),
        (" 0.29 ", Fraction(29, 100)),
        (0.07, Fraction(7, 100)),
        (1, Fraction(1)),
        (0, 0),
    ],
)
def test_a_share_is_exact(given: Share, share: Fraction) -> None:
    """As text, as a floating-point number and as a whole number."""
    assert parsed_share(given, "loss", RULE) == parsed_number(given, "loss", RULE) == share


@pytest.mark.parametrize("given", ["some", "", "1/0", "1e9999", True, float("nan"), [1]])
def test_what_is_no_number_is_refused(given: Share) -> None:
    """With what it is for and the rule."""
    with pytest.raises(SettingError) as caught:
        parsed_share(given, "loss", RULE)

    assert str(caught.value) == f"loss '{given}' is not a number; {RULE}"


@pytest.mark.parametrize(("given", "above_zero"), [("-1%", False), ("101%", False), (2, False), ("0%", True)])
def test_a_number_that_is_no_share_is_refused(given: Share, above_zero: bool) -> None:
    """Below 0% and above 100%; 0% where it must be more."""
    with pytest.raises(SettingError) as caught:
        parsed_share(given, "loss", RULE, above_zero=above_zero)

    assert str(caught.value) == f"loss {given} is not a share; {RULE}"
    assert isinstance(parsed_number(given, "loss", RULE), Fraction)
