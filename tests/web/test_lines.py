"""Commands and Python lines for runs, the guide, options, figures side by side: pure functions of records."""

from __future__ import annotations

import shlex
from itertools import product
from typing import Any

import pytest

from netveil.web.answers import WebError
from netveil.web.forms import DEFAULTS, QUESTIONS, checked_options, proposal, questions
from netveil.web.routes.judging import audit_in, table
from netveil.web.scripts import Source, command_for, python_for, why_not_again

ALL: dict[str, Any] = {
    "measures": ["count", "degree"],
    "distance": 2,
    "k": 3,
    "fuzzy": "5%",
    "twins": True,
    "budget": "7%",
    "target": "90%",
    "algorithm": "ga",
    "effort": 0.5,
    "time": 9,
    "keep": {"lcc": "0", "clustering": "1%"},
    "protect": "anna,bob\n",
    "curve": True,
    "seed": 7,
    "threads": 2,
    "keep_labels": True,
    "keep_attributes": ["age"],
    "utility": False,
    "audit": False,
    "matching": "all",
    "baselines": True,
}


def test_every_option_is_in_the_command() -> None:
    """Spelled as the command line has it, and safe to paste whatever a file is called."""
    asked = {"columns": ["a b", "c"], "separator": ";", "header": False}
    command = command_for(Source("it's; rm -rf.csv", False, asked), ALL, "out")
    words = shlex.split(command)

    assert set(ALL) == set(DEFAULTS)
    assert words[:3] == ["netveil", "anonymize", "it's; rm -rf.csv"]
    assert words[3:9] == ["--columns", "a b,c", "--separator", ";", "--no-header", "--measure"]
    for name, value in ALL.items():
        if isinstance(value, str | int | float) and not isinstance(value, bool) and name != "protect":
            assert words[words.index(f"--{name}") + 1] == str(value)
    for word in ("lcc=0", "clustering=1%", "protected.txt", "age", "--twins", "--curve"):
        assert word in words
    for word in ("--keep-labels", "--no-utility", "--no-audit", "--baselines"):
        assert word in words


def test_what_nobody_chose_is_not_in_the_command() -> None:
    """No attacker that is the usual one, and no attributes that are not there."""
    command = command_for(Source("karate", True, {}), {**DEFAULTS, "seed": 7}, "out")

    assert command == "netveil anonymize karate --seed 7 --out out"


def test_every_option_is_in_the_python_lines() -> None:
    """Which are Python, whatever a file is called."""
    text = python_for(Source('"; import os #.csv', False, {"header": False}), ALL, "csv", "out")
    calls: dict[str, tuple[Any, ...]] = {}

    class Fake:
        def __getattr__(self, name: str) -> Any:
            return lambda *given, **named: calls.setdefault(name, (given, named))

    exec(text.replace("import netveil as nv", ""), {"nv": Fake()})
    given, named = calls["anonymize"]
    assert calls["read"] == (('"; import os #.csv',), {"header": False})
    assert len(given) == 1 and named.pop("measure") == ["count", "degree"]
    assert named.pop("protect") == "protected.txt"
    report = {"utility": False, "audit": False, "matching": "all", "baselines": True}
    assert named == {name: ALL[name] for name in ALL.keys() - {"measures", "protect", *report}}
    assert calls["save"][1] == {"extension": "csv", **report}


@pytest.mark.parametrize(
    ("options", "figures", "reason"),
    [
        ({}, {"stopped_by": "converged", "resumed": False}, ""),
        ({}, {"stopped_by": "interrupted", "resumed": False}, "by hand"),
        ({}, {"stopped_by": "solved", "resumed": True}, "cut off"),
        ({"time": 5}, {"stopped_by": "solved", "resumed": False}, "clock"),
    ],
)
def test_what_cannot_be_repeated_is_said(
    options: dict[str, Any], figures: dict[str, Any], reason: str
) -> None:
    """With the reason, and what gives the same release all the same."""
    said = why_not_again({**DEFAULTS, **options}, figures)

    assert reason in said and bool(said) == bool(reason)
    assert not said or "unpack both zips" in said


def test_the_guide_proposes_what_can_be_asked_for() -> None:
    """Every combination of answers, with a reason for each of the three."""
    names = [[answer["name"] for answer in question["answers"]] for question in questions()]
    for answers in product(*names):
        found = proposal(dict(zip(QUESTIONS, answers, strict=True)), nodes=100, edges=500)
        checked_options(found["options"], 100, 500)
        assert {row["about"] for row in found["reasons"]} == {"measures", "k", "budget"}


def test_the_guide_promises_lookalikes_to_those_protected_only() -> None:
    """Within a budget people may stay at risk, and of them a guess may well be right."""
    _, answers = QUESTIONS["alike"]
    texts = [text for each in answers.values() for text in (each.explains, each.reason)]
    promises = [text for text in texts if "guess" in text or "lookalike" in text or "one of" in text]

    assert len(promises) == 5
    assert all("everyone protected" in text.lower() for text in promises)


