"""Algorithms: a search, its settings, and what tuning and reports must know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar, get_origin, get_type_hints

from netveil.errors import FileError, SettingError, unknown_name

if TYPE_CHECKING:
    import numpy as np

    from netveil.search.control import Control, Steps
    from netveil.search.problem import Problem


# Settings of algorithms: frozen records, checked on entry, made from presets, files or words.


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base of the settings of every algorithm: a frozen record whose values are checked."""

    def brief(self) -> Self:
        """Settings for a search that is over after a few steps: every algorithm runs it to warm up."""
        return self

    @property
    def keeps_order(self) -> bool:
        """Whether nodes and edges are searched in the order of the input, not in one that labels decide."""
        return False


SettingsType = TypeVar("SettingsType", bound=Settings)


def check_setting(name: str, value: object, holds: bool, rule: str | tuple[str, ...]) -> None:
    """Raise SettingError unless `holds`; `rule` is the end of a sentence, or the allowed values."""
    if not holds:
        allowed = rule if isinstance(rule, str) else "one of " + ", ".join(rule)
        raise SettingError(f"setting {name} = {value}: it must be {allowed}.")


def changed(settings: SettingsType, changes: Mapping[str, Any], source: str) -> SettingsType:
    """Settings with some values replaced; `source` says in errors where the values come from."""
    hints = get_type_hints(type(settings))
    values = {}
    for name, value in changes.items():
        if isinstance(value, Mapping):
            raise SettingError(f"{source}: settings stand at the top level, not in a table [{name}].")
        key = str(name).replace("-", "_")
        if key not in hints:
            raise SettingError(f"{source}: {unknown_name('setting', name, hints)}")
        values[key] = _converted(key, value, hints[key], source)
    return replace(settings, **values)


def toml_values(path: Path, missing: str, example: str) -> dict[str, Any]:
    """Values in a TOML file; `missing` says what is wrong if there is none, `example` what to write."""
    import tomllib

    from netveil.files.storage import bounded_bytes

    try:
        return tomllib.loads(bounded_bytes(path).decode("utf-8-sig"))  # some editors begin with a mark
    except FileNotFoundError:
        reason = missing
    except (OSError, UnicodeDecodeError) as error:
        reason = f"cannot be read ({error})"
    except (ValueError, RecursionError) as error:  # brackets in brackets, or thousands of digits
        reason = f"not a TOML file: {error}"
    raise FileError(f"{path}: {reason}. Write lines such as: {example}")


def _converted(name: str, value: Any, hint: Any, source: str) -> Any:
    """Convert a value to the type of its setting; text, as from a command line, is parsed."""
    import msgspec

    if get_origin(hint) is Literal:  # the setting itself says which texts it can be
        return str(value)
    try:
        plain = value.tolist() if hasattr(value, "tolist") else value  # of numpy
        return msgspec.convert(plain, hint, strict=False)
    except msgspec.ValidationError as error:
        raise SettingError(f"{source}: {name} = {value!r}: {error}; give another value.") from None


Search: TypeAlias = "Callable[[Problem, Any, np.random.Generator, Control, int], Steps]"
"""Search function of (problem, settings, random numbers, control, number of threads).

Starts the control's clock as soon as everything of the size of the network is set up.
"""


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A way to search, as its file declares it; `ALGORITHMS` lists all of them."""

    name: str
    search: Search
    default: Settings
    description: str | None = None  # a sentence; netveil's own have it in the registry, where helps find it
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # values of settings that `tune` tries
    steps_between_halvings: int = 10**9  # of `tune`; so many, and all run to the end
    unit: str = "step"  # what a step is called
    presets: Mapping[str, Settings] = field(default_factory=dict)
    curve: Search | None = None  # finds solutions for parts of the budget on the way, where the algorithm can
    shown_beside: Literal["every release", "curves"] | None = None  # in reports, for comparison
    restricts: Callable[[Problem], bool] = lambda problem: False
    """Whether searches keep to part of the network, and need no arrays of all of it."""

    @property
    def counts_generations(self) -> bool:
        """Whether its steps are what the paper calls generations."""
        return self.unit == "generation"

    def settings(self, config: str | Path | None, changes: Mapping[str, Any]) -> Settings:
        """Settings from the default, a preset or a file, with single values changed."""
        chosen = self.default if config is None else self.presets.get(str(config))
        if chosen is None:
            others = " or " + ", ".join(self.presets) if self.presets else ""
            missing = f"no such file, and no preset of this algorithm; give a TOML file with settings{others}"
            values = toml_values(Path(str(config)), missing, "patience = 80")
            chosen = changed(self.default, values, str(config))
        return changed(chosen, changes, "settings")
