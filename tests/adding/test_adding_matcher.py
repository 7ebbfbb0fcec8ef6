"""An attacker who matches whole networks is one file and one registry line: all that runs them takes it."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from recipes import added

import netveil as nv
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.knowledge import Knowledge
from netveil.auditing.matching.run_matching import Case, cases_for, match_all
from netveil.network import Network
from netveil.registries import MATCHERS

KARATE = nv.load("karate")
NAME = "own-degree"


@pytest.fixture(autouse=True)
def _added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The matcher of the recipe."""
    assert added("An attacker who matches whole networks", MATCHERS, tmp_path, monkeypatch) == NAME


def test_it_is_run_and_scored_like_the_others() -> None:
    """On the release, the original and after random deletions; a row with all that others have."""
    (row,) = match_all(KARATE, KARATE.without_edges([0]), [Case(NAME, Knowledge(), 3, 1)])
    alone = int((np.bincount(KARATE.degrees) == 1).sum())

    assert row.attack == NAME and row.title == MATCHERS[NAME].title
    assert (row.original.found, row.original.wrong) == (alone, 0)
    assert row.original.people == 34 and 0 < row.release.found < 34
    assert row.to_dict()["attack"] == NAME
    assert row.curve[-1][0] == round((row.release.found + row.release.wrong) / 34, 4)


def test_it_is_in_the_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a usual audit by what it does with all ties, and of all by all that is varied; others come first."""
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(run_matching.MOST_MARKS, 10**12))
    usual, everything = (cases_for(KARATE, extent)[0] for extent in ("usual", "all"))

    assert [attempt.knowledge for attempt in usual if attempt.attack == NAME] == [Knowledge()]
    assert usual[0].attack != NAME
    assert sum(attempt.attack == NAME for attempt in everything) == sum(
        attempt.attack == "weighing" for attempt in everything
    )


def test_it_claims_nobody_who_has_as_many_contacts_as_another() -> None:
    """In a cycle nobody, in a star the middle."""
    for graph, found in ((networkx.cycle_graph(9), 0), (networkx.star_graph(9), 1)):
        network = Network.from_networkx(graph)
        (row,) = match_all(network, network, [Case(NAME, Knowledge(), 1, 1)])
        assert (row.release.found, row.release.wrong) == (found, 0)
