"""A user's own measure in every algorithm: what it is asked, what becomes of its mistakes, who waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import netveil as nv
from clocks import Clock, watcher_of
from graphs import clustered
from naive import graph_without
from netveil.anonymity import anonymity_of, attackers_of
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome, Progress
from searches import QUICK, each_algorithm

NETWORK = clustered(nodes=40, edges=150)


def run(measure: Any, algorithm: str = "ga", network: Network = NETWORK, **options: Any) -> Outcome:
    """A quick search on one thread, a fifth of the edges to spend."""
    standard = {"budget": 0.2, "k": 3, "seed": 1, "threads": 1, "settings": QUICK[algorithm]}
    return nv.anonymize(network, measure=measure, algorithm=algorithm, **{**standard, **options}).outcome


def degrees(network: Network) -> Any:
    """As the measure degree."""
    return network.degrees


def contacts_degrees(network: Network) -> list[tuple[int, ...]]:
    """As the measure vertex-refinement."""
    graph = graph_without(network)
    return [tuple(sorted(graph.degree(other) for other in graph[node])) for node in graph]


class Contacts:
    """As vertex-refinement, for some nodes only; remembers whom it was asked about and whom it named."""

    def __init__(self) -> None:
        self.asked: list[set[int]] = []
        self.named: list[set[int]] = []  # since the last time it was asked, for each time

    def __call__(self, network: Network, nodes: Any) -> list[tuple[int, ...]]:
        """The degrees of the contacts of `nodes`."""
        self.asked.append(set(nodes.tolist()))
        self.named.append(set())
        of = network.degrees
        return [tuple(sorted(of[network.neighbours(node)].tolist())) for node in nodes.tolist()]

    def touched(self, network: Network, u: int, v: int) -> list[int]:
        """Both ends and all their neighbours."""
        assert v in network.neighbours(u)  # the edge that would go is there
        nodes = [u, v, *network.neighbours(u).tolist(), *network.neighbours(v).tolist()]
        if self.named:
            self.named[-1] |= set(nodes)
        return nodes


@each_algorithm
def test_a_plain_function_is_followed_and_recounted(algorithm: str) -> None:
    outcome = run(degrees, algorithm)
    left = NETWORK.without_edges(outcome.deleted_edges)

    assert outcome.at_risk_before == anonymity_of(NETWORK, attackers_of("degree"), 3).at_risk > 0
    assert outcome.at_risk_after == anonymity_of(left, attackers_of("degree"), 3).at_risk
    assert outcome.at_risk_after < outcome.at_risk_before
    assert len(outcome.deleted_edges) <= outcome.budget
    assert outcome.deleted_edges.tolist() == run(degrees, algorithm, threads=2).deleted_edges.tolist()


@pytest.mark.quick(1)
@each_algorithm
def test_a_function_that_names_whom_a_deletion_touches_finds_the_same(algorithm: str) -> None:
    sparse = clustered(nodes=40, edges=90)
    longer = {"effort": 0.2} if algorithm == "annealing" else QUICK[algorithm]

    def found(measure: Any, threads: int = 1) -> list[int]:
        outcome = run(measure, algorithm, sparse, k=2, threads=threads, settings=longer)
        edges: list[int] = outcome.deleted_edges.tolist()
        return edges

    expected = found(contacts_degrees)
    assert len(expected) > 0
    assert found(Contacts()) == found(Contacts(), threads=2) == expected


def test_only_those_who_are_touched_are_asked_for() -> None:
    measure = Contacts()
    run(measure, "es")
    everybody = set(range(NETWORK.node_count))
    on_the_way = [place for place, nodes in enumerate(measure.asked) if nodes != everybody]

    assert measure.asked[0] == measure.asked[-1] == everybody
    assert len(on_the_way) >= 15
    for place in on_the_way:
        assert measure.asked[place] == measure.named[place - 1]
    assert max(len(measure.asked[place]) for place in on_the_way) < len(everybody)


def fails_after(calls: int, what: Callable[[Network], Any]) -> Callable[[Network], Any]:
    """Degrees for so many calls, and then what another function gives."""
    made = 0

    def measure(network: Network) -> Any:
        nonlocal made
        made += 1
        return degrees(network) if made <= calls else what(network)

    return measure


@pytest.mark.parametrize(
    ("algorithm", "threads", "calls"),
    [(name, 1, 8) for name in ("annealing", "uga", "es", "ua")] + [("ga", 2, 1)],
)
def test_a_mistake_ends_the_search_with_one_line(algorithm: str, threads: int, calls: int) -> None:
    """At the first call or in the middle, whichever thread met it."""
    for before in {0, calls}:
        with pytest.raises(nv.SettingError, match=r"^measure measure failed: ZeroDivisionError: [^\n]*$"):
            run(fails_after(before, lambda network: 1 / 0), algorithm, threads=threads)


def by_name(network: Network) -> list[Any]:
    """The first letter of a label, and the degree."""
    return [
        (str(label)[0], int(degree)) for label, degree in zip(network.labels, degrees(network), strict=True)
    ]


@pytest.mark.quick(1)
@each_algorithm
def test_several_measures_of_ones_own(algorithm: str) -> None:
    several: list[list[Any]] = [[contacts_degrees, by_name], ["count", degrees]]
    for measures in several:
        outcome = run(measures, algorithm)
        left = NETWORK.without_edges(outcome.deleted_edges)
        each = [anonymity_of(left, attackers_of(one), 3).nodes_at_risk for one in measures]
        assert outcome.at_risk_after == np.logical_or(*each).sum()


def test_two_functions_of_one_name_are_two_attackers() -> None:
    everybody_alike = lambda network: [0] * network.node_count  # noqa: E731
    nobody_alike = lambda network: list(range(network.node_count))  # noqa: E731

    assert nv.measure(NETWORK, measure=[nobody_alike, everybody_alike]).at_risk == NETWORK.node_count


PEOPLE = Network.from_numbered_edges(NETWORK.edges, 40, [f"{'xyz'[node % 3]}{node}" for node in range(40)])
TEAM_OF = {label: str(label)[0] for label in PEOPLE.labels}


@pytest.mark.quick(1)
@each_algorithm
def test_a_measure_may_know_the_people_of_its_network_only(algorithm: str) -> None:
    """By label in a table of its own, or one entry for each of them: no other network is put before it."""

    def teams(network: Network) -> list[Any]:
        return [(TEAM_OF[label], len(network.neighbours(node))) for node, label in enumerate(network.labels)]

    def ages(network: Network) -> list[Any]:
        return [(node % 3, degree) for node, degree in zip(range(40), degrees(network).tolist(), strict=True)]

    by_label, by_number = (run(measure, algorithm, PEOPLE) for measure in (teams, ages))
    left = PEOPLE.without_edges(by_label.deleted_edges)

    assert by_label.at_risk_after < by_label.at_risk_before
    assert by_label.at_risk_after == nv.measure(left, measure=teams, k=3).at_risk
    assert by_label.deleted_edges.tolist() == by_number.deleted_edges.tolist()


def test_twins_of_different_states_each_count_where_they_are() -> None:
    """Six leaves of a star are one class of twins: a state that some of them share has one of it, not 0."""
    star = Network.from_numbered_edges([(0, leaf) for leaf in range(1, 7)], 7)
    found = nv.measure(star, measure=lambda network: [node % 3 for node in range(7)], twins=True)

    assert found.lookalikes.tolist() == [2, 1, 1, 2, 1, 1, 2]


def slow_by(clock: Clock) -> Callable[[Network], Any]:
    """A measure that takes 10 ms by this clock, and tells most people apart."""

    def slowly(network: Network) -> Any:
        clock.spend(0.01)
        return network.degrees + 100 * (np.arange(network.node_count) % 7)

    return slowly


GENETIC = {"patience": 10**6, "initial_rate": 0.3}
ENDLESS: dict[str, dict[str, Any]] = {name: {} for name in ALGORITHMS} | {"ga": GENETIC, "uga": GENETIC}


@each_algorithm
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_slow_measure_leaves_time_to_hear_the_caller(algorithm: str, interrupted: bool) -> None:
    """The clock, or an interrupt from another thread while the function is asked; then a little to prune.

    Also where the first population is far beyond the budget, and must be brought within it.
    """
    clock, limit, asked_at = Clock(), 0.5 if algorithm not in ("es", "ua") else 0.1, 0.0
    steps: list[Progress] = []
    control = Control(
        clock=clock, time_limit=None if interrupted else limit, watcher=watcher_of(step=steps.append)
    )
    slowly = slow_by(clock)

    def measure(network: Network) -> Any:
        nonlocal asked_at
        if interrupted and len(steps) > 1 and control.asked_to_stop() is None:
            asked_at = control.seconds
            other = threading.Thread(target=control.interrupt)
            other.start()
            other.join()
        return slowly(network)

    budget = 3 if ENDLESS[algorithm] else 0.2
    outcome = run(measure, algorithm, settings=ENDLESS[algorithm], control=control, budget=budget)

    assert outcome.stopped_by == ("interrupted" if interrupted else "time")
    assert len(outcome.deleted_edges) <= outcome.budget
    assert (asked_at or limit) <= outcome.seconds < (asked_at or limit) + 2


KARATE = nv.load("karate")


@pytest.mark.parametrize("forgets", [lambda *_: [], lambda network, u, v: [u]], ids=["everybody", "one end"])
@pytest.mark.parametrize("algorithm", ["annealing", "es"])
def test_a_function_that_forgets_whom_a_deletion_touches_is_found_out_at_once(
    algorithm: str, forgets: Any
) -> None:
    """Not only in the end: a search that sees no change finds nothing, and would say so."""

    def forgetful(network: Network, nodes: Any) -> Any:
        return network.degrees[nodes]

    forgetful.touched = forgets  # type: ignore[attr-defined]
    with pytest.raises(nv.SettingError, match="touched does not name all"):
        run(forgetful, algorithm, KARATE)


def test_fuzzy_and_twins_do_not_go_together_for_an_own_measure() -> None:
    """Twins need not have the same state by it, so it would not be clear what counts."""

    def numbers(network: Network) -> list[int]:
        return [int(degree) for degree in network.degrees]

    numbers.numeric = True  # type: ignore[attr-defined]
    with pytest.raises(nv.SettingError, match="leave fuzzy or twins out"):
        nv.measure(KARATE, numbers, fuzzy="10%", twins=True)
