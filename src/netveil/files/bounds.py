"""How much is read: no file fills the memory, be it packed, endless or a few bytes that announce much.

What is too much, in bytes:

- a file that is as large as it is: more than the memory that is free, unless it is read part by part: then
  what is made of it must fit
- what has no size beforehand, such as a pipe or a device: more than MOST_OF_A_STREAM
- what is packed: more than MOST_TIMES its size, where that is more than MOST_UNPACKED_ANYWAY

Whoever sets NETVEIL_LARGEST_FILE says one bound for all of these.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from netveil.errors import FileError, SettingError

VARIABLE = "NETVEIL_LARGEST_FILE"

MOST_OF_A_STREAM = 1 << 30
"""Bytes of what says nothing of its size."""

MOST_UNPACKED_ANYWAY = 1 << 28
MOST_TIMES = 100
"""A packed file may grow to so many bytes, or to so many times its size: tables of ties grow twenty times."""

MOST_CELLS_ANYWAY = 10_000_000
MOST_CELLS_PER_CELL = 20
"""For each cell of a table that is written, so many may be empty, in a large one."""

_SIZE = re.compile(r"(\d{1,15})\s*+([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII).fullmatch
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_FREE = re.compile(r"^MemAvailable:\s++(\d++) kB$", re.MULTILINE | re.ASCII)


def set_by_user() -> int | None:
    """The bound that NETVEIL_LARGEST_FILE says; None where it is not set."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    size = _SIZE(text)
    if size is None or not int(size.group(1)):
        raise SettingError(f"{VARIABLE} = {text}: give a number of bytes, such as 8000000000 or 8G.")
    return int(size.group(1)) << _UNITS[size.group(2).lower()]


def free_memory() -> int:
    """Bytes of memory that are free, as far as the system tells, within what this process may take."""
    try:
        told = _FREE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
        free = int(told.group(1)) * 1024 if told else _all_memory()
    except OSError:
        free = _all_memory()
    return min(free, *_limits())


def _all_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows
        return 1 << 62


def _limits() -> tuple[int, ...]:
    """What a shell (`ulimit -v`) and a container allow; one that is no limit is very large."""
    allowed = [1 << 62]
    try:
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        allowed += [soft] * (soft != resource.RLIM_INFINITY)
    except (ImportError, OSError):  # Windows
        pass
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        allowed += [int(text)] * text.isdecimal()
    except OSError:
        pass
    return tuple(allowed)


def check_size(size: int, file: str, *, in_parts: bool = False) -> None:
    """Raise if a file of this size is too large to be read; `in_parts`, it need not fit into memory."""
    chosen = set_by_user()
    if in_parts and chosen is None:
        return
    bound = free_memory() if chosen is None else chosen
    if size > bound:
        why = f"{bound:,} bytes of memory are free" if chosen is None else f"{VARIABLE} allows {bound:,}"
        raise FileError(
            f"{file} has {size:,} bytes, and {why}. Take a machine with more memory, or set {VARIABLE} "
            f"to more bytes, such as {_more(size)}."
        )


def check_ties(ties: int, needed: int, file: str) -> None:
    """Raise if a file has so many ties that what is made of them, `needed` bytes, does not fit."""
    free = free_memory()
    if needed > free:
        raise FileError(
            f"{file} has about {ties:,} ties, which take {needed / 1e9:,.1f} GB of memory, and "
            f"{free / 1e9:,.1f} GB are free. Take a machine with more memory, or cut it into blocks there "
            f"(`netveil blocks`), which can be counted with little."
        )


def most_of_a_stream() -> int:
    """Bytes that are read of what has no size beforehand."""
    chosen = set_by_user()
    return min(MOST_OF_A_STREAM, free_memory()) if chosen is None else chosen


def endless(file: str, bound: int) -> FileError:
    """Error for a stream that goes on after so many bytes."""
    return FileError(
        f"{file} goes on after {bound:,} bytes, which is all that is read of a pipe or a device. "
        f"Save it as a file and give that, or set {VARIABLE} to more bytes, such as {_more(bound)}."
    )


def most_unpacked(packed: int) -> int:
    """Bytes that a packed file of this size may hold."""
    chosen = set_by_user()
    if chosen is not None:
        return chosen
    return min(max(MOST_UNPACKED_ANYWAY, MOST_TIMES * packed), free_memory())


def unpacks_to_too_much(file: str, packed: int, bound: int) -> FileError:
    """Error for a packed file that holds more than that."""
    return FileError(
        f"{file} has {packed:,} bytes and unpacks to more than {bound:,}, as files do that are made to fill "
        f"a memory. If it is right, set {VARIABLE} to more bytes, such as {_more(bound)}."
    )


def are_too_sparse(rows: int, width: int, cells: int) -> bool:
    """Whether a table of so many rows and columns would be mostly empty: `cells` are written in the file."""
    return rows * width > max(MOST_CELLS_ANYWAY, MOST_CELLS_PER_CELL * cells)


def _more(size: int) -> str:
    """A bound that is well above a size, as users give it.

    >>> _more(5_000_000_000)
    '8G'
    """
    return f"{1 << max(size >> 30, 1).bit_length()}G"
