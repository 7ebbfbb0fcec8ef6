"""How a release folder is written: whole or not at all, and never over something else."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import netveil as nv
from netveil.job import Anonymization
from netveil.release.folder import ReleaseFolder
from releases import FILES, anonymize, everything_below, leave_out_report, write_contacts


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_report(monkeypatch)


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    return write_contacts(tmp_path)


def test_overwrite_replaces_the_whole_release(contacts: Path, tmp_path: Path) -> None:
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


def test_a_release_with_other_things_in_it_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "release" / "public").mkdir(parents=True)
    (tmp_path / "release" / "public" / "about.json").write_text("{}")
    ReleaseFolder(tmp_path / "release", overwrite=True)
    (tmp_path / "release" / "thesis.txt").write_text("hers")

    with pytest.raises(nv.FileError, match="is not a release; it is not overwritten"):
        ReleaseFolder(tmp_path / "release", overwrite=True)


def test_a_search_that_was_stopped_has_not_come_to_its_end(tmp_path: Path) -> None:
    ended = nv.anonymize("karate", budget=2, algorithm="es", seed=1)
    job = Anonymization(measures=ended.outcome.attackers)
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    found = []
    for release in (ended, replace(ended, outcome=replace(ended.outcome, stopped_by="interrupted"))):
        folder.keep_found(release, job)
        found.append(folder.found_by_unfinished(ended.original, job))
    folder.abandon()

    assert found[0] is not None and found[0].secret == ended.secret
    assert found[1] is None


@pytest.mark.quick(1)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("a defect")])
@pytest.mark.parametrize("exists", [False, True])
def test_a_write_that_fails_leaves_nothing_but_what_was_found(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, exists: bool
) -> None:
    release = tmp_path / "new" / "release"
    if exists:
        anonymize(contacts, release, seed=1)
    before = everything_below(tmp_path)

    def fail(run: object) -> str:
        raise error

    monkeypatch.setattr("netveil.release.folder.render", fail)

    code = anonymize(contacts, release, "--overwrite")

    after = everything_below(tmp_path)
    kept = "new/.release.unfinished/"
    assert code == (2 if isinstance(error, OSError) else 1)
    assert after.keys() - before.keys() - {"new/"} == {kept, f"{kept}best.json"}
    assert {name: after[name] for name in before} == before


def test_the_old_release_comes_back_if_the_new_one_cannot_take_its_place(
    contacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames of an overwrite, where there must be two, a failure undoes the first."""
    monkeypatch.setattr("netveil.files.staging.exchange", lambda one, other: False)
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
    shutil.rmtree(tmp_path / ".release.unfinished")
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


def test_a_folder_is_checked_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = nv.anonymize(nv.load("karate"), budget=2, seed=1, effort=0.05)
    monkeypatch.setattr("netveil.workflow.gather", lambda *release: pytest.fail("compared"))

    with pytest.raises(nv.FileError, match="exists already"):
        nv.save(release, tmp_path)


posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, owners and locks are those of POSIX")


@posix
def test_what_is_private_is_closed_to_others(contacts: Path, tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    (tmp_path / "usual" / "file").touch()
    folder, file = ((tmp_path / name).stat().st_mode for name in ("usual", "usual/file"))
    anonymize(contacts, tmp_path / "release")

    release = tmp_path / "release"
    assert (release.stat().st_mode, (release / "public").stat().st_mode) == (folder, folder)
    assert {path.stat().st_mode for path in (release / "public").iterdir()} == {file}
    assert (release / "private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (release / "private").iterdir()} == {0o600}


@posix
@pytest.mark.parametrize(
    "kind", ["open to others", "a link", "a file", "of somebody else", "with other things"]
)
@pytest.mark.parametrize("options", [(), ("--resume",), ("--overwrite",)], ids=["new", "resume", "overwrite"])
def test_a_hidden_folder_that_somebody_put_there_is_refused(
    contacts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    options: tuple[str, ...],
) -> None:
    """In a shared folder, anybody can make `.release.unfinished`: nothing is written through it."""
    hidden, precious = tmp_path / ".release.unfinished", tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "best.json").write_text("hers")
    if kind == "a link":
        hidden.symlink_to(precious)
    elif kind == "a file":
        hidden.touch()
    else:
        hidden.mkdir(mode=0o755 if kind == "open to others" else 0o700)
        if kind == "with other things":
            (hidden / ".best.json.part").symlink_to(precious / "best.json")
        if kind == "of somebody else":
            monkeypatch.setattr(os, "geteuid", lambda: hidden.lstat().st_uid + 1)
    before = everything_below(tmp_path)

    assert anonymize(contacts, tmp_path / "release", *options) == 2
    assert f"netveil: {hidden} is not netveil's own: " in capsys.readouterr().err
    assert everything_below(tmp_path) == before


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


@posix
def test_what_is_kept_is_not_written_through_a_link(tmp_path: Path) -> None:
    """Neither best.json nor what it is written under: the link is replaced, and what it leads to stays."""
    precious = tmp_path / "precious"
    precious.write_text("hers")
    folder = ReleaseFolder(tmp_path / "release")
    folder.claim()
    (tmp_path / ".release.unfinished" / "best.json").symlink_to(precious)
    folder.keep_best(nv.load("karate"), np.array([3, 5]), at_risk=9)

    best = tmp_path / ".release.unfinished" / "best.json"
    assert precious.read_text() == "hers"
    assert not best.is_symlink() and best.stat().st_mode & 0o777 == 0o600
    folder.abandon()
