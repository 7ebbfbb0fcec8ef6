"""Figures of the original in about.json: true, coarse, and the same whatever a few deletions were."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.auditing import figure_leaks
from netveil.release import records
from netveil.release.records import LADDER, LEFT_OUT, Coarseness, public_record, step_above
from netveil.utility import compare, side

EDGES = st.integers(40, 10**7)
FIGURES = st.one_of(st.floats(-1, 1), st.floats(0, 1e4), st.integers(0, 10**6))


def digits(value: float) -> int:
    """Significant digits as printed."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


@given(EDGES, FIGURES, FIGURES)
def test_what_is_told_is_true_and_coarse(edges: int, hidden: float, known: float) -> None:
    """At most three digits; the true figure is within what is said, at least a twentieth of its size."""
    told = Coarseness(edges).tell(hidden, known)

    if told.figure is None:
        assert told == LEFT_OUT
        return
    assert told.within is not None
    assert abs(Fraction(hidden) - Fraction(Decimal(repr(told.figure)))) <= Fraction(
        Decimal(repr(told.within))
    )
    assert told.within >= 0.05 * max(1, abs(known)) * (1 - 1e-9)
    assert digits(told.within) == 1
    assert digits(told.figure) <= 3
    assert type(told.figure) is type(known)


@given(EDGES, FIGURES, st.floats(-0.5, 0.5))
def test_a_change_of_half_a_step_is_not_told(edges: int, known: float, moved: float) -> None:
    """Then what is told is what it would be if nothing had changed: it depends on the release alone."""
    coarse = Coarseness(edges)
    unchanged = coarse.tell(known, known)
    if unchanged.within is None:
        return

    hidden = known + 0.999 * moved * unchanged.within

    assert coarse.tell(hidden, known) == unchanged
    assert coarse.tell(None, known) == unchanged  # that there is no such figure is not told either


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_several_numbers_of_deletions_have_the_same_bound(edges: int, deleted: int) -> None:
    """It is a bound, from a short ladder, and at least three numbers give it."""
    coarse = Coarseness(edges)
    bound = coarse.bound(deleted)

    assert deleted / (edges + deleted) <= bound and Fraction(str(bound)) in LADDER
    near = range(max(1, deleted - 2), deleted + 3)
    assert sum(coarse.bound(number) == bound for number in near) >= 3


@given(st.fractions(Fraction(1, 10**6), 10**6))
def test_a_step_is_one_two_or_five(size: Fraction) -> None:
    """Times a power of ten, not below the size, and less than 2.5 times it."""
    step = step_above(size)

    assert step.normalize().as_tuple().digits in ((1,), (2,), (5,))
    assert size <= Fraction(step) < Fraction(5, 2) * size


def test_networks_too_small_say_nothing_of_the_original() -> None:
    """With fewer than 40 edges published every deletion is a large part: figures are left out."""
    assert Coarseness(39).tell(0.5, 0.5) == Coarseness(0).tell(0.5, 0.5) == LEFT_OUT
    assert Coarseness(39).tell_people(3, 3, 20) == LEFT_OUT
    assert Coarseness(40).tell(0.5, 0.5).figure == 0.5


def test_a_release_of_usual_size_still_says_what_it_is_worth() -> None:
    """Demo, 5%: three quarters of its people were at risk, and what became of clustering and paths."""
    demo = nv.load("demo")
    release = nv.anonymize(demo, "5%", seed=7, effort=0.05)
    about = public_record(release, compare(demo, release.remaining))

    assert (about["anonymity"]["at_risk_before"], about["anonymity"]["within"]) == (700, 100)
    assert about["utility"]["clustering"]["before"] == 0.35
    assert about["utility"]["average_degree"]["within"] == 2.0
    assert all(entry["within"] for name, entry in about["utility"].items() if not name.startswith("edges_"))


def test_what_is_estimated_is_published_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the release alone, in two digits; what is exact has none."""
    monkeypatch.setattr(side, "EXACT_WORK", 1_000)
    monkeypatch.setattr(side, "SAMPLED_WORK", 1_000)
    demo = nv.load("demo")
    release = nv.anonymize(demo, "5%", seed=7, effort=0.01)
    comparison = compare(demo, release.remaining)
    utility = public_record(release, comparison)["utility"]
    error = comparison.metrics["path_length"].standard_error["after"]

    assert error > 0 and utility["path_length"]["standard_error"] == pytest.approx(error, rel=0.05)
    assert digits(utility["path_length"]["standard_error"]) <= 2
    estimated = [name for name, entry in utility.items() if "standard_error" in str(entry)]
    assert estimated == ["path_length"]


@pytest.mark.parametrize(
    ("budget", "published"),
    [
        ("5%", 0.05),
        (0.07, 0.07),
        ("12.5%", 0.125),
        (3, 0.05),
        (5, 0.1),
        (3 / 78, 0.05),
        ("2%", 0.05),
        (0, 0.0),
    ],
)
def test_a_budget_is_a_setting_or_a_bound(budget: str | float, published: float) -> None:
    """A share as it was given, unless it is a number of edges in disguise or too few of them."""
    release = nv.anonymize(nv.load("karate"), budget, seed=1, algorithm="es")

    assert public_record(release, None)["budget_share"] == published


def test_a_loaded_release_tells_the_same(tmp_path: str) -> None:
    """The share that was asked for is kept in the private record."""
    release = nv.anonymize(nv.load("karate"), "7%", seed=1, algorithm="es")
    folder = nv.save(release, f"{tmp_path}/release", utility=False, audit=False, baselines=False)

    again = nv.load_release(folder)

    assert public_record(again, None) == public_record(release, None)
    assert public_record(again, None)["budget_share"] == 0.07


def test_the_audit_reads_the_ladder_that_is_written() -> None:
    """It is written down twice: the audit must not need what makes releases."""
    assert tuple(map(float, LADDER)) == figure_leaks.LADDER[1:]
    assert records.MOST_DIGITS == figure_leaks.MOST_DIGITS
