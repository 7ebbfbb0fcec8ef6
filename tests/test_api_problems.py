"""The Python interface to the problems: a budget, a target, an effort, a whole curve."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

import netveil as nv
from netveil.api import from_curve

KARATE = nv.load("karate")


def test_a_target_is_reached_with_few_deletions() -> None:
    """Without a budget all edges may go; with one, no more than it allows."""
    reached = nv.anonymize(KARATE, target="90%", effort=0.05, seed=1).figures()
    modest = nv.anonymize(KARATE, target="70%", effort=0.05, seed=1).figures()
    bounded = nv.anonymize(KARATE, 2, target=0.9, effort=0.05, seed=1).figures()

    assert (reached["target"], reached["enough"], reached["reached"]) == ("90%", 3, True)
    assert (modest["enough"], modest["reached"]) == (10, True)
    assert 78 == reached["budget"] > reached["deleted"] > modest["deleted"] > 0
    assert (bounded["budget"], bounded["deleted"], bounded["reached"]) == (2, 2, False)


def test_without_a_budget_five_percent_may_go() -> None:
    """As ever, where there is no target."""
    assert nv.anonymize(KARATE, effort=0.01, seed=1).outcome.budget == 3


def test_effort_is_the_setting_of_that_name() -> None:
    """Twice the effort, twice the proposals."""
    by_name = nv.anonymize(KARATE, 2, effort=0.02, seed=1).outcome
    by_setting = nv.anonymize(KARATE, 2, settings={"effort": 0.04}, seed=1).outcome

    assert (by_name.settings["effort"], by_setting.settings["effort"]) == (0.02, 0.04)
    assert by_setting.evaluations == pytest.approx(2 * by_name.evaluations, abs=4)  # walks are rounded


def test_from_curve_gives_the_kind_of_graph_it_was_given(tmp_path: Path) -> None:
    """The same point as `Release.at`, with or without the original labels."""
    graph = KARATE.to_networkx()
    whole = nv.anonymize(graph, "10%", effort=0.05, seed=1, curve=True)
    folder = nv.save(whole, tmp_path / "whole", utility=False, audit=False, baselines=False)

    point = from_curve(graph, folder, "3%")
    labelled = from_curve(graph, folder, 0.03, k=2, measure="count", distance=1, keep_labels=True)

    assert type(point.graph) is networkx.Graph
    assert point.network == whole.at("3%").network
    assert set(labelled.graph.edges) < set(graph.edges)
    with pytest.raises(nv.SettingError, match=r"measure degree: the curve of .* is for measure count"):
        from_curve(graph, folder, 2, measure="degree")
