"""The folder of a tuning. It appears whole or not at all.

DIR/winner.toml     the best settings, for `anonymize --config`
DIR/tuning.json     all that happened: `TuningResult.from_dict` reads it
DIR/results.csv     one row for each configuration, the best first
DIR/halving.svg     the figure, and the same as halving.png
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from netveil.errors import FileError
from netveil.files.staging import hidden_beside, staged_folder
from netveil.tuning.figure import halving_figure
from netveil.tuning.result import TuningResult
from netveil.tuning.table import preset_text, results_csv

PRESET, RECORD = "winner.toml", "tuning.json"
FILES = {PRESET, RECORD, "results.csv", "halving.svg", "halving.png"}


class TuningFolder:
    """Where a tuning is going to be: checked before the work, filled after it."""

    def __init__(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.overwrite = overwrite
        self._check()

    @property
    def preset(self) -> Path:
        """The winner's settings."""
        return self.path / PRESET

    def save(self, result: TuningResult) -> Path:
        """Write everything; an older tuning is replaced in one step, and only if that was asked."""
        figure = halving_figure(result)
        contents = {
            PRESET: preset_text(result).encode(),
            RECORD: (json.dumps(result.to_dict(), ensure_ascii=False) + "\n").encode(
                errors="backslashreplace"
            ),
            "results.csv": results_csv(result).encode(),
            "halving.svg": figure["svg"],
            "halving.png": figure["png"],
        }
        with self._telling(), staged_folder(self.path, replace=self.overwrite) as staging:
            for name, content in contents.items():
                (staging / name).write_bytes(content)
            self._check()  # another process may have written it meanwhile
        return self.path

    def _check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay."""
        if not self.path.name:
            raise FileError(f"'{self.path}' is not a folder that can be made. Give its name with --out.")
        with self._telling():
            if not (self.path.exists() or self.path.is_symlink()):
                self._check_writable()
                return
            if not self.overwrite:
                raise FileError(
                    f"{self.path} exists already. Choose another folder (--out), or overwrite it "
                    f"(--overwrite)."
                )
            if self.path.is_symlink() or not self.path.is_dir() or not self._is_tuning():
                raise FileError(
                    f"{self.path} exists and is not a tuning; it is not overwritten. Choose another (--out)."
                )

    def _is_tuning(self) -> bool:
        entries = {entry.name for entry in self.path.iterdir()}
        return entries <= FILES and (not entries or RECORD in entries)

    def _check_writable(self) -> None:
        """Make a folder beside the one to come, and take it away again: fails now, not after the work."""
        made = [folder for folder in self.path.parents if not folder.exists()]
        trial = hidden_beside(self.path)
        trial.mkdir(parents=True)
        for folder in (trial, *made):
            with suppress(OSError):  # another process has put something in it
                folder.rmdir()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line."""
        try:
            yield
        except OSError as error:
            reason = f": {error.strerror}" if error.strerror else ""
            raise FileError(
                f"{self.path} cannot be written{reason}. Choose another folder (--out)."
            ) from None
