"""Attributes that an attacker knows: people can only look alike inside equal ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.anonymity import Attackers, anonymity_of
from netveil.anonymity.attackers import diversity_of, groups_of
from netveil.attributes import Attributes
from netveil.errors import SettingError
from netveil.network import Network
from netveil.registries import MEASURES
from netveil.search.problem import Problem, edge_order
from searches import each_algorithm


def with_groups(network: Network, groups: Sequence[Any], name: str = "group") -> Network:
    """The network with one attribute of its nodes."""
    return replace(network, attributes=Attributes({name: list(groups)}))


def naive_at_risk(network: Network, groups: Sequence[Any], measure: str, k: int) -> int:
    """People with fewer than k alike, by counting pairs of group and state."""
    states = MEASURES[measure].states(network, 1).tolist()
    pairs = [(str(group), tuple(state)) for group, state in zip(groups, states, strict=True)]
    sizes = Counter(pairs)
    return sum(sizes[pair] < k for pair in pairs)


pytestmark = pytest.mark.filterwarnings("ignore::netveil.errors.AttributesWarning")

KARATE = nv.load("karate")
SIDES = ["left" if node % 3 else "right" for node in range(KARATE.node_count)]


@pytest.mark.parametrize("measure", MEASURES)
def test_a_state_is_attributes_and_structure(measure: str) -> None:
    network = with_groups(KARATE, SIDES)
    found = anonymity_of(network, Attackers.of(measure, known=["group"]).each, 3)
    assert found.at_risk == naive_at_risk(KARATE, SIDES, measure, 3)
    assert found.to_dict()["known_attributes"] == ["group"]
    assert anonymity_of(network, Attackers.of(measure).each, 3).to_dict()["known_attributes"] == []


@given(st.lists(st.sampled_from([None, 1, "1", "ä", 2.5]), min_size=34, max_size=34))
def test_equal_values_are_one_group(values: list[Any]) -> None:
    groups = groups_of(with_groups(KARATE, values), ["group"]).tolist()
    told = [None if value is None else str(value) for value in values]
    assert all(
        (a == b) == (x == y)
        for a, x in zip(groups, told, strict=True)
        for b, y in zip(groups, told, strict=True)
    )


@pytest.mark.quick(6)
@each_algorithm
@pytest.mark.parametrize("measure", ["count", "edge-count", "degree", "degree-distribution", "hybrid"])
def test_every_search_counts_as_a_recount_does(algorithm: str, measure: str) -> None:
    network = with_groups(KARATE, SIDES)
    settings = {"effort": 0.001} if algorithm == "annealing" else {}
    release = nv.anonymize(
        network,
        "10%",
        measure=Attackers.of(measure, known="group"),
        algorithm=algorithm,
        seed=1,
        settings=settings,
        keep_attributes=["group"],
    )
    assert release.outcome.at_risk_after == naive_at_risk(release.remaining, SIDES, measure, 2)
    assert release.outcome.at_risk_before == naive_at_risk(KARATE, SIDES, measure, 2)


def problem(network: Network, **asked: Any) -> Problem:
    """A search problem in which the group is known."""
    attackers = Attackers.of(asked.pop("measure", "count"), known="group").each
    return Problem(network, attackers, 2, 4, edge_order(network), **asked)


def test_groups_are_apart_where_states_are_sums() -> None:
    """By contacts that nobody has, farther than any two of a group; else, and with limits, by a part."""
    network = with_groups(KARATE, SIDES)
    quick, limited = problem(network), problem(network, keep={"clustering": Fraction(1, 2)})
    assert quick.rule.linear and quick.apart is not None
    assert not limited.rule.linear and limited.apart is None
    assert not problem(network, measure="hybrid").rule.linear
    for one in (quick, limited):
        assert int(one.original.totals[0]) == naive_at_risk(KARATE, SIDES, "count", 2)
    shift = np.unique(quick.counts().degrees - KARATE.degrees)
    assert len(shift) == 2 and np.diff(shift)[0] > 2 * KARATE.degrees.max()


def test_numbers_may_be_off_and_attributes_not() -> None:
    """Each group is counted by itself; a search does not know both."""
    network = with_groups(KARATE, SIDES)
    both = Attackers.of("count", fuzzy="20%", known="group")
    found = anonymity_of(network, both.each, 2).lookalikes
    for side in ("left", "right"):
        nodes = [node for node in range(34) if SIDES[node] == side]
        states = MEASURES["count"].states(KARATE, 1)[nodes]
        for place, node in enumerate(nodes):
            near = np.abs(states - states[place]) * 5 <= states[place]
            assert found[node] == int(near.all(axis=1).sum())
    with pytest.raises(SettingError, match="no search knows attributes exactly and numbers roughly"):
        nv.anonymize(network, measure=both, keep_attributes=["group"])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ("age", "there is no attribute 'age' of people; the network's people have group"),
        (7, "give the names"),
    ],
)
def test_an_unknown_attribute_is_told(known: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        anonymity_of(with_groups(KARATE, SIDES), Attackers.of("count", known=known).each, 2)


@pytest.mark.parametrize(("l", "people"), [(2, 3), (3, 5)])
def test_people_whose_class_has_few_values_are_counted(l: int, people: int) -> None:  # noqa: E741
    """A class of three with one value, one of two with two; whoever finds the first class knows it."""
    network = with_groups(nv.Network.from_numbered_edges([], 5), ["flu", "flu", "flu", None, "flu"])

    assert diversity_of(network, np.array([0, 0, 0, 1, 1]), f"group={l}").people == people
    with pytest.raises(SettingError, match="L is 2 or more"):
        diversity_of(network, np.zeros(5, dtype=np.int64), "group=1")
