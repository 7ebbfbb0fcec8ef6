"""One self-contained page with every table and figure beside the published values; works offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netveil._version import __version__
from netveil.studies.paper.drawing import Picture
from netveil.studies.paper.formats import Table, html


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    items: Sequence[Table | Picture] = ()
    texts: Sequence[str] = ()  # paragraphs above
    sentences: Sequence[str] = ()  # a list that follows them


def rendered(
    sections: Sequence[Section],
    *,
    scope: str,
    quick: bool,
    warnings: Sequence[str],
    command: str,
    machine: str,
) -> str:
    """The page as text."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=ChoiceLoader([PackageLoader("netveil.studies.paper"), PackageLoader("netveil.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["as_html"] = html
    return templates.get_template("paper.html").render(
        version=__version__,
        scope=scope,
        quick=quick,
        warnings=warnings,
        command=command,
        machine=machine,
        sections=sections,
    )
