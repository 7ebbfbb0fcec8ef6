"""Attackers who match whole networks: what attempts are summed up to, sentences, the table, the command."""

from __future__ import annotations

from dataclasses import replace

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matchings import row

import netveil as nv
from netveil.auditing.leaks import Identity
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.score import (
    CONSEQUENCE,
    COVERAGES,
    Matching,
    Score,
    Trial,
    is_no_better,
    matching_table,
    precision_curve,
    sentences,
)
from netveil.auditing.run_audit import added_edges

KARATE = nv.load("karate")


def trial(*people: tuple[bool, bool, float]) -> Trial:
    right, claimed, certainty = zip(*people, strict=True) if people else ((), (), ())
    return Trial(np.array(right, dtype=bool), np.array(claimed, dtype=bool), np.array(certainty, dtype=float))


ONE = trial((True, True, 2.0), (False, True, 1.9), (True, False, 0.4), (False, False, 0.0))
OTHER = trial((True, True, 2.0), (True, True, 1.8), (True, True, 1.7))
NOBODY_LOOKED_FOR = trial()


def test_found_and_wrong_are_of_those_claimed() -> None:
    """A right guess that she does not stand by counts for nothing; means and ranges of all attempts."""
    assert Score.of([ONE]) == Score(4.0, 1.0, 1.0, 1, (1, 1), (1, 1), (0.25, 0.25))
    assert Score.of([ONE, OTHER]) == Score(3.5, 2.0, 0.5, 2, (1, 3), (0, 1), (0.25, 1.0))


def test_the_document_has_whole_numbers_where_they_are() -> None:
    document = Score.of([ONE, OTHER]).to_dict()
    ranges = {"found_range": [1, 3], "wrong_range": [0, 1], "share_range": [0.25, 1.0]}

    assert document == {"people": 3.5, "found": 2, "wrong": 0.5, "repeats": 2, **ranges}
    assert isinstance(document["found"], int)


def test_the_curve_takes_the_surest_first_and_ends_with_the_guesses() -> None:
    """Of four people three have a guess: the surest is right, the second wrong, the third right."""
    assert precision_curve([ONE]) == ((0.25, 1.0), (0.5, 0.5), (0.75, 0.6667))
    assert precision_curve([OTHER]) == ((0.3333, 1.0), (0.6667, 1.0), (1.0, 1.0))
    assert precision_curve([NOBODY_LOOKED_FOR]) == ()
    assert precision_curve([trial((False, False, 0.0))]) == ()


PEOPLE = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from([0.0, 0.3, 0.7, 1.5])), max_size=60)


@given(people=PEOPLE)
def test_each_point_of_a_curve_is_a_share_of_right_guesses(people: list[tuple[bool, bool, float]]) -> None:
    """Shares of the people ascend, none comes twice, and the last is that of all who have a guess."""
    curve = precision_curve([trial(*people)])
    surest = sorted(people, key=lambda person: -person[2])
    guesses = sum(certainty > 0 for _, _, certainty in people)

    for share, precision in curve:
        count = round(share * len(people))
        assert precision == pytest.approx(sum(right for right, _, _ in surest[:count]) / count, abs=1e-4)
    shares = [share for share, _ in curve]
    assert shares == sorted(set(shares)) and len(shares) <= len(COVERAGES) + 1
    if guesses:
        assert shares[-1] == round(guesses / len(people), 4)
    else:
        assert not curve


def test_a_row_has_the_keys_of_the_contract() -> None:
    score, beside = Score.of([ONE]), Score.of([OTHER])
    seeded = Knowledge(0.5, seeds=20, chosen="best-connected")
    with_seeds, without = (
        Matching("weighing", "does this", knowledge, score, beside, beside, precision_curve([ONE])).to_dict()
        for knowledge in (seeded, Knowledge())
    )

    knows = {"known": 0.5, "seeds": 20, "seeds_chosen": "best-connected"}
    assert with_seeds.items() >= {**knows, "people": 4, "found": 1, "wrong": 1, "repeats": 1}.items()
    for baseline in (with_seeds["original"], with_seeds["random_deletion"]):
        assert baseline.items() >= {"people": 3, "found": 3, "wrong": 0}.items()
    assert with_seeds["curve"] == [[0.25, 1.0], [0.5, 0.5], [0.75, 0.6667]]
    assert without["seeds_chosen"] is None


# As people read of them.


