"""The register of releases: a second release of a network is noticed wherever the first one lies."""

from __future__ import annotations

import json
import os
import shutil
import stat
import warnings
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.files.staging import Hold
from netveil.release import register
from releases import leave_out_report

KARATE = nv.load("karate")
QUICK: dict[str, Any] = {"utility": False, "audit": False}
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
    assert saved(tmp_path / "2" / "other", more) == []
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
    """With why they were rejected, and without the folders that they lay in."""
    saved(tmp_path / "a" / "first", policy="registered-users")
    saved(tmp_path / "b" / "second", seed=2)
    record = json.loads((tmp_path / "b" / "second" / "private" / "decision.json").read_text())
    (version,) = record["versions"]

    assert version["release"] == "first" and version["k"] == 2 and version["kind"] == "deletion"
    assert version["rejected_because"].startswith("Does not meet policy registered-users: ")


@pytest.mark.parametrize("damage", ["[", "[]", '{"releases": [{"fingerprint": 3}]}', "[" * 100_000])
def test_a_damaged_register_is_told_of_and_left_alone(tmp_path: Path, file: Path, damage: str) -> None:
    """The release is written all the same."""
    file.parent.mkdir()
    file.write_text(damage)
    told = saved(tmp_path / "release")

    assert "register of releases cannot be read" in told[0] and "not in the register" in told[1]
    assert file.read_text() == damage and (tmp_path / "release" / "public").is_dir()


def test_a_register_that_cannot_be_written_is_told_of(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Because another process is at it, or its folder is a file."""
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
    """Neither fingerprint, nor verdict, nor the folder of another release."""
    saved(tmp_path / "secret-place" / "first", policy="registered-users")
    saved(tmp_path / "b" / "second", seed=2)
    (first, _) = json.loads(file.read_text())["releases"]

    for published in (tmp_path / "b" / "second" / "public").iterdir():
        content = published.read_text()
        assert not any(str(first[name]) in content for name in ("fingerprint", "verdict", "content"))
        assert "secret-place" not in content and "register" not in content


def test_without_a_register_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty name switches it off; without any, it is in the user's data folder."""
    monkeypatch.setenv(register.VARIABLE, "")
    saved(tmp_path / "a" / "first")
    assert saved(tmp_path / "b" / "second", seed=2) == []
    monkeypatch.delenv(register.VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    place = register.register_file()
    assert place is not None and place.name == "register.json" and "netveil" in place.parts


def test_the_register_is_bounded(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest entries go."""
    monkeypatch.setattr(register, "MOST_ENTRIES", 2)
    for seed in (1, 2, 3):
        saved(tmp_path / str(seed) / "release", seed=seed)

    assert [Path(each["release"]).parent.name for each in json.loads(file.read_text())["releases"]] == [
        "2",
        "3",
    ]
