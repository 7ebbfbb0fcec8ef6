"""Compiled kernels on disk: numba's cache, with our folder, our key and one file for each compiled signature.

numba itself keeps caches beside the sources, and to tell whether one is fresh it looks at the file of that
function alone, not at what the function calls. Here there is a folder for each state of the sources and of
what compiles them, ROOT/cpython-311-numba-0.68.1-0123456789abcdef/. Compiled code is executed when it is
loaded, so a folder that others could write to is never used.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from numba.core import caching
from numba.core.serialize import dumps

log = logging.getLogger("netveil")

SOURCES = Path(__file__).parent
NAME = re.compile(r"[a-z]+-\d+[a-z]*-numba-\d[\w.+]*-[0-9a-f]{16}")
"""Names of our folders. Nothing with another name is ever removed."""

CODE_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
"""What numba can be told (NUMBA_OPT=1, …) that changes the code it makes; the CPU is in its own key."""

UNUSED = 14 * 24 * 3600  # seconds without a start after which a folder is removed


@cache
def kept_folder() -> Path | None:
    """The folder for the kernels of this process, made if need be; None where there is no safe place."""
    from numba import config

    return first_usable(possible_roots(getattr(config, "CACHE_DIR", "")), folder_name())


def folder_name(sources: Path = SOURCES) -> str:
    """Name of the folder for these sources and the Python and numba that run: if any changes, another one.

    A kernel is compiled with all that it calls, so each depends on every source.
    """
    import llvmlite
    import numba
    import numpy

    files = sorted(sources.rglob("*.py"))
    if not files:
        raise FileNotFoundError(f"no sources in {sources}")  # in an archive, say: numba has its own way
    settings = [str(getattr(numba.config, name, None)) for name in CODE_SETTINGS]
    contents = [(file.relative_to(sources).as_posix(), file.read_bytes()) for file in files]
    digest = sha256(repr((llvmlite.__version__, numpy.__version__, settings, contents)).encode())
    return f"{sys.implementation.cache_tag}-numba-{numba.__version__}-{digest.hexdigest()[:16]}"


def possible_roots(chosen: str) -> list[Path]:
    """Places for the folder, best first: NUMBA_CACHE_DIR if chosen, the user's cache, a temporary one."""
    from platformdirs import user_cache_path

    roots = [Path(os.path.realpath(chosen)) / "netveil-kernels"] if chosen else []
    with suppress(RuntimeError):  # a user without a home, for whom platformdirs may also leave "~" as it is
        home = user_cache_path("netveil", appauthor=False, opinion=False)
        roots += [Path(os.path.realpath(home)) / "kernels"] if home.is_absolute() else []
    with suppress(FileNotFoundError):  # no temporary folder can be written
        user = f"-{os.geteuid()}" if sys.platform != "win32" else ""
        roots.append(Path(os.path.realpath(tempfile.gettempdir())) / f"netveil-kernels{user}")
    return roots


def first_usable(roots: Iterable[Path], name: str) -> Path | None:
    """The folder `name` in the first root that can be used; if it had to be made, unused ones are removed."""
    refused: list[str] = []
    for root in roots:
        folder = root / name
        try:
            is_new = not folder.exists()
            make_private(root)
            make_private(folder)
        except OSError as error:
            refused.append(f"{root}: {error.strerror or error}")
            continue
        if is_new:
            sweep(root, time.time())
        with suppress(OSError):  # a folder that somebody filled for others need not be ours to write
            os.utime(folder)
        if refused:
            log.info("compiled code is kept in %s (not in %s)", root, "; ".join(refused))
        return folder
    log.warning(
        "compiled code is not kept, so that each run compiles anew (%s). "
        "Set NUMBA_CACHE_DIR to a folder that only you can write to.",
        "; ".join(refused) or "there is neither a home nor a temporary folder",
    )
    return None


def make_private(folder: Path) -> None:
    """Make a folder for this user alone; OSError if it is there and others than root and we can write to it.

    On Windows users' folders are private, and modes tell nothing.
    """
    for missing in [above for above in (*reversed(folder.parents), folder) if not os.path.lexists(above)]:
        missing.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError("not a folder")
    if sys.platform != "win32" and (
        status.st_uid not in (os.geteuid(), 0) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise PermissionError("others can write to it")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise PermissionError("cannot be read")


def sweep(root: Path, now: float) -> None:
    """Remove folders of compiled code that no start has used for long.

    A process that still has one loses nothing but time: what it does not find it compiles.
    """
    for entry in os.scandir(root):
        with suppress(OSError):  # another process swept it this moment
            is_ours = NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            if is_ours and now - entry.stat(follow_symlinks=False).st_mtime > UNUSED:
                shutil.rmtree(entry.path, ignore_errors=True)


class KernelCache(caching.FunctionCache):
    """Cache of one function: numba asks it for compiled code before it compiles, and hands new code over.

    There is one file for each key (signature and CPU). numba numbers the files and keeps an index: processes
    that compile different signatures at the same time then take the same number, and one may find the code
    of the other under its own key.
    """

    announced = False  # that something is compiled: once is enough
    told = False  # that nothing can be written

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = lambda function: _Impl(function, folder)
        super().__init__(function)
        self._folder = folder
        self._cache_file = self  # of which numba asks load, save and flush

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for a signature, or None; a file that cannot be read is none, and is written anew."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:
            log.debug("not loaded: %s: %s", self, error)
        if found is None and not KernelCache.announced:
            KernelCache.announced = True
            log.info("compiling for this machine (first run only) …")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code for a signature, unless sources changed since: it may be of the new ones."""
        try:
            if folder_name() == self._folder.name:
                super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache.told:
                KernelCache.told = True
                log.warning(
                    "compiled code cannot be kept in %s (%s): later runs compile it again",
                    self._folder,
                    error.strerror or error,
                )

    def path(self, key: Any) -> Path:
        """The file of a key."""
        return self._folder / f"{self._impl.filename_base}.{sha256(repr(key).encode()).hexdigest()[:32]}.nbc"

    def load(self, key: Any) -> Any:
        """Read what was saved under a key; None if nothing was."""
        with suppress(FileNotFoundError):
            return pickle.loads(self.path(key).read_bytes())
        return None

    def save(self, key: Any, data: Any) -> None:
        """Write a file at once, so that another process sees all of it or nothing."""
        unfinished = self.path(key).with_suffix(f".{uuid4().hex[:16]}.tmp")
        try:
            unfinished.write_bytes(dumps(data))
            unfinished.replace(self.path(key))
        finally:
            unfinished.unlink(missing_ok=True)

    def flush(self) -> None:
        """Forget this function's code (numba's `recompile`)."""
        for file in self._folder.glob(f"{self._impl.filename_base}.*.nbc"):
            file.unlink(missing_ok=True)


class _Impl(caching.CompileResultCacheImpl):
    """Names the files of a function; its constructor replaces numba's search for a writable place."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function, folder)
        # Modules in different folders may have the same name, so it has all of the path.
        name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._filename_base = f"{name.removeprefix('netveil.kernels.')}-{self._lineno}"


class _Locator(caching._CacheLocator):
    """Tells numba the folder. Whether what is there is fresh is in the folder's name."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._py_file = function.__code__.co_filename  # for numba's warnings
        self._folder = folder

    def ensure_cache_path(self) -> None:
        make_private(self._folder)  # again, if it was deleted or swept meanwhile

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return ""