def both(rows: list[Matching]) -> list[list[str]]:
    """All sentences, and those on the strongest attacker alone."""
    return [sentences(rows), sentences(rows, brief=True)]


def test_the_sentences_name_all_that_a_signer_must_know() -> None:
    """Found, wrong, original and random deletion beside it, what is left with fewer ties, what follows."""
    rows = [row(180, 190, wrong=3), row(120, 130, Knowledge(0.5)), row(30, 20, Knowledge(0.25))]
    text = " ".join(sentences(rows))

    assert "finds 180 of 200 people (90.0%) in the release, and mistakes 3 people for somebody else." in text
    assert "The same attacker finds 99.0% in the original, and 95.0% after as many random deletions." in text
    assert "an attacker finds 120 of 200 people (60.0%) with half of them; " in text
    assert "; 30 of 200 people (15.0%) with a quarter of them." in text
    assert text.endswith(CONSEQUENCE)


@pytest.mark.parametrize(
    ("found", "at_random", "same"), [(180, 190, False), (180, 182, True), (190, 150, True), (1, 1, False)]
)
def test_no_better_than_random_deletion_is_said_where_it_is_so(
    found: float, at_random: float, same: bool
) -> None:
    """In plain words, where she finds people at all."""
    rows = [row(found, at_random)]

    assert is_no_better(rows[0]) == same
    for told in both(rows):
        assert ("Deleting ties at random would protect just as little." in told) == same


def test_where_hardly_anybody_is_found_or_tried_nothing_follows() -> None:
    """One in a hundred is hardly anybody. Who knows a part, or recognises people, is somebody else."""
    others = [row(100, 100, Knowledge(0.5)), row(100, 100, Knowledge(seeds=5), attack="bumblebee")]

    for found, told in ((2, False), (3, True)):
        assert [CONSEQUENCE in each for each in both([row(found, found)])] == [told, told]
    assert both(others) == [[], []]


def test_somebody_who_recognises_people_is_named_where_she_finds_clearly_more() -> None:
    """The best of them, and first; not if she finds about as many."""
    seeded = [
        row(150, 150, Knowledge(seeds=5), attack="bumblebee"),
        row(160, 150, Knowledge(seeds=50), attack="percolation", wrong=10),
    ]
    who = "Somebody who has the original network itself, and recognises 50 people beforehand, finds"
    told = sentences([row(100, 100), *seeded])

    assert told[0] == (
        f"{who} 160 of 200 others (80.0%) in the release, and mistakes 10 people for somebody else "
        f"(percolation)."
    )
    assert "Somebody who has all ties and recognises nobody finds 100 of 200 people (50.0%)." in told
    assert both([row(100, 100), *seeded])[1][0].startswith(f"{who} 160 of 200 others (80.0%) in the release")
    assert not any("recognises 50" in sentence for sentence in sentences([row(158, 158), *seeded]))


def test_somebody_who_recognises_people_is_named_where_she_finds_a_larger_share_of_fewer() -> None:
    """She looks for fewer people, so she may find fewer, and yet more of those whom she looks for."""
    seeded = row(140, 140, Knowledge(seeds=50), attack="bumblebee", people=150)
    told = sentences([row(150, 150), seeded])

    assert "recognises nobody beforehand, finds 150 of 200 people (75.0%)" in told[0]
    assert any(
        sentence.startswith("Somebody who recognises 50 people beforehand finds 140 of 150 others (93.3%)")
        for sentence in told
    )


def test_the_strongest_case_is_named_for_each_share_of_the_ties() -> None:
    """Those within one group are told right after the strongest; the others with what they need besides."""
    rows = [
        row(190, 190),
        row(0, 0, Knowledge(0.5)),
        row(118, 118, Knowledge(0.5, "community"), people=120),
        row(4, 4, Knowledge(0.25)),
        row(30, 30, Knowledge(0.25, seeds=50, chosen="best-connected"), people=150),
        row(180, 180, Knowledge(0.9)),
    ]
    (told,) = (sentence for sentence in sentences(rows) if "fewer of the ties" in sentence)
    inside = (
        "Somebody from one group of people who knows all ties there (half of all) finds 118 of 120 people "
        "(98.3%) of that group."
    )

    assert [told[1] for told in both(rows)] == [inside, inside]
    assert told == (
        "With fewer of the ties, an attacker finds 180 of 200 people (90.0%) with 90% of them; 0 of 200 "
        "people (0.00%) with half of them; 30 of 150 others (20.0%) with a quarter of them, recognising 50 "
        "people (the best-connected)."
    )


