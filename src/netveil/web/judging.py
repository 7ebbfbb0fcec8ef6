"""Figures of a release to judge it by, and of several releases side by side.

Figures are those of the records, put in order; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from netveil.auditing.matching.score import strongest_of_each_share
from netveil.formatting import MISSING, PeopleFound, change, counted, figure, seconds
from netveil.utility import METRICS
from netveil.web.data_folder import Record
from netveil.web.requests import TEXTS

TWO_OF_ONE = (
    "There is another release of the same network here. Whoever has two can lay them on each other, which "
    "undoes most deletions: publish one only."
)
TWO_TABLES = (
    "There is another synthetic release of the same network here. Two tables give away what one hides: "
    "publish one only, and draw all networks that are wanted at once."
)

SHOWN = ("found", "share", "original", "random")  # of an attacker, in this order


def warnings_for(record: Record, others: Sequence[Record]) -> list[str]:
    """Warnings for the person who publishes a release; `others` are figures of those of the same network."""
    drawn = all(figures.get("kind") == "synthetic" for figures in (record, *others))
    warnings = [TWO_TABLES if drawn else TWO_OF_ONE] if others else []
    if record.get("keep_labels"):
        warnings.append("The release carries the original labels.")
    if record.get("kept_attributes"):
        warnings.append("The release carries attributes of people or ties, which identify people.")
    return warnings


def audit_in(record: Record) -> Record | None:
    """Results of the attackers, the strongest first; None where no attack was tried.

    Of those who match the whole network, the strongest for each share of the ties is shown at once, and of
    those who know surroundings, and look for everybody, the strongest.
    """
    audit = record["report"].get("audit")
    if audit is None:
        return None
    matching, people = audit.get("matching", ()), {"people": audit["nodes"]}
    at_once = {place for places in strongest_of_each_share(matching).values() for place in places}
    whole = [
        {"name": row["attack"], "title": row["title"], "knows": _knows(row), "at_once": place in at_once}
        | _found(row, row["original"], row["random_deletion"])
        for place, row in enumerate(matching)
    ]
    surroundings = [
        {"name": row["attacker"], "title": row["title"], "knows": None, "at_once": False}
        | _found(row["release"] | people, row["original"] | people, None)
        for row in audit.get("attacks", ())
    ]
    if surroundings:
        max(surroundings, key=_strength)["at_once"] = True
    rows = sorted([*whole, *surroundings], key=_strength, reverse=True)
    return {"attackers": rows, "leaks": audit.get("leaks", []), "notes": audit.get("notes", [])}


def _strength(row: Record) -> tuple[float, float]:
    """People whom an attacker finds, and how surely."""
    return row["found"] or 0, row["success"] or 0


def _found(release: Record, original: Record, random: Record | None) -> Record:
    """People whom an attacker finds: as text, as shares in each network, and for a bar."""
    found, *others = (
        None if each is None or each["found"] is None else PeopleFound.of_means(each["found"], each["people"])
        for each in (release, original, random)
    )
    shares = [MISSING if each is None else each.share for each in (found, *others)]
    return {
        "found": release["found"],
        "success": release.get("success"),
        "bar": 0 if found is None else found.fraction,
        "shown": dict(zip(SHOWN, (MISSING if found is None else str(found), *shares), strict=True)),
    }


def _knows(row: Record) -> str:
    """Knowledge of an attacker who matches whole networks, in words."""
    ties = "all ties" if row["known"] == 1 else f"{100 * row['known']:g}% of the ties"
    where = " within one group of people" if row["ties"] == "community" else ""
    if not row["seeds"]:
        return f"{ties}{where}, recognises nobody beforehand"
    which = "the best-connected" if row["seeds_chosen"] == "best-connected" else "any"
    return f"{ties}{where}, recognises {counted(row['seeds'], 'person', 'people')} ({which})"


def utility_in(record: Record) -> list[Record]:
    """Utility before and after, as the report says it: figures as text."""
    return [
        {
            **{name: row[name] for name in ("title", "meaning", "better", "note")},
            "before": figure(row["before"]),
            "after": figure(row["after"]),
            "change": change(row["change"], row["relative_change"]),
        }
        for row in record["report"]["utility"]
    ]


WRITTEN: dict[str, Callable[[Any], str]] = {"seed": str, "seconds": seconds}
"""Formats of figures that differ from the usual one."""


Cell = tuple[Any, str] | None
"""A value and how it is shown; None where a release does not have it."""


def table(records: Sequence[Record]) -> list[Record]:
    """Figures of several releases side by side, in groups; rows in which releases differ are marked."""
    groups = {title: list(_figures(records, names)) for title, names in TEXTS["compared"].items()}
    groups["What analysts can still learn"] = list(_utility(records))
    groups["People found by somebody who …"] = list(_attackers(records))
    return [{"title": title, "rows": rows} for title, rows in groups.items() if rows]


def _figures(records: Sequence[Record], titles: Mapping[str, str]) -> Iterator[Record]:
    """Yield a row for each figure that any of the records has."""
    for name, title in titles.items():
        values, written = [record.get(name) for record in records], WRITTEN.get(name, _plain)
        if any(value is not None for value in values):
            yield _row(name, title, [None if each is None else (each, written(each)) for each in values])


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, int | float) else str(value)


def _utility(records: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each metric: what became of the figure."""
    by_title = [{row["title"]: row for row in record["report"]["utility"]} for record in records]
    for name, metric in METRICS.items():
        found = [each.get(metric.title) for each in by_title]
        if any(found):
            yield _row(name, metric.title, [row and (row["after"], _became(row)) for row in found])


def _became(row: Record) -> str:
    return f"{figure(row['after'])} ({change(row['change'], row['relative_change'])})"


def _attackers(records: Sequence[Record]) -> Iterator[Record]:
    """Yield a row for each attacker who was tried on any of the releases: whom she finds."""
    audits = [audit_in(record) or {"attackers": []} for record in records]
    named = [
        {", ".join(filter(None, (row["name"], row["knows"]))): row for row in audit["attackers"]}
        for audit in audits
    ]
    for name, title in {name: row["title"] for each in named for name, row in each.items()}.items():
        found = [each.get(name) for each in named]
        cells = [row and (row["found"], row["shown"]["found"]) for row in found]
        yield _row(name, f"{title} ({name})", cells)


def _row(name: str, title: str, cells: Sequence[Cell]) -> Record:
    values, shown = zip(*((None, MISSING) if cell is None else cell for cell in cells), strict=True)
    differs = any(value != values[0] for value in values)
    return {"name": name, "title": title, "values": values, "shown": shown, "differs": differs}
