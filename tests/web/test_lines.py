"""Commands and Python lines for runs, the guide, options, figures side by side: pure functions of records."""

from __future__ import annotations

import shlex
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from netveil.deciding.policy import PRESETS, read_policy
from netveil.web.forms import (
    DEFAULTS,
    QUESTIONS,
    Source,
    check_attributes,
    checked_options,
    checked_policy,
    choices,
    command_for,
    policy_file,
    policy_in,
    proposal,
    python_for,
    questions,
    why_not_again,
)
from netveil.web.judging import audit_in, table, warnings_for
from netveil.web.requests import WebError

ALL: dict[str, Any] = {
    "measures": ["count", "degree"],
    "distance": 2,
    "k": 3,
    "fuzzy": "5%",
    "twins": True,
    "known": ["age"],
    "budget": "7%",
    "target": "90%",
    "algorithm": "ga",
    "effort": 0.5,
    "time": 9,
    "seed": 7,
    "threads": 2,
    "keep": {"lcc": "0", "clustering": "1%"},
    "protect": "anna,bob\n",
    "curve": True,
    "keep_labels": True,
    "keep_attributes": ["age"],
    "utility": False,
    "audit": False,
    "matching": "all",
    "baselines": True,
    "policy": {"policy": {"name": "ours", "k": 5, "loss": {"edges": "5%"}}, "decision": {"licence": "CC0"}},
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
    flags = {"--twins", "--curve", "--keep-labels", "--no-utility", "--no-audit", "--baselines"}
    assert {"lcc=0", "clustering=1%", "protected.txt", "policy.toml", "age", *flags} <= set(words)
    unasked = command_for(Source("karate", True, {}), {**DEFAULTS, "seed": 7}, "out")
    assert unasked == "netveil anonymize karate --seed 7 --out out"


def test_every_option_is_in_the_python_lines() -> None:
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
    report["policy"] = "policy.toml"
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
    said = why_not_again({**DEFAULTS, **options}, figures)

    assert reason in said and bool(said) == bool(reason)
    assert not said or "unpack both zips" in said


def test_the_guide_proposes_what_can_be_asked_for() -> None:
    """Every combination of answers, with reasons; lookalikes are promised to those who are protected only.

    None asks for more than a fifth of the ties, and the answers are the policy of the release.
    """
    names = [[answer["name"] for answer in question["answers"]] for question in questions()]
    for answers in product(*names):
        found = proposal(dict(zip(QUESTIONS, answers, strict=True)), nodes=100, edges=500)
        options, rules = found["options"], found["policy"]["policy"]
        checked_options(options | {"policy": found["policy"]}, 100, 500)
        assert {row["about"] for row in found["reasons"]} == {"measures", "k", "budget"}
        assert options["budget"] in ("1%", "5%", "20%") and rules["k"] == options["k"]
        assert all(question["question"] in rules["reason"] for question in questions())
        if answers[0] == "owner":
            assert found["from_all"] and rules["found_with_network"] == f"{100 // rules['k']}%"
        else:
            assert (rules["loss"], rules["attackers"]) == ({"edges": options["budget"]}, options["measures"])
    alike = QUESTIONS["alike"]["answers"].values()
    texts = [text for each in alike for text in (each["explains"], each["reason"])]
    promises = [text for text in texts if "guess" in text or "lookalike" in text or "one of" in text]
    assert len(promises) == 5 and all("everyone protected" in text.lower() for text in promises)


def test_the_guide_minds_the_size_of_the_network() -> None:
    """Whole circles take long in large networks, many lookalikes are much to ask of few people."""
    answers = {"attacker": "insider", "alike": "many", "change": "little"}

    assert len(proposal(answers, 10_000, 1_000_000)["reasons"]) == 4
    assert len(proposal(answers, 100, 200)["reasons"]) == 4
    assert proposal(answers, 5, 6)["options"]["k"] == 5
    with pytest.raises(WebError, match="can be answered by"):
        proposal({**answers, "alike": "none"})


NO_POLICIES: list[Any] = ["open-repository", "/etc/passwd", {}, {"rules": {}}, []]
MISTAKES: dict[str | None, list[Any]] = {
    "budget": [{"budget": "500%"}],
    "k": [{"k": 1}, {"k": 99}, {"k": "2"}, {"k": True}],
    "measures": [{"measures": ["os:system"]}, {"measures": []}, {"measures": "count"}],
    "distance": [{"distance": 0}],
    "fuzzy": [{"fuzzy": "900%"}, {"measures": ["ego"], "fuzzy": "5%"}],
    "target": [{"target": "0"}],
    "keep": [{"keep": {"people": "1%"}}, {"keep": {"lcc": None}}],
    "algorithm": [
        {"algorithm": "magic"},
        *({"algorithm": "ga"} | more for more in ({"effort": 2}, {"curve": True})),
    ],
    "seed": [{"seed": -1}],
    "time": [{"time": 0}, {"time": float("inf")}, {"time": float("nan")}],
    "effort": [{"effort": float("nan")}],
    "policy": [
        *({"policy": wrong} for wrong in NO_POLICIES),
        *({"policy": {"policy": rules}} for rules in ({"k": 1}, {"attackers": ["os:system"]}, {"kk": 2})),
        {"policy": {"policy": {"name": "\ud800"}}},
    ],
    None: [{"config": "/etc/passwd"}, []],
}


@pytest.mark.parametrize(
    ("options", "field"), [(each, field) for field, wrong in MISTAKES.items() for each in wrong]
)
def test_mistakes_are_told_before_anything_is_queued(options: Any, field: str | None) -> None:
    with pytest.raises(WebError) as caught:
        checked_options(options, 34, 78)

    assert (caught.value.kind, caught.value.field) == ("mistake", field)
    assert "--" not in caught.value.message


@given(
    st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text("ab_:", min_size=1)), st.booleans()
)
def test_a_policy_is_the_same_in_its_file(text: str, attributes: list[str], second: bool) -> None:
    """Whatever people write into it; the file that is dropped again is the policy that was filled in."""
    rules = {
        "k": 3,
        "reason": text,
        "attributes": attributes,
        "second_release": second,
        "loss": {"edges": 0.1},
    }
    told = checked_policy({"policy": rules, "decision": {"purpose": text, "review": "2030-01-31"}})
    assert (told["policy"]["reason"], told["decision"]["review"]) == (text, "2030-01-31")
    assert policy_in(policy_file(told)[1]) == told