def test_the_attacker_who_finds_most_people_is_first() -> None:
    """In table and paragraph; who recognises nobody stays first where she finds about as many."""
    seeded = row(175, 175, Knowledge(seeds=10), attack="bumblebee", people=190)
    for unaided, first in ((0, "bumblebee"), (100, "bumblebee"), (173, "weighing"), (180, "weighing")):
        rows = [row(unaided, 180), seeded]
        assert matching_table(rows, 0).splitlines()[1].split()[0] == first
        assert ("recognises 10 people" in sentences(rows)[0]) == (first == "bumblebee")


def test_the_table_has_a_line_for_each_and_fits() -> None:
    """Within 100 columns; what was left out is told."""
    rows = [
        row(180, 190),
        row(20, 10, Knowledge(0.25, "community", 50, "best-connected"), attack="narayanan-shmatikov"),
    ]
    lines = matching_table(rows, left_out=7).splitlines()

    assert max(map(len, lines)) <= 100
    assert lines[1].split() == [
        *("weighing", "100%", "0", "200", "180", "90.0%", "0", "90.0%", "99.0%", "95.0%")
    ]
    assert lines[2].split()[:5] == ["narayanan-shmatikov", "25%", "c", "50", "b"]
    assert lines[-1].startswith("7 further cases would take long")
    assert "further" not in matching_table(rows, left_out=0)


@pytest.mark.thorough
def test_random_deletions_are_as_many_as_there_are_deletions() -> None:
    """Not as many as the release has fewer ties: where half are swapped, that is none."""
    graph = networkx.powerlaw_cluster_graph(120, 4, 0.5, seed=1)
    other = networkx.double_edge_swap(graph.copy(), int(0.3 * graph.number_of_edges()), 10**6, seed=3)
    found = nv.audit(graph, other, measure="degree", distance=1, matching="brief")
    (whole,) = (each for each in found.matching if each.knows_all)

    assert whole.random_deletion.found < whole.original.found


def test_without_knowing_who_is_who_additions_are_told_by_degrees() -> None:
    """At least as many as raise the degrees; nothing where all may have fallen, and none where ties go."""
    path, star = (nv.Network.from_numbered_edges(edges, 5) for edges in ([(0, 1), (1, 2)], [(0, 1), (0, 2)]))
    more = nv.Network.from_edges([(f"p{0}", f"p{other}") for other in range(1, 5)])

    assert added_edges(path, Identity(more)) == 2
    assert added_edges(path, Identity(star)) == 0 == added_edges(more, Identity(star))
    assert added_edges(path, Identity(star, np.arange(5))) == 1
    told = nv.audit(path, more, measure="degree", distance=1)
    assert not told.scored
    assert "at least 2 of the 4 released ties cannot be in the original" in told.paragraph()
    assert "were added" not in nv.audit(more, star, measure="degree", distance=1).paragraph()


def test_somebody_by_surroundings_is_first_where_she_finds_clearly_more() -> None:
    """In the paragraph, the table and the sentences of the page to sign."""
    found = nv.audit(KARATE, KARATE, measure="count", distance=1, matching="none")
    found, nobody = (replace(found, matching=(row(many, 0, people=34),)) for many in (34, 0))

    assert found.table().split()[:2] == ["attacker", "ties"]
    assert nobody.table().startswith("attacker ") and "misled" in nobody.table().splitlines()[0]
    assert "know only people's surroundings" in nobody.paragraph().split(". ")[0]


def test_where_nobody_knows_who_is_who_nobody_is_matched() -> None:
    found = nv.audit(KARATE, KARATE.relabelled(KARATE.degrees.argsort().argsort()), measure="degree")

    assert not found.scored and found.matching == () and found.matching_left_out == 0


@pytest.mark.thorough
def test_the_report_has_a_picture_of_what_she_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Success against what she knows, in words too; with one share of the ties there is nothing to draw."""
    release = nv.anonymize("karate", "5%", seed=1, effort=0.02)
    page = release.report(utility=False, baselines=False).html
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(run_matching.MOST_MARKS, 1))
    without = release.report(utility=False, baselines=False).html

    assert page.count("<svg") == without.count("<svg") + 1
    assert "people found (%)" in page and "with 50.0% of the ties" in page
    assert "<h3>Somebody who has the network itself</h3>" in without
