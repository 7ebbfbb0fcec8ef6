"""How a release folder is written: whole or not at all, and never over something else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import netveil as nv
from netveil.release.folder import ReleaseFolder
from releases import FILES, anonymize, everything_below, leave_out_report, write_contacts


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all of these tests."""
    leave_out_report(monkeypatch)


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    """A file with the network."""
    return write_contacts(tmp_path)


def test_overwrite_replaces_the_whole_release(contacts: Path, tmp_path: Path) -> None:
    """Nothing of the old one stays, be it in another format, and nothing hidden beside it."""
    release = tmp_path / "release"
    nv.save(
        nv.anonymize(nv.load("karate"), budget=2, seed=1, effort=0.05),
        release,
        extension="gml",
        utility=False,
    )

    assert anonymize(contacts, release, "--overwrite") == 0

    assert {name for name in everything_below(release) if name[-1] != "/"} == FILES
    assert {path.name for path in tmp_path.iterdir()} == {"release", "ward-seven"}


def test_overwrite_takes_an_empty_folder_too(contacts: Path, tmp_path: Path) -> None:
    """As `mktemp -d` makes it."""
    (tmp_path / "release").mkdir()

    assert anonymize(contacts, tmp_path / "release") == 2
    assert anonymize(contacts, tmp_path / "release", "--overwrite") == 0


def test_parents_are_made(contacts: Path, tmp_path: Path) -> None:
    """As deep as asked for."""
    assert anonymize(contacts, tmp_path / "new" / "deep" / "release") == 0
    assert (tmp_path / "new" / "deep" / "release" / "public" / "about.json").is_file()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("a defect")])
@pytest.mark.parametrize("exists", [False, True])
def test_a_write_that_fails_leaves_nothing_behind(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, exists: bool
) -> None:
    """Neither half a release, nor a hidden folder, nor new parents; a release that was there stays."""
    release = tmp_path / "new" / "release"
    if exists:
        anonymize(contacts, release, seed=1)
    before = everything_below(tmp_path)

    def fail(run: object) -> str:
        raise error

    monkeypatch.setattr("netveil.release.folder.render", fail)

    code = anonymize(contacts, release, "--overwrite")

    assert code == (2 if isinstance(error, OSError) else 1)
    assert everything_below(tmp_path) == before


def test_a_full_disk_is_told_in_one_line(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the folder's name and the reason."""

    def fail(run: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("netveil.release.folder.render", fail)

    anonymize(contacts, tmp_path / "release")

    told = f"{tmp_path / 'release'} cannot be written: No space left on device."
    assert capsys.readouterr().err == f"netveil: {told} Choose another folder (--out).\n"


def test_the_old_release_comes_back_if_the_new_one_cannot_take_its_place(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames of an overwrite, a failure undoes the first."""
    release = tmp_path / "release"
    anonymize(contacts, release, seed=1)
    before = everything_below(tmp_path)
    rename = Path.rename
    fails = iter([True])

    def fail_once(self: Path, target: Path) -> Path:
        if target == release and next(fails, False):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)

    assert anonymize(contacts, release, "--overwrite") == 2
    assert everything_below(tmp_path) == before


def test_a_best_that_was_kept_survives_a_write_that_fails(tmp_path: Path) -> None:
    """Hours of search are not lost to a full disk: --resume finds it."""
    network = nv.load("karate")
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    folder.keep_best(network, np.array([3, 5]), at_risk=9)
    release = nv.anonymize(network, budget=2, seed=1, effort=0.05)

    with pytest.raises(nv.FileError, match="no format"):
        folder.save(release, extension="nonsense")

    kept = ReleaseFolder(tmp_path / "release").best_of_unfinished(network)
    assert kept is not None and kept.tolist() == [3, 5]
    assert {path.name for path in tmp_path.iterdir()} == {".release.unfinished"}


def test_a_search_goes_on_where_its_best_cannot_be_kept(tmp_path: Path) -> None:
    """Somebody has removed the hidden folder; the release is written all the same."""
    network = nv.load("karate")
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    (tmp_path / ".release.unfinished").rmdir()

    folder.keep_best(network, np.array([3, 5]), at_risk=9)

    assert not folder.was_cut_off()
    assert folder.save(nv.anonymize(network, budget=2, seed=1, effort=0.05)).is_dir()


def test_a_folder_is_checked_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`save` to a folder that exists fails at once, not after minutes of comparing."""
    release = nv.anonymize(nv.load("karate"), budget=2, seed=1, effort=0.05)
    monkeypatch.setattr("netveil.workflow.gather", lambda *release: pytest.fail("compared"))

    with pytest.raises(nv.FileError, match="exists already"):
        nv.save(release, tmp_path)


def test_a_folder_made_while_the_report_was_written_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else was quicker: her folder stays, ours is refused, nothing of ours is left."""
    target = tmp_path / "release"

    def render_slowly(run: object) -> str:
        target.mkdir()
        (target / "precious.txt").write_text("hers")
        return ""

    monkeypatch.setattr("netveil.release.folder.render", render_slowly)
    with pytest.raises(nv.FileError, match="exists and is not a release"):
        nv.save(nv.anonymize(nv.load("karate"), 5, seed=1, effort=0.05), target, utility=False)

    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (target / "precious.txt").read_text() == "hers"
