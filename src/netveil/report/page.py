"""Renders the report: one self-contained HTML file that works offline and prints."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from netveil.report.figures import PICTURES
from netveil.report.sign_off import kind_of_people, published_with, why_they_remain
from netveil.report.templating import complete, templates
from netveil.words import are, counted


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
    run = complete(run)
    environment = templates()
    environment.filters.update(
        spoken=spoken,
        spoken_curve=spoken_curve,
        spoken_degrees=spoken_degrees,
        spoken_list=spoken_list,
    )
    return environment.get_template("report.html").render(
        run=run,
        report=run["report"],
        pictures={name: picture.svg(run) for name, picture in PICTURES.items()},
        published_with=published_with(run),
        worse=worse_for(run),
        gaining=gaining(run),
        others=with_the_same_budget(run),
        kind_of_people=kind_of_people(run),
        why=why_they_remain(run),
    )


def worse_for(run: dict[str, Any]) -> list[int]:
    """The values of k, other than the one asked for, to which more people are at risk than before."""
    rows = run["report"]["at_risk_by_k"]
    return [row["k"] for row in rows if row["after"] > row["before"] and row["k"] != run["k"]]


def gaining(run: dict[str, Any]) -> list[str]:
    """Of several attackers, the names of those to whom more people are at risk than before."""
    rows = run["report"]["attackers"]
    return [row["name"] for row in rows if row["after"] > row["before"]] if len(rows) > 1 else []


def with_the_same_budget(run: dict[str, Any]) -> str:
    """What other algorithms leave at risk, in a sentence without names; nothing where none was tried."""
    simple, rivals = (
        [other["at_risk"] for other in run["report"][which].values()] for which in ("baselines", "rivals")
    )
    others = [
        *_ways(simple, "a simple way to choose edges", "simple ways to choose edges"),
        *_ways(rivals, "another search", "other searches"),
    ]
    if not others:
        return ""
    after = run["at_risk_after"]
    at_risk = f"{counted(after, 'person', 'people')} {are(after)} at risk in this release"
    return f"{at_risk}. With the same budget, {', and '.join(others)}."


def _ways(left: list[int], one: str, several: str) -> list[str]:
    """How many each of these ways leaves at risk: 'two simple ways leave 5 and 0'."""
    if len(left) < 2:
        return [f"{one} leaves {people:,}" for people in left]
    number = {2: "two", 3: "three", 4: "four"}.get(len(left), f"{len(left):,}")
    return [f"{number} {several} leave {spoken_list([f'{people:,}' for people in left])}"]


def spoken_list(items: list[Any]) -> str:
    """Things in words: 'a, b and c'."""
    texts = list(map(str, items))
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


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
