"""What is changed in netveil for all tests: in their own process, and in those that they start.

A module is changed when it is imported, and none is imported for that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STANDARD: dict[str, Any] = {}
"""What a user has instead, for the tests of just that; known once the module is imported."""


def one_case_each(plan: Any) -> None:
    """Audits try the first case of attackers who match the whole network."""
    STANDARD["MOST_MARKS"] = plan.MOST_MARKS
    plan.MOST_MARKS = dict.fromkeys(plan.MOST_MARKS, 1)


def short_searches(settings: Any) -> None:
    """Small networks are searched for a moment."""
    STANDARD["FEWEST_PROPOSALS"] = settings.FEWEST_PROPOSALS
    settings.FEWEST_PROPOSALS = 200_000


def figures_in_words(plotting: Any) -> None:
    """Figures of studies are drawn, but not laid out and saved, which takes longest."""
    STANDARD["_saved"] = plotting._saved
    plotting._saved = words_of


def igraph_without_pyplot(utils: Any) -> None:
    """igraph imports pyplot for pictures that nobody draws with it here: nine tenths of its own import."""
    plotting = utils.FakeModule("tests draw nothing with igraph")
    utils.find_matplotlib = lambda: (plotting, plotting)


@contextmanager
def whole_figures() -> Iterator[None]:
    """Figures of studies as users see them, for a while."""
    from netveil import plotting

    changed: Any = plotting
    saved = changed._saved
    changed._saved = STANDARD["_saved"]
    try:
        yield
    finally:
        changed._saved = saved


def words_of(figure: Figure, kind: str, **options: Any) -> bytes:
    """What can be read in a figure, in what is nearly a file of this kind."""
    from matplotlib.text import Text

    words = [escape(each.get_text()) for each in figure.findobj(Text) if isinstance(each, Text)]
    if kind == "svg":
        return f"<svg>{''.join(f'<text>{each}</text>' for each in words if each)}</svg>".encode()
    return b"\x89PNG " + " ".join(words).encode()


CHANGES: dict[str, Callable[[Any], None]] = {
    "netveil.auditing.matching.run_matching": one_case_each,
    "netveil.search.annealing.annealing": short_searches,
    "netveil.plotting": figures_in_words,
    "igraph.drawing.matplotlib.utils": igraph_without_pyplot,
}


class ChangedOnImport(MetaPathFinder):
    """Finds the modules that are changed, as Python does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own, with a loader that changes what it has loaded."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in CHANGES else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_change(module: ModuleType) -> None:
            load(module)
            CHANGES[fullname](module)

        setattr(spec.loader, "exec_module", load_and_change)  # noqa: B010 - mypy lets nobody assign to it
        return spec


def change_this_process() -> None:
    """From now on; what is imported already is changed at once."""
    if any(isinstance(finder, ChangedOnImport) for finder in sys.meta_path):
        return
    # Nothing that tests write must outlive a power failure: they wait for no disk. See test_files_staging.py.
    setattr(os, "fsync", lambda descriptor: None)  # noqa: B010 - mypy lets nobody assign to it
    os.environ.setdefault("NETVEIL_REGISTER", "")  # tests make many releases of one network
    sys.meta_path.insert(0, ChangedOnImport())
    for name, change in CHANGES.items():
        if name in sys.modules:
            change(sys.modules[name])
