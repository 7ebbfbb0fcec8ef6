"""Settings: the paper's presets, checked values, files and words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from netveil.errors import FileError, SettingError
from netveil.search import ALGORITHMS
from netveil.search.algorithm import changed
from netveil.search.annealing.annealing import Annealing
from netveil.search.baselines import Stepwise
from netveil.search.genetic import GENETIC_PRESETS, Genetic
from netveil.search.greedy import ClassTargeted
from netveil.search.sana import Sana

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
OURS = {"prune": True, "ties": "deletions", "drop_twins": True, "sort_bits": True, "flip_deleted": True}
FAITHFUL = {"prune": False, "ties": "chance", "drop_twins": False, "sort_bits": False, "flip_deleted": False}


def test_presets_are_the_papers() -> None:
    pairs = [("uniform", 0.000025), (25, 0.000025), ("uniform", 0.00001), (25, 0.00001)]
    papers = {
        f"{prefix}conf{number}": {**PAPER, **beyond, "crossover": crossover, "mutation_decay": decay}
        for prefix, beyond in (("", OURS), ("faithful-", FAITHFUL))
        for number, (crossover, decay) in enumerate(pairs, start=1)
    }
    papers["faithful"] = papers["faithful-conf2"]

    assert {name: asdict(preset) for name, preset in GENETIC_PRESETS.items()} == papers
    assert ALGORITHMS["ga"].presets == ALGORITHMS["uga"].presets == GENETIC_PRESETS
    assert not ALGORITHMS["es"].presets and not ALGORITHMS["ua"].presets


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("kind", "name", "allowed", "beyond"),
    [
        *(
            (Genetic, "population", [2, 100_000], [1, 100_001]),
            (Genetic, "offspring", [1, 100_000], [0, 100_001]),
        ),
        *((Genetic, name, [1], [0]) for name in ("tournament_size", "patience")),
        *((Genetic, name, [0.0, 1.0], [-1, 2.0, NAN, INF]) for name in ("initial_rate", "mutation_rate")),
        (Genetic, "mutation_decay", [0.0, 5.0], [-1, NAN, INF]),
        (Genetic, "crossover", [1, "uniform"], [0, "best"]),
        (Genetic, "parental_selection", ["roulette", "tournament"], ["best", "plus"]),
        (Genetic, "environmental_selection", ["plus", "roulette", "tournament"], ["best"]),
        (Genetic, "ties", ["deletions", "chance"], ["best"]),
        *((Stepwise, "steps", [1], [0]), (Annealing, "chains", [1, 256], [0, 257])),
        (Annealing, "effort", [1e-9, 1e6], [0, -1, NAN, 2e6]),
        *((Sana, name, [0], [-1, NAN, INF]) for name in ("temperature", "noise")),
        *(
            (Sana, "cooling", [0, 1], [1.1]),
            (Sana, "patience", [1], [0]),
            (ClassTargeted, "rounds", [0], [-1]),
        ),
    ],
)
def test_values_have_bounds(kind: Any, name: str, allowed: list[Any], beyond: list[Any]) -> None:
    for value in allowed:
        assert getattr(kind(**{name: value}), name) == value
    for value in beyond:
        with pytest.raises(SettingError, match=f"^setting {name} = {value}: it must be "):
            kind(**{name: value})


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
        *(("prune", given, False) for given in (False, "false", "False")),
        ("prune", "true", True),
    ],
)
def test_values_get_the_type_of_the_setting(name: str, given: Any, value: Any) -> None:
    before = Genetic()
    key = name.replace("-", "_")

    after = changed(before, {name: given}, "test")

    assert getattr(after, key) == value and type(getattr(after, key)) is type(value)
    assert asdict(after) == {**asdict(before), key: value}


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("patience", "int", ("abc", "2.5", 2.5, True, None, [3], INF, NAN)),
        ("mutation_rate", "float", ("high", True)),
        ("crossover", "", ("both", True)),
        ("prune", "bool", ("no", None)),
    ],
)
def test_what_is_no_value(name: str, kind: str, values: tuple[Any, ...]) -> None:
    """The message says where the value comes from, and what was found."""
    for value in values:
        with pytest.raises(SettingError) as caught:
            changed(Genetic(), {name: value}, "mine")
        assert str(caught.value).startswith(f"mine: {name} = {value!r}: ")
        assert f"`{kind}" in str(caught.value) or not kind


def test_converted_values_are_checked() -> None:
    for name, value, rule in (
        ("patience", "0", "1 or more"),
        ("parental_selection", 3, "one of roulette, tournament"),
    ):
        with pytest.raises(SettingError, match=f"^setting {name} = {value}: it must be {rule}.$"):
            changed(Genetic(), {name: value}, "mine")


def test_an_unknown_setting_is_named_with_the_nearest() -> None:
    with pytest.raises(SettingError, match=r"^mine: unknown setting 'patiense': did you mean patience\? "):
        changed(Genetic(), {"patiense": 3}, "mine")
    with pytest.raises(SettingError, match=r"unknown setting 'patience': The choice is steps\.$"):
        changed(Stepwise(), {"patience": 3}, "mine")


@pytest.mark.parametrize(
    ("content", "error", "what"),
    [
        (
            None,
            FileError,
            "no such file, and no preset of this algorithm; give a TOML file with settings or conf1",
        ),
        (b"patience 80", FileError, "not a TOML file"),
        (b"patience = 80\npatience = 81\n", FileError, "not a TOML file"),
        *((unreadable, FileError, "cannot be read") for unreadable in (b"\xff\xfe", b"")),  # none: a folder
        (b"patiense = 80\n", SettingError, "unknown setting 'patiense': did you mean patience?"),
        (b"[uga]\npatience = 80\n", SettingError, "settings stand at the top level"),
        (b"patience = 'long'\n", SettingError, "patience = 'long': Expected `int`"),
        (b"patience = inf\n", SettingError, "patience = inf: Expected `int`"),
        (b"patience = 1979-05-27\n", SettingError, "Expected `int`, got `date`"),
    ],
)
def test_a_file_that_holds_no_settings(
    tmp_path: Path, content: bytes | None, error: type[Exception], what: str
) -> None:
    file = tmp_path / "mine.toml"
    if content == b"":
        file.mkdir()
    elif content is not None:
        file.write_bytes(content)

    with pytest.raises(error) as caught:
        ALGORITHMS["uga"].settings(file, {})

    assert str(caught.value).startswith(f"{file}: ") and what in str(caught.value)


def test_single_values_win_over_a_preset_or_a_file(tmp_path: Path) -> None:
    uga = ALGORITHMS["uga"]
    file = tmp_path / "mine.toml"
    file.write_text("# slower\npatience = 80\npopulation = 50\n")

    assert uga.settings(None, {}) == uga.default == GENETIC_PRESETS["conf2"]
    assert uga.settings("conf3", {}) == GENETIC_PRESETS["conf3"]
    assert uga.settings("conf3", {"patience": "5"}) == Genetic(
        crossover="uniform", mutation_decay=0.00001, patience=5
    )
    assert uga.settings(str(file), {"patience": 5}) == Genetic(patience=5, population=50)
    assert uga.settings(file, {}) == Genetic(patience=80, population=50)
