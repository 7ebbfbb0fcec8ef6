"""Other releases of a network: a second one is noticed wherever the first lies, also without the register."""

from __future__ import annotations

import json
import os
import shutil
import stat
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.files.staging import Hold
from netveil.release import register
from netveil.release.register import releases_beside
from releases import leave_out_report

KARATE = nv.load("karate")
QUICK: dict[str, Any] = {"utility": False, "audit": False}
FEW = "--effort 0.02 --seed 2 --no-utility --no-audit --quiet"
ASKED = "--effort 0.02 --no-utility --no-audit --quiet"


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The register of this test."""
    leave_out_report(monkeypatch)
    monkeypatch.setenv(register.VARIABLE, str(tmp_path / "kept" / "register.json"))
    return tmp_path / "kept" / "register.json"


def saved(folder: Path, network: nv.Network = KARATE, seed: int = 1, **options: Any) -> list[str]:
    """Write a release that deletes other edges for each seed; what is warned of."""
    release = nv.anonymize(network, "5%", algorithm="ua", seed=seed)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", nv.SecondReleaseWarning)
        nv.save(release, folder, **QUICK, **options)
    return [str(each.message) for each in told]


def test_a_second_release_is_noticed_wherever_the_first_lies(tmp_path: Path, file: Path) -> None:
    """Also where the file was sorted in another way meanwhile; the register is nobody else's to read."""
    first = tmp_path / "here" / "first"
    backwards = nv.Network.from_edges([(v, u) for u, v in reversed(list(KARATE.to_edges()))])

    assert backwards.fingerprint != KARATE.fingerprint
    assert backwards.fingerprint_by_labels == KARATE.fingerprint_by_labels
    assert saved(first) == []
    (told,) = saved(tmp_path / "there" / "second", backwards, seed=2)
    assert str(first) in told and "publish one only" in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 or os.name == "nt"
    assert [Path(each["release"]).name for each in json.loads(file.read_text())["releases"]] == [
        "first",
        "second",
    ]


def test_other_networks_copies_and_removed_releases_are_no_second_ones(tmp_path: Path) -> None:
    """One more tie is another network; the same deletions, under other numbers, tell nothing new."""
    more = nv.Network.from_edges([*KARATE.to_edges(), (0, 9)])
    saved(tmp_path / "1" / "first")

    assert more.fingerprint_by_labels != KARATE.fingerprint_by_labels
    assert saved(tmp_path / "2" / "other", more) == saved(tmp_path / "1" / "other", more) == []
    assert saved(tmp_path / "3" / "copy") == []
    shutil.rmtree(tmp_path / "1")
    shutil.rmtree(tmp_path / "3")
    assert saved(tmp_path / "4" / "second", seed=2) == []


def test_a_rejected_release_is_no_second_one(tmp_path: Path) -> None:
    """What did not meet its policy is not published: the next one may meet the same policy."""
    rules = []
    for name, k in (("first", 5), ("second", 2)):
        (tmp_path / name).mkdir()
        policy = tmp_path / name / "one.toml"
        policy.write_text(f"[policy]\nk = {k}\nsecond_release = false\n")
        saved(tmp_path / name / "release", seed=k, policy=policy)
        told = json.loads((tmp_path / name / "release" / "private" / "decision.json").read_text())
        rules.append({rule["rule"]: rule["met"] for rule in told["rules"]})

    assert [each["k"] for each in rules] == [False, True]
    assert [each["second_release"] for each in rules] == [True, True]


def test_a_policy_refuses_a_second_release_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of either kind, from every front; what was rejected itself stands in nobody's way."""
    monkeypatch.chdir(tmp_path)
    policy = tmp_path / "one.toml"
    policy.write_text("[policy]\nsecond_release = false\n")
    first, second = tmp_path / "a" / "first", tmp_path / "b" / "second"
    saved(tmp_path / "a" / "rejected", seed=3, policy=policy)
    assert main(["anonymize", "karate", "--policy", str(policy), "--out", str(first), *ASKED.split()]) == 3
    saved(first, policy=None, overwrite=True)

    for command in (f"anonymize karate --out {second} {ASKED}", f"synthesize karate --k 3 --out {second}"):
        assert main([*command.split(), "--policy", str(policy)]) == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert f"policy one allows one release of a network, and {first} holds one" in error
    with pytest.raises(nv.SettingError, match="allows one release"):
        saved(second, policy=policy)
    assert not second.parent.exists()


def test_versions_that_were_tried_are_in_the_log_of_the_decision(tmp_path: Path) -> None:
    saved(tmp_path / "a" / "first", policy="registered-users")
    saved(tmp_path / "b" / "second", seed=2)
    record = json.loads((tmp_path / "b" / "second" / "private" / "decision.json").read_text())
    (version,) = record["versions"]

    assert version["release"] == "first" and version["k"] == 2 and version["kind"] == "deletion"
    assert version["rejected_because"].startswith("Does not meet policy registered-users: ")


@pytest.mark.parametrize("damage", ["[", "[]", '{"releases": [{"fingerprint": 3}]}', "[" * 100_000])
def test_a_damaged_register_is_told_of_and_left_alone(tmp_path: Path, file: Path, damage: str) -> None:
    file.parent.mkdir()
    file.write_text(damage)
    told = saved(tmp_path / "release")

    assert "register of releases cannot be read" in told[0] and "not in the register" in told[1]
    assert file.read_text() == damage and (tmp_path / "release" / "public").is_dir()


