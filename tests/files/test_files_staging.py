"""A folder that takes the place of another: whole or not at all, and what was there is never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from netveil.files.staging import put_in_place, staged_folder


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, hidden ones too, with its text."""
    return {
        str(file.relative_to(folder)): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.is_file()
    }


def filled(folder: Path, text: str) -> Path:
    """A new folder with one file."""
    folder.mkdir(parents=True)
    (folder / "page").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("replace", [False, True])
def test_a_new_folder_appears_when_it_is_full(tmp_path: Path, replace: bool) -> None:
    """Not before, and with the folders above it; nothing else is left."""
    target = tmp_path / "deep" / "book"
    with staged_folder(target, replace=replace) as staging:
        (staging / "page").write_text("new", encoding="utf-8")
        assert not target.exists() and staging.name.startswith(".book.")

    assert contents(tmp_path) == {"deep/book/page": "new"}
    assert [path.name for path in target.parent.iterdir()] == ["book"]


def test_an_older_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Nothing of it stays, and it is there until the new one is full."""
    target = filled(tmp_path / "book", "old")
    (target / "cover").touch()
    with staged_folder(target, replace=True) as staging:
        (staging / "page").write_text("new", encoding="utf-8")
        assert contents(target)["page"] == "old"

    assert contents(tmp_path) == {"book/page": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["book"]


def test_without_replace_what_is_there_stays(tmp_path: Path) -> None:
    """Also if it came while the new one was being filled."""
    target = tmp_path / "book"
    with pytest.raises(OSError), staged_folder(target, replace=False):
        filled(target, "of somebody else")

    assert contents(tmp_path) == {"book/page": "of somebody else"}
    assert [path.name for path in tmp_path.iterdir()] == ["book"]


@pytest.mark.parametrize("error", [OSError("full"), RuntimeError("a defect"), KeyboardInterrupt()])
def test_a_block_that_fails_changes_nothing(tmp_path: Path, error: BaseException) -> None:
    """Whatever the reason; the error is the caller's."""
    filled(tmp_path / "book", "old")
    with pytest.raises(type(error)), staged_folder(tmp_path / "book", replace=True) as staging:
        (staging / "page").write_text("half", encoding="utf-8")
        raise error

    assert contents(tmp_path) == {"book/page": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["book"]


def test_what_was_there_comes_back_if_the_rename_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames, a failure undoes the first."""
    target = filled(tmp_path / "book", "old")
    rename = Path.rename
    fails = iter([True])

    def fail_once(self: Path, place: Path) -> Path:
        if place == target and next(fails, False):
            raise OSError(5, "Input/output error")
        return rename(self, place)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(OSError), staged_folder(target, replace=True) as staging:
        (staging / "page").write_text("new", encoding="utf-8")

    assert contents(tmp_path) == {"book/page": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["book"]


def test_what_another_process_put_there_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames, too; the error says that ours is not there, and nothing is deleted."""
    target, staging = filled(tmp_path / "book", "old"), filled(tmp_path / "mine", "new")
    rename = Path.rename
    others = iter([True])

    def meanwhile(self: Path, place: Path) -> Path:
        moved = rename(self, place)
        if self == target and next(others, False):
            filled(target, "of somebody else")
        return moved

    monkeypatch.setattr(Path, "rename", meanwhile)
    with pytest.raises(OSError):
        put_in_place(staging, target, replace=True)

    assert contents(target) == {"page": "of somebody else"}
    assert contents(staging) == {"page": "new"}
    assert sorted(contents(tmp_path).values()) == ["new", "of somebody else", "old"]
