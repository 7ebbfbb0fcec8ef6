"""Renders the page to sign: what an officer must know about a release, on one printed page.

Long texts are shortened where they could push the signature off the page; the report has them in full.
"""

from __future__ import annotations

import re
from typing import Any

from netveil.digits import change, figure, percentage
from netveil.report.templating import complete, cut, shortened, templates
from netveil.utility import METRICS
from netveil.words import counted

COST_SHOWN = ("clustering", "path_length")
"""Besides the deleted edges, by name: what most studies of a network look at."""

ATTRIBUTES_SHOWN = 6
COMMAND_SHOWN = 300  # characters
ROOM = 2500  # characters of a page in type that is easy to read; a longer page has smaller type


def render_sign_off(run: dict[str, Any]) -> str:
    """The page to sign, from the record of a run alone."""
    run = complete(run)
    template = templates().get_template("sign-off.html")
    shown = {
        "run": run,
        "report": run["report"],
        "published_with": published_with(run, most=ATTRIBUTES_SHOWN),
        "leaks": leaks_of(run),
        "costs": costs(run),
        "kind_of_people": kind_of_people(run),
        "why": why_they_remain(run),
        "to_repeat": to_repeat(run),
    }
    page = template.render(shown, dense=False)
    text = re.sub("<[^>]*>", " ", page.partition("<main>")[2])
    return page if len(" ".join(text.split())) <= ROOM else template.render(shown, dense=True)


def costs(run: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What the release cost in three figures: title, before, after and change; fewer if not measured."""
    after, lost = run["edges"] - run["deleted"], percentage(-run["deleted"], run["edges"], signed=True)
    edges = ("edges", figure(run["edges"]), figure(after), lost if run["deleted"] else "same")
    measured = {row["title"]: row for row in run["report"]["utility"]}
    rows = [measured[METRICS[name].title] for name in COST_SHOWN if METRICS[name].title in measured]
    return [
        edges,
        *(
            (
                row["title"],
                _estimate(row, "before"),
                _estimate(row, "after"),
                change(row["change"], row["relative_change"]),
            )
            for row in rows
        ),
    ]


def _estimate(row: dict[str, Any], when: str) -> str:
    """A figure of a metric, with its standard error where it is an estimate."""
    error = row.get("standard_error", {}).get(when)
    return figure(row[when]) if error is None else f"{figure(row[when])} ± {figure(error)}"


def published_with(run: dict[str, Any], most: int | None = None) -> list[str]:
    """What a release is to carry though it gives people away; of attributes at most so many by name."""
    told = ["Published with the original labels: everybody is named."] if run["keep_labels"] else []
    if names := list(run["kept_attributes"]):
        shown = names if most is None else [shortened(name, 30) for name in names[:most]]
        more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
        told.append(f"Published with attributes: {', '.join(shown)}{more}; attributes identify people.")
    return told


def leaks_of(run: dict[str, Any]) -> list[str]:
    """What the audit found that gives people away besides the edges, a sentence each."""
    audit = run["report"]["audit"]
    return [leak["finding"] for leak in audit["leaks"] if leak["severity"] == "leak"] if audit else []


def kind_of_people(run: dict[str, Any]) -> str:
    """What those who remain at risk have in common; nothing where nobody remains, or it is not recorded."""
    remaining = run["report"]["remaining"]
    if not remaining or not remaining["contacts"]:
        return ""
    low, high = remaining["contacts"]
    have = f"{low:,} to {high:,} contacts" if low < high else counted(low, "contact")
    who = "They have" if remaining["people"] > 1 else "This person has"
    usual = f"{remaining['contacts_of_all']:,g}"
    return f"{who} {have} in the original, where half of the people have {usual} or fewer."


def why_they_remain(run: dict[str, Any]) -> str:
    """Why the search left people at risk, as far as it can tell."""
    if run["at_risk_after"] == 0:
        return ""
    if run["reached"]:
        return "The target allows for them: the search was to reach it with as few deletions as possible."
    if run["budget"] == 0:
        return "The budget is less than one edge, so nothing could be deleted."
    bounds = [
        *(["the limits"] if run["keep"] else []),
        *(["the protected edges"] if run["protected"] else []),
    ]
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
    """What makes the release again, if that is short: the command, or else the call from Python.

    Of a long call the settings are left out first, and then its middle: a point of a curve is its end.
    """
    if run["command"]:
        return cut(run["command"], COMMAND_SHOWN, "… (whole command in private/run.json)")
    call = python_call(run)
    if len(call) > COMMAND_SHOWN:
        call = call.replace(f"settings={run['settings']!r}", "settings=…")
    return shortened(call, COMMAND_SHOWN)


def python_call(run: dict[str, Any]) -> str:
    """The call of `netveil.anonymize` that a release comes from, where it was not made by a command.

    A point of a curve is one of the whole curve's: a search within its budget alone finds another release.
    """
    attackers = run["attackers"]
    measures = [attacker["measure"] for attacker in attackers]
    given = {
        "measure": measures[0] if len(measures) == 1 else measures,
        "distance": run["distance"],
        "fuzzy": attackers[0]["fuzzy"],
        "twins": attackers[0]["twins"] or None,
        "k": run["k"],
        "target": run["target"],
        "keep": {limit["name"]: limit["share"] for limit in run["keep"]} or None,
        "algorithm": run["algorithm"],
        "settings": run["settings"],
        "seed": run["seed"],
        "curve": bool(run["curve"]) or None,
        "keep_labels": run["keep_labels"] or None,
        "keep_attributes": list(run["kept_attributes"]) or None,
    }
    arguments = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    if run["protected"]:
        arguments.append("protect=…")
    # Older records do not hold the budget of the search: it is that of the last point, if nothing ended it.
    whole = run.get("whole_budget") or max(run["budget"], *(row["budget"] for row in run["curve"]), 0)
    point = f".at({run['budget']})" if run["budget"] < whole else ""
    return f"nv.anonymize(network, {whole}, {', '.join(arguments)}){point}"
