"""Which configurations to try: all combinations of some values of some settings, or a few drawn of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from netveil.errors import FileError, SettingError, unknown_name
from netveil.files.storage import bounded_bytes
from netveil.search import ALGORITHMS
from netveil.search.settings import Settings, changed

MOST_COMBINATIONS = 10**12


@dataclass(frozen=True)
class Grid:
    """Values of settings, each already checked; a configuration is one of each."""

    default: Settings  # where the settings come from that are not varied
    values: Mapping[str, tuple[Any, ...]]

    @property
    def size(self) -> int:
        """How many configurations there are."""
        return prod(len(each) for each in self.values.values())

    def configuration(self, number: int) -> Settings:
        """The configuration of this number, from 1; the value of the last setting changes fastest."""
        left, chosen = number - 1, {}
        for name, each in reversed(list(self.values.items())):
            left, place = divmod(left, len(each))
            chosen[name] = each[place]
        return changed(self.default, chosen, "grid")

    def drawn(self, count: int, seed: int) -> list[int]:
        """Numbers of `count` configurations drawn at random without replacement, ascending; all if fewer."""
        if count >= self.size:
            return list(range(1, self.size + 1))
        chosen = np.random.default_rng(seed).choice(self.size, count, replace=False)
        return sorted((chosen + 1).tolist())


def grid_for(algorithm: str, given: Mapping[str, Any] | str | Path | None = None) -> Grid:
    """The grid of an algorithm: its own, or one given as a TOML file or by name of a setting.

    >>> grid_for("uga").size
    432
    >>> grid_for("ga", {"crossover": [25, "uniform"], "patience": 80}).size
    2
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    default = ALGORITHMS[algorithm].default
    if given is None:
        given = ALGORITHMS[algorithm].grid
    if isinstance(given, Mapping):
        return _checked(default, given, "grid")
    return _checked(default, _read(Path(given)), str(given))


def _read(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(bounded_bytes(path).decode("utf-8-sig"))  # some editors begin with a mark
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        )
        raise FileError(f"{path}: {reason}; give a TOML file with the values of each setting.") from None
    except (ValueError, RecursionError) as error:  # brackets in brackets, or thousands of digits
        raise FileError(
            f"{path}: not a TOML file: {error}. Write lines such as: crossover = [25, 'uniform']"
        ) from None


def _checked(default: Settings, given: Mapping[str, Any], source: str) -> Grid:
    """The grid of these values, each judged by the rules of its setting."""
    values: dict[str, tuple[Any, ...]] = {}
    for name, wished in given.items():
        listed = list(wished) if isinstance(wished, list | tuple) else [wished]
        key = name.replace("-", "_")
        if not listed:
            raise SettingError(f"{source}: {name} has no values; give one at least, or leave it out.")
        found = tuple(_checked_value(default, key, value, source) for value in listed)
        if key in values or len(set(found)) < len(found):
            raise SettingError(f"{source}: {name} has a value twice; give each once.")
        values[key] = found
    if not values:
        raise SettingError(f"{source}: nothing to vary; give values, such as crossover = [25, 'uniform'].")
    grid = Grid(default, values)
    if grid.size > MOST_COMBINATIONS:
        raise SettingError(
            f"{source}: {grid.size:,} combinations are too many; give values for at most "
            f"{MOST_COMBINATIONS:,}."
        )
    return grid


def _checked_value(default: Settings, name: str, value: Any, source: str) -> Any:
    """The value in the type of its setting; an error names the source."""
    try:
        return getattr(changed(default, {name: value}, source), name)
    except SettingError as error:
        message = str(error)
        raise SettingError(message if message.startswith(source) else f"{source}: {message}") from None
