"""Renders the report: one self-contained HTML file that works offline and prints."""

from __future__ import annotations

from typing import Any

from netveil.report.figures import convergence


def render(run: dict[str, Any]) -> str:
    """The report of a run, from its record."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("netveil.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    templates.filters["thousands"] = "{:,}".format
    templates.filters["percent"] = "{:.2%}".format
    return templates.get_template("report.html").render(run=run, convergence=convergence(run["history"]))
