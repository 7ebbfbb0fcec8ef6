"""The folder of compiled kernels: its name, its place, and who may have written to it."""

from __future__ import annotations

import logging
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import llvmlite
import numba
import pytest

from netveil.kernels.compile_cache import NAME, first_usable, folder_name, make_private, possible_roots

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