def test_presets_go_by_their_names_until_they_are_changed() -> None:
    """With grounds of one's own, a preset is a file; with other rules it is no preset any more."""
    for name in PRESETS:
        told = read_policy(name).to_dict()
        assert policy_file(checked_policy(told)) == (name, "")
        filled = checked_policy({**told, "decision": {"decided_by": "A. Nobody"}})
        assert filled["policy"]["name"] == name and 'decided_by = "A. Nobody"' in policy_file(filled)[1]
        changed = checked_policy({**told, "policy": {**told["policy"], "k": 3}})
        assert changed["policy"]["name"] == f"{name}, changed"
    assert policy_in("[policy]\nk = 2\n[decision]\nreview = 2030-01-31")["decision"]["review"] == "2030-01-31"
    for text in ("k = ", "[policy]\nk = 1", 7, "#" * 200_000):
        with pytest.raises(WebError) as caught:
            policy_in(text)
        assert caught.value.field == "policy"


def test_the_form_of_a_policy_has_all_entries_with_words() -> None:
    tables = choices()["policy"]["tables"]
    told = read_policy("teaching").to_dict()

    for name, rows in tables.items():
        assert {row["name"] for row in rows} == set(told[name]) and all(row["help"] for row in rows)
    assert {row["kind"] for rows in tables.values() for row in rows} >= {"flag", "date", "pairs", "names"}


