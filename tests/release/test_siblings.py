"""A release of the same network beside a new one: said before the work, with what follows from it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.release import siblings
from netveil.release.siblings import releases_beside

KARATE = nv.load("karate")
FEW = "--effort 0.02 --seed 1 --no-utility --no-audit --no-baselines --quiet"
QUICK: dict[str, Any] = {"utility": False, "audit": False, "baselines": False}


def saved(folder: Path, network: str = "karate") -> Path:
    """A release, and no word about others."""
    release = nv.anonymize(network, "5%", seed=1, effort=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nv.SecondReleaseWarning)
        return nv.save(release, folder, **QUICK)


def test_the_command_warns_of_a_release_of_the_same_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the folder, the reason and the remedy; the release is written all the same."""
    first = saved(tmp_path / "first")
    second = tmp_path / "second"

    assert main(["anonymize", "karate", "--out", str(second), *FEW.split()]) == 0

    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert lines == [
        f"warning: {first} holds a release of the same network. Whoever has two can lay them on each other, "
        f"which undoes most deletions: publish one only. What both give away: netveil audit ORIGINAL {first} "
        f"{second}"
    ]
    assert (second / "public" / "network.txt").is_file()


def test_saving_warns_too_in_the_words_of_python(tmp_path: Path) -> None:
    """With the call that shows what both give away."""
    first = saved(tmp_path / "first")
    release = nv.anonymize(KARATE, "5%", seed=2, effort=0.02)

    with pytest.warns(nv.SecondReleaseWarning, match="publish one only") as told:
        nv.save(release, tmp_path / "second", **QUICK)

    assert len(told) == 1 and told[0].filename == __file__
    assert f"netveil.audit_together(original, ['{first}', '{tmp_path / 'second'}'])" in str(told[0].message)


def test_the_release_that_is_overwritten_is_not_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor is it under another name."""
    folder = saved(tmp_path / "release")
    (tmp_path / "latest").symlink_to(folder)

    assert main(["anonymize", "karate", "--out", str(folder), "--overwrite", *FEW.split()]) == 0

    assert "warning" not in capsys.readouterr().err


def test_a_release_of_another_network_is_no_matter(tmp_path: Path) -> None:
    """Nor is the same one elsewhere."""
    saved(tmp_path / "other", "demo")
    saved(tmp_path / "elsewhere" / "karate")

    assert list(releases_beside(tmp_path / "new", KARATE)) == []
    assert list(releases_beside(tmp_path / "elsewhere" / "new", KARATE)) == [
        tmp_path / "elsewhere" / "karate"
    ]


@pytest.mark.parametrize(
    "record", [b"", b"{", b"[]", b"null", b"{}", b"\xff", b'{"fingerprint": 7}', b"[" * 9999]
)
def test_a_damaged_record_is_passed_over(tmp_path: Path, record: bytes) -> None:
    """And the one behind it is found."""
    damaged = saved(tmp_path / "a-damaged")
    (damaged / "private" / "run.json").write_bytes(record)
    whole = saved(tmp_path / "b-whole")

    assert list(releases_beside(tmp_path / "new", KARATE)) == [whole]


def test_what_is_no_release_or_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    """A folder that only looks like one, a file, a parent that is not there."""
    (tmp_path / "a" / "private").mkdir(parents=True)
    (tmp_path / "a" / "private" / "run.json").write_text(f'{{"fingerprint": "{KARATE.fingerprint}"}}')
    (tmp_path / "b").write_text("")
    (tmp_path / "c" / "public").mkdir(parents=True)
    (tmp_path / "c" / "private" / "run.json").mkdir(parents=True)

    assert list(releases_beside(tmp_path / "new", KARATE)) == []
    assert list(releases_beside(tmp_path / "none" / "new", KARATE)) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered_is_passed_over(tmp_path: Path) -> None:
    """The private part of somebody else's release is closed."""
    other = saved(tmp_path / "other")
    (other / "private").chmod(0)
    try:
        assert list(releases_beside(tmp_path / "new", KARATE)) == []
    finally:
        (other / "private").chmod(0o700)


def test_so_many_are_read_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of thousands of releases does not hold up a new one."""
    for name in ("a", "b", "c"):
        saved(tmp_path / name)
    read: list[Path] = []
    monkeypatch.setattr(siblings, "MOST_RECORDS", 2)
    monkeypatch.setattr(siblings, "_fingerprint", read.append)

    assert list(releases_beside(tmp_path / "new", KARATE)) == []
    assert [record.parent.parent.name for record in read] == ["a", "b"]
