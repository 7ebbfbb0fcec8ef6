"""Settings of algorithms: frozen records, checked on entry, made from presets, files or words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_type_hints

from netveil.errors import FileError, SettingError, unknown_name


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the settings of every algorithm are made from: a frozen record whose values are checked."""

    def brief(self) -> Self:
        """The same, for a search that is over after a few steps; what every algorithm runs to warm up."""
        return self


SettingsType = TypeVar("SettingsType", bound=Settings)


def check_setting(name: str, value: object, holds: bool, rule: str | tuple[str, ...]) -> None:
    """Raise unless the rule holds: a sentence's end, or the values that are allowed."""
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
        key = name.replace("-", "_")
        if key not in hints:
            raise SettingError(f"{source}: {unknown_name('setting', name, hints)}")
        values[key] = _converted(key, value, hints[key], source)
    return replace(settings, **values)


def from_file(settings: SettingsType, path: Path, presets: Iterable[str] = ()) -> SettingsType:
    """Settings with the values of a TOML file (`patience = 80`) replaced."""
    import tomllib

    from netveil.files.storage import bounded_bytes

    try:
        told = tomllib.loads(bounded_bytes(path).decode())
    except FileNotFoundError:
        raise FileError(
            f"{path}: no such file, and no preset of this algorithm; give a TOML file with settings"
            f"{' or ' + ', '.join(presets) if presets else ''}."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read ({error}); give a TOML file with settings.") from None
    except (ValueError, RecursionError) as error:  # brackets in brackets, or thousands of digits
        raise FileError(f"{path}: not a TOML file: {error}. Write lines such as: patience = 80") from None
    return changed(settings, told, str(path))


def _converted(name: str, value: Any, hint: Any, source: str) -> Any:
    """The value in the type of the setting it replaces; text, as from a command line, is parsed."""
    kinds = get_args(hint) or (hint,)  # `int | Literal["uniform"]` has two
    words = [word for kind in kinds for word in get_args(kind)]
    number = next((kind for kind in kinds if kind in (int, float)), None)
    if number is None:
        return str(value)
    return value if value in words else _number(name, value, number, source)


def _number(name: str, value: Any, kind: type, source: str) -> Any:
    try:
        number = kind(value)
        if isinstance(value, bool) or (not isinstance(value, str) and number != value):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        wanted = "a whole number" if kind is int else "a number"
        raise SettingError(f"{source}: {name} = {value!r} is not {wanted}; give one.") from None
    return number
