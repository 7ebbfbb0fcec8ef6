"""The compile cache in one process: its files, its folder, who may have written to it, and what is swept."""

from __future__ import annotations

import errno
import logging
import os
import pickle
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import pytest

from netveil.kernels import compile_cache, compiled
from netveil.kernels.compile_cache import (
    IN_USE,
    NAME,
    NEWEST_KEPT,
    UNUSED,
    CompiledFiles,
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


@pytest.mark.quick(2)
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


NAMED = "cpython-311-numba-0.60.0-0123456789abcdef"  # as `folder_name` would name one
by_modes = pytest.mark.skipif(sys.platform == "win32", reason="modes tell nothing there")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A kernel, and another in a room of its own that it might call."""
    folder = tmp_path / "sources"
    (folder / "room").mkdir(parents=True)
    (folder / "caller.py").write_text("caller")
    (folder / "room" / "called.py").write_text("called")
    return folder


def test_the_name_tells_python_and_numba(sources: Path) -> None:
    """So that a person can tell folders apart, and a sweep which are of the same compiler."""
    matched = NAME.fullmatch(folder_name(sources))

    assert matched
    assert (
        matched[1]
        == f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}-numba-{numba.__version__}"
    )
    assert NAME.fullmatch(folder_name()), "of netveil's own kernels"


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "room" / "called.py").write_text("another"),
        lambda folder: (folder / "room" / "called.py").rename(folder / "room" / "renamed.py"),
        lambda folder: (folder / "room" / "called.py").rename(folder / "called.py"),
        lambda folder: (folder / "room" / "called.py").unlink(),
        lambda folder: (folder / "room" / "new.py").write_text(""),
    ],
    ids=["changed", "renamed", "moved", "removed", "added"],
)
def test_a_change_in_any_source_makes_another_name(sources: Path, change: Callable[[Path], object]) -> None:
    """Also in one that is only called by others, in a folder below."""
    before = folder_name(sources)
    change(sources)

    assert folder_name(sources) != before


def test_what_is_no_source_and_when_it_was_written_do_not_matter(sources: Path) -> None:
    """A checkout that touches all files, or Python's own caches, cost no compilation."""
    before = folder_name(sources)
    os.utime(sources / "caller.py", (1, 1))
    (sources / "__pycache__").mkdir()
    (sources / "__pycache__" / "caller.pyc").write_text("x")

    assert folder_name(sources) == before


@pytest.mark.parametrize(
    ("where", "attribute", "value"),
    [(numba, "__version__", "0.1"), (llvmlite, "__version__", "0.1"), (numba.config, "OPT", 1)],
    ids=["numba", "llvmlite", "optimization"],
)
def test_another_compiler_makes_another_name(
    sources: Path, monkeypatch: pytest.MonkeyPatch, where: object, attribute: str, value: object
) -> None:
    """What one version has compiled, or with other settings, is not loaded by another."""
    before = folder_name(sources)
    monkeypatch.setattr(where, attribute, value)

    assert folder_name(sources) != before


def test_without_sources_there_is_no_name(tmp_path: Path) -> None:
    """In an archive: one name for all versions would bring stale code."""
    with pytest.raises(FileNotFoundError):
        folder_name(tmp_path)


def test_the_chosen_place_comes_first_then_the_users_cache_then_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NUMBA_CACHE_DIR is numba's own setting, and holds for our kernels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    chosen, user, temporary = possible_roots(str(tmp_path / "chosen"))

    assert chosen == tmp_path / "chosen" / "netveil-kernels"
    assert user.parts[-2:] == ("netveil", "kernels") or sys.platform == "win32"
    assert temporary.parent == tmp_path / "temporary" and temporary.name.startswith("netveil-kernels")
    assert possible_roots("") == [user, temporary]


def test_without_a_home_nothing_is_made_in_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python leaves "~" as it is for a user whom the system does not know."""
    for variable in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)

    if sys.platform != "win32":
        assert [root.parent for root in possible_roots("")] == [Path(tempfile.gettempdir()).resolve()]
    assert all(root.is_absolute() for root in possible_roots(""))


def test_where_nothing_can_be_written_there_is_no_temporary_place_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Python finds none and says so; a home, or a folder that was filled before, still serves."""

    def none_found() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none_found)
    chosen, *_ = possible_roots(str(tmp_path))

    assert chosen == tmp_path / "netveil-kernels"
    assert first_usable([], NAMED) is None
    assert len(caplog.messages) == 1


@by_modes
def test_root_makes_nothing_in_the_home_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `sudo netveil …` the user's own cache can still be written by the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    (tmp_path / "home").mkdir()
    expected = tmp_path.resolve() / "home" / ".cache" / "netveil" / "kernels"
    as_owner = possible_roots("")
    if os.geteuid() == 0:
        os.chown(tmp_path / "home", 4321, 4321)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 0)

    assert expected in as_owner
    assert expected not in possible_roots("")


@by_modes
def test_folders_are_made_for_their_user_alone(tmp_path: Path) -> None:
    """All of those that are missing, and whatever the umask; what was there stays as it was."""
    previous = os.umask(0)
    try:
        folder = first_usable([tmp_path / "a" / "b"], NAMED)
    finally:
        os.umask(previous)

    assert folder == tmp_path / "a" / "b" / NAMED
    for made in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_the_next_root_is_taken_if_one_cannot_be_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file is in the place of a home; one line tells where the code is kept instead, and why."""
    (tmp_path / "file").write_text("")
    caplog.set_level(logging.INFO, "netveil")
    roots = [tmp_path / "file" / "kernels", tmp_path / "second"]

    assert first_usable(roots, NAMED) == tmp_path / "second" / NAMED
    (line,) = caplog.messages
    assert str(roots[0]) in line and str(roots[1]) in line
    caplog.clear()
    assert first_usable(roots, NAMED) == tmp_path / "second" / NAMED
    assert not caplog.messages, "told when it is made, and not at every start"
    first_usable(roots, NAMED, chosen=True)
    assert len(caplog.messages) == 1, "but who has chosen a folder is told each time"


def test_without_any_place_nothing_is_kept_and_one_line_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No crash."""
    (tmp_path / "file").write_text("")

    assert first_usable([tmp_path / "file" / "a", tmp_path / "file" / "b"], NAMED) is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "NUMBA_CACHE_DIR" in record.getMessage()


