"""All errors in a plan, each with its line, so that they can be corrected in one go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from netveil.errors import FileError, NetveilError
from netveil.experiments.toml_lines import TomlPath


class PlanError(FileError):
    """A plan that cannot be run. `problems` are sentences, one for each thing that is wrong."""

    longest = 20_000

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[str, ...]]]:
        """Pickled by what it was made from."""
        return PlanError, (self.problems,)


class AlreadyNoted(Exception):  # noqa: N818  # not for users
    """An entry cannot be read, and what is wrong with it has been noted."""


@dataclass
class Problems:
    """What was found so far."""

    file: str
    lines: Mapping[TomlPath, int]
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: TomlPath, message: str) -> None:
        """Note a problem with the value there, or with what it should be part of."""
        while path and path not in self.lines:
            path = path[:-1]
        self.found.append((self.lines.get(path, 1), " ".join(message.split())))

    @contextmanager
    def at(self, path: TomlPath) -> Iterator[None]:
        """Note what is raised inside, and go on."""
        try:
            yield
        except NetveilError as error:
            self.add(path, str(error))
        except AlreadyNoted:
            pass

    @contextmanager
    def all_of(self) -> Iterator[None]:
        """Note all that is wrong with an entry inside, and then give it up if there was anything."""
        before = len(self.found)
        yield
        if len(self.found) > before:
            raise AlreadyNoted

    def check(self) -> None:
        """Raise if there are any, in the order of their lines."""
        if self.found:
            in_order = sorted(self.found, key=lambda problem: problem[0])
            raise PlanError([f"{self.file}, line {line}: {message}" for line, message in in_order])
