"""Errors and warnings for users, worded for Python or for the command line.

NetveilError                 any mistake of the user: one line, exit code 2
├── FileError                a file that cannot be read or written, or does not hold a network
├── NetworkError             a network that does not fit what is asked of it
└── SettingError             an option or argument with a value outside its rule
    └── MissingPackageError  a package that is not installed, and what to install

AttributesWarning            attributes of people or ties that a release carries, or does not
LossWarning                  weights that are ignored, or people without attributes
└── DirectionsWarning        a directed graph whose directions are ignored
NoEffectWarning              an option that changes nothing beside the others
SecondReleaseWarning         a second release of a network, beside the first

Each message names the file and line or the value, the rule and the remedy, and never a person.
Anything else that is raised is a defect of netveil.

A message that names an option says it with `option("overwrite", True)`, never as `--overwrite`: whoever calls
netveil from Python reads `overwrite=True` (`str(error)`), and the command line prints `--overwrite`
(`error.for_command_line()`). What only the command line has stands in `on_command_line(" (--out)")`.

A message about something that has a page of the documentation says what (`about="table"`); the command line
ends it with the address of that page on the site (`PAGES`).

Messages quote names from files, archives and servers. Whatever these hold, a message is one line of bounded
length without a character that a terminal would act on (`plain`).
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from types import FrameType
from typing import Any

_MARKED = re.compile("\x02([^\x02\x03\x1f]*+)\x1f([^\x02\x03\x1f]*+)\x03")

LONGEST_MESSAGE = 2000
"""Largest number of characters of a message; longer ones lose their middle."""

PAGES = {
    "algorithm": "guide.html#options-of-anonymize",
    "figure": "synthetic.html#figures-that-must-be-kept",
    "format": "guide.html#networks",
    "limit": "guide.html#what-must-be-kept",
    "measure": "measures.html",
    "memory": "scale.html",
    "metric": "utility.html",
    "network": "networks.html",
    "package": "how-to/install.html",
    "policy": "deciding.html#a-policy",
    "study": "experiments.html",
    "table": "guide.html#tables",
}
"""Page of the documentation for each thing that an error may be about."""

# Line ends, colours and cursors of terminals, what turns the direction of letters, and halves of characters.
_NOT_PLAIN = re.compile("[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def plain(text: str, longest: int = LONGEST_MESSAGE) -> str:
    r"""Make a text one line of bounded length; escape what a terminal would not show as it is.

    >>> plain("a\x1b[31m\nb"), plain("x" * 5000, 9)
    ('a\\x1b[31m\\nb', 'xxxxxx…xx')
    """
    if len(text) > longest:
        end = longest // 4
        text = f"{text[: longest - end - 1]}…{text[len(text) - end :]}"
    return _NOT_PLAIN.sub(lambda character: character.group().encode("unicode_escape").decode(), text)


def option(name: str, value: Any = None) -> str:
    """Mark an option in a message, to be worded for Python or for the command line.

    >>> in_python(f"Overwrite it ({option('overwrite', True)}), or name a format: {option('format', 'gml')}.")
    "Overwrite it (overwrite=True), or name a format: format='gml'."
    >>> for_command_line(f"Give its budget, such as {option('budget', '1%')}.")
    'Give its budget, such as --budget 1%.'
    >>> in_python(option("header", False)), for_command_line(option("header", False))
    ('header=False', '--no-header')
    >>> in_python(f"Give {option('labels')}."), for_command_line(f"Give {option('labels')}.")
    ('Give labels=….', 'Give --labels.')
    """
    typed = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    on_terminal = f"--no-{name}" if value is False else f"--{name}"
    if value is not None and not isinstance(value, bool):
        on_terminal += f" {typed}"
    in_code = "…" if value is None else repr(value)
    return f"\x02{name.replace('-', '_')}={in_code}\x1f{on_terminal}\x03"


def on_command_line(text: str) -> str:
    """Mark a part of a message that only makes sense on the command line."""
    return f"\x02\x1f{text}\x03"


def either_way(in_code: str, on_terminal: str) -> str:
    """Mark a part of a message that is said in two ways.

    >>> for_command_line(f"Try {either_way('nv.load(name)', 'netveil measure NAME')}.")
    'Try netveil measure NAME.'
    """
    return f"\x02{in_code}\x1f{on_terminal}\x03"


def in_python(message: str) -> str:
    """Word a message for Python."""
    return _MARKED.sub(r"\1", message)


def for_command_line(message: str) -> str:
    """Word a message for the command line."""
    return _MARKED.sub(r"\2", message)


class NetveilError(Exception):
    """A mistake of the user; the message says in one line what is wrong, where, and what to do.

    >>> import netveil as nv
    >>> try:
    ...     nv.load("no-such-network")
    ... except nv.NetveilError as error:
    ...     print(error)
    unknown network 'no-such-network': The choice is demo, karate, les-miserables.
    """

    longest = LONGEST_MESSAGE
    about = ""  # what it is about, one of PAGES, or nothing

    def __init__(self, message: str = "", about: str = "") -> None:
        super().__init__(plain(in_python(message), self.longest))
        self.about = about or self.about
        self.message = message  # with options still marked: for another error that quotes this one

    def for_command_line(self) -> str:
        """Write the message with options as they are typed."""
        return plain(for_command_line(self.message), self.longest)

    @property
    def page(self) -> str:
        """Address of the page that says more, relative to the site of the documentation, or nothing.

        >>> SettingError("unknown metric 'x'", about="metric").page
        'utility.html'
        """
        return PAGES.get(self.about, "")

    def add_note(self, note: str) -> None:
        """Add a line below the message, made plain too."""
        super().add_note(plain(note))


class FileError(NetveilError):
    """A file that cannot be read or written, or does not hold a network.

    >>> import netveil as nv
    >>> try:
    ...     nv.read("no-such-file.csv")
    ... except nv.FileError as error:
    ...     print(error)
    no-such-file.csv: there is no such file. Check the name and the folder.
    """


class NetworkError(NetveilError):
    """A network that does not fit what is asked of it.

    >>> import netveil as nv
    >>> try:
    ...     nv.compare(nv.load("karate"), nv.load("demo"))
    ... except nv.NetworkError as error:
    ...     print(str(error).partition(":")[0])
    the networks do not have the same nodes
    """


class SettingError(NetveilError):
    """An option or argument with a value outside its rule.

    >>> import netveil as nv
    >>> try:
    ...     nv.measure("karate", k=0)
    ... except nv.SettingError as error:
    ...     print(error)
    k = 0 protects nobody: a person needs at least one lookalike; give k = 2 or more.
    """


class MissingPackageError(SettingError):
    """A package that is needed for what was asked, and is not installed.

    >>> import netveil as nv
    >>> issubclass(nv.MissingPackageError, nv.SettingError)
    True
    """

    about = "package"


class AttributesWarning(UserWarning):
    """Attributes of people or ties: a release carries some, or leaves them out.

    >>> import warnings
    >>> import netveil as nv
    >>> with warnings.catch_warnings(action="error", category=nv.AttributesWarning):
    ...     network = nv.load("karate")
    """


class LossWarning(UserWarning):
    """Something of a file has no place in the network: weights, or people who have no attributes.

    >>> import warnings
    >>> import netveil as nv
    >>> with warnings.catch_warnings(action="ignore", category=nv.LossWarning):
    ...     network = nv.load("karate")
    """


class DirectionsWarning(LossWarning):
    """A directed graph was given: its directions are ignored.

    >>> import warnings
    >>> import netveil as nv
    >>> with warnings.catch_warnings(action="ignore", category=nv.DirectionsWarning):
    ...     network = nv.load("karate")
    """


class NoEffectWarning(UserWarning):
    """An option that changes nothing: a budget below one edge, an effort beside a time.

    >>> import warnings
    >>> import netveil as nv
    >>> with warnings.catch_warnings(action="ignore", category=nv.NoEffectWarning):
    ...     nv.anonymize("karate", budget="1%", seed=1)
    Release('karate', 15 → 15 at risk, 0 of 78 edges deleted)
    """


class SecondReleaseWarning(UserWarning):
    """A release of the same network is beside the one that is written: two can be laid on each other.

    >>> import warnings
    >>> import netveil as nv
    >>> with warnings.catch_warnings(action="error", category=nv.SecondReleaseWarning):
    ...     network = nv.load("karate")
    """


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called netveil, however many functions of netveil are between."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "netveil":
        frame, level = frame.f_back, level + 1
    warnings.warn(in_python(message), category, stacklevel=level)


@contextmanager
def needing(package: str, what: str, extra: str | None = None) -> Iterator[None]:
    """Turn a missing package, inside the block, into an error that tells what to install.

    `what` needs the package, which netveil's extra of that name installs.

    >>> with needing("no_such_package", "a table", extra="pandas"):
    ...     import no_such_package
    Traceback (most recent call last):
    netveil.errors.MissingPackageError: a table needs no_such_package, which is not installed: pip install 'netveil[pandas]'
    """  # noqa: E501
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise  # a package that this one needs: its installation is broken, which is not for us to tell
        raise MissingPackageError(
            f"{what} needs {package}, which is not installed: pip install 'netveil[{extra or package}]'"
        ) from None


def is_whole(value: object) -> bool:
    """Whether a value given from Python is a whole number, one of numpy's too; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _are_names(value: object) -> bool:
    """Whether a value is a text or an iterable of texts, as far as that can be told without using it up."""
    if isinstance(value, Mapping | bytes) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, Collection) or all(isinstance(each, str) for each in value)


