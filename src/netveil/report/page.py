"""Renders the report: one self-contained HTML file that works offline and prints."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from netveil.report import figures


@dataclass(frozen=True)
class Report:
    """A rendered report: `html` is the whole page. It shows itself in a notebook. Private."""

    html: str

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
    templates.filters.update(thousands="{:,}".format, percent=percent, figure=figure)
    pictures = {
        "drawing": figures.drawing,
        "class_sizes": figures.class_sizes,
        "by_degree": figures.risk_by_degree,
        "states": figures.states,
        "trade_off": figures.trade_off,
        "convergence": figures.convergence,
    }
    drawn = {name: draw(run) for name, draw in pictures.items()}
    return templates.get_template("report.html").render(run=run, report=run["report"], pictures=drawn)


def percent(part: float, whole: float) -> str:
    """`part` as a share of `whole`, to be read."""
    return f"{part / whole:.2%}" if whole else "–"


def figure(value: float | None) -> str:
    """A figure of any size, to be read: whole numbers in full, others to four significant digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 2 else f"{value:.4g}"
