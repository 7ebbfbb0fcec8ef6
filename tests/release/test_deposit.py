"""Files for a repository beside a network: what was done, a codebook, metadata; nothing of the original."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import netveil as nv
from netveil.cli import main
from netveil.release.deposit import DEPOSIT, FILL_IN, zip_deposit
from netveil.report import render_decision

KARATE = nv.load("karate")


def record(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy with a licence, and a purpose that is nobody else's business."""
    file = tmp_path_factory.mktemp("policy") / "ours.toml"
    grounds = 'licence = "CC-BY-NC-4.0"\npurpose = "the quarrel of 1972"\ndecided_by = "W. Zachary"'
    file.write_text(f"[policy]\n[decision]\n{grounds}\nreview = 2090-01-31\n")
    return file


@pytest.fixture(scope="module")
def deleted(tmp_path_factory: pytest.TempPathFactory, policy: Path) -> Path:
    """A release by deletion, as a table."""
    release = nv.anonymize(KARATE, "10%", seed=1, effort=0.1)
    folder = tmp_path_factory.mktemp("deleted") / "release"
    return nv.save(release, folder, extension="csv", utility=False, audit=False, policy=policy)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic release with two copies."""
    release = nv.synthesize(KARATE, k=5, copies=2, seed=1)
    return nv.save(release, tmp_path_factory.mktemp("drawn") / "release", utility=False)


def test_the_readme_says_what_was_done_and_what_not_to_do(deleted: Path, drawn: Path) -> None:
    of_deletion, of_drawn = ((each / "public" / "README.md").read_text() for each in (deleted, drawn))

    assert (
        "deleted on purpose**, at most 10.0% of them" in of_deletion
        and "All ties are made up" not in of_deletion
    )
    assert "**All ties are made up.**" in of_drawn and "**deleted on purpose**" not in of_drawn
    assert "at least 5 people" in of_drawn
    for text in (of_deletion, of_drawn):
        assert "A network of 34 people" in text and "Ties have no direction" in text
        assert "## How to cite" in text and "Do not try to find out who somebody is" in text
        assert f"# {FILL_IN}: title" in text
    assert "CC-BY-NC-4.0" in of_deletion and f"{FILL_IN}: licence." in of_drawn


def test_the_codebook_has_every_file_and_every_column(deleted: Path, drawn: Path) -> None:
    for folder in (deleted, drawn):
        public = folder / "public"
        text = (public / "README.md").read_text()
        for file in public.iterdir():
            assert f"`{file.name}`" in text or file.name == "README.md"
        for name in record(public / "about.json"):
            assert f"\n| {name} | " in text
    assert "`nodes.csv` (table of people)" in (deleted / "public" / "README.md").read_text()
    header = (deleted / "public" / "network.csv").read_text().splitlines()[0]
    package = record(deleted / "public" / "datapackage.json")
    assert header == ",".join(field["name"] for field in package["resources"][0]["schema"]["fields"])


def test_the_data_package_lists_the_files_with_their_hashes(deleted: Path, drawn: Path) -> None:
    for folder in (deleted, drawn):
        package = record(folder / "public" / "datapackage.json")
        listed = {resource["path"]: resource for resource in package["resources"]}
        assert listed.keys() | set(DEPOSIT) == {file.name for file in (folder / "public").iterdir()}
        for name, resource in listed.items():
            content = (folder / "public" / name).read_bytes()
            if name != "about.json":
                assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
                assert resource["bytes"] == len(content)
    assert record(deleted / "public" / "datapackage.json")["licenses"] == [{"name": "CC-BY-NC-4.0"}]


def test_datacite_has_its_mandatory_fields_and_says_which_to_fill_in(deleted: Path) -> None:
    told = record(deleted / "public" / "datacite.json")

    assert told.keys() >= {"titles", "creators", "publisher", "publicationYear", "types"}
    assert told["publicationYear"] == told["creators"][0]["name"] == FILL_IN
    assert told["types"]["resourceTypeGeneral"] == "Dataset"
    assert told["rightsList"] == [{"rights": "CC-BY-NC-4.0"}]


def test_nothing_in_it_tells_of_the_original_or_the_decision(deleted: Path, drawn: Path) -> None:
    for folder, private in ((deleted, ("quarrel", "Zachary", "2090")), (drawn, ())):
        run = record(folder / "private" / "run.json")
        for name in DEPOSIT:
            text = (folder / "public" / name).read_text()
            for secret in ("karate", run["fingerprint"], run["secret"], "78 ties", *private):
                assert secret not in text, (name, secret)


def test_the_decision_is_kept_with_its_grounds(deleted: Path, drawn: Path) -> None:
    told, without = (record(each / "private" / "decision.json") for each in (deleted, drawn))

    assert told["policy"]["name"] == "ours" and told["policy"]["k"] == 2 and told["met"] is False
    assert told["verdict"].startswith("Does not meet policy ours: leaks were not looked for")
    assert [rule["rule"] for rule in told["rules"]] == ["k", "leaks", "review"]
    assert told["grounds"]["purpose"] == "the quarrel of 1972"
    assert told["grounds"]["decided_by"] == "W. Zachary" and told["grounds"]["review"] == "2090-01-31"
    assert without["policy"] is None and without["met"] is None and without["grounds"]["review"] is None
    assert without["verdict"].startswith("No policy was set. It may be claimed that nobody can be found with")


def test_the_zip_has_all_that_is_public_and_a_checklist(
    deleted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("one.zip", "two.zip")]
    for file in files:
        assert main(["report", str(deleted), "--zip", str(file)]) == 0
        assert capsys.readouterr().out.strip() == str(file)
    with ZipFile(files[0]) as archive:
        packed = {name.removeprefix("public/"): archive.read(name) for name in archive.namelist()}
    told = packed.pop("CHECKLIST.md").decode()

    assert files[0].read_bytes() == files[1].read_bytes()
    assert packed == {file.name: file.read_bytes() for file in (deleted / "public").iterdir()}
    assert "- [x] 34 people and 7" in told and "- [ ] `README.md`: 2 places left to fill in." in told
    assert "- [ ] A second person has recomputed the claims" in told
    for name, content in packed.items():
        assert f"| {name} | {len(content):,} | {hashlib.sha256(content).hexdigest()} |" in told


def test_a_zip_is_not_made_of_what_is_no_release_nor_over_another(deleted: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.zip"
    there.write_text("mine")
    linked, damaged = (Path(shutil.copytree(deleted, tmp_path / name)) for name in ("linked", "damaged"))
    (linked / "public" / "more.txt").symlink_to("/etc/hosts")
    (damaged / "public" / "about.json").write_text("{}")
    for folder, file, told in (
        (deleted, there, "exists already"),
        (tmp_path, tmp_path / "a.zip", "without public/network"),
        (there, tmp_path / "a.zip", "is not a release folder"),
        (linked, tmp_path / "a.zip", "is a link"),
        (damaged, tmp_path / "a.zip", "about.json is damaged"),
        (deleted, tmp_path / "none" / "a.zip", "cannot be written"),
    ):
        with pytest.raises(nv.FileError, match=told):
            zip_deposit(folder, file)

    assert there.read_text() == "mine" and not (tmp_path / "a.zip").exists()


def test_the_decision_is_there_as_markdown_too(deleted: Path, drawn: Path) -> None:
    told, without = ((each / "private" / "decision.md").read_text() for each in (deleted, drawn))
    run = record(drawn / "private" / "run.json")

    assert "- Purpose: the quarrel of 1972" in told and "| W. Zachary | | |" in told
    assert record(deleted / "private" / "decision.json")["verdict"] in told
    assert "| leaks were not looked for, at most 0 allowed | not met |" in told
    assert all(each["sentence"] in without for each in (*run["scenarios"], *run["questions"]))
    assert "## Policy" not in without and "| Second person | | |" in without
    run["decision"]["grounds"]["purpose"] = "one\n\n# two | three"
    assert "- Purpose: one # two \\| three\n" in render_decision(run)
