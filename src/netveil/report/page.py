"""Renders the report: one self-contained HTML file that works offline and prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from netveil import formatting
from netveil.auditing.matching.score import strongest_first
from netveil.formatting import are, change, counted, figure, percentage
from netveil.job import Anonymization
from netveil.network import Reading
from netveil.plotting import PICTURES
from netveil.utility import METRICS

if TYPE_CHECKING:
    from jinja2 import Environment


# What all pages share: where templates are, and how they write figures, dates and long texts.


MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


@cache
def templates(*packages: str, escape_html: bool = True) -> Environment:
    """Jinja environment for templates here and in other packages; strict about names, escaping.

    One for the process: it keeps the templates that it has compiled, which takes longer than to render them.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("netveil.report", *packages)]),
        autoescape=escape_html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    named: tuple[Any, ...] = (
        are,
        capital,
        change,
        counted,
        cut,
        figure,
        found,
        how_read,
        moment,
        percentage,
        share_range,
    )
    named += (shortened, spoken, spoken_curve, spoken_degrees, spoken_list, spoken_matching)
    environment.filters |= {each.__name__: each for each in (*named, formatting.seconds)}
    environment.filters.update(
        thousands="{:,}".format,
        line=one_line,
        strongest_first=lambda rows: [rows[place] for place in strongest_first(rows)],
    )
    return environment


def how_read(reading: Mapping[str, Any], most: int | None = None) -> str:
    """Say in a sentence how a file was read, from its record.

    Names of columns are cut to `most` characters, so that both fit and can be checked.
    """
    read = Reading.of_record(dict(reading))
    if most is not None and read.columns is not None:
        read = replace(read, columns=tuple(shortened(str(name), most) for name in read.columns))
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
    """Shorten a text to `most` characters by leaving out its middle.

    >>> shortened("contacts-of-ward-seven.csv", 15)
    'contact…ven.csv'
    """
    if len(text) <= most:
        return text
    ahead = most // 2
    return f"{text[:ahead]}…{text[len(text) - (most - ahead - 1) :]}"


def cut(text: str, most: int, rest: str = "…") -> str:
    """Shorten a text to `most` characters by cutting its end, which `rest` replaces.

    >>> cut("contacts of ward seven", 11)
    'contacts o…'
    """
    return text if len(text) <= most else f"{text[: most - len(rest)]}{rest}"


def capital(text: str) -> str:
    """Begin a text with a capital letter."""
    return text[:1].upper() + text[1:]


def found(score: Mapping[str, Any], which: str = "found") -> formatting.PeopleFound:
    """People whom an attacker finds who matches the whole network, or is `wrong` about, from the record."""
    return formatting.PeopleFound.of_means(score[which], score["people"])


def share_range(score: Mapping[str, Any]) -> str:
    """The lowest and the highest share found in several attempts, behind the mean; nothing if they agree.

    >>> share_range({"share_range": [0.95, 1.0]}), share_range({"share_range": [0.5, 0.5]})
    ('; 95.0% to 100.0% in single attempts', '')
    """
    low, high = map(formatting.percentage, score["share_range"])
    return "" if low == high else f"; {low} to {high} in single attempts"


def spoken_matching(rows: list[dict[str, Any]]) -> str:
    """Describe the picture of attackers who match the whole network, for people who cannot see it."""
    said = [
        f"with {formatting.percentage(row['known'])} of the ties {found(row).share}, after random deletion "
        f"{found(row['random_deletion']).share}"
        for row in rows
        if not row["seeds"] and row["ties"] == "random"
    ]
    return "; ".join(said) + "."


# Renders the page to sign: what an officer must know about a release, on one printed page.
#
# Long texts are shortened where they could push the signature off the page; the report has them in full.


COST_SHOWN = ("clustering", "path_length")
"""Metrics on the page to sign, besides deleted edges: what most studies look at."""

ATTRIBUTES_SHOWN = 6
COMMAND_SHOWN = 200  # characters
ROOM = 2500  # characters of a page in type that is easy to read; a longer page has smaller type
ROOM_IN_SMALL_TYPE = 4000  # above it, the end of a long verdict is left to the report


