"""Settings: the paper's presets, checked values, files and words."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict
from pathlib import Path
from typing import Any

import pytest

from netveil.errors import FileError, SettingError
from netveil.search import ALGORITHMS
from netveil.search.algorithm import changed, from_file
from netveil.search.baselines import Stepwise
from netveil.search.genetic import GENETIC_PRESETS, Genetic

PAPER = {
    "population": 100,
    "offspring": 150,
    "initial_rate": 0.005,
    "tournament_size": 5,
    "mutation_rate": 0.0005,
    "parental_selection": "roulette",
    "environmental_selection": "plus",
    "patience": 40,
}


@pytest.mark.parametrize(
    ("name", "crossover", "decay"),
    [
        ("conf1", "uniform", 0.000025),
        ("conf2", 25, 0.000025),
        ("conf3", "uniform", 0.00001),
        ("conf4", 25, 0.00001),
    ],
)
def test_presets_are_the_papers(name: str, crossover: int | str, decay: float) -> None:
    """They differ in crossover and in how fast the mutation rate decays, and in nothing else."""
    preset = asdict(GENETIC_PRESETS[name])

    assert preset == {**PAPER, "crossover": crossover, "mutation_decay": decay}


def test_there_are_four_presets() -> None:
    """For both genetic algorithms, and none for the baselines."""
    assert list(GENETIC_PRESETS) == ["conf1", "conf2", "conf3", "conf4"]
    assert ALGORITHMS["ga"].presets == ALGORITHMS["uga"].presets == GENETIC_PRESETS
    assert not ALGORITHMS["es"].presets and not ALGORITHMS["ua"].presets


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("population", 2, None),
        ("offspring", 1, None),
        ("initial_rate", 0.0, 1.0),
        ("tournament_size", 1, None),
        ("crossover", 1, None),
        ("mutation_rate", 0.0, 1.0),
        ("mutation_decay", 0.0, None),
        ("patience", 1, None),
    ],
)
def test_numbers_have_bounds(name: str, low: Any, high: Any) -> None:
    """The bounds are allowed, what lies beyond is not; the message names setting and value."""
    assert getattr(Genetic(**{name: low}), name) == low
    beyond = [low - 1]
    if high is not None:
        assert getattr(Genetic(**{name: high}), name) == high
        beyond.append(high + 1)
    for value in beyond:
        with pytest.raises(SettingError, match=f"^setting {name} = {value}: it must be "):
            Genetic(**{name: value})


@pytest.mark.parametrize("name", ["initial_rate", "mutation_rate", "mutation_decay"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_rate_is_infinite_or_undefined(name: str, value: Any) -> None:
    """An infinite decay would make the mutation rate undefined in the first generation."""
    with pytest.raises(SettingError, match=name):
        Genetic(**{name: value})


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("parental_selection", ["roulette", "tournament"]),
        ("environmental_selection", ["plus", "roulette", "tournament"]),
        ("crossover", ["uniform"]),
    ],
)
def test_words_are_from_a_list(name: str, allowed: list[str]) -> None:
    """The message lists them."""
    for word in allowed:
        assert getattr(Genetic(**{name: word}), name) == word  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=allowed[0]):
        Genetic(**{name: "best"})  # type: ignore[arg-type]


def test_steps_are_at_least_one() -> None:
    """A baseline takes one step or more."""
    assert Stepwise(steps=1).steps == 1
    with pytest.raises(SettingError, match="steps = 0"):
        Stepwise(steps=0)


def test_settings_do_not_change() -> None:
    """A record of a run can rely on them."""
    with pytest.raises(FrozenInstanceError):
        Genetic().patience = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("patience", "80", 80),
        ("patience", 80, 80),
        ("patience", 80.0, 80),
        ("mutation_rate", "0.01", 0.01),
        ("mutation_rate", "1e-3", 0.001),
        ("mutation_rate", 1, 1.0),
        ("mutation-rate", "0.01", 0.01),
        ("crossover", "uniform", "uniform"),
        ("crossover", "30", 30),
        ("crossover", 30, 30),
        ("parental_selection", "tournament", "tournament"),
    ],
)
def test_values_get_the_type_of_the_setting(name: str, given: Any, value: Any) -> None:
    """Whether they come as words from the command line or as numbers from a file; all others stay."""
    before = Genetic()
    key = name.replace("-", "_")

    after = changed(before, {name: given}, "test")

    assert getattr(after, key) == value and type(getattr(after, key)) is type(value)
    assert asdict(after) == {**asdict(before), key: value}


@pytest.mark.parametrize(
    ("name", "given", "what"),
    [
        ("patience", "abc", "mine: patience = 'abc' is not a whole number; give one."),
        ("patience", "2.5", "mine: patience = '2.5' is not a whole number; give one."),
        ("patience", 2.5, "mine: patience = 2.5 is not a whole number; give one."),
        ("patience", True, "mine: patience = True is not a whole number; give one."),
        ("patience", None, "mine: patience = None is not a whole number; give one."),
        ("patience", [3], "mine: patience = [3] is not a whole number; give one."),
        ("patience", float("inf"), "mine: patience = inf is not a whole number; give one."),
        ("patience", float("nan"), "mine: patience = nan is not a whole number; give one."),
        ("mutation_rate", "high", "mine: mutation_rate = 'high' is not a number; give one."),
        ("mutation_rate", True, "mine: mutation_rate = True is not a number; give one."),
        ("crossover", "both", "mine: crossover = 'both' is not a whole number; give one."),
        ("crossover", True, "mine: crossover = True is not a whole number; give one."),
        ("patience", "0", "setting patience = 0: it must be 1 or more."),
        ("parental_selection", 3, "setting parental_selection = 3: it must be one of roulette, tournament."),
    ],
)
def test_what_is_no_value(name: str, given: Any, what: str) -> None:
    """The message says where the value comes from, and what was found."""
    with pytest.raises(SettingError) as caught:
        changed(Genetic(), {name: given}, "mine")

    assert str(caught.value) == what


def test_an_unknown_setting_is_named_with_the_nearest() -> None:
    """And with the list of all; those of other algorithms are unknown too."""
    with pytest.raises(SettingError, match=r"^mine: unknown setting 'patiense': did you mean patience\? "):
        changed(Genetic(), {"patiense": 3}, "mine")
    with pytest.raises(SettingError, match=r"unknown setting 'patience': The choice is steps\.$"):
        changed(Stepwise(), {"patience": 3}, "mine")


def test_a_file_replaces_what_it_names(tmp_path: Path) -> None:
    """TOML, one line a setting; comments are welcome."""
    file = tmp_path / "mine.toml"
    file.write_text('# slower\npatience = 80\ncrossover = "uniform"\ninitial_rate = 0\n')

    assert from_file(GENETIC_PRESETS["conf2"], file) == Genetic(
        patience=80, crossover="uniform", initial_rate=0.0
    )


@pytest.mark.parametrize(
    ("content", "error", "what"),
    [
        (None, FileError, "no such file, and no preset of this algorithm; give a TOML file with settings."),
        (b"patience 80", FileError, "not a TOML file"),
        (b"patience = 80\npatience = 81\n", FileError, "not a TOML file"),
        (b"\xff\xfe", FileError, "cannot be read"),
        (b"patiense = 80\n", SettingError, "unknown setting 'patiense': did you mean patience?"),
        (b"[uga]\npatience = 80\n", SettingError, "settings stand at the top level"),
        (b"patience = 'long'\n", SettingError, "patience = 'long' is not a whole number"),
        (b"patience = inf\n", SettingError, "patience = inf is not a whole number"),
        (b"patience = 1979-05-27\n", SettingError, "is not a whole number"),
    ],
)
def test_a_file_that_holds_no_settings(
    tmp_path: Path, content: bytes | None, error: type[Exception], what: str
) -> None:
    """One line that begins with its name."""
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(error) as caught:
        from_file(Genetic(), file)

    assert str(caught.value).startswith(f"{file}: ") and what in str(caught.value)


def test_a_folder_holds_no_settings(tmp_path: Path) -> None:
    """One line about it, too."""
    with pytest.raises(FileError, match="cannot be read"):
        from_file(Genetic(), tmp_path)


def test_single_values_win_over_a_preset_or_a_file(tmp_path: Path) -> None:
    """First the default, then --config, then --set."""
    uga = ALGORITHMS["uga"]
    file = tmp_path / "mine.toml"
    file.write_text("patience = 80\npopulation = 50\n")

    assert uga.settings(None, {}) == uga.default == GENETIC_PRESETS["conf2"]
    assert uga.settings("conf3", {}) == GENETIC_PRESETS["conf3"]
    assert uga.settings("conf3", {"patience": "5"}) == Genetic(
        crossover="uniform", mutation_decay=0.00001, patience=5
    )
    assert uga.settings(str(file), {"patience": 5}) == Genetic(patience=5, population=50)
    assert uga.settings(file, {}) == Genetic(patience=80, population=50)


def test_a_record_has_every_setting() -> None:
    """By name, as JSON can hold them."""
    assert asdict(Stepwise(steps=7)) == {"steps": 7}
    assert asdict(Genetic()) == {**PAPER, "crossover": 25, "mutation_decay": 0.000025}
