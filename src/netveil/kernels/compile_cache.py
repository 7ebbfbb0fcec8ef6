"""Compiled kernels on disk: numba's cache, with our folder, our key and one file for each compiled signature.

numba itself keeps caches beside the sources, and to tell whether one is fresh it looks at the file of that
function alone, not at what the function calls. Here there is a folder for each state of the sources and of
what compiles them, ROOT/cpython-311-numba-0.68.1-0123456789abcdef/, and older ones go. Compiled code is
executed when it is loaded, so nothing is loaded that others could have written.
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
NAME = re.compile(r"([a-z]+-\d+[a-z]*-numba-\d[\w.+]*)-[0-9a-f]{16}")
"""Group 1 tells Python and numba; the rest is the key. Nothing with another name is ever removed."""

CODE_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
"""What numba can be told (NUMBA_OPT=1, …) that changes the code it makes; the CPU is in its own key."""

UNUSED = 30 * 24 * 3600  # seconds without a start after which a folder is removed
NEWEST_KEPT = 5  # folders of this Python and numba that stay in any case: each edit of a kernel makes one
IN_USE = 3600  # seconds after a start in which a folder counts as in use, and stays


@cache
def kept_folder() -> Path | None:
    """The folder for the kernels of this process, made if need be; None where there is no safe place."""
    from numba import config

    chosen: str = getattr(config, "CACHE_DIR", "")
    return first_usable(possible_roots(chosen), folder_name(), chosen=bool(chosen))


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
    digest = sha256(repr((llvmlite.__version__, numpy.__version__, settings)).encode())
    for file in files:
        content = file.read_bytes()
        digest.update(f"\n{file.relative_to(sources).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    return f"{python}-numba-{numba.__version__}-{digest.hexdigest()[:16]}"


def possible_roots(chosen: str) -> list[Path]:
    """Places for the folder, best first: NUMBA_CACHE_DIR if chosen, the user's cache, a temporary one."""
    roots = [Path(os.path.realpath(chosen)) / "netveil-kernels"] if chosen else []
    home = _users_cache()
    if home is not None and not _root_at_work_in(home):
        roots.append(Path(os.path.realpath(home)) / "kernels")
    user = f"-{os.geteuid()}" if sys.platform != "win32" else ""
    with suppress(FileNotFoundError):  # no temporary folder can be written
        roots.append(Path(os.path.realpath(tempfile.gettempdir())) / f"netveil-kernels{user}")
    return roots


def first_usable(roots: Iterable[Path], name: str, *, chosen: bool = False) -> Path | None:
    """The folder `name` in the first root that can be used; if it had to be made, older ones are swept."""
    refused: list[str] = []
    for root in roots:
        folder = root / name
        try:
            make_private(root)
            is_new = make_private(folder)
        except OSError as error:
            refused.append(f"{root}: {error.strerror or error}")
            continue
        if is_new:
            sweep(root, name, time.time())
        with suppress(OSError):  # a folder that somebody filled for others need not be ours to write
            os.utime(folder)
        if refused:
            level = logging.INFO if is_new or chosen else logging.DEBUG
            log.log(level, "compiled code is kept in %s (not in %s)", root, "; ".join(refused))
        return folder
    log.warning(
        "compiled code is not kept, so that each run compiles anew (%s). "
        "Set NUMBA_CACHE_DIR to a folder that only you can write to.",
        "; ".join(refused) or "there is neither a home nor a temporary folder",
    )
    return None


def make_private(folder: Path) -> bool:
    """Make a folder for this user alone; returns whether it is new. OSError if others could write to it."""
    is_new = False
    if not os.path.lexists(folder):
        for missing in [above for above in reversed(folder.parents) if not above.exists()]:
            with suppress(FileExistsError):
                missing.mkdir(mode=0o700)
        with suppress(FileExistsError):  # another process made it this moment
            folder.mkdir(mode=0o700)
            is_new = True
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError("not a folder")
    if not only_we_write(status):
        raise PermissionError("others can write to it")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise PermissionError("cannot be read")
    return is_new


