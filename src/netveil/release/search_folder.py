"""A folder for what a search will find, with a hidden one beside it for what it has found so far.

The hidden one, .NAME.unfinished, is made before the search and goes when there is a result. A process holds
it as long as it works, so that no other takes it for left over.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from netveil.errors import FileError, NetworkError, SettingError, option
from netveil.files.hidden import Hold, InUseError, sweep
from netveil.files.json_records import DamagedRecordError
from netveil.files.staging import OUT, OutputFolder, check_own
from netveil.files.storage import write_whole
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.kept import (
    BEST,
    Kept,
    asked_of,
    best_record,
    check_of,
    found_record,
    is_released,
    read_kept,
    release_kept,
)
from netveil.release.recorded import read_run
from netveil.release.release import Release
from netveil.search import Request

log = logging.getLogger("netveil")

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SearchFolder(OutputFolder):
    """Where the result of a search is going to be: claimed before the search, filled after it."""

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self._made: list[Path] = []  # folders that were not there before, innermost first
        self.is_written = False  # whether the result is in it
        self._hold: Hold | None = None  # on the hidden folder, while it is claimed
        super().__init__(path, overwrite=overwrite)

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay, or another process is at it."""
        if self._hold is None:
            with self.telling():
                self._sweep_unfinished()
        super().check()

    def _sweep_unfinished(self) -> None:
        """Remove a hidden folder of which nothing is to be kept; raise if it is not ours, or in use."""
        if not os.path.lexists(self.unfinished):
            return
        check_own(self.unfinished, {BEST})
        hold = self._held()
        try:
            sweep(self.unfinished)
            if not self.was_cut_off() or self._is_released():
                shutil.rmtree(self.unfinished, ignore_errors=True)
        finally:
            hold.end()

    def _is_released(self) -> bool:
        """Whether the release that is there came of what was kept: a process was killed right after it."""
        try:
            return is_released(read_kept(self.unfinished / BEST), read_run(self.path))
        except (OSError, DamagedRecordError, FileError):
            return False

    def _held(self) -> Hold:
        try:
            return Hold(self.unfinished)
        except InUseError:
            raise FileError(
                f"{self.path}: another netveil is working on it. Wait for that, or choose another "
                f"folder{OUT}."
            ) from None

    def claim(self) -> None:
        """Make the hidden folder of the search; fails now, not after the search, if it cannot be written."""
        if self._hold is not None:
            return
        try:
            with self.telling():
                folders = (self.unfinished, *self.unfinished.parents)
                self._made += (folder for folder in folders if not folder.exists())
                while self._hold is None:
                    # It holds the edges to be deleted: private, like what comes of it.
                    with suppress(FileExistsError):
                        self.unfinished.mkdir(mode=0o700, parents=True)
                    with suppress(FileNotFoundError):  # another process has swept it before it was held
                        check_own(self.unfinished, {BEST})
                        if not os.access(self.unfinished, os.W_OK):
                            raise PermissionError
                        self._hold = self._held()
        except FileError:
            self.abandon()
            raise

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Claim the folder for what is done inside; if that fails, the claim is undone."""
        self.claim()
        try:
            yield
        except BaseException:  # an error, or a second Ctrl-C
            self.abandon()
            raise

    def where_to_go_on(self, network: Network, *, resume: bool) -> IntVector | None:
        """The best of a search that was cut off here, if it is to be resumed; raises if nobody said so."""
        if self.was_cut_off() and not (resume or self.overwrite):
            raise SettingError(
                f"{self.path}: an earlier search was cut off here; go on from its best "
                f"({option('resume', True)}), or start anew ({option('overwrite', True)})."
            )
        return self.best_of_unfinished(network) if resume else None

    def keep_best(self, network: Network, deleted_edges: IntVector, at_risk: int) -> None:
        """Keep the best solution so far, for `best_of_unfinished` after a crash."""
        self._keep(best_record(network, deleted_edges, at_risk))

    def keep_found(self, release: Release, request: Request) -> None:
        """Keep all that a search found, for `found_by_unfinished` after a crash."""
        self._keep(found_record(release, asked_of(request)))

    def _keep(self, record: dict[str, Any]) -> None:
        with suppress(OSError):  # a search goes on though a full disk leaves it without a net
            write_whole(json.dumps(record).encode(), self.unfinished / BEST, private=True)

    def best_of_unfinished(self, network: Network) -> IntVector | None:
        """The edges that a search for this folder was to delete when it was cut off, if one was."""
        kept = self._kept(network)
        return None if kept is None else kept.deleted_edges

    def found_by_unfinished(self, network: Network, request: Request) -> Release | None:
        """The release that a search for this request had found, if it had come to its end."""
        kept = self._kept(network)
        try:
            return None if kept is None else release_kept(kept, network, request)
        except DamagedRecordError as damage:
            self._tell_damage(damage)
            return None

    def _kept(self, network: Network) -> Kept | None:
        """What was kept of a search for this network; one line if it is damaged, as if there were nothing."""
        try:
            kept = read_kept(self.unfinished / BEST)
            if kept.fingerprint != network.fingerprint:
                raise NetworkError(
                    f"{self.path}: the search that was cut off here was about another network. "
                    f"Give that network, or leave out {option('resume', True)}."
                )
            check_of(kept, network)
        except OSError:
            return None
        except DamagedRecordError as damage:
            self._tell_damage(damage)
            return None
        return kept

    def _tell_damage(self, damage: DamagedRecordError) -> None:
        log.warning("warning: %s is damaged: %s. It is left aside.", self.unfinished / BEST, damage)

    def was_cut_off(self) -> bool:
        """Whether an earlier search for this folder left a solution behind."""
        try:
            return (self.unfinished / BEST).is_file()
        except OSError:  # a name that cannot be
            return False

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line, which says how to go on from what is kept."""
        try:
            yield
        except OSError as error:
            reason = f": {error.strerror}" if error.strerror else ""
            room = "Make room" if error.errno in NO_ROOM else f"Choose another folder{OUT}"
            go_on = (
                f"; what the search found is kept, and {option('resume', True)} goes on from it"
                if self._hold is not None and self.was_cut_off()
                else ""
            )
            raise FileError(f"{self.path} cannot be written{reason}. {room}{go_on}.") from None

    def forget(self) -> None:
        """Remove what was kept: there is a result."""
        self.is_written = True
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self._let_go()

    def abandon(self) -> None:
        """Undo the claim, unless a best is kept, of this or an earlier search: one may go on from it."""
        is_ours = self._hold is not None
        if is_ours and not self.was_cut_off():
            shutil.rmtree(self.unfinished, ignore_errors=True)
        self._let_go()
        for folder in self._made:
            with suppress(OSError):  # gone already, or somebody else has put something in it
                folder.rmdir()

    def _let_go(self) -> None:
        if self._hold is not None:
            self._hold.end()
            self._hold = None
