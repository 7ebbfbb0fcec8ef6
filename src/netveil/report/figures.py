"""Pictures of the report, as SVG text that goes into the page."""

from __future__ import annotations

import io
from typing import Any


def convergence(history: list[dict[str, Any]]) -> str | None:
    """The best objective against evaluations; nothing where the search took no step."""
    if len(history) < 2:
        return None
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # A fixed salt: the same run gives the same bytes.
    with rc_context({"svg.hashsalt": "netveil", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(7, 3), layout="constrained")
        axes = figure.add_subplot()
        axes.step(
            [row["evaluations"] for row in history],
            [row["objective"] for row in history],
            where="post",
            color="#1f6f8b",
        )
        axes.set(xlabel="solutions tried", ylabel="best objective", ylim=(0, None))
        axes.grid(alpha=0.3)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
