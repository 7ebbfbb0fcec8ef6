"""Which configurations are tried: the paper's grid, a user's, and what is drawn of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from netveil.errors import FileError, SettingError
from netveil.search import ALGORITHMS
from netveil.search.genetic import GENETIC_PRESETS, Genetic
from netveil.tuning import grid_for


@pytest.mark.parametrize("algorithm", ["ga", "uga"])
def test_the_paper_has_432_configurations(algorithm: str) -> None:
    """Its table of parameters for tuning; each number is another configuration."""
    grid = grid_for(algorithm)

    assert grid.size == len({grid.configuration(number) for number in range(1, 433)}) == 432


def test_the_four_final_configurations_are_in_the_grid() -> None:
    """The paper found them there."""
    grid = grid_for("ga")
    everything = {grid.configuration(number) for number in range(1, grid.size + 1)}

    assert set(GENETIC_PRESETS.values()) <= everything


def test_every_algorithm_has_a_grid() -> None:
    """Also those of which the paper tells nothing."""
    assert all(grid_for(algorithm).size > 1 for algorithm in ALGORITHMS)


def test_drawing_takes_each_once_and_follows_the_seed() -> None:
    """Fifty of 432, and all of them where there are fewer."""
    grid = grid_for("ga")
    drawn = grid.drawn(50, seed=7)

    assert len(set(drawn)) == 50
    assert drawn == sorted(drawn) == grid.drawn(50, seed=7) != grid.drawn(50, seed=8)
    assert grid.drawn(1000, seed=7) == list(range(1, 433))


def test_a_huge_grid_is_drawn_from_without_being_written_out() -> None:
    """A hundred thousand million combinations would not fit in memory."""
    hundreds = {name: list(range(2, 202)) for name in ("population", "offspring", "patience")}
    grid = grid_for(
        "ga", {**hundreds, "tournament_size": list(range(1, 101)), "crossover": list(range(1, 101))}
    )
    drawn = grid.drawn(5, seed=1)

    assert grid.size == 80 * 10**9
    assert len({grid.configuration(number) for number in drawn}) == 5


def test_a_file_says_what_to_vary(tmp_path: Path) -> None:
    """A list is varied, a single value holds for all, and what is not named stays at its default."""
    file = tmp_path / "grid.toml"
    file.write_text('crossover = [10, "uniform"]\nmutation-rate = [0.001, 0]\npatience = 80\n')
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
        ("patience = [40, 'long']", "patience = 'long' is not a whole number"),
        ("parental_selection = ['lottery']", "one of roulette, tournament"),
        ("patience = []", "patience has no values"),
        ("patience = [40, 40]", "patience has a value twice"),
        ("mutation-rate = 0.1\nmutation_rate = 0.2", "has a value twice"),
        ("# nothing", "nothing to vary"),
        ("[crossover]\nvalues = [10]", "settings stand at the top level"),
        ("population = [[100]]", "is not a whole number"),
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


def test_a_file_may_begin_with_a_mark(tmp_path: Path) -> None:
    """As some editors write it."""
    (tmp_path / "grid.toml").write_bytes(b"\xef\xbb\xbfpatience = [1, 2]\n")

    assert grid_for("ga", tmp_path / "grid.toml").size == 2


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    """Missing, a folder, no TOML, and no text at all."""
    (tmp_path / "words.toml").write_text("ten to twenty")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")

    for name, told in (
        ("none.toml", "no such file"),
        (".", "cannot be read"),
        ("words.toml", "not a TOML file"),
    ):
        with pytest.raises(FileError, match=told):
            grid_for("ga", tmp_path / name)
    with pytest.raises(FileError, match=r"bytes\.toml"):
        grid_for("ga", tmp_path / "bytes.toml")


def test_more_combinations_than_can_be_numbered_are_refused() -> None:
    """Seven settings of sixty values each."""
    whole = ("population", "offspring", "patience", "tournament_size", "crossover")
    shares = [place / 100 for place in range(60)]
    many = {**{name: list(range(2, 62)) for name in whole}, "initial_rate": shares, "mutation_rate": shares}

    with pytest.raises(SettingError, match="too many"):
        grid_for("ga", many)


def test_an_unknown_algorithm_is_suggested() -> None:
    """As everywhere."""
    with pytest.raises(SettingError, match="did you mean annealing"):
        grid_for("anealing")
