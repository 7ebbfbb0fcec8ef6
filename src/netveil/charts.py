"""Looks of all charts: colours, style, and saving as SVG or PNG with the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#010203"  # text and axes; in a page it becomes the page's own text colour
BEFORE, AFTER, RISK = "#9aa5b1", "#2a8fb0", "#d1462f"
COLOURS = (RISK, AFTER, "#5f8a3a", "#8a5fb0", "#b0842a", "#3a6b8a", "#b05f8a", "#6b6b6b")
"""Colours of lines in one chart, the most important first."""

DOTS_PER_INCH = 160

_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color")
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@contextmanager
def style(name: str) -> Iterator[None]:
    """Set up matplotlib for one figure; its name tells identifiers in SVGs apart."""
    from matplotlib import rc_context

    settings: dict[Any, Any] = {"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 9}
    with rc_context(settings | dict.fromkeys(_INKED, INK)):
        yield


def bare(axes: Axes) -> None:
    """Draw a light grid, and no frame at the top and the right."""
    axes.grid(alpha=0.25, color=INK)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def svg_for_page(figure: Figure) -> str:
    """Save the figure as an SVG element without background, in the text colour of the page around it."""
    svg = _saved(figure, "svg", metadata=_NO_METADATA, transparent=True).decode()
    return svg[svg.index("<svg") :].replace(INK, "currentColor")


def svg_file(figure: Figure) -> bytes:
    """Save the figure as an SVG file, on white."""
    return _saved(figure, "svg", metadata=_NO_METADATA)


def png_file(figure: Figure) -> bytes:
    """Save the figure as a PNG file, on white."""
    return _saved(figure, "png", metadata={"Software": None}, facecolor="white")


def _saved(figure: Figure, kind: str, **options: Any) -> bytes:
    """Bytes of the file that matplotlib makes of a figure."""
    file = io.BytesIO()
    figure.savefig(file, format=kind, dpi=DOTS_PER_INCH, **options)
    return file.getvalue()
