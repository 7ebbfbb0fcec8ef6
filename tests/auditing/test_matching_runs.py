"""Which attackers are tried, the most telling first; and a run of them: same by the seed, fair, stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import networkx
import numpy as np
import pytest
from matchings import mirrored, nothing, numbered, powerlaw, thinner

from netveil.auditing import audit
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.matcher import Claims, GoOn, Knowledge, Situation
from netveil.auditing.matching.run_matching import EXTENTS, MOST_MARKS, Case, cases_for, match_all, seeds_for
from netveil.auditing.matching.score import Matching, Trial, sentences
from netveil.network import Network
from netveil.progress import finished
from netveil.registries import MATCHERS
from waiting import HANG, until

ORIGINAL = powerlaw(150, 4)
RELEASED = ORIGINAL.without_edges(range(0, 200, 10))
LARGE = powerlaw(3000, 5)
WITHOUT_TIES = Network.from_numbered_edges([], 5)
FIRST, *OTHERS = cases_for(ORIGINAL, "brief")[0]
LONG = max(OTHERS, key=lambda case: case.usual_marks(ORIGINAL))
SEEDED = [case for case in OTHERS if case.knowledge.seeds]


def test_fewer_known_ties_take_more_rounds() -> None:
    """Of those known here and there: a department's are quickly matched, few as they are."""
    rounds = {
        knowledge: Case("weighing", knowledge, 1, 1).usual_rounds
        for knowledge in (Knowledge(0.75), Knowledge(0.5), Knowledge(0.25), Knowledge(0.25, "community"))
    }
    most, half, few, department = rounds.values()

    assert most < half < few and department == most


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


