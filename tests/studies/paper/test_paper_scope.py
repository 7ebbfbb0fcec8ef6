"""What `netveil experiment paper` takes on: which networks, algorithms, configurations and seeds."""

from __future__ import annotations

import pytest

from netveil.errors import FileError, SettingError
from netveil.network import Network
from netveil.opening import load
from netveil.studies.paper import paper_scope
from netveil.studies.paper.published import CONFIGURATIONS, TITLES


def test_the_whole_experiment_is_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five networks × (ES, UA, four GA, four UGA) × 5 seeds, 5% of the edges; more seeds if asked."""
    monkeypatch.setattr(
        "netveil.studies.paper.published.find_network", lambda name, download=True: load("karate")
    )
    plan = paper_scope().plan
    tasks = plan.tasks()

    assert len(tasks) == 5 * 10 * 5 and len(paper_scope(seeds=20).plan.tasks()) == 1000
    assert {task.network.name for task in tasks} == set(TITLES)
    assert {task.algorithm.name for task in tasks} == {
        "es",
        "ua",
        *(f"{each}-{configuration}" for each in ("ga", "uga") for configuration in CONFIGURATIONS),
    }
    assert {(task.budget, task.attacker.measures, task.k) for task in tasks} == {("5%", ("count",), 2)}
    assert all(task.algorithm.settings["patience"] == 40 for task in tasks if task.algorithm.config)


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        (set(TITLES), ("fb-reed98", "blogs", "grqc")),
        ({"grqc", "college-msg"}, ("grqc",)),
        ({"college-msg"}, ("college-msg",)),
        (set(), ("karate",)),
    ],
)
def test_quick_takes_the_networks_that_are_there(
    monkeypatch: pytest.MonkeyPatch, there: set[str], chosen: tuple[str, ...]
) -> None:
    """It fetches none, and says which ones it took."""

    def find(name: str, *, download: bool) -> Network:
        assert not download
        if name not in there:
            raise FileError(f"{name} is not on this machine.")
        return load("karate")

    monkeypatch.setattr("netveil.studies.paper.published.find_network", find)
    monkeypatch.setattr("netveil.studies.paper.published.STAND_INS", ("karate",))
    scope = paper_scope(quick=True)

    assert scope.names == chosen
    said = f"{len(chosen)} of the paper's 5 networks" if there else "networks NOT the paper's (karate)"
    assert said in scope.text


@pytest.mark.parametrize("seeds", [0, -1, 1001])
def test_seeds_outside_their_rule(seeds: int) -> None:
    """The value and the rule are in the message."""
    with pytest.raises(SettingError, match=f"seeds {seeds}"):
        paper_scope(seeds=seeds, quick=True)
