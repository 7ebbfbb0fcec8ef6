"""Tasks: functions that are run somewhere, and what they hand to each other in files that all of them see.

A task is a function of places and numbers. What it finds out it puts into a file that appears whole or not at
all, under a name that follows from the numbers alone: run twice, because a worker died or seemed to, it puts
the same file there again. So nothing is counted twice, and a task that needs what others found reads as much
of it as it needs. What a task returns is small.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import Blocks, open_blocks
from netveil.cores import available_cores
from netveil.errors import FileError, SettingError, option

Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and what to call it with."""

Run: TypeAlias = Callable[[list[Task]], Iterator[tuple[int, Any]]]
"""Runs tasks: yields the number of each, once, and what it returned, in any order."""


def here(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """Run tasks on this machine, one after the other; each counts with all cores, if it can."""
    for number, (function, arguments) in enumerate(tasks):
        try:
            result = function(*arguments, threads=available_cores())
        except MemoryError:
            raise SettingError(
                f"this machine lacks memory for three blocks at once. Cut the network into more "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        yield number, result


class Place(NamedTuple):
    """Where tasks find the blocks, and where they put what they have found: the same for all of them."""

    folder: str
    cutting: str  # of the blocks that are meant
    found: str  # a folder for what is found

    def blocks(self) -> Blocks:
        """The blocks, if they are those that are to be counted."""
        blocks = open_blocks(self.folder)
        if blocks.cutting != self.cutting:
            raise FileError(
                f"{self.folder} holds other blocks than those that are being counted: they were cut again "
                f"meanwhile, or another machine has another folder in this place. Measure again, on a disk "
                f"that all share."
            )
        return blocks

    def put(self, name: str, found: NDArray[Any]) -> None:
        """Write what was found, whole or not at all; whole numbers that are not negative as narrow as can be.

        What is there already was written by the same task, and is the same.
        """
        file = Path(self.found, f"{name}.npy")
        part = file.with_name(f"{name}-{secrets.token_hex(6)}.part")
        try:
            try:
                with part.open("xb") as stream:
                    np.save(stream, narrow(found))
                part.replace(file)
            except BaseException:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise FileError(
                f"{self.found}: what was counted cannot be written there: {error.strerror or error}. It is "
                f"beside the blocks, where all workers must be able to write; make room, or move the blocks."
            ) from None

    def get(self, name: str) -> NDArray[Any]:
        """What was found, mapped into memory: only what is looked at is read."""
        file = Path(self.found, f"{name}.npy")
        try:
            found: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise FileError(
                f"{file}, which another worker wrote, cannot be read: all must see one disk. Measure again."
            ) from None
        return found

    def forget(self, names: str) -> None:
        """Remove what no further task needs, by a pattern of names."""
        for file in Path(self.found).glob(f"{names}.npy"):
            with suppress(OSError):
                file.unlink()


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them; they are not negative.

    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([3, 256])).dtype, narrow(np.array([2**40])).dtype
    (dtype('uint8'), dtype('uint16'), dtype('int64'))
    """
    most = int(numbers.max(initial=0))
    for kind in (np.uint8, np.uint16, np.int32):
        if most <= np.iinfo(kind).max:
            return numbers.astype(kind, copy=False)
    return numbers


class Stages:
    """Runs tasks stage after stage, and tells a listener which share of all of them is done."""

    def __init__(self, run: Run, listener: Callable[[float], None] | None = None) -> None:
        self._run, self._listener = run, listener
        self.tasks = 0  # that were run
        self._expected = 1

    def expect(self, tasks: int) -> None:
        """Say how many tasks there will be."""
        self._expected = max(1, tasks)

    def __call__(self, tasks: list[Task]) -> list[Any]:
        """What each task returned, whatever became of those that ran them; an error if one is missing."""
        results: list[Any] = [None] * len(tasks)
        missing = set(range(len(tasks)))
        for number, result in self._run(tasks):
            missing.remove(number)  # a KeyError, rather than to count anything twice
            results[number] = result
            self.tasks += 1
            if self._listener is not None:
                self._listener(min(1.0, self.tasks / self._expected))
        if missing:
            raise RuntimeError(f"{len(missing)} of {len(tasks)} tasks have no result")
        return results


def place_for(blocks: Blocks, found: Path) -> Place:
    """Where tasks find these blocks, and put what they find into a folder."""
    return Place(os.fspath(blocks.folder.absolute()), blocks.cutting, os.fspath(found.absolute()))
