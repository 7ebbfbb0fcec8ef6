"""Attackers by name: each takes the strongest attack that fits, and what was not tried is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matchings import row

import netveil as nv
from netveil.auditing import Audit
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.score import sentences
from netveil.deciding import Facts, named_attackers
from netveil.deciding.facts import WHO, named_attackers_of_synthetic
from netveil.deciding.policy import claims_without_policy

KARATE = nv.load("karate")
FIGURES = {"at_risk_after": 0, "k": 2, "attackers": [{"measure": "count"}]}


@pytest.fixture(scope="module")
def audit() -> Audit:
    """An audit of attackers who know surroundings."""
    return nv.audit(KARATE, KARATE.without_edges([0, 1, 2]), matching="none")


def found_by(audit: Audit) -> dict[str, tuple[int | None, int | None]]:
    return {each.name: (each.found, each.of) for each in named_attackers(audit).scenarios}


def test_each_scenario_takes_the_strongest_attack_that_fits(audit: Audit) -> None:
    rows = (
        row(180, 180),
        row(190, 190, Knowledge(0.9)),
        row(20, 20, Knowledge(0.5)),
        row(30, 30, Knowledge(0.25)),
        row(70, 70, Knowledge(0.25, "community"), people=90),
        row(98, 98, Knowledge(0.5, "community"), people=100),
    )
    found = found_by(replace(audit, matching=rows))
    tally = {attack.name: attack.release.found for attack in audit.attacks}

    assert list(found) == list(WHO)
    assert found["partner"] == (180, 200) and found["platform"] == (30, 200)
    assert found["department"] == (98, 100)
    by_degree = [name for name in tally if name == "degree" or name.startswith(("degree, f", "degree, de"))]
    assert found["journalist"] == (max(tally[name] or 0 for name in by_degree), 34) and len(by_degree) == 6
    assert (found["colleague"][0] or 0) >= max(tally["ego"] or 0, tally["count"] or 0)
    assert (found["colleague"][0] or 0) < max(many or 0 for many in tally.values())


def test_people_who_are_recognised_are_said_and_not_counted(audit: Audit) -> None:
    seeded = row(150, 150, Knowledge(seeds=10), attack="bumblebee", people=190)
    partner = named_attackers(replace(audit, matching=(row(2, 2), seeded))).scenarios[2]

    assert partner.sentence == (
        "A research partner who has the raw file and recognises 10 people beforehand finds 150 of 190 others "
        "(78.9%)."
    )
    assert partner.knows == "all ties, and recognises 10 people beforehand"


def test_what_was_not_tried_or_is_not_known_is_said(audit: Audit) -> None:
    unscored = nv.audit(KARATE, KARATE.relabelled(np.arange(33, -1, -1)), measure="degree", matching="none")

    assert found_by(audit)["partner"] == (None, None)
    assert "A research partner who has the raw file: not tried." in named_attackers(audit).lines()[3]
    told = named_attackers(unscored)
    assert all(each.found is None and "not known" in each.sentence for each in told.scenarios)
    assert all(each.found is None and "not known" in each.sentence for each in told.questions)
    assert named_attackers(None).to_dict() == {"scenarios": [], "questions": []}


def test_the_insider_of_one_group_is_in_the_first_sentence(audit: Audit) -> None:
    """Also where somebody with the whole network finds nobody; it was folded away below a 0.00%."""
    rows = (row(0, 0), row(238, 238, Knowledge(0.5, "community"), people=239))
    told = replace(audit, matching=rows)
    facts = Facts(people=34, named=named_attackers(told))
    inside = "finds 238 of 239 people (99.6%)"

    assert inside in claims_without_policy(FIGURES, facts)
    assert inside in told.paragraph().split(". ")[0] + told.paragraph().split(". ")[1]
    assert any(inside in sentence for sentence in sentences(rows, brief=True))


def test_the_three_questions_have_an_attack_and_a_figure_each(audit: Audit) -> None:
    single, linking, inference = named_attackers(replace(audit, matching=(row(180, 180),))).questions

    assert single.found == (audit.strongest.release.found or 0) / 34 and single.attack == audit.strongest.name
    assert linking.found == 0.9 and linking.attack == "weighing, 100% of the ties"
    assert inference.found == audit.inference[1].release and "telling a deleted tie" in inference.sentence
    assert f"random deletion {audit.inference[1].random_deletion:.4f}" in inference.sentence


def test_nobody_finds_more_in_a_synthetic_network_than_its_table_allows() -> None:
    """One bound for all of them, in one line; attacks are told beside it where they were tried."""
    attacks = {
        "rows": [
            {"what": "ceiling", "found": 5.0, "people": 34},
            {"what": "weighing", "found": 2.0, "people": 34},
        ],
        "inference": [],
    }
    bare, tried = (named_attackers_of_synthetic(5, 34, 6, each) for each in (None, attacks))

    assert {(each.found, each.of, each.attack) for each in bare.scenarios} == {(5, 34, "ceiling")}
    assert bare.lines()[1] == "  Whoever it is finds at most 5 of 34 people on average (14.7%)."
    assert [each.found for each in bare.questions] == [1 / 6, 5 / 34, None]
    assert [each.attack for each in tried.questions] == ["table", "weighing", ""]
