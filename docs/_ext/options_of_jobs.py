"""Tables of the site that are made of the code: options of jobs, and settings of algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from netveil import job
from netveil.registries import ALGORITHMS


def _shown(value: Any) -> str:
    return "" if value in (None, (), {}, "") else f"`{value}`"


def _of_job(name: str) -> Iterator[tuple[str, ...]]:
    yield "command line", "in Python", "default", "what it does"
    for each in getattr(job, name).declared().values():
        told = " ".join(each.help.split()).replace("|", "\\|")
        yield f"`{each.flag}`", f"`{each.argument}`", _shown(each.default), told


def _of_algorithm(name: str) -> Iterator[tuple[str, ...]]:
    yield "setting", "default"
    for each in fields(ALGORITHMS[name].default):
        yield f"`{each.name}`", _shown(getattr(ALGORITHMS[name].default, each.name))


class TableOf(SphinxDirective):
    """`options-of NAME` is a table of a job of `job.py`; `settings-of NAME` one of an algorithm."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the table as Markdown, which MyST parses where the directive stands."""
        first, *others = (_of_job if self.name == "options-of" else _of_algorithm)(self.arguments[0])
        rows = [first, ["---"] * len(first), *others]
        return self.parse_text_to_nodes("\n".join(f"| {' | '.join(row)} |" for row in rows))


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("options-of", TableOf)
    app.add_directive("settings-of", TableOf)
    return {"parallel_read_safe": True}