def render_sign_off(run: dict[str, Any]) -> str:
    """The page to sign, from the record of a run alone."""
    template = templates().get_template("sign-off.html")
    leaks = run["report"]["audit"]["leaks"] if run["report"]["audit"] else []
    shown = {
        "run": run,
        "report": run["report"],
        "published_with": published_with(run, most=ATTRIBUTES_SHOWN),
        "leaks": [leak["finding"] for leak in leaks if leak["severity"] == "leak"],
        "costs": costs(run),
        "kind_of_people": kind_of_people(run),
        "why": why_they_remain(run),
        "to_repeat": to_repeat(run),
    }
    page = template.render(shown, dense=False, verdict=400)
    length = len(" ".join(re.sub("<[^>]*>", " ", page.partition("<main>")[2]).split()))
    if length <= ROOM:
        return page
    return template.render(shown, dense=True, verdict=400 if length <= ROOM_IN_SMALL_TYPE else 240)


GROUNDS = {
    "purpose": "Purpose",
    "legal_basis": "Legal basis or reference",
    "conditions": "Conditions",
    "licence": "Licence",
    "review": "To be reviewed by",
}
"""Grounds of a decision, as the Markdown file lists them."""


def render_decision(run: dict[str, Any]) -> str:
    """The decision as Markdown, for offices that file texts: verdict, rules, versions, grounds, names."""
    grounds = [(title, run["decision"]["grounds"][name]) for name, title in GROUNDS.items()]
    return render_text("decision.md", run=run, grounds=grounds)


def render_text(template: str, **shown: Any) -> str:
    """A text in Markdown, with one empty line where a template leaves several."""
    text = templates(escape_html=False).get_template(template).render(shown)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def one_line(text: str | None) -> str:
    """Write a text on one line of Markdown that fits into a cell; empty for None."""
    return " ".join((text or "").replace("|", "\\|").split())


