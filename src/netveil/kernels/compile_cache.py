"""Compiled kernels on disk: numba's cache, with our folder, our key and one file for each compiled signature.

numba itself keeps caches beside the sources, and to tell whether one is fresh it looks at the file of that
function alone, not at what the function calls.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from numba.core import caching
from numba.core.compiler import Flags
from numba.core.serialize import dumps
from numba.core.targetconfig import ConfigStack

from netveil.kernels.compile_cache_folder import folder_name, make_private, only_we_write

log = logging.getLogger("netveil")

DIGEST_BYTES = 32


class KernelCache(caching.FunctionCache):
    """What numba asks for compiled code of a function before it compiles, and tells afterwards."""

    told = False  # that nothing can be written: once is enough

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = lambda function: _Impl(function, folder)
        super().__init__(function)
        self._folder = folder
        self._cache_file = CompiledFiles(folder, self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for a signature, or None; a file that cannot be read is none, and is written anew.

        Its own settings count, not those of a caller that is being compiled: of an `internal` one no machine
        code is emitted (`quicker_compiling`), and Python would call address 0 here.
        """
        try:
            with ConfigStack().enter(Flags()):
                return super().load_overload(sig, target_context)
        except Exception as error:
            log.debug("not loaded: %s: %s", self, error)
            return None

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
        """What was saved under a key, or None."""
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
