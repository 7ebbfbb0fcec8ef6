"""`netveil measure` as a user meets it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import PEOPLE, netveil, write

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
        "dropped: 1 self-loop, 1 repeated tie"
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
    assert {key: said.json[key] for key in KEYS} == {
        "network": str(file),
        "nodes": 5,
        "edges": 4,
        "measure": "count",
        "distance": 1,
        "k": 2,
        "classes": 4,
        "unique": 3,
        "at_risk": 3,
        "uniqueness": 0.6,
        "class_sizes": {"1": 3, "2": 2},
        "dropped": {"self_loops": 1, "duplicates": 1},
    }
    assert said.json["edges_at_risk"] == 3  # E_u: the ties of the two unique people who have any


def test_k_decides_who_is_at_risk_and_not_who_is_unique(tmp_path: Path) -> None:
    """Where three must be alike, the two who look alike are at risk as well."""
    file = write(tmp_path / "people.csv", PEOPLE)

    said = netveil("measure", file, "--k", "3", "--json")

    assert (said.json["unique"], said.json["at_risk"], said.json["uniqueness"]) == (3, 5, 1.0)
    assert (
        "5 of 5 people (100.0%) have surroundings that fewer than 2 others have"
        in netveil("measure", file, "--k", "3").out
    )


def test_quiet_leaves_the_verdict_alone(tmp_path: Path) -> None:
    """One sentence remains."""
    said = netveil("measure", write(tmp_path / "people.csv", PEOPLE), "--quiet")

    assert said.err == ""
    assert said.out.startswith("3 of 5 people") and said.out.count("\n") == 1


def test_no_band_of_the_table_is_at_risk_in_part(tmp_path: Path) -> None:
    """With k = 7, nine leaves of a star are safe and six people without contacts are not."""
    star = "".join(f"hub,leaf{i}\n" for i in range(9))
    file = write(tmp_path / "star.csv", star + "".join(f"alone{i},alone{i}\n" for i in range(6)))

    said = netveil("measure", file, "--k", "7")

    rows = table(said.out)
    assert rows["5 to 6"] == (6, True)
    assert rows["7 to 9"] == (9, False)
    assert rows["1 (unique)"] == (1, True)


def test_a_k_beyond_the_last_band_splits_it(tmp_path: Path) -> None:
    """120 leaves of a star and 120 people without contacts are at risk with k = 121."""
    file = write(tmp_path / "many.txt", "# nodes: 241\n" + "".join(f"0 {i}\n" for i in range(121, 241)))

    rows = table(netveil("measure", file, "--k", "121").out)

    assert rows["100 to 120"] == (240, True)
    assert rows["121 or more"] == (0, False)


def test_the_format_can_be_named(tmp_path: Path) -> None:
    """A file without a telling suffix is read in the format that is named."""
    file = write(tmp_path / "people", PEOPLE)

    assert netveil("measure", file, "--format", "edge-list", "--json").json["edges"] == 4


def test_a_built_in_network_needs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where a folder happens to have its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()

    document = netveil("measure", "demo", "--json").json

    assert (document["network"], document["nodes"], document["edges"]) == ("demo", 1000, 16654)


def test_a_file_wins_over_a_built_in_network_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has a file `demo` means the file."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "demo", PEOPLE)

    assert netveil("measure", "demo", "--format", "edge-list", "--json").json["nodes"] == 5
    assert netveil("measure", "demo").code == 2  # it does not say its format
