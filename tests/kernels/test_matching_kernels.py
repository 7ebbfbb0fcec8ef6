"""The kernels of attackers who match whole networks do what slow and obvious Python does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import networks
from netveil.kernels.matching import (
    FARTHEST,
    FEATURES_COUNT,
    FLOOR,
    LEAST_WEIGHT,
    SHARPNESS,
    Beliefs,
    FeatureSpace,
    Fits,
    Likeness,
    Windows,
    best_fits,
    nearest_by_features,
    room_for_marks,
    weigh_candidates,
)
from netveil.network import Network

SEEDS = st.integers(0, 2**32 - 1)


def drawn_space(rng: np.random.Generator, people: int, nodes: int) -> FeatureSpace:
    """Three features in units of two groups; whole numbers, so that some distances are equal."""
    whole = rng.integers(0, 6, (people + 2 * nodes, 3)).astype(np.float32)
    published = whole[people:].reshape(2, nodes, 3)
    return FeatureSpace(whole[:people], published, rng.integers(0, 2, people))


def distance_plainly(space: FeatureSpace, person: int, node: int) -> float:
    """Squared, in the units of the person's group."""
    there = space.published[space.groups[person], node].astype(float)
    return float(((space.expected[person].astype(float) - there) ** 2).sum())


def best_plainly(scores: dict[int, float], room: int) -> list[tuple[int, float]]:
    """The best of these, best first; among equals, as they come."""
    return sorted(scores.items(), key=lambda item: -item[1])[:room]


