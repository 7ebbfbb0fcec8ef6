"""Tuning: the grid of configurations, and the tournament: who goes on, and that pauses and workers make no
difference."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import SQUARE, clustered
from netveil.errors import FileError, NetworkError, SettingError
from netveil.search import ALGORITHMS, Control
from netveil.search.genetic import CONFIGURATIONS, Genetic
from netveil.studies.tuning import Contender, RoundStatus, TuningResult, grid_for, tune
from netveil.studies.tuning_folder import preset_text
from waiting import until

PEOPLE = clustered()
QUICK = {
    "population": 20,
    "offspring": 20,
    "patience": 12,
    "crossover": [5, "uniform"],
    "mutation_rate": [0.0, 0.002, 0.01],
    "parental_selection": ["roulette", "tournament"],
}
"""Twelve configurations that take no time, some of them bad."""


def quick(algorithm: str = "ga", **options: Any) -> TuningResult:
    """A small tournament."""
    given = {"grid": QUICK, "every": 3, "finalists": 2, "seed": 5, "workers": 2, **options}
    return tune(PEOPLE, algorithm=algorithm, **given)


def objectives(history: Any) -> tuple[int, ...]:
    """The best by step, of a search that nobody paused."""
    best: dict[int, int] = {}
    for row in history:
        best[row.step] = min(row.objective, best.get(row.step, row.objective))
    return tuple(best.values())


def test_the_worse_half_is_eliminated_at_each_halving() -> None:
    """Twelve, six, three, two; and nobody who goes on was worse than somebody who does not."""
    result = quick()
    eliminated = [curve.eliminated_at for curve in result.curves]

    assert {step: eliminated.count(step) for step in result.halvings} == {3: 6, 6: 3, 9: 1}
    assert eliminated.count(None) == 2
    for step in result.halvings:
        out = [curve.objectives[step] for curve in result.curves if curve.eliminated_at == step]
        on = [
            curve.objectives[step]
            for curve in result.curves
            if curve.eliminated_at is None or curve.eliminated_at > step
        ]
        assert max(on) <= min(out)
    for curve in (curve for curve in result.curves if curve.eliminated_at is not None):
        assert curve.generations == curve.eliminated_at
        assert (curve.stopped_by, curve.at_risk) == ("eliminated", None)
    # The ranking: finalists come first, then who stayed longest.
    stayed = [curve.eliminated_at for curve in result.best_first]
    assert stayed[:2] == [None, None] and stayed[2:] == [9, 6, 6, 6, 3, 3, 3, 3, 3, 3]
    assert result.ranking == tuple(curve.number for curve in result.best_first)
    assert result.winner.at_risk == min(curve.at_risk for curve in result.curves if curve.at_risk is not None)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("algorithm", "grid", "every"),
    [
        ("ga", QUICK, 3),
        ("uga", QUICK, 3),
        ("annealing", {"effort": [0.05, 0.1], "chains": [1, 2, 3]}, 1),
        ("es", {"steps": [2, 5, 14, 15]}, 4),
        ("ua", {"steps": [2, 5, 14, 15]}, 4),
        ("class-targeted", {"rounds": [1, 2, 3, 4]}, 4),
        ("sana", {"cooling": [0.5, 0.75, 0.99, 0.999], "patience": 2_000}, 500),
    ],
)
def test_a_run_that_pauses_is_the_run_that_does_not(algorithm: str, grid: Any, every: int) -> None:
    """Each finalist's curve is that of `anonymize` with its settings and seed; of the others it is a part."""
    result = quick(algorithm, grid=grid, every=every)

    assert result.halvings
    for curve in result.curves:
        alone = nv.anonymize(PEOPLE, algorithm=algorithm, settings=curve.settings, seed=5, threads=1).outcome
        whole = objectives(alone.history)
        assert curve.objectives == whole[: len(curve.objectives)]
        if curve.eliminated_at is None:
            assert (curve.objectives, curve.at_risk) == (whole, alone.at_risk_after)
        elif result.counts_generations:
            assert curve.generations == curve.eliminated_at


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_the_baselines_run_to_their_end(algorithm: str) -> None:
    """One with two steps has spent its budget when one with eleven begins: they are not compared midway."""
    result = quick(algorithm, grid={"steps": [1, 2, 5, 8, 11]}, every=None)

    assert result.halvings == ()
    assert [curve.generations for curve in result.curves] == [1, 2, 5, 8, 11]
    assert all(curve.stopped_by in ("budget", "solved") for curve in result.curves)


def test_workers_make_no_difference_and_the_seed_does() -> None:
    """Seconds apart, which are nobody's result; the seed draws the configurations, too."""
    first, second = quick(configurations=5, seed=1), quick(configurations=5, seed=2)

    assert quick(workers=1) == quick(workers=2) == quick(workers=7)
    assert {curve.number for curve in first.curves} != {curve.number for curve in second.curves}


def test_who_watches_hears_of_each_arrival() -> None:
    """All rounds, and the way to the end."""
    heard: list[nv.ProgressReport] = []
    quick(progress=heard.append)
    rounds: list[RoundStatus] = [each.state for each in heard if each.share == 1.0]

    assert heard[0].doing.startswith("1 of 12 runs at generation 3 · best objective ")
    assert [(each.until, each.running) for each in rounds] == [(3, 12), (6, 6), (9, 3), (None, 2)]