@pytest.mark.parametrize("known", [0.5, 0.75])
def test_a_case_that_takes_more_marks_than_are_left_is_given_up(
    known: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it usually takes fewer: what was counted is the bound. Half is left for others, who follow."""
    cases = [FIRST, replace(FIRST, knowledge=Knowledge(known)), replace(SEEDED[0], repeats=1)]
    marks = 2.5 * FIRST.usual_marks(ORIGINAL)
    monkeypatch.setattr(Case, "usual_marks", lambda case, original: 1)
    rows = tried(cases, float("inf"))

    assert tried(cases, marks) == [rows[0], rows[2]]
    assert tried(cases, 20 * marks) == rows


def test_a_round_takes_marks_by_its_share_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rounds of a quarter take half of what one does in which everybody is looked at."""

    def briefly(situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        go_on(0.25)
        go_on(0.25)
        return Claims(np.empty(0, np.int64), np.empty(0), np.empty(0, dtype=bool))

    monkeypatch.setitem(MATCHERS, "own", own_matcher(briefly))
    nobody = Trial(np.empty(0, dtype=bool), np.empty(0, dtype=bool), np.empty(0))
    monkeypatch.setattr(run_matching, "scored", lambda *_: nobody)
    case = Case("own", Knowledge(), 1, 1)
    set_up, in_round = case.marks_of_trial(ORIGINAL)
    stage = run_matching._Stage(ORIGINAL, RELEASED, 0, lambda: False)

    assert stage.trial(case, run_matching.RELEASE, 0).marks == set_up + 2 * round(in_round / 4)


def test_the_audit_counts_who_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a plan leaves out, and those for whom no marks were left."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(MOST_MARKS, 1))
    wished = len(cases_for(ORIGINAL, "usual")[0])
    whole = audit(ORIGINAL, RELEASED, measures=["degree"], distances=[1], matching="brief")

    assert [row.knowledge for row in whole.matching] == [Knowledge()]
    assert whole.matching_left_out == wished - 1


def test_all_is_everything_that_the_issue_names() -> None:
    """Shares of ties, at random and of one community, crossed with people recognised, for every matcher."""
    recognised = [(0, "random"), *product((5, 10, 20, 50, 30), ("random", "best-connected"))]  # 30 is 1%
    ties = [(share, "random") for share in (1.0, 0.9, 0.75, 0.5, 0.25)]
    ties += [(share, "community") for share, _ in ties[1:]]

    assert {(case.attack, case.knowledge) for case in cases_for(LARGE, "all")[0]} == {
        (name, Knowledge(*known, seeds, chosen))  # type: ignore[arg-type]
        for name, matcher in MATCHERS.items()
        for known in ties
        for seeds, chosen in recognised
        if seeds or not matcher.needs_seeds
    }


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
    assert seeds_for(Network.from_numbered_edges([(0, 1)], nodes)) == seeds


# A run.


THINNER = thinner(ORIGINAL, 0.1)
ATTEMPTS = [
    Case("weighing", Knowledge(0.9), 2, 1),
    Case("weighing", Knowledge(0.5, "community", 5), 2, 1),
    Case("narayanan-shmatikov", Knowledge(seeds=20), 2, 1),
    Case("bumblebee", Knowledge(0.75, seeds=20, chosen="best-connected"), 2, 1),
    Case("percolation", Knowledge(0.9, seeds=10, chosen="best-connected"), 2, 1),
]


def run(attempts: list[Case], seed: int = 0, threads: int | None = None) -> list[Matching]:
    """What comes of these, in the order in which they are yielded."""
    return list(match_all(ORIGINAL, THINNER, attempts, seed=seed, threads=threads))


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_on_any_threads_and_whatever_else_is_tried() -> None:
    """Every figure of every row; another seed gives others."""
    one, three, usual = (run(ATTEMPTS, threads=threads) for threads in (1, 3, None))
    others = run(ATTEMPTS, seed=1)

    assert one == three == usual == run(ATTEMPTS[::-1])[::-1]
    assert [run([attempt])[0] for attempt in ATTEMPTS] == one
    assert [row.attack for row in one] == [attempt.attack for attempt in ATTEMPTS]
    assert all(row != other for row, other in zip(one, others, strict=True))


def test_who_is_recognised_is_not_looked_for() -> None:
    row = run([Case("percolation", Knowledge(seeds=10), 1, 1)])[0]

    assert [score.people for score in (row.release, row.original, row.random_deletion)] == [140] * 3


def test_the_baselines_are_the_original_and_as_many_random_deletions() -> None:
    """In a release without a tie nobody is found, nor after as many deletions; in the original everybody."""
    nothing_left = ORIGINAL.without_edges(np.arange(ORIGINAL.edge_count))
    (row,) = match_all(ORIGINAL, nothing_left, [Case("weighing", Knowledge(), 1, 1)])

    assert (row.release.found, row.random_deletion.found) == (0, 0)
    assert row.original.found == (~mirrored(ORIGINAL)).sum() > 140


TWO_HUBS = numbered(networkx.complete_bipartite_graph(2, 30))
"""Thirty people with the same two contacts: none can be told from another."""


@pytest.mark.parametrize("name", MATCHERS)
def test_people_who_are_all_alike_are_not_claimed_by_the_order_of_nodes(name: str) -> None:
    """Percolation takes the first of equals: by equal orders it finds most, in an audit one."""
    most = 3 if name == "percolation" else 0
    hubs = Case(name, Knowledge(seeds=2, chosen="best-connected"), 10 if most else 3, 1)
    (row,) = match_all(TWO_HUBS, TWO_HUBS, [hubs])

    assert row.release.found <= most
    assert most or row.release.wrong == 0
    if most:
        in_order = Situation(TWO_HUBS, TWO_HUBS, seeds=np.array([0, 1]), seed_nodes=np.array([0, 1]))
        by_order = MATCHERS[name].claims(in_order, np.random.default_rng(1), nothing)
        assert (by_order.nodes == np.arange(32)).sum() > 20, "or this test would show nothing"


def own_matcher(claims: Callable[[Situation, np.random.Generator, GoOn], Claims]) -> Any:
    """A matcher of one's own, which needs no seeds."""
    return SimpleNamespace(name="own", title="own", paper="own", needs_seeds=False, claims=claims)


def test_the_order_of_nodes_tells_an_attacker_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 150 people in their own order, about one is guessed, in the original too."""

    def in_one_order(situation: Situation, *_: object) -> Claims:
        everybody = np.arange(situation.known.node_count)
        return Claims(everybody, np.ones(len(everybody)), everybody >= 0)

    monkeypatch.setitem(MATCHERS, "own", own_matcher(in_one_order))
    row = run([Case("own", Knowledge(), 1, 1)])[0]

    assert max(row.release.found, row.original.found, row.random_deletion.found) < 8


@pytest.mark.parametrize("threads", [1, 2])
def test_closing_a_run_stops_its_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those at work end, those that wait are never begun, and no thread is left."""
    begun, trials = threading.Semaphore(0), list[None]()

    def endless(situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        trials.append(None)
        begun.release()
        while True:
            go_on()

    monkeypatch.setitem(MATCHERS, "own", own_matcher(endless))
    before = set(threading.enumerate())
    quick = Case("percolation", Knowledge(seeds=10), 1, 1)
    going = match_all(ORIGINAL, THINNER, [quick, *[Case("own", Knowledge(), 5, 5)] * 3], threads=threads)

    assert next(going).attack == "percolation"
    for _ in range(threads):
        assert begun.acquire(timeout=HANG)
    going.close()

    until(lambda: set(threading.enumerate()) <= before)
    assert len(trials) == threads


def test_an_error_of_a_matcher_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> Claims:
        raise ZeroDivisionError("an error of the matcher")

    monkeypatch.setitem(MATCHERS, "own", own_matcher(failing))
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError, match="of the matcher"):
        run([Case("own", Knowledge(), 1, 1), *ATTEMPTS])
    until(lambda: set(threading.enumerate()) <= before)
