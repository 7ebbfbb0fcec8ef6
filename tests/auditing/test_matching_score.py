"""What attempts are summed up to: people found and mistaken, ranges, and the curve of precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.score import COVERAGES, Matching, Score, Trial, precision_curve


def trial(*people: tuple[bool, bool, float]) -> Trial:
    """Of these people: right, claimed, certainty."""
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
    """3.5 people are 3.5, and 2.0 are 2."""
    document = Score.of([ONE, OTHER]).to_dict()

    assert document == {
        "people": 3.5,
        "found": 2,
        "wrong": 0.5,
        "repeats": 2,
        "found_range": [1, 3],
        "wrong_range": [0, 1],
        "share_range": [0.25, 1.0],
    }
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


def matching_of(knowledge: Knowledge) -> Matching:
    """A row about somebody who knows so much."""
    score, beside = Score.of([ONE]), Score.of([OTHER])
    return Matching("weighing", "does this", knowledge, score, beside, beside, precision_curve([ONE]))


def test_a_row_has_the_keys_of_the_contract() -> None:
    """What she knows, how the release fared, and both baselines with the same figures."""
    document = matching_of(Knowledge(0.5, seeds=20, chosen="best-connected")).to_dict()

    assert (document["known"], document["seeds"], document["seeds_chosen"]) == (0.5, 20, "best-connected")
    assert (document["people"], document["found"], document["wrong"], document["repeats"]) == (4, 1, 1, 1)
    for baseline in (document["original"], document["random_deletion"]):
        assert (baseline["people"], baseline["found"], baseline["wrong"]) == (3, 3, 0)
    assert document["curve"] == [[0.25, 1.0], [0.5, 0.5], [0.75, 0.6667]]
    assert matching_of(Knowledge()).to_dict()["seeds_chosen"] is None
