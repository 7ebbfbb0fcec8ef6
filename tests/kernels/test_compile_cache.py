"""The compile cache in one process: its files, its folder, who may have written to it, and what is swept."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from netveil.kernels import compile_cache, compiled
from netveil.kernels.compile_cache import (
    NAME,
    UNUSED,
    KernelCache,
    first_usable,
    folder_name,
    kept_folder,
    make_private,
    possible_roots,
    sweep,
)

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


@pytest.mark.parametrize("content", [b"", b"\x80\x05cut", None], ids=["empty", "cut", "folder"])
def test_a_damaged_file_is_compiled_anew(folder: Path, content: bytes | None) -> None:
    """A full disk or a crash may leave one; it is replaced where that can be done."""
    kept(folder)(3)
    (file,) = folder.iterdir()
    file.unlink()
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    again, then = kept(folder), kept(folder)

    assert (again(3), misses(again)) == (9, 1)
    assert (then(3), misses(then)) == (9, 1 if content is None else 0)


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
    monkeypatch.setattr(KernelCache, "announced", True)


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


by_modes = pytest.mark.skipif(sys.platform == "win32", reason="modes tell nothing there")


def test_the_name_changes_with_each_source_and_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a source in a folder below that others call; what is no source does not count."""
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "caller.py").write_text("1")
    with pytest.raises(FileNotFoundError):
        folder_name(below)
    names = [folder_name(tmp_path)]
    (tmp_path / "caller.pyc").write_text("no source")
    os.utime(tmp_path / "caller.py", (0, 0))
    assert folder_name(tmp_path) == names[0] and NAME.fullmatch(names[0])

    (below / "called.py").write_text("2")
    names.append(folder_name(tmp_path))
    (below / "called.py").write_text("3")
    names.append(folder_name(tmp_path))
    (below / "called.py").rename(below / "renamed.py")
    names.append(folder_name(tmp_path))
    for where, what in ((numba, "__version__"), (np, "__version__"), (numba.config, "OPT")):
        monkeypatch.setattr(where, what, "9.9")
        names.append(folder_name(tmp_path))
    assert len(set(names)) == len(names)


def test_the_chosen_place_comes_first_then_the_users_cache_then_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NUMBA_CACHE_DIR is numba's own setting; nothing is made in the current folder for want of a home."""
    chosen, *others = possible_roots(str(tmp_path))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/netveil"))

    assert chosen == tmp_path.resolve() / "netveil-kernels"
    assert others[-1].name.startswith("netveil-kernels")
    assert possible_roots("") == others[-1:]


@by_modes
def test_folders_are_private_and_the_next_root_is_taken_if_one_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has made a folder under our name could put code there; a link may lead anywhere.

    One line tells where code is kept instead, and why; another one that it is kept nowhere.
    """
    caplog.set_level(logging.INFO, "netveil")
    open_to_all, link, file, good = (tmp_path / name for name in ("open", "link", "file", "good"))
    for mode in (0o770, 0o707):
        open_to_all.mkdir(exist_ok=True)
        open_to_all.chmod(mode)
        with pytest.raises(PermissionError):
            make_private(open_to_all)
    link.symlink_to(tmp_path, target_is_directory=True)
    file.touch()

    assert (
        first_usable([open_to_all, link, file / "below", good / "below"], "name") == good / "below" / "name"
    )
    assert all((folder.stat().st_mode & 0o777) == 0o700 for folder in (good, good / "below"))
    assert "(not in " in caplog.text and "others can write to it" in caplog.text
    assert first_usable([open_to_all, link], "name") is None
    assert caplog.messages[-1].startswith("compiled code is not kept")
    if good.stat().st_uid == 0:
        os.chown(good, 4321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4321)
    with pytest.raises(PermissionError):
        make_private(good)


def test_what_nobody_uses_any_more_is_swept(tmp_path: Path) -> None:
    """But nothing with another name, and nothing that a link leads to."""
    names = [f"cpython-311-numba-0.60.0-{number:016x}" for number in range(3)]
    old, fresh, linked = (tmp_path / name for name in names)
    other = tmp_path / "other"
    for made in (old, fresh, other):
        made.mkdir()
        (made / "code").touch()
    linked.symlink_to(other, target_is_directory=True)
    now = fresh.stat().st_mtime
    for made in (old, other):
        os.utime(made, (now - UNUSED - 60, now - UNUSED - 60))
    sweep(tmp_path, now)

    assert sorted(tmp_path.iterdir()) == sorted([fresh, linked, other])
    assert (other / "code").exists()
