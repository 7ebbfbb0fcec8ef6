"""Renders the report: one self-contained HTML file that works offline and prints."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from netveil.report.figures import PICTURES
from netveil.words import counted


@dataclass(frozen=True, repr=False)
class Report:
    """A rendered report: `html` is the whole page. It shows itself in a notebook. Private."""

    html: str

    def __repr__(self) -> str:
        return f"Report({len(self.html):,} characters; .html is the page)"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that the page's style and the notebook's leave each other alone.
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="800" style="border: 0"></iframe>'


def render(run: dict[str, Any]) -> str:
    """The report of a run, from its record alone."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("netveil.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        thousands="{:,}".format,
        counted=counted,
        percent=percent,
        figure=figure,
        change=change,
        spoken=spoken,
        spoken_curve=spoken_curve,
        spoken_degrees=spoken_degrees,
    )
    drawn = {name: picture.svg(run) for name, picture in PICTURES.items()}
    return templates.get_template("report.html").render(run=run, report=run["report"], pictures=drawn)


def percent(part: float, whole: float) -> str:
    """`part` as a percentage of `whole`."""
    return f"{part / whole:.2%}" if whole else "–"


def figure(value: float | None) -> str:
    """A figure as text: whole numbers in full, others to four significant digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 2 else f"{value:.4g}"


def change(value: float | None, relative: float | None = None) -> str:
    """A change as text: as a share of the figure before, if there is one."""
    if value is None:
        return "–"
    if value == 0:
        return "same"
    return f"{value:+.4g}" if relative is None else f"{relative:+.2%}"


def spoken(class_sizes: dict[str, dict[str, int]]) -> str:
    """The picture of class sizes in words, for people who cannot see it."""
    few = ((1, "without a lookalike"), (2, "with one"), (3, "with two"))
    said = [
        f"{class_sizes[when].get(str(size), 0)} {what} {when}"
        for size, what in few
        for when in ("before", "after")
    ]
    return ", ".join(said) + "."


def spoken_curve(points: list[dict[str, Any]]) -> str:
    """The picture of the curve in words, for people who cannot see it."""
    said = [f"{counted(point['deleted'], 'edge')}: {point['at_risk']:,} at risk" for point in points]
    return ", ".join(said) + "."


def spoken_degrees(rows: list[dict[str, Any]]) -> str:
    """The picture of people at risk by degree in words, for people who cannot see it."""
    said = [f"{row['degree']} contacts: {row['before']} before, {row['after']} after" for row in rows]
    return ", ".join(said) + "."
