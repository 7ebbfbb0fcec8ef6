"""Settings of algorithms: frozen records, checked on entry, made from presets, files or words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

from netveil.errors import FileError, SettingError, unknown_name

ParentalSelection = Literal["roulette", "tournament"]
EnvironmentalSelection = Literal["plus", "roulette", "tournament"]

MOST = 100_000  # individuals: each takes a bit an edge
MOST_CHAINS = 256  # each takes some 50 bytes an edge


def _check(name: str, value: object, holds: bool, rule: str | tuple[str, ...]) -> None:
    if not holds:
        allowed = rule if isinstance(rule, str) else "one of " + ", ".join(rule)
        raise SettingError(f"setting {name} = {value}: it must be {allowed}.")


@dataclass(frozen=True, kw_only=True)
class Genetic:
    """Hyperparameters of GA and UGA, with the symbols of the paper's appendix in brackets."""

    population: int = 100  # individuals kept each generation (μ)
    offspring: int = 150  # children born each generation (λ)
    initial_rate: float = 0.005  # chance that a bit is 1 in the first population (p)
    tournament_size: int = 5  # entrants of a tournament (t)
    crossover: int | Literal["uniform"] = 25  # number of cuts, or uniform (c)
    mutation_rate: float = 0.0005  # chance that a bit flips, at first (α; the paper's 0.05%)
    mutation_decay: float = 0.000025  # α becomes α(1 - η·generation), 1/|E| at least (η; 0.0025%)
    parental_selection: ParentalSelection = "roulette"  # S_p
    environmental_selection: EnvironmentalSelection = "plus"  # S_e; plus is (μ + λ)
    patience: int = 40  # generations without gain before stopping (τ)

    def __post_init__(self) -> None:
        _check("population", self.population, 2 <= self.population <= MOST, f"between 2 and {MOST:,}")
        _check("offspring", self.offspring, 1 <= self.offspring <= MOST, f"between 1 and {MOST:,}")
        _check("initial_rate", self.initial_rate, 0 <= self.initial_rate <= 1, "between 0 and 1")
        _check("tournament_size", self.tournament_size, self.tournament_size >= 1, "1 or more")
        cuts = self.crossover
        _check(
            "crossover",
            cuts,
            cuts == "uniform" or (isinstance(cuts, int) and cuts >= 1),
            "uniform, or 1 or more",
        )
        _check("mutation_rate", self.mutation_rate, 0 <= self.mutation_rate <= 1, "between 0 and 1")
        _check("mutation_decay", self.mutation_decay, 0 <= self.mutation_decay < inf, "0 or more, and finite")
        parental, environmental = ("roulette", "tournament"), ("plus", "roulette", "tournament")
        _check("parental_selection", self.parental_selection, self.parental_selection in parental, parental)
        chosen = self.environmental_selection
        _check("environmental_selection", chosen, chosen in environmental, environmental)
        _check("patience", self.patience, self.patience >= 1, "1 or more")


@dataclass(frozen=True, kw_only=True)
class Stepwise:
    """Settings of the baselines ES and UA."""

    steps: int = 100  # how often uniqueness is recomputed on the way to the budget

    def __post_init__(self) -> None:
        _check("steps", self.steps, self.steps >= 1, "1 or more")


@dataclass(frozen=True, kw_only=True)
class Annealing:
    """Settings of the annealing. Temperatures are not among them: the schedule fits itself to the problem."""

    effort: float = 1.0  # how long to search where time is not limited: 500 proposals an edge and chain
    chains: int = 2  # walks side by side, of which the best counts; threads share them out

    def __post_init__(self) -> None:
        _check("effort", self.effort, 0 < self.effort <= 1e6, "more than 0 and at most 1,000,000")
        _check("chains", self.chains, 1 <= self.chains <= MOST_CHAINS, f"between 1 and {MOST_CHAINS}")


Settings = Annealing | Genetic | Stepwise
SettingsType = TypeVar("SettingsType", bound=Settings)

GENETIC_PRESETS = {
    "conf1": Genetic(crossover="uniform", mutation_decay=0.000025),
    "conf2": Genetic(crossover=25, mutation_decay=0.000025),
    "conf3": Genetic(crossover="uniform", mutation_decay=0.00001),
    "conf4": Genetic(crossover=25, mutation_decay=0.00001),
}
"""The paper's four final configurations (its Table 5)."""


def changed(settings: SettingsType, changes: Mapping[str, Any], source: str) -> SettingsType:
    """Settings with some values replaced; `source` says in errors where the values come from."""
    hints = get_type_hints(type(settings))
    values = {}
    for name, value in changes.items():
        if isinstance(value, Mapping):
            raise SettingError(f"{source}: settings stand at the top level, not in a table [{name}].")
        key = name.replace("-", "_")
        if key not in hints:
            raise SettingError(f"{source}: {unknown_name('setting', name, hints)}")
        values[key] = _converted(key, value, type(getattr(settings, key)), source)
    return replace(settings, **values)


def from_file(settings: SettingsType, path: Path, presets: Iterable[str] = ()) -> SettingsType:
    """Settings with the values of a TOML file (`patience = 80`) replaced."""
    import tomllib

    try:
        with path.open("rb") as file:
            return changed(settings, tomllib.load(file), str(path))
    except FileNotFoundError:
        raise FileError(
            f"{path}: no such file, and no preset of this algorithm; give a TOML file with settings"
            f"{' or ' + ', '.join(presets) if presets else ''}."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read ({error}); give a TOML file with settings.") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{path}: not a TOML file: {error}. Write lines such as: patience = 80") from None


def to_dict(settings: Settings) -> dict[str, Any]:
    """Settings by name, for records."""
    return asdict(settings)


def _converted(name: str, value: Any, kind: type, source: str) -> Any:
    """The value in the type of the setting it replaces; text, as from a command line, is parsed."""
    if name == "crossover":
        return "uniform" if value == "uniform" else _number(name, value, int, source)
    if kind is str:
        return str(value)
    return _number(name, value, kind, source)


def _number(name: str, value: Any, kind: type, source: str) -> Any:
    try:
        number = kind(value)
        if isinstance(value, bool) or (not isinstance(value, str) and number != value):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        wanted = "a whole number" if kind is int else "a number"
        raise SettingError(f"{source}: {name} = {value!r} is not {wanted}; give one.") from None
    return number
