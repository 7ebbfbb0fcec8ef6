"""Figures as text: what is shown is the figure, to the digits shown, and something is never nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers

from netveil.formatting import PeopleFound, change, figure, percentage


@given(integers(1, 10**7), integers(1, 10**7))
def test_a_percentage_reads_back_as_the_share(part: int, whole: int) -> None:
    """To half a unit of its last digit; more than nothing is never 0%."""
    shown = percentage(part, whole)
    number = shown.removesuffix("%")
    last_digit = 10.0 ** -len(number.partition(".")[2])

    assert shown.endswith("%") and "e" not in shown
    assert abs(float(number) - 100 * part / whole) <= last_digit * 0.5000001
    assert float(number) > 0
    assert percentage(-part, whole) == f"-{shown}" and percentage(part, whole, signed=True) == f"+{shown}"


@given(floats(-1e6, 1e6))
def test_a_figure_reads_back_as_the_number(value: float) -> None:
    """To four decimals, or to three digits where these would show nothing."""
    shown = figure(value)

    assert "e" not in shown
    assert abs(float(shown.replace(",", "")) - value) <= 0.00005001 + abs(value) * 1e-12
    assert value == 0 or float(shown.replace(",", "")) != 0


@given(integers(-(10**9), 10**9))
def test_whole_numbers_are_shown_in_full(value: int) -> None:
    """With commas."""
    assert int(figure(value).replace(",", "")) == value


def test_a_change_of_nothing_and_one_that_does_not_exist_differ() -> None:
    """A dash is not the word same."""
    assert (change(0, 0.0), change(None, None)) == ("same", "–")
    assert (change(0.5, 0.25), change(3, 3.0), change(4, None)) == ("+25.0%", "+3", "+4")


@pytest.mark.parametrize(
    ("part", "shown"), [(113, "28.3%"), (205, "51.3%"), (-113, "-28.3%"), (0.5, "0.13%")]
)
def test_halves_are_rounded_as_browsers_do(part: float, shown: str) -> None:
    """Away from zero: the page and the report say the same of 113 of 400."""
    assert percentage(part, 400) == shown
    assert (figure(0.03125), figure(-0.03125), figure(1e300)[:6]) == ("0.0313", "-0.0313", "1,000,")


@given(integers(1, 500), floats(0, 1))
def test_people_found_and_their_share_are_of_one_pair_of_figures(people: int, share: float) -> None:
    """Never more than there are; nobody and everybody only where it is so; the share is of what is shown."""
    mean = share * people
    shown = PeopleFound.of_means(mean, people)

    assert str(shown) == f"{shown.found} of {people}" and shown.share == percentage(shown.found, people)
    assert abs(shown.found - mean) <= 1 and 0 <= shown.found <= people
    assert (shown.found == 0) == (mean == 0)
    assert people == 1 or (shown.found == people) == (mean == people)


def test_a_mean_just_short_of_everybody_is_not_everybody() -> None:
    """It was “400 of 400 people (99.9%)”."""
    shown = PeopleFound.of_means(399.667, 400)

    assert (str(shown), shown.share) == ("399 of 400", "99.8%")
    assert PeopleFound.of_means(0, 0).share == "–"
