"""`netveil measure --people`: names go to a private file, and nowhere else."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

import pytest
from command_line import listing, mistake, netveil, write

from netveil.files import storage


def test_who_is_at_risk_is_written_and_counted(folder: Path) -> None:
    """A row each, for its owner's eyes only; the command line has no name, only how many and where."""
    said = netveil("measure", "people.csv", "--people", "who.csv")
    with (folder / "who.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))

    assert said.code == 0
    assert said.out.endswith("\n3 people at risk written to who.csv: keep it private.\n")
    assert [row["label"] for row in rows] == ["cleo", "dan", "eve"]
    assert rows[0] == {
        "label": "cleo",
        "contacts": "3",
        "state": "contacts 3, ties among them 1",
        "class_size": "1",
        "at_risk": "yes",
        "attackers": "count",
    }
    assert stat.S_IMODE((folder / "who.csv").stat().st_mode) == 0o600
    assert set(listing(folder)) == {"people.csv", "who.csv"}
    assert not any(row["label"] in said.out.split("at risk written")[1] for row in rows)


def test_json_tells_how_many_and_where(folder: Path) -> None:
    """Without a name; where nobody is at risk there is a header only, for no file could mean a failure."""
    document = netveil("measure", "people.csv", "--people", "who.csv", "--json").json
    quiet = netveil("measure", "people.csv", "--people", "quiet.csv", "--quiet")
    write(folder / "square.csv", "a,b\nb,c\nc,d\nd,a\n")
    nobody = netveil("measure", "square.csv", "--people", "nobody.csv")

    assert document["people"] == {"file": "who.csv", "written": 3}
    assert "quiet.csv" not in quiet.out and (folder / "quiet.csv").is_file()
    assert "people" not in netveil("measure", "people.csv", "--json").json
    assert nobody.out.endswith("0 people at risk written to nobody.csv: keep it private.\n")
    assert (folder / "nobody.csv").read_text() == "label,contacts,state,class_size,at_risk,attackers\n"


def test_a_file_that_cannot_be_new_is_refused_before_the_work(folder: Path) -> None:
    """One line, exit 2, and nothing is written; the network is not even looked for."""
    (folder / "public").mkdir()
    write(folder / "public" / "about.json", "{}")
    for file, what in {
        "public/who.csv": "public/who.csv is in the public part of a release, and names people. Choose "
        "another place.",
        "people.csv": "people.csv exists already, and is not overwritten. Choose another name.",
        "nowhere/who.csv": "nowhere/who.csv: its folder does not exist. Make the folder first.",
        "people.csv/who.csv": "people.csv/who.csv: its folder does not exist. Make the folder first.",
        ".": ". exists already, and is not overwritten. Choose another name.",
    }.items():
        assert mistake(folder, "measure", "no-such-network.csv", "--people", file) == f"netveil: {what}\n"


def test_a_file_that_comes_up_meanwhile_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may write it during the work: whoever is second fails, on disks without links too."""
    (folder / "who.csv").write_text("theirs")
    for links in (True, False):
        if not links:
            monkeypatch.setattr(Path, "hardlink_to", _no_links)
        with pytest.raises(FileExistsError):
            storage.write_whole(b"ours", folder / "who.csv", private=True, new=True)

    assert (folder / "who.csv").read_text() == "theirs"
    storage.write_whole(b"ours", folder / "other.csv", private=True, new=True)
    assert (folder / "other.csv").read_text() == "ours"
    assert set(listing(folder)) == {"people.csv", "who.csv", "other.csv"}


def _no_links(path: Path, target: Path) -> None:
    raise PermissionError(1, "Operation not permitted")
