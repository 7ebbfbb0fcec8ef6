"""Files that are missing, damaged or in the way, and files that must appear whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from netveil.errors import FileError
from netveil.files import read, write
from netveil.files.storage import COMPRESSIONS, store
from netveil.network import Network

EDGE = Network.from_numbered_edges([(0, 1)], 2)

not_root = pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")


def test_a_missing_file_is_named_as_the_user_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the folder, if it was given without."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(FileError, match=r"^contacts.csv: there is no such file\. Check"):
        read("contacts.csv")


def test_a_folder_is_no_network(tmp_path: Path) -> None:
    """Neither to read nor to write."""
    (tmp_path / "a.txt").mkdir()

    with pytest.raises(FileError, match=r"is a folder. Give a file in it"):
        read(tmp_path / "a.txt")
    with pytest.raises(FileError, match="is not a file that can be replaced"):
        write(EDGE, tmp_path / "a.txt", overwrite=True)


@not_root
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    """To read it, and to write beside it."""
    write(EDGE, tmp_path / "a.txt")
    (tmp_path / "a.txt").chmod(0)
    with pytest.raises(FileError, match="no permission to read it"):
        read(tmp_path / "a.txt")
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="no permission to write there"):
        write(EDGE, tmp_path / "b.txt")


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("damage", ["cut", "rubbish", "changed"])
def test_a_damaged_compressed_file_is_told(compression: str, damage: str, tmp_path: Path) -> None:
    """Cut off, never compressed, or with bytes changed."""
    path = tmp_path / f"a.txt{compression}"
    write(Network.from_numbered_edges([(0, node) for node in range(1, 99)], 99), path)
    whole = path.read_bytes()
    changed = whole[:-6] + bytes(byte ^ 255 for byte in whole[-6:])
    path.write_bytes({"cut": whole[: len(whole) // 2], "rubbish": b"0 1\n", "changed": changed}[damage])

    with pytest.raises(FileError, match=f"is damaged or no {compression} file at all"):
        read(path)


@pytest.mark.parametrize("file", ["missing/a.txt", "file/a.txt", "a\0.txt", "a" * 300 + ".txt"])
def test_a_file_that_cannot_be_is_told(file: str, tmp_path: Path) -> None:
    """A folder that is not there or is a file, and names that no system takes; in one line each."""
    (tmp_path / "file").write_text("")

    with pytest.raises(FileError) as reading:
        read(tmp_path / file)
    with pytest.raises(FileError) as writing:
        write(EDGE, tmp_path / file)
    assert "\n" not in f"{reading.value}{writing.value}"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("there", ["file", "folder", "link to nothing"])
def test_what_is_there_is_not_replaced_unasked(tmp_path: Path, there: str) -> None:
    """Whatever it is, it stays; the error says what to do, in Python's words."""
    path = tmp_path / "a.txt"
    if there == "file":
        path.write_text("old")
    elif there == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere.txt")
    before = path.lstat()

    with pytest.raises(FileError) as caught:
        write(EDGE, path)
    assert (
        str(caught.value) == f"{path} exists already. Give another name, or replace it with overwrite=True."
    )
    assert path.lstat() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", ["old", None])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_while_writing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, there: str | None
) -> None:
    """And no unfinished file beside it; Ctrl-C is passed on."""
    path = tmp_path / "a.txt"
    if there is not None:
        path.write_text(there)

    def failing(self: Path, target: Path) -> Path:
        raise failure

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises((FileError, KeyboardInterrupt)) as caught:
        write(EDGE, path, overwrite=True)
    assert caught.type is KeyboardInterrupt or "No space left on device" in str(caught.value)
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if there is None else [there])


def test_a_device_is_not_replaced() -> None:
    """As root, replacing /dev/null would succeed and break the machine."""
    with pytest.raises(FileError, match="/dev/null is not a file that can be replaced"):
        store(b"", "/dev/null")


def test_a_new_file_has_the_permissions_that_the_user_set(tmp_path: Path) -> None:
    """A published file that only its owner can read is of no use."""
    (tmp_path / "plain").write_text("")
    write(EDGE, tmp_path / "a.txt")

    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode
