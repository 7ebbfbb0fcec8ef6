"""Entries of registries that are not netveil's: found by `module:object` or in other packages, and checked.

docs/extending.md tells how to write one. `Registry` in `registries.py` keeps them beside netveil's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.errors import SettingError, on_command_line, shown_value

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "netveil"
"""Group of entry points by which a package brings entries, each named by its kind: `algorithm.draws`."""

_refused: ContextVar[bool] = ContextVar("user code is refused", default=False)
_said: set[str] = set()  # names of which was said where their code is

_MEMBERS: dict[str, tuple[Any, str]] = {
    "str": (str, "a text"),
    "bool": (bool, "True or False"),
    "tuple": (tuple, "a tuple"),
    "type": (type, "a class"),
    "Callable": (Callable, "a function"),
}
"""Values that a member must have whose annotation begins so."""


def checked(given: Any, kind: str, contract: str, from_function: str, name: str | None) -> Any:
    """Check that an entry has all members of its kind; instantiate a class, wrap a function.

    `contract` is the place of the class or protocol of such entries; `from_function` of what makes one of a
    function, where a function will do. Messages call it by `name`, or by its own.
    """
    wanted = found_at(contract)
    name = name or getattr(given, "__name__", None) or getattr(given, "name", None) or shown_value(given)
    methods, of = _methods(wanted), f"{wanted.__module__}.{wanted.__name__}"
    entry = given
    if from_function and callable(given) and not all(hasattr(given, each) for each in methods):
        return found_at(from_function)(given, name)
    if isinstance(given, type):
        try:
            entry = given()
        except TypeError as error:
            raise SettingError(f"{kind} {name}: {error}; give an instance, or complete the class.") from None
    protocol = getattr(wanted, "_is_protocol", False)
    if not (any(hasattr(entry, each) for each in methods) if protocol else isinstance(entry, wanted)):
        also = "a function, " if from_function else ""
        raise SettingError(
            f"{kind} {name}: give a name, {also}or an object of {of}, not of {type(entry).__name__}."
        )
    for member, method in methods.items():
        _check_method(getattr(entry, member, None), method, f"{kind} {name}", member)
    for member, annotation in wanted.__annotations__.items():
        value = getattr(entry, member, None)
        leading = annotation.removeprefix("ClassVar[").partition("[")[0].strip("]")
        needed, words = _MEMBERS.get(leading, (object, "a value"))
        optional = value is None and "None" in annotation
        if not optional and (value is None or value == "" or not isinstance(value, needed)):
            raise SettingError(
                f"{kind} {name}: its {member} is {shown_value(value)}, and must be {words}; correct it: "
                f"{of} has all that is needed."
            )
    return entry


def _methods(wanted: type) -> dict[str, Callable[..., Any]]:
    """Methods that an entry must have; none for records, whose members are fields."""
    public = {} if hasattr(wanted, "__dataclass_fields__") else vars(wanted)
    return {name: value for name, value in public.items() if name[0] != "_" and hasattr(value, "__code__")}


def _check_method(found: Any, wanted: Callable[..., Any], of: str, name: str) -> None:
    """Raise unless a method can be called as netveil calls it."""
    from inspect import signature

    arguments = list(signature(wanted).parameters)[1:]
    try:
        signature(found).bind(*arguments)
    except TypeError:
        called = f"{name}({', '.join(arguments)})"
        raise SettingError(f"{of}: it has no method {called}; give it one.") from None
    except ValueError:  # of what is not written in Python, whose arguments nobody knows
        return


def renamed(entry: Any, name: str) -> Any:
    """An entry under the name by which it is found."""
    from copy import copy

    attribute = "name" if hasattr(entry, "name") else "kind"
    if getattr(entry, attribute) == name:
        return entry
    entry = copy(entry)
    object.__setattr__(entry, attribute, name)  # records are frozen
    return entry


def found_at(place: str) -> Any:
    """Import the object at `module:name` below netveil."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"netveil.{module}"), name)


# Packages that are installed beside netveil.


@cache
def installed(kind: str) -> dict[str, EntryPoint]:
    """Entries of one kind that other packages bring, by name. They are imported when they are looked up."""
    return {point.name.partition(".")[2]: point for point in _points() if point.name.startswith(f"{kind}.")}


@cache
def _points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def loaded(kind: str, name: str) -> Any:
    """Load the entry of another package by its name; KeyError if there is none."""
    point = installed(kind)[name]
    try:
        with redirect_stdout(sys.stderr):
            return point.load()
    except (Exception, SystemExit) as error:
        package = point.dist.name if point.dist is not None else point.module
        raise SettingError(
            f"{kind} {name} of the package {package} cannot be imported: {in_one_line(error)}; repair or "
            f"uninstall the package."
        ) from error


# Code that a user names: `module:object`.


def imported(kind: str, name: str) -> Any:
    """Import the object that `module:object` names; the module may be a file in the current folder."""
    if _refused.get():
        raise SettingError(
            f"{kind} {name} is code of a user, which is refused here{on_command_line(' (--no-user-code)')}. "
            f"Choose a {kind} of netveil."
        )
    from pkgutil import resolve_name

    try:
        with _current_folder_first(), redirect_stdout(sys.stderr):
            found = resolve_name(name)
    except (Exception, SystemExit) as error:
        raise SettingError(
            f"{kind} {name}: {in_one_line(error)}; write module:object, and run netveil in the folder of the "
            f"module, or install it."
        ) from error
    module = name.partition(":")[0]
    _say_once(kind, name, getattr(sys.modules[module], "__file__", None) or module)
    return found


@contextmanager
def user_code_refused() -> Iterator[None]:
    """Refuse to import by `module:object` inside the block; other additions work as usual."""
    before = _refused.set(True)
    try:
        yield
    finally:
        _refused.reset(before)


def _say_once(kind: str, name: str, file: str) -> None:
    """Log the file of user code when it is first imported: a plan may be somebody else's."""
    import logging

    if name not in _said:
        _said.add(name)
        logging.getLogger("netveil").info(
            "%s %s runs code of %s, with your rights: name none that you do not trust", kind, name, file
        )


@contextmanager
def _current_folder_first() -> Iterator[None]:
    """Search modules in the current folder first; afterwards last, where a user's random.py does no harm."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def in_one_line(error: BaseException) -> str:
    """The kind of an error and what it says."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
