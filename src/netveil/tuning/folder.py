"""The folder of a tuning, which only its owner can open. It appears whole or not at all.

DIR/winner.toml     the best settings, for `anonymize --config`
DIR/tuning.json     all that happened: `TuningResult.from_dict` reads it
DIR/results.csv     one row for each configuration, the best first
DIR/halving.svg     the figure, and the same as halving.png
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from netveil.files.hidden import hidden_folder
from netveil.files.staging import OutputFolder
from netveil.files.storage import write_new
from netveil.tuning.figure import halving_figure
from netveil.tuning.result import TuningResult
from netveil.tuning.table import preset_text, results_csv

PRESET, RECORD = "winner.toml", "tuning.json"
FILES = {PRESET, RECORD, "results.csv", "halving.svg", "halving.png"}


class TuningFolder(OutputFolder):
    """Where a tuning is going to be: checked before the work, filled after it."""

    kind = "tuning"
    is_private = True

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
        with self.filled() as staging:
            for name, content in contents.items():
                write_new(content, staging / name, private=True)
        return self.path

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay; fails now, not after the work."""
        super().check()
        if self.path.exists():
            return
        made = [folder for folder in self.path.parents if not folder.exists()]
        with self.telling(), hidden_folder(self.path):
            pass
        for folder in made:
            with suppress(OSError):  # another process has put something in it
                folder.rmdir()

    def is_result(self, entries: set[str]) -> bool:
        """Whether these are the files of a tuning, or none."""
        return entries <= FILES and (not entries or RECORD in entries)
