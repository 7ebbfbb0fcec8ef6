"""Charts as SVG: everything stands where its numbers say, in the picture, and words are escaped."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, strategies as st

from netveil import charts
from netveil.charts import AFTER, BEFORE, INK, LETTER, RISK, TEXT, WIDE, Band, Bars, Chart, Series, svg

HEIGHT = 300
NUMBERS = st.floats(0, 1e6, allow_subnormal=False)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def elements(drawn: str, tag: str) -> list[ElementTree.Element]:
    """Elements of a picture with this tag."""
    return list(ElementTree.fromstring(drawn).iter(NAMESPACE + tag))


def words(drawn: str) -> list[str]:
    """Every text in a picture."""
    return [each.text or "" for each in elements(drawn, "text")]


@example([(0.0, 1e-45)], True, False)
@given(POINTS, st.booleans(), st.booleans())
def test_points_stand_in_the_order_of_their_numbers_inside_the_picture(
    points: list[tuple[float, float]], is_log: bool, beside: bool
) -> None:
    """More is farther right and higher up, on either scale, in each column."""
    items = [Series([point], f"#00000{place}", "", "", "o") for place, point in enumerate(points)]
    chart = Chart(items, is_log=is_log)
    drawn = svg([chart, chart] if beside else [chart], HEIGHT)
    places = []
    for place in range(len(points)):
        paths = [each for each in elements(drawn, "path") if each.get("stroke") == f"#00000{place}"]
        found = re.fullmatch(r"M(-?\d+) (-?\d+)h0", paths[0].get("d") or "")
        assert found is not None
        places.append((int(found[1]), int(found[2])))

    assert all(0 <= x <= WIDE and 0 <= y <= HEIGHT for x, y in places)
    for axis, sign in ((0, 1), (1, -1)):
        in_order = sorted(range(len(points)), key=lambda place: points[place][axis])
        assert all(sign * (places[b][axis] - places[a][axis]) >= 0 for a, b in pairwise(in_order))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_equally_far_apart(low: float, wide: float) -> None:
    """Between three and seven, one, two or five times a power of ten from each other."""
    drawn = svg([Chart([], x_limits=(low, low + wide), y_limits=(0, 1))], HEIGHT)
    places = [float(x) for x in re.findall(rf"M(\S+) {HEIGHT - 42:.1f}L\1 {HEIGHT - 38:.1f}", drawn)]

    assert 2 <= len(places) <= 7
    assert all(b - a == pytest.approx(places[1] - places[0], abs=0.2) for a, b in pairwise(places))


def test_on_a_log_scale_every_factor_of_ten_is_as_wide() -> None:
    """0, 9, 99 and 999, each with one added."""
    points = [(10**power - 1, 10**power - 1) for power in range(4)]
    drawn = svg([Chart([Series(points, "#000001")], is_log=True)], HEIGHT)
    (line,) = (each.get("d") or "" for each in elements(drawn, "path") if each.get("stroke") == "#000001")
    across, up = zip(*[map(float, pair.split()) for pair in re.findall(r"[ML]([^ML]+)", line)], strict=True)

    for places in (across, up):
        steps = [b - a for a, b in pairwise(places)]
        assert steps == pytest.approx([steps[0]] * 3, abs=0.2) and abs(steps[0]) > 20


def test_ticks_of_a_log_scale_are_zero_and_powers_of_ten() -> None:
    """So that people without contacts have a place."""
    drawn = svg([Chart([Series([(0, 0), (2000, 30)])], is_log=True)], HEIGHT)

    assert words(drawn) == ["0", "1", "10", "0", "1", "10", "100", "1,000"]


def test_ticks_of_a_long_log_scale_leave_powers_out_and_stay_in_the_picture() -> None:
    """Neither over each other nor beyond the right end."""
    drawn = svg([Chart([Series([(0, 0), (1e5, 1e6)])], is_log=True)], HEIGHT)
    last = elements(drawn, "text")[-1]

    assert words(drawn) == ["0", "10", "1,000", "100,000"] * 2
    assert float(last.get("x") or 0) + len("100,000") * LETTER / 2 <= WIDE


def test_ticks_of_bars_are_whole_numbers_written_out() -> None:
    """Nobody is half a person, and millions are not powers of ten."""
    for people, ticks in ((1, ["0", "1"]), (2_500_000, ["0", "500,000", "1,000,000"])):
        drawn = svg([Chart([Bars([people])], names=["a"], y_limits=(0, None))], HEIGHT)

        assert words(drawn)[: len(ticks)] == ticks and "0.5" not in words(drawn)


def test_bars_are_as_high_as_their_numbers_side_by_side_over_their_names() -> None:
    """From the axis up; an empty one is there with no height."""
    both = [Bars([4, 2], "#111111", "before"), Bars([0, 1], "#222222", "after")]
    drawn = svg([Chart(both, names=["a", "b"], y_limits=(0, None))], HEIGHT)
    bars = [each for each in elements(drawn, "rect") if each.get("height") != "10"]
    heights = [float(each.get("height") or 0) for each in bars]
    bottoms = {float(each.get("y") or 0) + float(each.get("height") or 0) for each in bars}
    places = [float(each.get("x") or 0) for each in bars]

    assert heights == pytest.approx([heights[0] * part for part in (1, 0.5, 0, 0.25)], abs=0.1)
    assert heights[0] > 100
    assert max(bottoms) - min(bottoms) < 0.2
    assert places[0] < places[2] < places[1] < places[3]
    assert {"a", "b", "before", "after"} <= set(words(drawn))


def test_names_that_have_no_room_are_left_out_evenly() -> None:
    """Rather than written over each other."""
    names = [f"{number} to {number + 9} contacts" for number in range(30)]
    drawn = svg([Chart([Bars([1] * 30)], names=names, y_limits=(0, None))], HEIGHT)
    shown = [names.index(each) for each in words(drawn) if each in names]

    assert 2 <= len(shown) < 8 and shown == list(range(0, 30, shown[1]))


def test_a_line_breaks_at_none_and_keeps_its_looks() -> None:
    """Dashes and width, and marks at each point, once where two fall on one place."""
    points = [(0, 0), (1, 1), None, (2, 0), (2, 0), (3, 1)]
    drawn = svg([Chart([Series(points, "#123456", line="--", mark="o", width=2)])], HEIGHT)
    line, dots = (each for each in elements(drawn, "path") if each.get("stroke") == "#123456")

    assert [(line.get("d") or "").count(pen) for pen in "ML"] == [2, 3]
    assert (line.get("stroke-dasharray"), line.get("stroke-width")) == ("6 4", "2")
    assert (dots.get("d") or "").count("M") == 4


def test_a_band_lies_between_its_lines() -> None:
    """Along the lower one and back along the higher."""
    drawn = svg([Chart([Band([(0, 1), (1, 1)], [(0, 2), (1, 3)], "#abcdef")])], HEIGHT)
    (band,) = (each for each in elements(drawn, "path") if each.get("fill") == "#abcdef")
    ys = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", band.get("d") or "")]

    assert ys[0] == ys[1] > ys[3] > ys[2]


def test_words_are_escaped_and_ink_is_the_colour_of_the_page() -> None:
    """A measure of somebody's own may have any name; a single label needs no legend."""
    two = [Series([(0, 0)], INK, "<b>&", mark="x"), Series([(1, 1)], label="other")]
    drawn = svg([Chart(two, "x < y", "a & b", title="<title>")], HEIGHT)

    assert {"<b>&", "x < y", "a & b", "<title>", "other"} <= set(words(drawn))
    assert INK not in drawn and 'stroke="currentColor"' in drawn
    assert "other" not in words(svg([Chart(two[1:])], HEIGHT))