LARGEST_WHOLE = 2**63 - 1

ARGUMENT_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "flag": (
        lambda value: isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"),
        "True or False",
    ),
    "whole": (lambda value: is_whole(value) and abs(int(value)) <= LARGEST_WHOLE, "a whole number"),
    "text": (lambda value: isinstance(value, str), "a text"),
    "names": (_are_names, "a name or a list of names"),
    "pairs": (lambda value: isinstance(value, Mapping), "a dictionary"),
    "file": (lambda value: isinstance(value, str | os.PathLike), "the name of a file or folder"),
}
"""Kinds of arguments: whether a value is of a kind, and what it is called. Numbers of numpy are numbers."""


def check_kinds(given: Mapping[str, Any], **kinds: str) -> None:
    """Raise SettingError for an argument that is not of its kind; with `?` it may be None.

    >>> check_kinds({"seed": "x"}, seed="whole")
    Traceback (most recent call last):
    netveil.errors.SettingError: seed 'x': give a whole number.
    """
    for name, kind in kinds.items():
        value, (is_kind, called) = given[name], ARGUMENT_KINDS[kind.removesuffix("?")]
        if not (value is None and kind.endswith("?")) and not is_kind(value):
            raise SettingError(f"{name} {shown_value(value)}: give {called}.")


def shown_value(value: object) -> str:
    """Show a wrong value in a message: short ones in full, else the type, as values may hold names."""
    if isinstance(value, str | int | float | None) and not (
        isinstance(value, int) and value.bit_length() > 99
    ):
        return plain(repr(value), 60)
    return f"of type {type(value).__name__}"


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SettingError:
    """Error for a name that is not in a registry; suggests the nearest one and lists them all."""
    from difflib import get_close_matches

    names = sorted(known)
    nearest = get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    suggestion = f"did you mean {nearest[0]}? " if nearest else ""
    choice = f"{suggestion}The choice is {', '.join(names)}."
    return SettingError(f"unknown {kind} '{name}': {choice}", about=kind)