def test_the_guide_minds_the_size_of_the_network() -> None:
    """Whole circles take long in large networks, many lookalikes are much to ask of few people."""
    answers = {"attacker": "insider", "alike": "many", "change": "little"}

    assert len(proposal(answers, 10_000, 1_000_000)["reasons"]) == 4
    assert len(proposal(answers, 100, 200)["reasons"]) == 4
    assert proposal(answers, 5, 6)["options"]["k"] == 5
    with pytest.raises(WebError, match="can be answered by"):
        proposal({**answers, "alike": "none"})


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"budget": "500%"}, "budget"),
        ({"k": 1}, "k"),
        ({"k": 99}, "k"),
        ({"k": "2"}, "k"),
        ({"k": True}, "k"),
        ({"measures": ["os:system"]}, "measures"),
        ({"measures": []}, "measures"),
        ({"measures": "count"}, "measures"),
        ({"distance": 0}, "distance"),
        ({"fuzzy": "900%"}, "fuzzy"),
        ({"measures": ["ego"], "fuzzy": "5%"}, "fuzzy"),
        ({"target": "0"}, "target"),
        ({"keep": {"people": "1%"}}, "keep"),
        ({"keep": {"lcc": None}}, "keep"),
        ({"algorithm": "magic"}, "algorithm"),
        ({"algorithm": "ga", "effort": 2}, "algorithm"),
        ({"algorithm": "ga", "curve": True}, "algorithm"),
        ({"seed": -1}, "seed"),
        ({"time": 0}, "time"),
        ({"time": float("inf")}, "time"),
        ({"time": float("nan")}, "time"),
        ({"effort": float("nan")}, "effort"),
        ({"config": "/etc/passwd"}, None),
        ([], None),
    ],
)
def test_mistakes_are_told_before_anything_is_queued(options: Any, field: str | None) -> None:
    """In words, at the field of the form; no option names a file."""
    with pytest.raises(WebError) as caught:
        checked_options(options, 34, 78)

    assert (caught.value.kind, caught.value.field) == ("mistake", field)
    assert "--" not in caught.value.message


def test_differences_are_marked() -> None:
    """Figures of the records, as the report writes them; what one lacks is a dash."""
    utility = {"title": "edges", "after": 70, "change": -8, "relative_change": -8 / 78}
    tally = {"release": {"found": 3, "misled": 1, "success": 0.2}, "original": {"found": 9}}
    attack = {"attacker": "ego", "title": "knows the circle", "guessing": 0.1, **tally}
    first = {
        "k": 2,
        "at_risk_after": 1,
        "report": {"utility": [utility], "audit": {"nodes": 34, "attacks": [attack]}},
    }
    second = {"k": 2, "at_risk_after": 3, "report": {"utility": [], "audit": None}}
    rows = {row["name"]: row for group in table([first, second]) for row in group["rows"]}

    assert (rows["k"]["differs"], rows["at_risk_after"]["differs"]) == (False, True)
    assert rows["at_risk_after"]["values"] == [1, 3]
    assert rows["edges"]["shown"][1] == "–" or rows["edges"]["values"] == [None, None]
    assert rows["ego"]["shown"] == ["3 of 34", "–"]


def test_what_no_release_has_is_left_out_and_people_are_whole() -> None:
    """A mean over several tries is rounded, as in the page's table of attackers."""
    row = {
        "attack": "weighing",
        "title": "weighs",
        "known": 1.0,
        "seeds": 0,
        "ties": "all",
        "wrong": 2,
        "people": 30,
    }
    found = [
        {
            **row,
            "found": each,
            "original": {"found": 9, "people": 30},
            "random_deletion": {"found": 8, "people": 30},
        }
        for each in (17.333, 17)
    ]
    records = [
        {"k": 2, "report": {"utility": [], "audit": {"nodes": 30, "matching": [each]}}} for each in found
    ]
    rows = {row["name"]: row for group in table(records) for row in group["rows"]}
    matching = rows.pop("weighing, all ties, recognises nobody beforehand")

    assert set(rows) == {"k"}
    assert (matching["shown"], matching["differs"]) == (["17 of 30", "17 of 30"], True)


def test_the_strongest_attacker_for_each_share_of_the_ties_is_not_folded_away() -> None:
    """However few people those are whom she looks for; and one of those who know surroundings."""

    def row(known: float, found: float, people: float, **further: Any) -> dict[str, Any]:
        counts = {"found": found, "people": people}
        both = {"original": {**counts, "found": people}, "random_deletion": counts}
        knows = {"known": known, "ties": "random", "seeds": 0, "seeds_chosen": None}
        return {"attack": "weighing", "title": "weighs", "wrong": 0, **knows, **counts, **both, **further}

    tally = {"misled": 0, "success": 0.1}
    attacks = [
        {
            "attacker": name,
            "title": name,
            "guessing": 0.1,
            "release": {**tally, "found": found},
            "original": tally | {"found": 9},
        }
        for name, found in (("degree", 1), ("count", 7))
    ]
    matching = [
        *(
            row(1.0, 400 - seeds - 1, 400 - seeds, seeds=seeds, seeds_chosen="random")
            for seeds in range(1, 9)
        ),
        row(1.0, 399.667, 400),
        row(0.5, 0, 400),
        row(0.5, 237.667, 239, ties="community", original={"found": 236, "people": 236}),
    ]
    audit = {"nodes": 400, "matching": matching, "attacks": attacks}
    found = audit_in({"report": {"audit": audit}})
    assert found is not None
    at_once = [each for each in found["attackers"] if each["at_once"]]

    assert [each["shown"]["found"] for each in at_once] == ["399 of 400", "238 of 239", "7 of 400"]
    assert [each["shown"]["share"] for each in at_once] == ["99.8%", "99.6%", "1.75%"]
    assert [each["shown"]["original"] for each in at_once] == ["100.0%", "100.0%", "2.25%"]
    assert [each["shown"]["random"] for each in at_once] == ["99.8%", "99.6%", "–"]
    assert at_once[1]["bar"] == 238 / 239
    assert len(found["attackers"]) == len(matching) + len(attacks)