def test_long_legends_take_several_lines_above_the_axes() -> None:
    """Nothing is written over the chart, beside the picture or into the title."""
    items = [Series([(0, 0), (1, 1)], label="somebody who has the network " * 2) for _ in range(4)]
    texts = elements(svg([Chart(items, title="before")], HEIGHT), "text")
    lines = {float(each.get("y") or 0) for each in texts if (each.text or "").startswith("some")}
    (title,) = (float(each.get("y") or 0) for each in texts if each.text == "before")

    assert len(lines) == 4 and max(lines) < HEIGHT / 2
    assert min(lines) - title > 1.5 * TEXT


def test_charts_of_nothing_are_drawn() -> None:
    """No point, one point, equal points: axes all the same."""
    for items in ([], [Series([])], [Series([(5, 5)])], [Series([(5, 5), (5, 5)])]):
        for is_log in (False, True):
            assert len(words(svg([Chart(items, is_log=is_log)], HEIGHT))) >= 2


def luminance(colour: str) -> float:
    """Relative luminance of a colour, as WCAG 2.2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_before_and_after_stand_out_and_are_those_of_the_page() -> None:
    """Graphics take a contrast of 3 to 1 with the paper, by day and by night (WCAG 2.2, 1.4.11)."""
    css = (Path(charts.__file__).parent / "web" / "page" / "css" / "base.css").read_text(encoding="utf-8")
    of_page = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", css))
    papers = of_page["paper"].split(", ")
    for name, colour in (("before", BEFORE), ("after", AFTER), ("risk", RISK)):
        by_day, by_night = of_page[f"chart-{name}"].split(", ")
        assert by_day == colour
        assert contrast(by_day, papers[0]) >= 3 and contrast(by_night, papers[1]) >= 3
        assert all(contrast(colour, paper) >= 3 for paper in papers)  # in reports
