"""A folder that takes the place of another: whole or not at all, and what was there is never lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from netveil.files import staging as hidden
from netveil.files.staging import staged_folder, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks and modes are those of POSIX")


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones too, with its text."""
    return {
        str(file.relative_to(folder)): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.is_file()
    }


def write(file: Path, text: str) -> None:
    """Write a file."""
    file.write_text(text, encoding="utf-8")


def filled(folder: Path, text: str) -> Path:
    """A new folder with one file."""
    folder.mkdir(parents=True)
    (folder / "page").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """An older folder, which alone is in its place when the test is over."""
    return filled(tmp_path / "book", "old")


def only(folder: Path, **texts: str) -> bool:
    """Whether a folder holds `book` with these files, and nothing else, not even hidden."""
    of_book = {name.removeprefix("book/"): text for name, text in contents(folder).items()}
    return of_book == texts and [path.name for path in folder.iterdir()] == ["book"]


@pytest.mark.parametrize("replace", [False, True])
def test_a_new_folder_appears_when_it_is_full(tmp_path: Path, replace: bool) -> None:
    target = tmp_path / "deep" / "book"
    with staged_folder(target, replace=replace) as new:
        write(new / "page", "new")
        assert not target.exists() and new.relative_to(target.parent).parts[0].startswith(".netveil-")

    assert only(target.parent, page="new")


@pytest.mark.parametrize("steps", [1, 2])
def test_an_older_folder_is_replaced_as_a_whole(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """At once where the system can, else by two renames: nothing of it stays, and it is there until then."""
    if steps == 2:
        monkeypatch.setattr(hidden, "exchange", lambda one, other: False)
    (target / "cover").touch()
    with staged_folder(target, replace=True) as new:
        write(new / "page", "new")
        assert contents(target)["page"] == "old"

    assert only(tmp_path, page="new")


def test_without_replace_what_is_there_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError), staged_folder(tmp_path / "book", replace=False):
        filled(tmp_path / "book", "of somebody else")

    assert only(tmp_path, page="of somebody else")


@pytest.mark.parametrize("error", [OSError("full"), RuntimeError("a defect"), KeyboardInterrupt()])
def test_a_block_that_fails_changes_nothing(tmp_path: Path, target: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), staged_folder(target, replace=True) as new:
        write(new / "page", "half")
        raise error

    assert only(tmp_path, page="old")


@pytest.mark.parametrize("failure", ["an error", "somebody else"])
def test_a_failure_between_the_two_renames_loses_nothing(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    """An error undoes the first rename; what another process puts there stays, and ours is not there."""
    monkeypatch.setattr(hidden, "exchange", lambda one, other: False)
    rename, first = Path.rename, iter([True])

    def renamed(self: Path, place: Path) -> Path:
        if failure == "an error" and place == target and next(first, False):
            raise OSError(5, "Input/output error")
        moved = rename(self, place)
        if failure == "somebody else" and self == target and next(first, False):
            filled(target, "of somebody else")
        return moved

    monkeypatch.setattr(Path, "rename", renamed)
    with pytest.raises(OSError), staged_folder(target, replace=True) as new:
        write(new / "page", "new")

    assert contents(target) == {"page": "old" if failure == "an error" else "of somebody else"}
    assert failure == "somebody else" or only(tmp_path, page="old")


def test_until_it_is_in_its_place_nobody_else_can_open_it(tmp_path: Path) -> None:
    """The hidden folder is 0700 from the start; in its place a folder is as open as the user's others."""
    (tmp_path / "usual").mkdir()
    for private in (False, True):
        target = tmp_path / f"book{private}"
        with staged_folder(target, replace=False, private=private) as new:
            hidden = tmp_path / new.relative_to(tmp_path).parts[0]
            assert hidden.stat().st_mode & 0o777 == 0o700
        assert target.stat().st_mode & 0o777 == (
            0o700 if private else (tmp_path / "usual").stat().st_mode & 0o777
        )


def test_files_are_on_the_disk_before_the_folder_is_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a power failure could leave the name and lose what it stands for; the rename is synced last."""
    done: list[str] = []
    rename, sync = Path.rename, os.fsync

    def noted(descriptor: int) -> None:
        done.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        sync(descriptor)

    def renamed(self: Path, place: Path) -> Path:
        done.append("rename")
        return rename(self, place)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "rename", renamed)
    with staged_folder(tmp_path / "book", replace=False) as new:
        (new / "part").mkdir()
        write(new / "part" / "page", "new")

    assert done == ["page", "part", "book", "rename", tmp_path.name]


KILLED = """
import os, sys
from pathlib import Path
from netveil.files import staging

target, when = Path(sys.argv[1]), sys.argv[2]
if when != "filling":
    rename = Path.rename

    def killed(self, place):
        if place == target and when == "between":
            os._exit(9)
        moved = rename(self, place)
        if place == target:
            os._exit(9)
        return moved

    Path.rename = killed
    staging.exchange = lambda one, other: False
with staging.staged_folder(target, replace=True) as new:
    (new / "page").write_text("new")
    if when == "filling":
        os._exit(9)
"""


@pytest.mark.parametrize(
    ("when", "left"), [("filling", "old"), ("between", "old"), ("after", "new")], ids=str
)
def test_what_a_killed_process_leaves_is_swept_and_put_back(
    tmp_path: Path, target: Path, when: str, left: str
) -> None:
    """The next who uses the folder finds the old or the new one whole, and nothing hidden."""
    assert subprocess.run([sys.executable, "-c", KILLED, str(target), when]).returncode == 9
    assert len(list(tmp_path.glob(".netveil-*"))) == 1
    assert target.exists() == (when != "between")

    sweep(tmp_path, "another book")
    assert len(list(tmp_path.glob(".netveil-*"))) == 1
    sweep(tmp_path, "book")

    assert only(tmp_path, page=left)


def test_what_a_live_process_fills_is_not_swept(tmp_path: Path) -> None:
    with staged_folder(tmp_path / "book", replace=False) as new:
        write(new / "page", "new")
        sweep(tmp_path)
        with staged_folder(tmp_path / "other", replace=False):
            sweep(tmp_path, "book")

    assert contents(tmp_path) == {"book/page": "new"}


def test_what_has_no_lock_is_swept_when_it_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden, "_lock", lambda descriptor: False)
    left = hidden.hidden_name(tmp_path / "book", "folder")
    left.mkdir()

    sweep(tmp_path)
    assert left.exists()
    os.utime(left, (0, 0))
    sweep(tmp_path)
    assert not left.exists()


def test_only_ones_own_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = hidden.hidden_name(tmp_path / "book", "folder")
    left.mkdir()
    (tmp_path / ".netveil-notes.folder").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: left.stat().st_uid + 1)
        sweep(tmp_path)
    assert left.exists()
    sweep(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [".netveil-notes.folder"]


def test_a_link_with_our_name_is_not_followed(tmp_path: Path) -> None:
    precious = filled(tmp_path / "precious", "hers")
    hidden.hidden_name(tmp_path / "book", "folder").symlink_to(precious)
    sweep(tmp_path)

    assert contents(precious) == {"page": "hers"}
