"""Another release of the same network beside a new one: the folder, the reason and the remedy are said."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.files.storage import load_file
from netveil.release import register as siblings
from netveil.release.register import releases_beside
from releases import leave_out_report

KARATE = nv.load("karate")
FEW = "--effort 0.02 --seed 2 --no-utility --no-audit --no-baselines --quiet"
QUICK: dict[str, Any] = {"utility": False, "audit": False, "baselines": False}


@pytest.fixture(autouse=True)
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads it here."""
    leave_out_report(monkeypatch)


def saved(folder: Path, network: str = "karate", seed: int = 1) -> Path:
    """A release that deletes other edges for each seed, and no word about others."""
    release = nv.anonymize(network, "5%", algorithm="ua", seed=seed)
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
        f"warning: {first} holds another release of the same network. Whoever has two can lay them on each "
        f"other, which undoes most deletions: publish one only. What both give away: netveil audit ORIGINAL "
        f"{first} {second}"
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


def test_a_copy_of_a_release_is_no_second_one(tmp_path: Path) -> None:
    """Nor is one of the same deletions under other numbers, which tells nothing more; under names it does."""
    release, again = (nv.anonymize(KARATE, "5%", seed=1, effort=0.02) for _ in range(2))
    one = nv.save(release, tmp_path / "one", **QUICK)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copies = [nv.save(each, tmp_path / f"copy{each is again}", **QUICK) for each in (release, again)]

    assert [list(releases_beside(copy)) for copy in copies] == [[], []]
    assert load_file(str(one / "public" / "network.txt")) != load_file(
        str(copies[1] / "public" / "network.txt")
    )
    with pytest.warns(nv.SecondReleaseWarning):
        nv.save(replace(release, keep_labels=True), tmp_path / "named", **QUICK)


def test_a_damaged_record_is_passed_over(tmp_path: Path) -> None:
    """And the one behind it is found; a new release whose own record is damaged has none beside it."""
    damaged, whole = saved(tmp_path / "a-damaged", seed=2), saved(tmp_path / "b-whole", seed=3)
    new = saved(tmp_path / "new")
    for record in (b"", b"{", b"[]", b"null", b"{}", b"\xff", b'{"fingerprint": 7}', b"[" * 9999):
        (damaged / "private" / "run.json").write_bytes(record)

        assert list(releases_beside(new)) == [whole], record
        assert list(releases_beside(damaged)) == [], record


def test_so_many_are_read_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of thousands of releases does not hold up a new one."""
    for seed, name in enumerate(("a", "b", "c"), start=2):
        saved(tmp_path / name, seed=seed)
    new = saved(tmp_path / "new")
    assert [folder.name for folder in releases_beside(new)] == ["a", "b", "c"]

    monkeypatch.setattr(siblings, "MOST_RECORDS", 2)

    assert [folder.name for folder in releases_beside(new)] == ["a", "b"]


def test_a_release_of_another_network_is_no_second_one(tmp_path: Path) -> None:
    """One tie less is another network, whatever is deleted in both."""
    one, other = saved(tmp_path / "one"), tmp_path / "other"
    release = nv.anonymize(KARATE.without_edges([0]), "5%", algorithm="ua", seed=2)
    nv.save(release, other, **QUICK)

    assert list(releases_beside(one)) == list(releases_beside(other)) == []
