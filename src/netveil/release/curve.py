"""The curve of a release: how many are at risk if less is deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netveil.digits import percentage
from netveil.errors import needing
from netveil.notebook import html_view
from netveil.search import CurvePoint
from netveil.words import counted

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class ReleaseCurve:
    """A row for each point: `budget` in edges and its `share`, edges `deleted`, people `at_risk`."""

    rows: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, points: Sequence[CurvePoint], edges: int) -> ReleaseCurve:
        """The points of a search in a network with so many edges."""
        return cls(
            tuple(
                {
                    "budget": point.budget,
                    "share": round(point.budget / edges, 6),
                    "deleted": len(point.deleted_edges),
                    "at_risk": point.at_risk,
                }
                for point in points
            )
        )

    def to_pandas(self) -> pandas.DataFrame:
        """One row a point."""
        with needing("pandas", "a table"):
            import pandas

        return pandas.DataFrame(list(self.rows), columns=["budget", "share", "deleted", "at_risk"])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"ReleaseCurve({counted(len(self.rows), 'point')})"

    def _repr_html_(self) -> str:
        cells = [
            [percentage(row["share"]), f"{row['deleted']:,}", f"{row['at_risk']:,}"] for row in self.rows
        ]
        return html_view("", ["budget", "edges deleted", "at risk"], cells)
