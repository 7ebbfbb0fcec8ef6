"""What can go wrong, as seen by a user.

NetveilError                 any mistake of the user: one line, exit code 2
├── FileError                a file that cannot be read or written, or does not hold a network
├── NetworkError             a network that does not fit what is asked of it
└── SettingError             an option or argument with a value outside its rule

Each message names the file and line or the value, the rule and the remedy, and never a person.
Anything else that is raised is a defect of netveil.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral


class NetveilError(Exception):
    """A mistake of the user; the message says in one line what is wrong, where, and what to do."""


class FileError(NetveilError):
    """A file that cannot be read or written, or does not hold a network."""


class NetworkError(NetveilError):
    """A network that does not fit what is asked of it."""


class SettingError(NetveilError):
    """An option or argument with a value outside its rule."""


def is_whole(value: object) -> bool:
    """Whether a value given from Python is a whole number, one of numpy's too; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SettingError:
    """Error for a name that is not in a registry; suggests the nearest one and lists them all."""
    from difflib import get_close_matches

    names = sorted(known)
    nearest = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    suggestion = f"did you mean {nearest[0]}? " if nearest else ""
    return SettingError(f"unknown {kind} '{name}': {suggestion}The choice is {', '.join(names)}.")