def test_a_register_that_cannot_be_written_is_told_of(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(register, "TRIES", 1)
    monkeypatch.setattr(register, "SECONDS_A_TRY", 0.0)
    file.parent.mkdir()
    hold = Hold(file.parent)
    (told,) = saved(tmp_path / "one")
    hold.end()
    assert "another netveil is writing it" in told and not file.exists()
    monkeypatch.setenv(register.VARIABLE, str(tmp_path / "one" / "public" / "about.json" / "register"))
    assert all("register" in each for each in saved(tmp_path / "two" / "release"))


def test_nothing_of_the_register_is_published(tmp_path: Path, file: Path) -> None:
    saved(tmp_path / "secret-place" / "first", policy="registered-users")
    saved(tmp_path / "b" / "second", seed=2)
    (first, _) = json.loads(file.read_text())["releases"]

    for published in (tmp_path / "b" / "second" / "public").iterdir():
        content = published.read_text()
        assert not any(str(first[name]) in content for name in ("fingerprint", "verdict", "content"))
        assert "secret-place" not in content and "register" not in content


def test_without_a_register_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(register.VARIABLE, "")
    saved(tmp_path / "a" / "first")
    assert saved(tmp_path / "b" / "second", seed=2) == []
    monkeypatch.delenv(register.VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = register.register_file()
    assert place is not None and place.name == "register.json" and "netveil" in place.parts


def test_the_register_is_bounded(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register, "MOST_ENTRIES", 2)
    for seed in (1, 2, 3):
        saved(tmp_path / str(seed) / "release", seed=seed)

    assert [Path(each["release"]).parent.name for each in json.loads(file.read_text())["releases"]] == [
        "2",
        "3",
    ]


# Releases beside a new one, whether the register knows them or not: the folder, the reason and the remedy.


def test_the_command_warns_of_a_release_of_the_same_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    saved(first)

    assert main(["anonymize", "karate", "--out", str(second), *FEW.split()]) == 0

    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert lines == [
        f"warning: {first} holds another release of the same network. Whoever has two can lay them on each "
        f"other, which undoes most deletions: publish one only. What both give away: netveil audit ORIGINAL "
        f"{first} {second}"
    ]
    assert (second / "public" / "network.txt").is_file()


def test_saving_warns_too_in_the_words_of_python(tmp_path: Path) -> None:
    first, release = tmp_path / "first", nv.anonymize(KARATE, "5%", seed=2, effort=0.02)
    saved(first)

    with pytest.warns(nv.SecondReleaseWarning, match="publish one only") as told:
        nv.save(release, tmp_path / "second", **QUICK)

    assert len(told) == 1 and told[0].filename == __file__
    assert f"netveil.audit_together(original, ['{first}', '{tmp_path / 'second'}'])" in str(told[0].message)


def test_the_release_that_is_overwritten_is_not_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor is it under another name."""
    folder = tmp_path / "release"
    saved(folder)
    (tmp_path / "latest").symlink_to(folder)

    assert main(["anonymize", "karate", "--out", str(folder), "--overwrite", *FEW.split()]) == 0

    assert "warning" not in capsys.readouterr().err


def test_a_copy_of_a_release_is_no_second_one(tmp_path: Path) -> None:
    """Nor is one of the same deletions under other numbers, which tells nothing more; under names it does."""
    release, again = (nv.anonymize(KARATE, "5%", seed=1, effort=0.02) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two, three = (
            nv.save(each, tmp_path / str(place), **QUICK)
            for place, each in enumerate((release, release, again))
        )

    assert [list(releases_beside(copy)) for copy in (two, three)] == [[], []]
    assert (one / "public" / "network.txt").read_text() != (three / "public" / "network.txt").read_text()
    with pytest.warns(nv.SecondReleaseWarning):
        nv.save(replace(release, keep_labels=True), tmp_path / "named", **QUICK)


def test_a_damaged_record_is_passed_over(tmp_path: Path) -> None:
    """And the one behind it is found; a new release whose own record is damaged has none beside it."""
    damaged, whole, new = (tmp_path / name for name in ("a-damaged", "b-whole", "new"))
    for seed, folder in enumerate((new, damaged, whole), start=1):
        saved(folder, seed=seed)
    for record in (b"", b"{", b"[]", b"null", b"{}", b"\xff", b'{"fingerprint": 7}', b"[" * 9999):
        (damaged / "private" / "run.json").write_bytes(record)

        assert list(releases_beside(new)) == [whole], record
        assert list(releases_beside(damaged)) == [], record


def test_so_many_are_read_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of thousands of releases does not hold up a new one."""
    for seed, name in enumerate(("new", "a", "b", "c"), start=1):
        saved(tmp_path / name, seed=seed)
    assert [folder.name for folder in releases_beside(tmp_path / "new")] == ["a", "b", "c"]

    monkeypatch.setattr(register, "MOST_RECORDS", 2)

    assert [folder.name for folder in releases_beside(tmp_path / "new")] == ["a", "b"]