def empty_room(people: int, room: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """No candidates yet."""
    return np.full((people, room), -1, dtype=np.int64), np.full((people, room), -np.inf)


def assert_row(
    nodes: NDArray[np.int64], scores: NDArray[np.float64], plainly: list[tuple[int, float]]
) -> None:
    """The same scores, of different nodes; nobody where there are no more."""
    count = len(plainly)
    assert scores[:count].tolist() == pytest.approx([score for _, score in plainly])
    assert (nodes[count:] == -1).all() and (scores[count:] == -np.inf).all()
    assert len(set(nodes[:count].tolist())) == count


@given(seed=SEEDS, people=st.integers(1, 8), nodes=st.integers(1, 8), room=st.integers(1, 5))
def test_nearest_by_features_keeps_the_nearest_of_each_window(
    seed: int, people: int, nodes: int, room: int
) -> None:
    """Who is in the window and nearer than others, with the first of equals before the later ones."""
    rng = np.random.default_rng(seed)
    space = drawn_space(rng, people, nodes)
    first, last = np.sort(rng.integers(0, nodes + 1, (people, 2)), axis=1).T
    windows = Windows(rng.permutation(nodes), first.copy(), last.copy())
    found, scores = empty_room(people, room)

    nearest_by_features(space, windows, found, scores)

    for person in range(people):
        among = windows.order[first[person] : last[person]].tolist()
        plainly = best_plainly({node: -distance_plainly(space, person, node) / 2 for node in among}, room)
        assert found[person, : len(plainly)].tolist() == [node for node, _ in plainly]
        assert scores[person, : len(plainly)].tolist() == [score for _, score in plainly]
        assert (found[person, len(plainly) :] == -1).all()


def drawn_beliefs(rng: np.random.Generator, people: int, nodes: int, candidates: int) -> Beliefs:
    """Some candidates each, different ones, with weights of which some are too small to count."""
    several = np.full((people, candidates), -1, dtype=np.int64)
    weights = np.zeros((people, candidates))
    for person in range(people):
        count = int(rng.integers(0, min(candidates, nodes) + 1))
        several[person, :count] = rng.choice(nodes, count, replace=False)
        weights[person, :count] = rng.choice([0.0, LEAST_WEIGHT / 2, LEAST_WEIGHT, 0.25, 0.5], count)
    return Beliefs(several, weights)


def weighed_plainly(
    known: Network, released: Network, beliefs: Beliefs, space: FeatureSpace, only_deleted: bool, person: int
) -> dict[int, float]:
    """The score of every node that has a mark from a person's contacts and may be this person."""
    marks: dict[int, float] = {}
    for contact in known.neighbours(person).tolist():
        for candidate, weight in zip(beliefs.nodes[contact], beliefs.weights[contact], strict=True):
            if candidate >= 0 and weight >= LEAST_WEIGHT:
                for node in released.neighbours(candidate).tolist():
                    marks[node] = marks.get(node, 0.0) + weight
    scores = {}
    for node, got in marks.items():
        if only_deleted and released.degrees[node] > known.degrees[person]:
            continue
        by_chance = sum(marks.values()) * released.degrees[node] / (2 * released.edge_count)
        beyond = SHARPNESS * (got - by_chance) / math.sqrt(by_chance + FLOOR)
        scores[node] = beyond - FEATURES_COUNT * min(distance_plainly(space, person, node), FARTHEST) / 2
    return scores


@given(
    known=networks(max_nodes=9),
    released=networks(max_nodes=9),
    only_deleted=st.booleans(),
    few=st.none() | st.integers(1, 3),
    seed=SEEDS,
)
def test_weigh_candidates_scores_by_marks_and_features(
    known: Network, released: Network, only_deleted: bool, few: int | None, seed: int
) -> None:
    """All who are marked where there is room for all, else the best of them, best first."""
    rng = np.random.default_rng(seed)
    people, nodes = known.node_count, released.node_count
    room = few or nodes
    space, beliefs = drawn_space(rng, people, nodes), drawn_beliefs(rng, people, nodes, 3)
    found, scores = empty_room(people, room)

    marks = room_for_marks(released.node_count)
    weigh_candidates(known.csr, released.csr, beliefs, space, only_deleted, marks, found, scores)

    for person in range(people):
        plainly = weighed_plainly(known, released, beliefs, space, only_deleted, person)
        assert_row(found[person], scores[person], best_plainly(plainly, room))
        told = {int(node): score for node, score in zip(found[person], scores[person], strict=True)}
        assert all(told[node] == pytest.approx(plainly[node]) for node in told if node >= 0)


@given(
    known=networks(max_nodes=9),
    released=networks(max_nodes=9),
    power=st.sampled_from([0.0, 1e-4, 0.5]),
    seed=SEEDS,
)
def test_best_fits_counts_matched_contacts(
    known: Network, released: Network, power: float, seed: int
) -> None:
    """The best, the second best and the spread of the scores of all nodes; nobody where all score nothing."""
    rng = np.random.default_rng(seed)
    people, nodes = known.node_count, released.node_count
    match = np.full(people, -1, dtype=np.int64)
    matched = rng.permutation(people)[: min(people, nodes)]
    match[matched] = np.where(rng.random(len(matched)) < 0.7, rng.permutation(nodes)[: len(matched)], -1)
    worth = rng.choice([0.0, 0.5, 1.0], nodes)
    best = Fits(np.full(people, -1, dtype=np.int64), *(np.zeros(people) for _ in range(3)))

    sizes = [network.degrees.astype(np.float64) ** power for network in (released, known)]
    best_fits(known.csr, released.csr, match, Likeness(worth, *sizes), room_for_marks(nodes), best)

    for person in range(people):
        images = {int(match[contact]) for contact in known.neighbours(person) if match[contact] >= 0}
        scores = np.zeros(nodes)
        for node in range(nodes):
            common = len(images & set(released.neighbours(node).tolist()))
            one, other = sorted((int(known.degrees[person]), int(released.degrees[node])))
            if common:
                scores[node] = common * worth[node] * (one / other) ** power
        highest, second = np.sort(np.append(scores, 0.0))[::-1][:2]
        assert best.scores[person] == pytest.approx(highest)
        assert best.seconds[person] == pytest.approx(second)
        assert best.spreads[person] == pytest.approx(scores.std(), abs=1e-7)
        if highest == 0:
            assert best.nodes[person] == -1
        else:
            assert scores[best.nodes[person]] == pytest.approx(highest)