def test_only_published_attributes_of_people_are_known() -> None:
    """What is known beside them is told at its field; a network without the attribute as well."""
    network = ["age", "weight"], ["age"]
    check_attributes({"keep_attributes": ["age", "weight"], "known": ["age"]}, *network)
    for known, kept in ((["age"], []), (["weight"], ["weight"])):
        with pytest.raises(WebError) as caught:
            check_attributes({"keep_attributes": kept, "known": known}, *network)
        assert caught.value.field == "known" and "only what a release publishes" in caught.value.message
    with pytest.raises(WebError, match="no attribute of this name"):
        check_attributes({"keep_attributes": ["sex"]}, *network)


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
    assert rows["at_risk_after"]["values"] == (1, 3)
    assert rows["edges"]["shown"][1] == "–" or rows["edges"]["values"] == (None, None)
    assert rows["ego"]["shown"] == ("3 of 34", "–")


def test_a_second_release_is_warned_of_by_what_it_gives_away() -> None:
    """Two tables are one thing, deletions another; labels and attributes identify people by themselves."""
    drawn: dict[str, Any] = {"kind": "synthetic"}
    assert warnings_for(drawn, []) == []
    for others, said in ([drawn], "Two tables give away"), ([drawn, {}], "lay them on each other"):
        (warning,) = warnings_for(drawn, others)
        assert said in warning and "publish one only" in warning
    assert len(warnings_for({"keep_labels": True, "kept_attributes": ["age"]}, [])) == 2


def matching(known: float, found: float, people: float, **further: Any) -> dict[str, Any]:
    """A row of an attacker who matches the whole network, as a record has it."""
    counts = {"found": found, "people": people}
    both = {"original": {**counts, "found": people}, "random_deletion": counts}
    knows = {"known": known, "ties": "random", "seeds": 0, "seeds_chosen": None}
    return {"attack": "weighing", "title": "weighs", "wrong": 0, **knows, **counts, **both, **further}


def test_what_no_release_has_is_left_out_and_people_are_whole() -> None:
    """A mean over several tries is rounded, as in the page's table of attackers."""
    audits = [{"nodes": 30, "matching": [matching(1.0, found, 30)]} for found in (17.333, 17)]
    records = [{"k": 2, "report": {"utility": [], "audit": audit}} for audit in audits]
    rows = {row["name"]: row for group in table(records) for row in group["rows"]}
    found = rows.pop("weighing, all ties, recognises nobody beforehand")

    assert set(rows) == {"k"}
    assert (found["shown"], found["differs"]) == (("17 of 30", "17 of 30"), True)


def test_the_strongest_attacker_for_each_share_of_the_ties_is_not_folded_away() -> None:
    """However few people those are whom she looks for; and one of those who know surroundings."""
    tally = {"misled": 0, "success": 0.1}
    attacks = [
        {
            "attacker": name,
            "title": name,
            "guessing": 0.1,
            "release": {**tally, "found": found},
            "original": {**tally, "found": 9},
        }
        for name, found in (("degree", 1), ("count", 7))
    ]
    chosen = {"seeds_chosen": "random"}
    rows = [
        *(matching(1.0, 399 - seeds, 400 - seeds, seeds=seeds, **chosen) for seeds in range(1, 9)),
        matching(1.0, 399.667, 400),
        matching(0.5, 0, 400),
        matching(0.5, 237.667, 239, ties="community", original={"found": 236, "people": 236}),
    ]
    found = audit_in({"report": {"audit": {"nodes": 400, "matching": rows, "attacks": attacks}}})
    assert found is not None
    at_once = [each for each in found["attackers"] if each["at_once"]]

    assert [tuple(each["shown"].values()) for each in at_once] == [
        ("399 of 400", "99.8%", "100.0%", "99.8%"),
        ("238 of 239", "99.6%", "100.0%", "99.6%"),
        ("7 of 400", "1.75%", "2.25%", "–"),
    ]
    assert at_once[1]["bar"] == 238 / 239
    assert len(found["attackers"]) == len(rows) + len(attacks)