def only_we_write(status: os.stat_result) -> bool:
    """Whether nobody but this user, and root, can have written to a file or folder."""
    if sys.platform == "win32":  # where users' folders are private, and modes tell nothing
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def sweep(root: Path, current: str, now: float) -> None:
    """Remove folders of other keys that nobody has used for long, and of this Python and numba all but a few.

    A process that still has one loses nothing but time: what it does not find it compiles, and it makes the
    folder again.
    """
    siblings = []
    for entry in os.scandir(root):
        with suppress(OSError):  # another process swept it this moment
            status = entry.stat(follow_symlinks=False)
            ours = sys.platform == "win32" or status.st_uid == os.geteuid()
            if ours and stat.S_ISDIR(status.st_mode) and NAME.fullmatch(entry.name) and entry.name != current:
                siblings.append((now - status.st_mtime, entry))
    siblings.sort(key=lambda sibling: sibling[0])
    same_compiler = 0
    for age, entry in siblings:
        same_compiler += _compiler(entry.name) == _compiler(current)
        superseded = _compiler(entry.name) == _compiler(current) and same_compiler > NEWEST_KEPT
        if age > UNUSED or (superseded and age > IN_USE):
            shutil.rmtree(entry.path, ignore_errors=True)


def _compiler(name: str) -> str:
    matched = NAME.fullmatch(name)
    return matched[1] if matched else ""


def _users_cache() -> Path | None:
    """Our folder among the user's caches on this system; None for a user without a home."""
    from platformdirs import user_cache_dir

    try:
        folder = Path(user_cache_dir("netveil", appauthor=False, opinion=False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # older platformdirs leave "~" as it is


def _root_at_work_in(folder: Path) -> bool:
    """Whether this is root in another user's home, as by sudo: what root makes there locks the owner out."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return False
    existing = next(above for above in (folder, *folder.parents) if above.exists())
    return existing.stat().st_uid != 0


DIGEST_BYTES = 32


class KernelCache(caching.FunctionCache):
    """Cache of one function: numba asks it for compiled code before it compiles, and hands new code over."""

    announced = False  # that something is compiled: once is enough
    told = False  # that nothing can be written

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = lambda function: _Impl(function, folder)
        super().__init__(function)
        self._folder = folder
        self._cache_file = CompiledFiles(folder, self._impl.filename_base)

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
                reason = error.strerror or error
                log.warning(
                    "compiled code cannot be kept in %s (%s): later runs compile it again",
                    self._folder,
                    reason,
                )


class CompiledFiles:
    """One file for each key (signature and CPU) of a function: a checksum, then the key with its code.

    numba numbers the files and keeps an index. Processes that compile different signatures at the same time
    then take the same number, and one may find the code of the other under its own key.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name

    def path(self, key: Any) -> Path:
        """The file of a key. Names might collide, in theory: the file has the key itself too."""
        return self.folder / f"{self.name}.{sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def load(self, key: Any) -> Any:
        """Read the data saved under a key; None if there is none, or none to trust."""
        try:
            with self.path(key).open("rb") as file:
                # Of the open file: a look at its folder could be outdated when the file is read.
                trusted = only_we_write(os.fstat(file.fileno()))
                content = file.read() if trusted else b""
        except OSError:
            return None
        body = memoryview(content)[DIGEST_BYTES:]
        if sha256(body).digest() != content[:DIGEST_BYTES]:
            return None  # not trusted, or cut short by a full disk or a crash
        saved_key, data = pickle.loads(body)
        return data if saved_key == key else None

    def save(self, key: Any, data: Any) -> None:
        """Write a file at once, so that another process sees all of it or nothing."""
        body = dumps((key, data))
        file = self.path(key)
        unfinished = file.with_suffix(f".{uuid4().hex[:16]}.tmp")
        try:
            with open(unfinished, "xb", opener=_private) as opened:
                opened.write(sha256(body).digest() + body)
            unfinished.replace(file)
        finally:
            with suppress(OSError):
                unfinished.unlink()

    def flush(self) -> None:
        """Forget this function's code (numba's `recompile`)."""
        for file in self.folder.glob(f"{self.name}.*.nbc"):
            file.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


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