def costs(run: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Three figures of utility: title, before, after and change; fewer if not measured."""
    after, lost = run["edges"] - run["deleted"], percentage(-run["deleted"], run["edges"], signed=True)
    edges = ("edges", figure(run["edges"]), figure(after), lost if run["deleted"] else "same")
    measured = {row["title"]: row for row in run["report"]["utility"]}
    rows = [measured[METRICS[name].title] for name in COST_SHOWN if METRICS[name].title in measured]
    changes = [change(row["change"], row["relative_change"]) for row in rows]
    both = [(row["title"], _estimate(row, "before"), _estimate(row, "after")) for row in rows]
    return [edges, *((*row, changed) for row, changed in zip(both, changes, strict=True))]


def _estimate(row: dict[str, Any], when: str) -> str:
    """A figure of a metric, with its standard error where it is an estimate."""
    error = row.get("standard_error", {}).get(when)
    return figure(row[when]) if error is None else f"{figure(row[when])} ± {figure(error)}"


def published_with(run: dict[str, Any], most: int | None = None) -> list[str]:
    """Warnings of labels and attributes that are published; names at most so many attributes."""
    told = ["Published with the original labels: everybody is named."] if run["keep_labels"] else []
    if names := list(run["kept_attributes"]):
        shown = names if most is None else [shortened(name, 30) for name in names[:most]]
        more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
        told.append(f"Published with attributes: {', '.join(shown)}{more}; attributes identify people.")
    if by := run.get("singled_out_by"):
        told.append(
            f"At risk by these attributes alone: {by['attributes']:,}; by contacts alone: "
            f"{by['structure']:,}; by both together: {by['both']:,}."
        )
    return told


def kind_of_people(run: dict[str, Any]) -> str:
    """Describe the people who remain at risk; empty if nobody does."""
    remaining = run["report"]["remaining"]
    if not remaining["contacts"]:
        return ""
    low, high = remaining["contacts"]
    have = f"{low:,} to {high:,} contacts" if low < high else counted(low, "contact")
    who = "They have" if remaining["people"] > 1 else "This person has"
    usual = f"{remaining['contacts_of_all']:,g}"
    return f"{who} {have} in the original, where half of the people have {usual} or fewer."


def why_they_remain(run: dict[str, Any]) -> str:
    """Say why the search left people at risk, if that is known."""
    if run["at_risk_after"] == 0:
        return ""
    if run["reached"]:
        return "The target allows for them: the search was to reach it with as few deletions as possible."
    if run["budget"] == 0:
        return "The budget is less than one edge, so nothing could be deleted."
    kinds = {"keep": "the limits", "protected": "the protected edges"}
    bounds = [name for kind, name in kinds.items() if run[kind]]
    within = f" Within {' and '.join(bounds)}, not every deletion was allowed." if bounds else ""
    if run["least"]:
        return f"Every deletion within the budget was tried, and none that is allowed leaves fewer.{within}"
    if run["stopped_by"] == "interrupted":
        return f"The search was interrupted: a longer one may leave fewer.{within}"
    if run["deleted"] >= run["budget"]:
        budget = counted(run["budget"], "edge")
        return f"The budget of {budget} is spent: a larger one, or a longer search, may leave fewer.{within}"
    if run["stopped_by"] == "time":
        return f"The time for the search was over: a longer one may leave fewer.{within}"
    return (
        f"The search found no further deletion that helps. That does not prove that there is none: a larger "
        f"budget, or a longer search, may leave fewer.{within}"
    )


def to_repeat(run: dict[str, Any]) -> str:
    """Command, or else Python call, that makes the release again, shortened.

    A long call loses its settings first, then its middle, since the end names a point of a curve.
    """
    if run["command"]:
        return cut(run["command"], COMMAND_SHOWN, "… (whole command in private/run.json)")
    call = python_call(run)
    if len(call) > COMMAND_SHOWN:
        call = call.replace(f"settings={run['asked']['settings']!r}", "settings=…")
    return shortened(call, COMMAND_SHOWN)


def python_call(run: dict[str, Any]) -> str:
    """The call of `netveil.anonymize` that a release comes from, where it was not made by a command.

    A point of a curve is one of the whole curve's: a search within its budget alone finds another release.
    """
    job = replace(
        Anonymization.from_document(run["asked"]),
        measures=tuple(attacker["measure"] for attacker in run["attackers"]),
        budget=None,
        protect=None,
        seed=run["seed"],
        keep_labels=run["keep_labels"],
        keep_attributes=tuple(run["kept_attributes"]) or None,
    )
    given = job.arguments("attackers", "search", "release")
    arguments = [f"{name}={value!r}" for name, value in given.items()]
    if run["protected"]:
        arguments.append("protect=…")
    whole = run["budget"] if run["whole_budget"] is None else run["whole_budget"]
    point = f".at({run['budget']})" if run["budget"] < whole else ""
    return f"nv.anonymize(network, {whole}, {', '.join(arguments)}){point}"


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
    by_k, alone = run["report"]["at_risk_by_k"], run["report"]["attackers"]
    return (
        templates()
        .get_template("report.html")
        .render(
            run=run,
            report=run["report"],
            pictures={name: picture.svg(run) for name, picture in PICTURES.items()},
            published_with=published_with(run),
            # Other values of k, and attackers among several, for whom more people are at risk than before.
            worse=[row["k"] for row in by_k if row["after"] > row["before"] and row["k"] != run["k"]],
            gaining=[row["name"] for row in alone if row["after"] > row["before"]] if len(alone) > 1 else [],
            others=with_the_same_budget(run),
            kind_of_people=kind_of_people(run),
            why=why_they_remain(run),
        )
    )


def render_synthetic(run: dict[str, Any], page: str) -> str:
    """The report, or the page to sign, of a synthetic release, from its record alone."""
    costs = [METRICS[name].title for name in ("edges", *COST_SHOWN)]
    template = templates().get_template("synthetic.html")
    return template.render(run=run, report=run["report"], page=page, costs=costs)


def with_the_same_budget(run: dict[str, Any]) -> str:
    """Sentence on how many other algorithms leave at risk; empty where none was tried."""
    others = {**run["report"]["baselines"], **run["report"]["rivals"]}
    if not others:
        return ""
    after = run["at_risk_after"]
    ways = "another way to choose edges leaves" if len(others) == 1 else "other ways to choose edges leave"
    left = spoken_list([f"{other['at_risk']:,}" for other in others.values()])
    at_risk = f"{counted(after, 'person', 'people')} {are(after)} at risk in this release"
    return f"{at_risk}. With the same budget, {ways} {left}."


def spoken_list(items: list[Any]) -> str:
    """List in words: 'a, b and c'."""
    texts = list(map(str, items))
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def spoken(class_sizes: dict[str, dict[str, int]]) -> str:
    """Describe the picture of class sizes, for people who cannot see it."""
    few = ((1, "without a lookalike"), (2, "with one"), (3, "with two"))
    both = ("before", "after")
    said = [f"{class_sizes[when].get(str(size), 0)} {what} {when}" for size, what in few for when in both]
    return ", ".join(said) + "."


def spoken_curve(points: list[dict[str, Any]]) -> str:
    """Describe the picture of the curve, for people who cannot see it."""
    said = [f"{counted(point['deleted'], 'edge')}: {point['at_risk']:,} at risk" for point in points]
    return ", ".join(said) + "."


def spoken_degrees(rows: list[dict[str, Any]]) -> str:
    """Describe the picture of people at risk by degree, for people who cannot see it."""
    said = [f"{row['degree']} contacts: {row['before']} before, {row['after']} after" for row in rows]
    return ", ".join(said) + "."
