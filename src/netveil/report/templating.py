"""What all pages share: where templates are, and how they write figures, dates and long texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from netveil import digits
from netveil.auditing.matching.telling import strongest_first
from netveil.reading import Reading
from netveil.words import are, counted

if TYPE_CHECKING:
    from jinja2 import Environment

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

LATER = {"least": False, "made_at": None, "input": None, "reading": None, "kept_attributes": ()}
LATER_IN_REPORT = {
    "remaining": None,
    "strong_attackers": (),
    "titles": (),
    "audit_curve": (),
    "least": "",
    "longer_search": "",
}
"""What records did not have from the beginning: a page does without."""


def templates() -> Environment:
    """The templates of this folder; a name that is not there is an error, and everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("netveil.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        thousands="{:,}".format,
        counted=counted,
        are=are,
        percentage=digits.percentage,
        figure=digits.figure,
        change=digits.change,
        seconds=digits.seconds,
        moment=moment,
        shortened=shortened,
        cut=cut,
        capital=capital,
        how_read=how_read,
        found=found,
        share_range=share_range,
        strongest_first=lambda rows: [rows[place] for place in strongest_first(rows)],
        spoken_matching=spoken_matching,
    )
    return environment


def complete(run: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a run with what older records lack."""
    return {**LATER, **run, "report": {**LATER_IN_REPORT, **run["report"]}}


def how_read(reading: Mapping[str, Any], most: int | None = None) -> str:
    """How a file was read, in a sentence, from the record of it.

    Of each column's name at most so many characters: both stay in sight, for they are to be checked.
    """
    read = Reading.of_record(dict(reading))
    if most is not None and read.columns is not None:
        one, other = (shortened(str(name), most) for name in read.columns)
        read = replace(read, columns=(one, other))
    return f"{capital(read.sentence())}."


def moment(text: str) -> str:
    """A date and time of a record for people, whatever their language settings are.

    >>> moment("2026-03-04T14:05:09+01:00")
    '4 March 2026, 14:05 (UTC+01:00)'
    """
    when = datetime.fromisoformat(text)
    zone = when.isoformat()[19:].lstrip(".0123456789") or "?"
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}, {when:%H:%M} (UTC{zone})"


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters: the middle of a longer one is left out.

    >>> shortened("contacts-of-ward-seven.csv", 15)
    'contact…ven.csv'
    """
    if len(text) <= most:
        return text
    ahead = most // 2
    return f"{text[:ahead]}…{text[len(text) - (most - ahead - 1) :]}"


def cut(text: str, most: int, rest: str = "…") -> str:
    """A text of at most so many characters: of a longer one the end is left out, and `rest` says so.

    >>> cut("contacts of ward seven", 11)
    'contacts o…'
    """
    return text if len(text) <= most else f"{text[: most - len(rest)]}{rest}"


def capital(text: str) -> str:
    """A text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def found(score: Mapping[str, Any], which: str = "found") -> digits.PeopleFound:
    """People whom an attacker finds who matches the whole network, or is `wrong` about, from the record."""
    return digits.PeopleFound.of_means(score[which], score["people"])


def share_range(score: Mapping[str, Any]) -> str:
    """The lowest and the highest share found in several attempts, behind the mean; nothing if they agree.

    >>> share_range({"share_range": [0.95, 1.0]}), share_range({"share_range": [0.5, 0.5]})
    ('; 95.0% to 100.0% in single attempts', '')
    """
    low, high = map(digits.percentage, score.get("share_range", (0.0, 0.0)))
    return "" if low == high else f"; {low} to {high} in single attempts"


def spoken_matching(rows: list[dict[str, Any]]) -> str:
    """The picture of attackers who match the whole network in words, for people who cannot see it."""
    said = [
        f"with {digits.percentage(row['known'])} of the ties {found(row).share}, after random deletion "
        f"{found(row['random_deletion']).share}"
        for row in rows
        if not row["seeds"] and row["ties"] == "random"
    ]
    return "; ".join(said) + "."
