"""Which attackers are tried: the most telling first, as many as people would wait for, or all."""

from __future__ import annotations

import pytest
from matchings import powerlaw

from netveil.auditing import audit
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.knowledge import Knowledge
from netveil.auditing.matching.run_matching import EXTENTS, MOST_MARKS, Case, cases_for, seeds_for
from netveil.auditing.matching.score import brief
from netveil.errors import SettingError
from netveil.network import Network
from netveil.registries import MATCHERS

ORIGINAL = powerlaw(400, 5)
LARGE = powerlaw(3000, 5)
WITHOUT_TIES = Network.from_numbered_edges([], 5)


def test_none_tries_nobody() -> None:
    """And says nothing about it."""
    assert cases_for(ORIGINAL, "none") == ([], 0)


@pytest.mark.parametrize("extent", EXTENTS)
def test_a_network_without_ties_has_no_attackers(extent: str) -> None:
    """There is nothing to match."""
    assert cases_for(WITHOUT_TIES, extent) == ([], 0)


@pytest.mark.parametrize("extent", ["", "al", "ALL", "usually"])
def test_an_unknown_extent_is_named_with_the_choice(extent: str) -> None:
    """In one line."""
    with pytest.raises(SettingError) as caught:
        cases_for(ORIGINAL, extent)
    said = str(caught.value)
    assert "matching" in said and f"{extent!r}"[1:-1] in said and "\n" not in said
    assert all(name in said for name in EXTENTS)


@pytest.mark.parametrize("extent", ["brief", "usual", "all"])
def test_the_first_attempt_is_by_somebody_who_has_the_whole_network(extent: str) -> None:
    """The strongest matcher, who recognises nobody."""
    attempts, _ = cases_for(ORIGINAL, extent)
    assert (attempts[0].attack, attempts[0].knowledge) == (next(iter(MATCHERS)), Knowledge())
    assert not MATCHERS[attempts[0].attack].needs_seeds


def test_the_first_attempt_is_made_though_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where there is room for none; how many are left out is told."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", {"brief": 1, "usual": 1})
    for extent in ("brief", "usual"):
        attempts, left = cases_for(ORIGINAL, extent)
        assert [attempt.knowledge for attempt in attempts] == [Knowledge()]
        assert left > 10


def test_with_room_for_all_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor told to be."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(MOST_MARKS, 10**15))
    attempts, left = cases_for(ORIGINAL, "usual")
    assert left == 0
    assert {attempt.attack for attempt in attempts} == set(MATCHERS)
    assert {attempt.knowledge.known for attempt in attempts} == set(run_matching.KNOWN)


def test_larger_networks_and_briefer_audits_have_fewer_attempts() -> None:
    """Always the first ones of the same list."""
    few, some = (cases_for(ORIGINAL, extent)[0] for extent in ("brief", "usual"))
    of_large, left = cases_for(LARGE, "usual")

    assert 1 <= len(few) < len(some) and few == some[: len(few)]
    assert 1 <= len(of_large) < len(some)
    assert left > 0 and cases_for(LARGE, "all")[1] == 0


def test_what_an_attempt_costs_grows_with_all_that_makes_it_long() -> None:
    """Repeats, ties known and degrees; seeded attacks have fewer rounds."""
    one = Case("weighing", Knowledge(), 1, 1)

    assert one.marks(LARGE) > one.marks(ORIGINAL)
    assert Case("weighing", Knowledge(), 3, 1).marks(LARGE) * 3 == one.marks(LARGE) * 5
    part = [Case("weighing", Knowledge(known), 1, 1).marks(LARGE) for known in (0.25, 0.5)]
    assert part[0] < part[1]
    assert part[1] > one.marks(LARGE) / 2  # more rounds, with fewer marks each
    assert Case("bumblebee", Knowledge(seeds=5), 1, 1).marks(LARGE) < one.marks(LARGE)


def test_all_is_everything_that_the_issue_names() -> None:
    """Shares of ties, at random and of one community, crossed with people recognised, for every matcher."""
    attempts, _ = cases_for(LARGE, "all")
    tried = {(attempt.attack, attempt.knowledge) for attempt in attempts}
    assert len(tried) == len(attempts)
    for name, matcher in MATCHERS.items():
        for share in (1.0, 0.9, 0.75, 0.5, 0.25):
            if not matcher.needs_seeds:
                assert (name, Knowledge(share)) in tried
                assert share == 1 or (name, Knowledge(share, "community")) in tried
            for seeds in (5, 10, 20, 50, 30):  # 30 is 1% of the people
                for chosen in ("random", "best-connected"):
                    assert (name, Knowledge(share, "random", seeds, chosen)) in tried
                    communal = Knowledge(share, "community", seeds, chosen)
                    assert share == 1 or (name, communal) in tried


@pytest.mark.parametrize("extent", ["brief", "usual", "all"])
def test_matchers_that_need_seeds_have_some_and_no_attempt_comes_twice(extent: str) -> None:
    """Every attempt is repeated, also on the baselines."""
    attempts, _ = cases_for(ORIGINAL, extent)
    assert len({(attempt.attack, attempt.knowledge) for attempt in attempts}) == len(attempts)
    for attempt in attempts:
        assert attempt.knowledge.seeds or not MATCHERS[attempt.attack].needs_seeds
        assert attempt.repeats == run_matching.REPEATS and attempt.repeats_beside >= 1


def test_repeats_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all attempts."""
    monkeypatch.setattr(run_matching, "REPEATS", 7)
    assert {attempt.repeats for attempt in cases_for(ORIGINAL, "usual")[0]} == {7}


@pytest.mark.parametrize(
    ("nodes", "seeds"), [(3, [1]), (8, [1, 5]), (100, [1, 5, 10, 20, 50]), (3000, [5, 10, 20, 30, 50])]
)
def test_seeds_are_some_numbers_and_one_percent(nodes: int, seeds: list[int]) -> None:
    """Never everybody."""
    assert seeds_for(Network.from_numbered_edges([(0, 1)], nodes)) == seeds


def test_a_report_has_few_cases_however_cheap_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are read; the others are counted."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(MOST_MARKS, 10**15))
    for many in (run_matching.BRIEFLY, 2):
        monkeypatch.setattr(run_matching, "BRIEFLY", many)
        taken, left = cases_for(ORIGINAL, "brief")
        assert len(taken) == many
        assert len(taken) + left == len(cases_for(ORIGINAL, "usual")[0])


def test_where_even_the_first_case_would_take_hours_nobody_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the audit says so, with what to do; whoever asks for all has them tried."""
    network = ORIGINAL
    taken, left = cases_for(network, "usual")
    wished = len(taken) + left
    monkeypatch.setattr(run_matching, "MOST_MARKS", {"brief": 1, "usual": 1})
    monkeypatch.setattr(run_matching, "MOST_MARKS_OF_FIRST", 1)
    whole = audit(
        network, network.without_edges([0, 1]), measures=["degree"], distances=[1], matching="usual"
    )

    assert cases_for(network, "usual") == ([], wished)
    assert len(cases_for(network, "all")[0]) > 0
    assert whole.matching == () and whole.matching_left_out == wished
    assert any("were not tried" in note and "'all'" in note for note in whole.notes)
    assert list(whole.notes) == whole.to_dict()["notes"]
    for told in (whole.paragraph(), whole.brief()[0], " ".join(brief(whole.matching, wished))):
        assert told.startswith("Somebody who has the original network itself was not tried")
    assert len(whole.brief()) == 2
    never = audit(network, network, measures=["degree"], distances=[1], matching="none")
    assert "not tried" not in never.paragraph() and len(never.brief()) == 1
