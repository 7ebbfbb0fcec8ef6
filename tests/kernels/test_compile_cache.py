"""The files of compiled kernels: found again, never another's, and never a reason to fail."""

from __future__ import annotations

import errno
import logging
import os
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from netveil.kernels import compile_cache, compiled
from netveil.kernels.compile_cache import CompiledFiles, KernelCache, folder_name, kept_folder, possible_roots

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled, so nothing is kept"
)


def square(number: Any) -> Any:
    """A kernel for the tests below, which give it a cache of its own."""
    return number * number


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for compiled code."""
    made = tmp_path / folder_name()
    made.mkdir(mode=0o700)
    return made


def kept(folder: Path) -> Any:
    """The kernel, not compiled yet in this process."""
    dispatcher = numba.njit(square)
    dispatcher._cache = KernelCache(square, folder)
    return dispatcher


def misses(dispatcher: Any) -> int:
    """How many signatures it had to compile."""
    return sum(dispatcher.stats.cache_misses.values())


def test_a_signature_is_found_again(folder: Path) -> None:
    """Each under its own types."""
    first = kept(folder)
    assert (first(3), first(0.5), misses(first)) == (9, 0.25, 2)
    again = kept(folder)
    assert (again(3), again(0.5), misses(again)) == (9, 0.25, 0)
    assert (again(np.arange(3)).tolist(), misses(again)) == ([0, 1, 4], 1)


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "no code", "folder"])
def test_a_damaged_file_is_compiled_anew(folder: Path, damage: str) -> None:
    """A full disk or a crash may leave one; it is replaced where that can be done."""
    kept(folder)(3)
    (file,) = folder.iterdir()
    content = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage == "no code":
        files = CompiledFiles(folder, "x")
        files.save("key", "no code")
        files.path("key").rename(file)
    else:
        damaged = {"empty": b"", "cut": content[:-1], "changed": content[:-1] + b"x"}
        file.write_bytes(damaged[damage])
        file.chmod(0o600)
    again, then = kept(folder), kept(folder)

    assert (again(3), misses(again)) == (9, 1)
    assert (then(3), misses(then)) == (9, 1 if damage == "folder" else 0)


@pytest.mark.skipif(sys.platform == "win32", reason="modes tell nothing there")
def test_a_file_that_another_may_have_written_is_not_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is loaded is executed."""
    kept(folder)(3)
    (file,) = folder.iterdir()
    if os.geteuid() == 0:
        os.chown(file, 4321, 4321)
    else:
        file.chmod(0o620)
    loaded: list[object] = []
    monkeypatch.setattr(pickle, "loads", loaded.append)
    again = kept(folder)

    assert (again(3), misses(again)) == (9, 1)
    assert not loaded


def test_another_key_under_the_same_name_is_not_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are hashes, and hashes may collide."""
    files = CompiledFiles(folder, "f")
    monkeypatch.setattr(files, "path", lambda key: folder / "one-name-for-all")
    files.save("one", 1)

    assert files.load("one") == 1
    assert files.load("another") is None


def test_what_numba_tells_of_the_processor_is_part_of_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a home that is shared by machines each finds its own code."""
    here = kept(folder)
    here(3)
    codegen = type(here.targetctx.codegen())
    monkeypatch.setattr(codegen, "magic_tuple", lambda self: ("triple", "another processor", ""))
    elsewhere = kept(folder)

    assert (elsewhere(3), misses(elsewhere)) == (9, 1)
    assert len(list(folder.iterdir())) == 2


def test_nothing_is_kept_under_a_name_that_is_no_longer_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source was edited after the process began: what was imported since is not what the name tells."""
    monkeypatch.setattr(compile_cache, "folder_name", lambda: "another")

    assert kept(folder)(3) == 9
    assert not list(folder.iterdir())


def test_a_folder_that_was_swept_is_made_again(folder: Path) -> None:
    """By another process, while this one runs."""
    dispatcher = kept(folder)
    dispatcher(3)
    shutil.rmtree(folder)

    assert dispatcher(0.5) == 0.25
    assert len(list(folder.iterdir())) == 1


@pytest.fixture
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no failure had been told yet, but that something is compiled had been."""
    monkeypatch.setattr(KernelCache, "told", False)
    monkeypatch.setattr(compiled._AnnounceOnce, "announced", True)


@pytest.mark.usefixtures("nothing_told")
def test_a_full_disk_is_told_once_and_no_reason_to_fail(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is a folder that was filled for others to read."""

    def full(self: Path, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    dispatcher = kept(folder)

    assert (dispatcher(3), dispatcher(0.5)) == (9, 0.25)
    assert not list(folder.iterdir()), "what is unfinished goes"
    (line,) = caplog.messages
    assert "No space left on device" in line and str(folder) in line


def test_recompiling_forgets_what_was_kept(folder: Path) -> None:
    """numba's `recompile` works, and leaves the files of other functions."""
    (folder / "other.f-1.0123456789abcdef.nbc").write_text("x")
    dispatcher = kept(folder)
    dispatcher(3)
    dispatcher(0.5)
    dispatcher._cache.flush()

    assert [file.name for file in folder.iterdir()] == ["other.f-1.0123456789abcdef.nbc"]


def test_another_numba_may_work_differently_inside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Then its own cache serves, and nobody is bothered."""
    kept_folder()  # decided once a process: not by the setting of this test
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(KernelCache, "__init__", lambda self: None)
    caplog.set_level(logging.INFO, "netveil")
    kernel: Any = compiled.compiled(square)

    assert Path(kernel.stats.cache_path).parent == tmp_path
    assert not caplog.messages


def test_our_kernels_are_kept_in_our_folder() -> None:
    """If this fails, numba's own cache serves instead: a change inside numba, or a slip of ours."""
    kernel: Any = compiled.compiled(square)

    assert isinstance(kernel._cache, KernelCache)
    assert kernel.stats.cache_path == str(kept_folder())
    assert Path(kernel.stats.cache_path).parent in possible_roots(getattr(numba.config, "CACHE_DIR", ""))