@by_modes
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has made a folder under our name in /tmp could put code there."""
    folder = tmp_path / "foreign"
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, 4321, 4321)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4321)

    with pytest.raises(PermissionError, match="others"):
        make_private(folder)


@by_modes
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    """Both the one with the key and the one around it."""
    (tmp_path / "root").mkdir(mode=0o700)
    (tmp_path / "root").chmod(mode)
    (tmp_path / "other" / NAMED).mkdir(mode=0o700, parents=True)
    (tmp_path / "other").chmod(0o700)
    (tmp_path / "other" / NAMED).chmod(mode)

    assert first_usable([tmp_path / "root", tmp_path / "other"], NAMED) is None
    assert not list((tmp_path / "root").iterdir())


def test_a_link_is_refused(tmp_path: Path) -> None:
    """It may lead anywhere, and be changed at any time by who made it."""
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    assert first_usable([tmp_path / "link", tmp_path / "dangling"], NAMED) is None
    assert not (tmp_path / "nowhere").exists()


NOW = 2e9
COMPILER = "cpython-311-numba-0.60.0"
ANOTHER_COMPILER = "cpython-312-numba-0.60.0"


def name(number: int, compiler: str = COMPILER) -> str:
    """Name of the folder of the sources with this number."""
    return f"{compiler}-{number:016x}"


def folder_used(root: Path, folder: str, seconds_ago: float) -> Path:
    """A folder with a file in it, last used so long ago."""
    made = root / folder
    made.mkdir(parents=True)
    made.chmod(0o700)  # whatever the umask
    (made / "f.nbc").write_text("x")
    os.utime(made, (NOW - seconds_ago, NOW - seconds_ago))
    return made


def names_in(root: Path) -> set[str]:
    """What is in a folder."""
    return {entry.name for entry in root.iterdir()}


def test_what_nobody_uses_any_more_is_swept(tmp_path: Path) -> None:
    """Whichever Python and numba it was for; what was used since stays."""
    folder_used(tmp_path, name(1), UNUSED + 1)
    folder_used(tmp_path, name(2, ANOTHER_COMPILER), UNUSED + 1)
    recent = folder_used(tmp_path, name(3), UNUSED - 1)
    other = folder_used(tmp_path, name(4, ANOTHER_COMPILER), UNUSED - 1)
    current = folder_used(tmp_path, name(5), UNUSED + 1)
    sweep(tmp_path, current.name, NOW)

    assert names_in(tmp_path) == {recent.name, other.name, current.name}


def test_of_the_same_compiler_the_newest_few_stay(tmp_path: Path) -> None:
    """A developer makes a folder with each edit; those of other compilers do not count."""
    for number in range(NEWEST_KEPT + 3):
        folder_used(tmp_path, name(number), IN_USE + 1 + number)
        folder_used(tmp_path, name(number, ANOTHER_COMPILER), IN_USE + 1)
    sweep(tmp_path, name(100), NOW)

    same = {entry for entry in names_in(tmp_path) if entry.startswith(COMPILER)}
    assert same == {name(number) for number in range(NEWEST_KEPT)}
    assert len(names_in(tmp_path)) == NEWEST_KEPT + NEWEST_KEPT + 3


def test_what_may_be_in_use_is_not_swept(tmp_path: Path) -> None:
    """Several checkouts that are tested at the same time leave each other's folders alone."""
    for number in range(NEWEST_KEPT + 3):
        folder_used(tmp_path, name(number), IN_USE - 1)
    sweep(tmp_path, name(100), NOW)

    assert len(names_in(tmp_path)) == NEWEST_KEPT + 3


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    """Other names, files, and what a link leads to."""
    root = tmp_path / "root"
    for foreign in ("mine", "kernels_0123456789abcdef", name(1) + "0", "x-" + name(1), name(2)[:-1]):
        folder_used(root, foreign, UNUSED + 1)
    (root / name(3)).write_text("a file")
    os.utime(root / name(3), (0, 0))
    target = folder_used(tmp_path, "target", UNUSED + 1)
    (root / name(4)).symlink_to(target)
    os.utime(root / name(4), (0, 0), follow_symlinks=False)
    inside = folder_used(root, name(5), UNUSED + 1)
    (inside / "link").symlink_to(target)
    os.utime(inside, (0, 0))
    before = names_in(root)
    sweep(root, name(100), NOW)

    assert names_in(root) == before - {inside.name}
    assert names_in(target) == {"f.nbc"}


def test_a_new_folder_sweeps_and_a_start_counts_as_use(tmp_path: Path) -> None:
    """Nothing is swept as long as no new folder is made; the one in use gets the time of its last start."""
    old = folder_used(tmp_path / "root", name(1), 0)
    os.utime(old, (0, 0))
    current = folder_used(tmp_path / "root", name(2), 0)
    os.utime(current, (0, 0))
    (tmp_path / "root").chmod(0o700)

    assert first_usable([tmp_path / "root"], current.name) == current
    assert old.exists()
    assert current.stat().st_mtime > 0
    assert first_usable([tmp_path / "root"], name(3))
    assert names_in(tmp_path / "root") == {current.name, name(3)}