def test_an_interrupted_tournament_tells_the_best_so_far() -> None:
    """In the second round: nobody else is eliminated, and no thread stays behind."""
    control, before = Control(), threading.active_count()

    def interrupt(report: nv.ProgressReport) -> None:
        if report.state.until == 6:
            control.interrupt()

    result = quick(control=control, progress=interrupt, workers=1)

    assert result.interrupted
    assert "\n# Interrupted: the tournament was stopped before its end" in preset_text(result)
    assert "Interrupted" not in preset_text(replace(result, interrupted=False))
    assert result.halvings in ((3,), (3, 6))
    assert result.winner.eliminated_at is None and result.winner.at_risk is not None
    until(lambda: threading.active_count() <= before)


def test_a_failing_run_ends_the_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """What went wrong in a thread is raised where the tournament was asked for."""

    def fail(self: Contender, *arguments: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("netveil.search.Problem.fresh_state", fail)
    with pytest.raises(RuntimeError, match="broken"):
        quick()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        *(({name: 0}, f"{name} 0") for name in ("configurations", "every", "finalists", "workers")),
        ({"seed": -1}, "seed -1"),
        ({"configurations": 5000}, "2,000 at most"),
        ({"algorithm": "gaa"}, "unknown algorithm"),
    ],
)
def test_a_bad_number_is_refused(options: dict[str, Any], told: str) -> None:
    """In one sentence, before anything runs."""
    with pytest.raises(SettingError, match=told):
        quick(**options)
    with pytest.raises(NetworkError, match="nobody is at risk"):  # all four corners of a square are alike
        tune(SQUARE, budget=1)


def test_the_papers_grid() -> None:
    """432 configurations, the four final ones among them; every algorithm with settings has a grid."""
    for algorithm in ("ga", "uga"):
        grid = grid_for(algorithm)
        everything = {grid.configuration(number) for number in range(1, 433)}
        assert grid.size == len(everything) == 432 and set(CONFIGURATIONS.values()) <= everything
    able = {name for name, algorithm in ALGORITHMS.items() if asdict(algorithm.default)}
    assert all(grid_for(algorithm).size > 1 for algorithm in able)
    # A new one is to pause in a test above.
    assert able == {"ga", "uga", "annealing", "es", "ua", "class-targeted", "sana"}


def test_drawing_takes_each_once_and_follows_the_seed() -> None:
    """Fifty of 432, and all of them where there are fewer."""
    grid = grid_for("ga")
    drawn = grid.drawn(50, seed=7)

    assert len(set(drawn)) == 50
    assert drawn == sorted(drawn) == grid.drawn(50, seed=7) != grid.drawn(50, seed=8)
    assert grid.drawn(1000, seed=7) == list(range(1, 433))
    # A huge grid is not written out: it would not fit in memory.
    hundreds = {name: list(range(2, 202)) for name in ("population", "offspring", "patience")}
    huge = grid_for("ga", {**hundreds, "tournament_size": [*range(1, 101)], "crossover": [*range(1, 101)]})
    assert huge.size == 80 * 10**9
    assert len({huge.configuration(number) for number in huge.drawn(5, seed=1)}) == 5


def test_a_file_says_what_to_vary(tmp_path: Path) -> None:
    """A list is varied, a single value holds for all, and what is not named stays at its default."""
    file = tmp_path / "grid.toml"
    text = b'crossover = [10, "uniform"]\nmutation-rate = [0.001, 0]\npatience = 80\n'
    file.write_bytes(b"\xef\xbb\xbf" + text)  # the mark with which some editors begin a file
    grid = grid_for("uga", file)

    assert [grid.configuration(number) for number in (1, 2, 3, 4)] == [
        Genetic(crossover=cuts, mutation_rate=rate, patience=80)
        for cuts in (10, "uniform")
        for rate in (0.001, 0.0)
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("crosover = [10]", "unknown setting 'crosover': did you mean crossover?"),
        ("population = [100, 1]", "setting population = 1: it must be between 2 and"),
        ("patience = [40, 'long']", "patience = 'long': Expected `int`"),
        ("parental_selection = ['lottery']", "one of roulette, tournament"),
        ("patience = []", "patience has no value"),
        ("patience = [40, 40]", "or a value twice"),
        ("mutation-rate = 0.1\nmutation_rate = 0.2", "or a value twice"),
        ("# nothing", "nothing to vary"),
        ("[crossover]\nvalues = [10]", "settings stand at the top level"),
        ("population = [[100]]", "Expected `int`, got `array`"),
    ],
)
def test_a_bad_value_is_named_with_its_file(tmp_path: Path, text: str, told: str) -> None:
    """Before anything runs."""
    file = tmp_path / "grid.toml"
    file.write_text(text)

    with pytest.raises(SettingError) as error:
        grid_for("ga", file)
    assert str(error.value).startswith(f"{file}: ")
    assert told in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Other bad files are told as those of `anonymize --config` are."""
    with pytest.raises(FileError, match=r"none\.toml: no such file\. Write lines such as: crossover = \[25"):
        grid_for("ga", tmp_path / "none.toml")


def test_what_has_no_grid_is_refused() -> None:
    """More combinations than can be numbered (seven settings of sixty values each), and no algorithm."""
    whole = ("population", "offspring", "patience", "tournament_size", "crossover")
    shares = [place / 100 for place in range(60)]
    many = {**{name: list(range(2, 62)) for name in whole}, "initial_rate": shares, "mutation_rate": shares}

    with pytest.raises(SettingError, match="too many"):
        grid_for("ga", many)
    with pytest.raises(SettingError, match="did you mean annealing"):
        grid_for("anealing")
