"""Files for a repository beside a network: what was done, a codebook, metadata; nothing of the original."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import with_attributes
from netveil.cli import main
from netveil.release.deposit import ABOUT_KEYS, DEPOSIT, FILL_IN

KARATE = nv.load("karate")


def record(file: Path) -> Any:
    """What a JSON file holds."""
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
    """Deleted on purpose or made up, without direction, how to cite; with the licence of the policy."""
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
    """Of about.json every entry; copies and the table of people too."""
    for folder in (deleted, drawn):
        public = folder / "public"
        text = (public / "README.md").read_text()
        for file in public.iterdir():
            assert f"`{file.name}`" in text or file.name == "README.md"
        for name in record(public / "about.json"):
            assert f"| {name} | {ABOUT_KEYS[name]} |" in text
    assert "`nodes.csv` (table of people)" in (deleted / "public" / "README.md").read_text()
    header = (deleted / "public" / "network.csv").read_text().splitlines()[0]
    package = record(deleted / "public" / "datapackage.json")
    assert header == ",".join(field["name"] for field in package["resources"][0]["schema"]["fields"])


def test_the_data_package_lists_the_files_with_their_hashes(deleted: Path, drawn: Path) -> None:
    """As they are on disk."""
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
    """Nothing is invented: neither year nor creator."""
    told = record(deleted / "public" / "datacite.json")

    assert told.keys() >= {"titles", "creators", "publisher", "publicationYear", "types"}
    assert told["publicationYear"] == told["creators"][0]["name"] == FILL_IN
    assert told["types"]["resourceTypeGeneral"] == "Dataset"
    assert told["rightsList"] == [{"rights": "CC-BY-NC-4.0"}]


def test_nothing_in_it_tells_of_the_original_or_the_decision(deleted: Path, drawn: Path) -> None:
    """Neither name nor ties of the original, nor what people decided."""
    for folder, private in ((deleted, ("quarrel", "Zachary", "2090")), (drawn, ())):
        run = record(folder / "private" / "run.json")
        for name in DEPOSIT:
            text = (folder / "public" / name).read_text()
            for secret in ("karate", run["fingerprint"], run["secret"], "78 ties", *private):
                assert secret not in text, (name, secret)


def test_attributes_are_in_the_codebook(tmp_path: Path) -> None:
    """Those that are published, of people and of ties."""
    with pytest.warns(nv.AttributesWarning):
        release = nv.anonymize(with_attributes(), 1, seed=1, effort=0.1, keep_attributes=["age"])
    folder = nv.save(release, tmp_path / "release", extension="graphml", utility=False, audit=False)
    text = (folder / "public" / "README.md").read_text()

    assert "| age | attribute of a person, as published |" in text and "weight" not in text


def test_the_decision_is_kept_with_its_grounds(deleted: Path, drawn: Path) -> None:
    """The policy in full, its rules, the verdict, who decided and until when; blanks without a policy."""
    told, without = (record(each / "private" / "decision.json") for each in (deleted, drawn))

    assert told["policy"]["name"] == "ours" and told["policy"]["k"] == 2 and told["met"] is False
    assert told["verdict"].startswith("Does not meet policy ours: leaks were not looked for")
    assert [rule["rule"] for rule in told["rules"]] == ["k", "leaks", "review"]
    assert told["grounds"]["purpose"] == "the quarrel of 1972"
    assert told["grounds"]["decided_by"] == "W. Zachary" and told["grounds"]["review"] == "2090-01-31"
    assert without["policy"] is None and without["met"] is None and without["grounds"]["review"] is None
    assert without["verdict"].startswith("No policy was set. It may be claimed that nobody can be found with")


def test_the_report_of_a_synthetic_release_is_rendered_again(drawn: Path) -> None:
    """With the verdict; the page to sign, too."""
    pages = [drawn / "private" / name for name in ("report.html", "sign-off.html")]
    for page in pages:
        page.write_text("gone")

    assert main(["report", str(drawn)]) == 0
    assert all("No policy was set." in page.read_text() for page in pages)
    assert "Second person" in pages[1].read_text() and "Second person" not in pages[0].read_text()
