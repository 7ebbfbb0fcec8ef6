"""`netveil measure` as a user meets it; names of people go to a private file, and nowhere else."""

from __future__ import annotations

import csv
import re
import stat
from pathlib import Path

import pytest
from command_line import PEOPLE, listing, mistake, netveil, write

from netveil.files import storage

KEYS = {
    *("network", "nodes", "edges", "measure", "distance", "k", "classes", "unique", "at_risk"),
    *("uniqueness", "class_sizes", "dropped"),
}


def table(out: str) -> dict[str, tuple[int, bool]]:
    """The table of class sizes: number of people in each band, and whether they are marked as at risk."""
    rows = out.split("share\n")[1].splitlines()[:-1]
    cells = [re.split(r" {2,}", row.strip()) for row in rows]
    return {band: (int(people.replace(",", "")), mark == ["at risk"]) for band, people, _, *mark in cells}


def test_it_tells_what_was_understood_the_verdict_and_the_class_sizes(tmp_path: Path) -> None:
    """Of five people three are alone in their class; a repeated edge and a self-loop were dropped."""
    file = write(tmp_path / "people.csv", PEOPLE)

    said = netveil("measure", file)

    lines = said.out.splitlines()
    assert (said.code, said.err) == (0, "")
    assert lines[0] == f"{file}: 5 nodes, 4 edges"
    assert lines[1] == (
        "  read as edge-list: separator comma, people in columns 1 and 2, no header, UTF-8, "
        "dropped: 1 self-loop, 1 tie given from both ends"
    )
    assert lines[2] == "  first ties: anna – bob; bob – cleo; cleo – anna"
    assert lines[3] == (
        "3 of 5 people (60.0%) have surroundings that nobody else has: an attacker who has counted "
        "a person's contacts and the ties among those contacts can single them out."
    )
    assert table(said.out)["1 (unique)"] == (3, True)
    assert table(said.out)["2"] == (2, False)
    assert sum(people for people, _ in table(said.out).values()) == 5
    assert lines[-1] == "4 classes in all, 3 edges with an end at risk"


def test_json_is_one_document_with_every_key_of_the_contract(tmp_path: Path) -> None:
    """Nothing else is on standard output, and nothing at all on standard error."""
    file = write(tmp_path / "people.csv", PEOPLE)

    said = netveil("measure", file, "--json")

    assert (said.code, said.err) == (0, "")
    assert said.json.keys() >= KEYS
    known = {"network": str(file), "nodes": 5, "edges": 4, "measure": "count", "distance": 1, "k": 2}
    known |= {"classes": 4, "unique": 3, "at_risk": 3, "uniqueness": 0.6, "class_sizes": {"1": 3, "2": 2}}
    assert {key: said.json[key] for key in KEYS} == known | {"dropped": {"self_loops": 1, "duplicates": 1}}
    assert said.json["edges_at_risk"] == 3  # E_u: the ties of the two unique people who have any


def test_k_decides_who_is_at_risk_and_not_who_is_unique(tmp_path: Path) -> None:
    """Where three must be alike, the two who look alike are at risk as well; quiet, one sentence remains."""
    file = write(tmp_path / "people.csv", PEOPLE)
    said = netveil("measure", file, "--k", "3", "--json").json
    quiet = netveil("measure", file, "--k", "3", "--quiet")

    assert (said["unique"], said["at_risk"], said["uniqueness"]) == (3, 5, 1.0)
    assert quiet.out.startswith("5 of 5 people (100.0%) have surroundings that fewer than 2 others have")
    assert (quiet.err, quiet.out.count("\n")) == ("", 1)


def test_no_band_of_the_table_is_at_risk_in_part(tmp_path: Path) -> None:
    """k splits the band that it falls into, also beyond the last one."""
    star = "".join(f"hub,leaf{i}\n" for i in range(9)) + "".join(f"alone{i},alone{i}\n" for i in range(6))
    many = "# nodes: 241\n" + "".join(f"0 {i}\n" for i in range(121, 241))
    rows = table(netveil("measure", write(tmp_path / "star.csv", star), "--k", "7").out)
    assert [rows[band] for band in ("5 to 6", "7 to 9", "1 (unique)")] == [(6, True), (9, False), (1, True)]

    rows = table(netveil("measure", write(tmp_path / "many.txt", many), "--k", "121").out)
    assert (rows["100 to 120"], rows["121 or more"]) == ((240, True), (0, False))


def test_a_built_in_network_needs_no_file_and_a_file_of_its_name_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of that name does not; whoever has a file `demo` means the file, which must say its format."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    document = netveil("measure", "demo", "--json").json
    assert (document["network"], document["nodes"], document["edges"]) == ("demo", 1000, 16654)

    (tmp_path / "demo").rmdir()
    write(tmp_path / "demo", PEOPLE)
    assert netveil("measure", "demo", "--format", "edge-list", "--json").json["nodes"] == 5
    assert netveil("measure", "demo").code == 2


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
