"""Attackers who match whole networks, as people read of them: sentences, the table, the command."""

from __future__ import annotations

import json
from typing import Any

import pytest

import netveil as nv
from netveil.auditing.matching import plan
from netveil.auditing.matching.knowledge import Knowledge
from netveil.auditing.matching.score import Matching, Score
from netveil.auditing.matching.telling import CONSEQUENCE, brief, is_no_better, matching_table, sentences
from netveil.cli import main


def score(found: float, wrong: float = 0, people: int = 200) -> Score:
    """Of three attempts that all went the same way."""
    both = (int(found), int(found)), (int(wrong), int(wrong))
    return Score(people, found, wrong, 3, *both)


def row(found: float, at_random: float, knowledge: Knowledge | None = None, **further: Any) -> Matching:
    """What an attacker finds of 200 people, in the release and after random deletions."""
    return Matching(
        further.get("attack", "weighing"),
        "weighs",
        Knowledge() if knowledge is None else knowledge,
        release=score(found, further.get("wrong", 0)),
        original=score(198),
        random_deletion=score(at_random),
        curve=(),
    )


def test_the_sentences_name_all_that_a_signer_must_know() -> None:
    """Found, wrong, original and random deletion beside it, what is left with fewer ties, what follows."""
    rows = [row(180, 190, wrong=3), row(120, 130, Knowledge(0.5)), row(30, 20, Knowledge(0.25))]
    text = " ".join(sentences(rows))

    assert "finds 180 of 200 people (90.0%) in the release, and mistakes 3 people for somebody else." in text
    assert "In the original she finds 99.0%; after as many random deletions 95.0%." in text
    assert "she finds 60.0% with half and 15.0% with a quarter of them." in text
    assert text.endswith(CONSEQUENCE)


@pytest.mark.parametrize(
    ("found", "at_random", "same"),
    [(180, 190, False), (180, 182, True), (190, 150, True), (1, 1, False)],
)
def test_no_better_than_random_deletion_is_said_where_it_is_so(
    found: float, at_random: float, same: bool
) -> None:
    """In plain words, where she finds people at all."""
    rows = [row(found, at_random)]

    assert is_no_better(rows[0]) == same
    assert ("Against her, this release is no better than random deletion." in sentences(rows)) == same
    assert ("no better than" in brief(rows)[0]) == same


def test_where_she_finds_hardly_anybody_nothing_follows() -> None:
    """One in a hundred is hardly anybody."""
    assert CONSEQUENCE not in [*sentences([row(2, 2)]), *brief([row(2, 2)])]
    assert CONSEQUENCE in sentences([row(3, 3)]) and CONSEQUENCE in brief([row(3, 3)])


def test_without_that_attacker_nothing_is_claimed() -> None:
    """Who knows a part only, or recognises people, is another one."""
    rows = [row(100, 100, Knowledge(0.5)), row(100, 100, Knowledge(seeds=5), attack="bumblebee")]

    assert sentences(rows) == [] and brief(rows) == []


def test_somebody_who_recognises_people_is_named_where_she_finds_clearly_more() -> None:
    """The best of them; not if she finds about as many."""
    seeded = [
        row(150, 150, Knowledge(seeds=5), attack="bumblebee"),
        row(160, 150, Knowledge(seeds=50), attack="percolation", wrong=10),
    ]
    told = "Somebody who recognises 50 people beforehand finds 80.0% of the others, and is wrong about 5.00%"

    assert any(sentence.startswith(told) for sentence in sentences([row(100, 100), *seeded]))
    assert not any("recognises 50" in sentence for sentence in sentences([row(158, 158), *seeded]))


def test_the_table_has_a_line_for_each_and_fits() -> None:
    """Within 100 columns; what was left out is told."""
    rows = [
        row(180, 190),
        row(20, 10, Knowledge(0.25, "community", 50, "best-connected"), attack="narayanan-shmatikov"),
    ]
    lines = matching_table(rows, left_out=7).splitlines()

    assert max(map(len, lines)) <= 100
    assert lines[1].split() == ["weighing", "100%", "0", "200", "180", "180", "0", "90.0%", "99.0%", "95.0%"]
    assert lines[2].split()[:5] == ["narayanan-shmatikov", "25%", "c", "50", "b"]
    assert lines[-1].startswith("7 further cases would take long")
    assert "further" not in matching_table(rows, left_out=0)


def test_the_command_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """`known`, `seeds`, `people`, `found`, `wrong`, `repeats`, and the same beside it."""
    assert main(["audit", "karate", "karate", "--measure", "degree", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["matching"]

    keys = {"people", "found", "wrong", "repeats"}
    assert rows[0]["known"] == 1.0 and rows[0]["seeds"] == 0
    for each in rows:
        assert each.keys() >= {"known", "seeds", *keys}
        assert each["original"].keys() >= keys and each["random_deletion"].keys() >= keys
        assert 0 <= each["found"] + each["wrong"] <= each["people"] <= 34
    assert {each["known"] for each in rows} >= {1.0, 0.5, 0.25}
    assert any(each["seeds"] for each in rows)


def test_options_change_what_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extent how much, the seed what comes out; the threads nothing."""
    karate = nv.load("karate")
    less = karate.without_edges([0, 9, 33])
    monkeypatch.setattr(plan, "MOST_MARKS", {"brief": 2 * 10**8, "usual": 5 * 10**8})

    def tried(**options: Any) -> list[dict[str, Any]]:
        return [each.to_dict() for each in nv.audit(karate, less, measure="degree", **options).matching]

    brief_ones, usual = tried(matching="brief"), tried()
    assert tried(matching="none") == []
    assert 0 < len(brief_ones) < len(usual)
    assert all(each in usual for each in brief_ones)
    assert tried(seed=3) != usual
    assert tried(threads=1) == tried(threads=3) == usual


def test_the_listener_hears_of_every_attack() -> None:
    """Those by surroundings, and those who match networks."""
    heard: list[str] = []
    found = nv.audit(
        nv.load("karate"), "karate", measure="degree", distance=1, matching="brief", listener=heard.append
    )

    assert heard == [*(each.name for each in found.attacks), *(each.name for each in found.matching)]


def test_where_nobody_knows_who_is_who_nobody_is_matched() -> None:
    """There would be no score."""
    karate = nv.load("karate")
    found = nv.audit(karate, karate.relabelled(karate.degrees.argsort().argsort()), measure="degree")

    assert not found.scored and found.matching == () and found.matching_left_out == 0


def test_the_report_has_a_picture_of_what_she_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Success against what she knows, in words too; with one share of the ties there is nothing to draw."""
    release = nv.anonymize("karate", "5%", seed=1, effort=0.02)
    page = release.report(utility=False, baselines=False).html
    monkeypatch.setattr(plan, "MOST_MARKS", dict.fromkeys(plan.MOST_MARKS, 1))
    without = release.report(utility=False, baselines=False).html

    assert page.count("<svg") == without.count("<svg") + 1
    assert "people found (%)" in page and "with 50.0% of the ties" in page
    assert "<h3>Somebody who has the network itself</h3>" in without
