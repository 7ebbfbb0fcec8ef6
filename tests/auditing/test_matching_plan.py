"""Which attackers are tried: the most telling first, as many as people would wait for, or all."""

from __future__ import annotations

import pytest
from matchings import powerlaw

from netveil.auditing import audit
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.run_matching import EXTENTS, MOST_MARKS, Case, cases_for, match_all, seeds_for
from netveil.auditing.matching.score import Matching, sentences
from netveil.network import Network
from netveil.progress import finished
from netveil.registries import MATCHERS

ORIGINAL = powerlaw(150, 4)
RELEASED = ORIGINAL.without_edges(range(0, 200, 10))
LARGE = powerlaw(3000, 5)
WITHOUT_TIES = Network.from_numbered_edges([], 5)
FIRST, *OTHERS = cases_for(ORIGINAL, "brief")[0]
LONG = next(case for case in OTHERS if case.is_long)
SEEDED = [case for case in OTHERS if case.knowledge.seeds]


def tried(cases: list[Case], marks: float, threads: int = 2) -> list[Matching]:
    """What comes of these cases with so many marks."""
    return finished(match_all(ORIGINAL, RELEASED, cases, marks=marks, threads=threads))


@pytest.mark.parametrize("extent", EXTENTS)
def test_a_network_without_ties_has_no_attackers(extent: str) -> None:
    """There is nothing to match; and whoever wants nobody has nobody, and is told of no others."""
    assert cases_for(WITHOUT_TIES, extent) == ([], 0)
    assert (cases_for(ORIGINAL, extent) == ([], 0)) == (extent == "none")


@pytest.mark.parametrize("extent", ["brief", "usual", "all"])
def test_plans_begin_with_somebody_who_has_the_whole_network(extent: str) -> None:
    """The strongest matcher, who recognises nobody. Whoever needs seeds has some, and nothing comes twice."""
    cases, left_out = cases_for(ORIGINAL, extent)

    assert (cases[0].attack, cases[0].knowledge) == (next(iter(MATCHERS)), Knowledge())
    assert len({(case.attack, case.knowledge) for case in cases}) == len(cases)
    for case in cases:
        assert case.knowledge.seeds or not MATCHERS[case.attack].needs_seeds
        assert case.repeats == run_matching.REPEATS and case.repeats_beside >= 1
    if extent == "usual":
        assert {case.attack for case in cases} == set(MATCHERS) and left_out == 0
        assert {case.knowledge.known for case in cases} == set(run_matching.KNOWN)


@pytest.mark.thorough
def test_the_first_is_tried_to_her_end_and_others_while_there_are_marks_left() -> None:
    """Whoever needs more than is left is passed over, and cheaper ones follow, on any number of threads."""
    cases = [FIRST, LONG, *SEEDED]
    marks = FIRST.usual_marks(ORIGINAL) + sum(case.usual_marks(ORIGINAL) for case in SEEDED)
    everything = tried(cases, float("inf"))
    few = tried(cases, marks)

    assert len(everything) == len(cases) and LONG.usual_marks(ORIGINAL) > marks / 2
    assert tried(cases, 1) == everything[:1]
    assert few == [everything[0], *everything[2:]]
    assert few == tried(cases, marks, threads=1)


@pytest.mark.thorough
def test_a_case_that_takes_more_marks_than_are_left_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it usually takes fewer: what was counted is the bound. Half is left for others, who follow."""
    cases = [FIRST, LONG, SEEDED[0]]
    marks = 5 * FIRST.usual_marks(ORIGINAL)
    monkeypatch.setattr(Case, "usual_marks", lambda case, original: 1)
    rows = tried(cases, float("inf"))

    assert tried(cases, marks) == [rows[0], rows[2]]
    assert tried(cases, 20 * marks) == rows


def test_the_audit_counts_who_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a plan leaves out, and those for whom no marks were left."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(MOST_MARKS, 1))
    wished = len(cases_for(ORIGINAL, "usual")[0])
    whole = audit(ORIGINAL, RELEASED, measures=["degree"], distances=[1], matching="brief")

    assert [row.knowledge for row in whole.matching] == [Knowledge()]
    assert whole.matching_left_out == wished - 1


def test_all_is_everything_that_the_issue_names() -> None:
    """Shares of ties, at random and of one community, crossed with people recognised, for every matcher."""
    cases, _ = cases_for(LARGE, "all")
    planned = {(case.attack, case.knowledge) for case in cases}
    for name, matcher in MATCHERS.items():
        for share in (1.0, 0.9, 0.75, 0.5, 0.25):
            if not matcher.needs_seeds:
                assert (name, Knowledge(share)) in planned
                assert share == 1 or (name, Knowledge(share, "community")) in planned
            for seeds in (5, 10, 20, 50, 30):  # 30 is 1% of the people
                for chosen in ("random", "best-connected"):
                    assert (name, Knowledge(share, "random", seeds, chosen)) in planned
                    communal = Knowledge(share, "community", seeds, chosen)
                    assert share == 1 or (name, communal) in planned


def test_where_even_the_first_case_would_take_hours_nobody_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the audit says so, with what to do; whoever asks for all has them tried."""
    wished = len(cases_for(ORIGINAL, "usual")[0])
    monkeypatch.setattr(run_matching, "MOST_MARKS", {"brief": 1, "usual": 1})
    assert cases_for(ORIGINAL, "usual")[0][0].repeats == 1
    monkeypatch.setattr(run_matching, "MOST_MARKS_OF_FIRST", 1)
    whole = audit(ORIGINAL, RELEASED, measures=["degree"], distances=[1], matching="usual")

    assert cases_for(ORIGINAL, "usual") == ([], wished)
    assert len(cases_for(ORIGINAL, "all")[0]) > 0
    assert whole.matching == () and whole.matching_left_out == wished
    assert any("were not tried" in note and "'all'" in note for note in whole.notes)
    assert list(whole.notes) == whole.to_dict()["notes"]
    for told in (whole.paragraph(), " ".join(sentences(whole.matching, wished))):
        assert told.startswith("Somebody who has the original network itself was not tried")
    never = audit(ORIGINAL, ORIGINAL, measures=["degree"], distances=[1], matching="none")
    assert "not tried" not in never.paragraph()


def test_settings_of_plans_change_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report has few cases however cheap they are: as many as are read, and the others are counted."""
    wished = cases_for(ORIGINAL, "usual")[0]
    for many in (run_matching.BRIEFLY, 2):
        monkeypatch.setattr(run_matching, "BRIEFLY", many)
        assert cases_for(ORIGINAL, "brief") == (wished[:many], len(wished) - many)
    monkeypatch.setattr(run_matching, "REPEATS", 7)
    assert {case.repeats for case in cases_for(ORIGINAL, "usual")[0]} == {7}


@pytest.mark.parametrize(
    ("nodes", "seeds"), [(3, [1]), (8, [1, 5]), (100, [1, 5, 10, 20, 50]), (3000, [5, 10, 20, 30, 50])]
)
def test_seeds_are_some_numbers_and_one_percent(nodes: int, seeds: list[int]) -> None:
    """Never everybody."""
    assert seeds_for(Network.from_numbered_edges([(0, 1)], nodes)) == seeds
