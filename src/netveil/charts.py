"""Charts as records, drawn as SVG for pages in about a millisecond each.

`plotting.py` draws them on axes of matplotlib for notebooks: its import takes longer than a small search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

INK = "#010203"  # text and axes; in a page it becomes the page's own text colour
BEFORE, AFTER, RISK = "#84909d", "#1b7391", "#d1462f"
COLOURS = (RISK, AFTER, "#5f8a3a", "#8a5fb0", "#b0842a", "#3a6b8a", "#b05f8a", "#6b6b6b")
"""Colours of lines in one chart, the most important first."""

Point = tuple[float, float]
Limits = tuple[float | None, float | None]
"""The least and the largest value of an axis; None for one that follows from the points."""


@dataclass(frozen=True)
class Series:
    """Points, joined by a line, marked, or both; None in place of a point breaks the line."""

    points: Sequence[Point | None]
    colour: str = AFTER
    label: str = ""
    line: str = "-"  # '-', '--', ':', '-.', or '' for none
    mark: str = ""  # 'o', 'x', or '' for none
    width: float = 1.5  # of the line
    size: float = 5.0  # of the marks


@dataclass(frozen=True)
class Bars:
    """A bar over each name of a chart, as high as a number of people; several side by side."""

    heights: Sequence[float]
    colour: str = AFTER
    label: str = ""


@dataclass(frozen=True)
class Band:
    """Area between two lines that have their points at equal x."""

    lows: Sequence[Point]
    highs: Sequence[Point]
    colour: str = AFTER


@dataclass(frozen=True)
class Chart:
    """Items on one pair of axes; later ones cover earlier ones."""

    items: Sequence[Series | Bars | Band]
    xlabel: str = ""
    ylabel: str = ""
    title: str = ""
    names: Sequence[str] = ()  # under the bars
    x_limits: Limits = (None, None)
    y_limits: Limits = (None, None)
    is_log: bool = False  # both axes; 0 has a place on them
    has_axes: bool = True

    @property
    def labelled(self) -> list[Series | Bars]:
        """Items in the legend: none if only one has a label."""
        found = [item for item in self.items if not isinstance(item, Band) and item.label]
        return found if len(found) > 1 else []

    @property
    def bars(self) -> list[Bars]:
        """Items that are bars."""
        return [item for item in self.items if isinstance(item, Bars)]

    def places(self, bars: Bars) -> tuple[list[float], float]:
        """Middle of each bar on the x axis, where names stand at 0, 1, …, and the width of one."""
        width = 0.8 / len(self.bars)
        shift = (self.bars.index(bars) - (len(self.bars) - 1) / 2) * width
        return [place + shift for place in range(len(self.names))], width


def steps(points: Iterable[Point]) -> list[Point]:
    """Points of a line that keeps its height until the next point.

    >>> steps([(0, 5), (1, 3)])
    [(0, 5), (1, 5), (1, 3)]
    """
    drawn: list[Point] = []
    for x, y in points:
        drawn += [(x, drawn[-1][1]), (x, y)] if drawn else [(x, y)]
    return drawn


# SVG. Lengths are units of a picture that is WIDE, which a page scales to its own width.


WIDE, TEXT, LETTER = 700, 12, 7  # LETTER is an estimated width
SWATCH, GAP, RIGHT = 22, 14, 10
DASHES = {"--": "6 4", ":": "1.5 3", "-.": "6 3 1.5 3"}
MOST_TICKS = 6
MARGIN = 0.05  # share of a range that is added at an end without a limit
Scale = Callable[[float], float]


def svg(charts: Sequence[Chart], height: float) -> str:
    """Draw charts side by side as an SVG element in the text colour of the page around it."""
    wide = WIDE / len(charts)
    drawn = "".join(_drawn(chart, number * wide, wide, height) for number, chart in enumerate(charts))
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height:g}" font-size="{TEXT}"'
    return f'{start} font-family="inherit" fill="currentColor">{drawn}</svg>'.replace(INK, "currentColor")


def _drawn(chart: Chart, left: float, wide: float, height: float) -> str:
    """A chart in its column of the picture: title and legend, axes, and all that is on them."""
    (x_low, x_high), (y_low, y_high) = _limits(chart)
    y_ticks = _ticks(y_low, y_high, chart)
    title = TEXT + 8 if chart.title else 0
    legend, lines = _legend(chart, left, wide, 4 + title)
    top = 8 + title + lines
    bottom = height - (2 * TEXT + 18 if chart.has_axes else 4)
    first = left
    if chart.has_axes:
        first += max(len(text) for _, text in y_ticks) * LETTER + (TEXT + 14 if chart.ylabel else 8)
    last = left + wide - RIGHT
    x, y = _scale(x_low, x_high, first, last, chart), _scale(y_low, y_high, bottom, top, chart)
    parts = [legend]
    if chart.title:
        parts.append(_text(chart.title, (first + last) / 2, TEXT, "middle"))
    if chart.has_axes:
        parts += [_axis(first, bottom, last, bottom), _axis(first, bottom, first, top)]
        for value, text in y_ticks:
            parts.append(_axis(first, y(value), last, y(value), faint=True))
            parts.append(_text(text, first - 5, y(value) + TEXT / 3, "end"))
        for value, text in _names(chart, last - first) or _ticks(x_low, x_high, chart):
            parts.append(_axis(x(value), bottom, x(value), bottom + 4))
            middle = min(x(value), left + wide - len(text) * LETTER / 2)  # the whole text is in the column
            parts.append(_text(text, middle, bottom + TEXT + 5, "middle"))
        parts.append(_text(chart.xlabel, (first + last) / 2, height - 8, "middle"))
        turned = f' transform="rotate(-90 {left + TEXT:.1f} {(top + bottom) / 2:.1f})"'
        parts.append(_text(chart.ylabel, left + TEXT, (top + bottom) / 2, "middle", turned))
    parts += [_item(item, chart, x, y) for item in chart.items]
    return "".join(parts)


def _item(item: Series | Bars | Band, chart: Chart, x: Scale, y: Scale) -> str:
    """Draw bars, an area, or a line with its marks."""
    if isinstance(item, Bars):
        places, width = chart.places(item)
        wide = x(width) - x(0)
        return "".join(
            f'<rect x="{x(place - width / 2):.1f}" y="{y(high):.1f}" width="{wide:.1f}" '
            f'height="{max(y(0) - y(high), 0):.1f}" fill="{item.colour}"/>'
            for place, high in zip(places, item.heights, strict=True)
        )
    if isinstance(item, Band):
        around = _path([*item.lows, *item.highs[::-1]], x, y)
        return f'<path d="{around}Z" fill="{item.colour}" opacity="0.2"/>'
    line = ""
    if item.line:
        line = f'<path d="{_path(item.points, x, y)}" {_stroke(item)}/>'
    return line + _marks(item, [(x(at), y(high)) for at, high in filter(None, item.points)])


def _path(points: Iterable[Point | None], x: Scale, y: Scale) -> str:
    """Path through points, begun anew after each None."""
    drawn, pen = [], "M"
    for point in points:
        if point is not None:
            drawn.append(f"{pen}{x(point[0]):.1f} {y(point[1]):.1f}")
        pen = "M" if point is None else "L"
    return "".join(drawn)


def _stroke(item: Series) -> str:
    """Attributes of the path of a line."""
    dash = f' stroke-dasharray="{DASHES[item.line]}"' if item.line in DASHES else ""
    return f'fill="none" stroke="{item.colour}" stroke-width="{item.width:g}"{dash}'


def _marks(item: Series, places: Iterable[Point]) -> str:
    """Dots or crosses in one path; those that fall on one pixel are drawn once."""
    if not item.mark:
        return ""
    half, size = item.size / 2, item.size
    cross = f"m{-half:g} {-half:g}l{size:g} {size:g}m0 {-size:g}l{-size:g} {size:g}"
    at = dict.fromkeys(f"M{x:.0f} {y:.0f}{'h0' if item.mark == 'o' else cross}" for x, y in places)
    thick = item.size if item.mark == "o" else item.width
    looks = f'stroke="{item.colour}" stroke-width="{thick:g}" stroke-linecap="round"'
    return f'<path d="{"".join(at)}" fill="none" {looks}/>' if at else ""


def _legend(chart: Chart, left: float, wide: float, top: float) -> tuple[str, float]:
    """Legend over a chart, in as many lines as it takes, and its height."""
    drawn, at, line = [], left + GAP, 0
    for item in chart.labelled:
        takes = SWATCH + 6 + len(item.label) * LETTER + GAP
        if at + takes > left + wide and at > left + GAP:
            at, line = left + GAP, line + 1
        middle = top + line * (TEXT + 5) + TEXT / 2
        if isinstance(item, Bars):
            place = f'x="{at:.1f}" y="{middle - 5:.1f}" width="{SWATCH / 2}" height="10"'
            swatch = f'<rect {place} fill="{item.colour}"/>'
        else:
            ends = f"M{at:.1f} {middle:.1f}h{SWATCH}"
            swatch = f'<path d="{ends}" {_stroke(item)}/>' if item.line else ""
            swatch += _marks(item, [(at + SWATCH / 2, middle)])
        drawn.append(swatch + _text(item.label, at + SWATCH + 5, middle + TEXT / 3, "start"))
        at += takes
    return "".join(drawn), (line + 1) * (TEXT + 5) if drawn else 0


def _text(text: str, x: float, y: float, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>' if text else ""


def _axis(x1: float, y1: float, x2: float, y2: float, faint: bool = False) -> str:
    looks = f'stroke="{INK}" stroke-width="1"' + (' opacity="0.15"' if faint else "")
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" {looks}/>'


# Scales and ticks.


def _limits(chart: Chart) -> tuple[Point, Point]:
    """Ranges of both axes: limits of the chart, or else the range of its points and a margin."""
    points: list[Point] = [(place, 0) for place in (-0.6, len(chart.names) - 0.4) if chart.names]
    for item in chart.items:
        if isinstance(item, Bars):
            points += enumerate(item.heights)
        else:
            points += filter(None, (*item.lows, *item.highs) if isinstance(item, Band) else item.points)
    both = zip(*points or [(0, 0)], strict=True)
    ends = []
    for values, limits in zip(both, (chart.x_limits, chart.y_limits), strict=True):
        low, high = 0.0 if chart.is_log else min(values), max(values)
        margin = 0.0 if chart.is_log else MARGIN * (high - low)
        low = low - margin if limits[0] is None else limits[0]
        high = high + margin if limits[1] is None else limits[1]
        ends.append((low, high if high > low else low + 1))
    return ends[0], ends[1]


def _scale(low: float, high: float, first: float, last: float, chart: Chart) -> Scale:
    """Function from a value to its place on the picture."""

    def on_scale(value: float) -> float:
        return math.log10(1 + max(value, 0)) if chart.is_log else value

    wide = on_scale(high) - on_scale(low) or 1.0  # the logarithm of a tiny range is none
    begin, per_unit = on_scale(low), (last - first) / wide
    return lambda value: first + (on_scale(value) - begin) * per_unit


def _ticks(low: float, high: float, chart: Chart) -> list[tuple[float, str]]:
    """Round values between two, with their texts; on a log scale, 0 and powers of ten.

    >>> [text for _, text in _ticks(0, 741, Chart([]))]
    ['0', '200', '400', '600']
    """
    if chart.is_log:
        every = 1 + int(math.log10(1 + high)) // (MOST_TICKS - 1)
        powers = [0, *(10**power for power in range(every - 1, 12, every))]
        return [(value, f"{value:,}") for value in powers if low <= value <= high]
    least = max((high - low) / MOST_TICKS, 1 if chart.bars else 0)  # bars count people
    power = 10.0 ** math.floor(math.log10(least))
    apart = next(power * many for many in (1, 2, 5, 10) if power * many >= least)
    first, last = math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9)
    return [(number * apart, f"{number * apart:,.12g}") for number in range(first, last + 1)]


def _names(chart: Chart, wide: float) -> list[tuple[float, str]]:
    """Places and names under the bars: every second, third, … where there is no room for all."""
    longest = max(map(len, chart.names), default=0) + 1
    every = max(1, math.ceil(len(chart.names) * longest * LETTER / max(wide, 1)))
    return [(place, name) for place, name in enumerate(chart.names) if place % every == 0]
