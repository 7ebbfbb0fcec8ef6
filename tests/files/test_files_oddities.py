"""What makes one doubt that a file was read as it was meant is said, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from netveil.cli import main
from netveil.files import edge_list, read
from netveil.files.labels import CompactLabels

PEOPLE = [f"p{u},p{v}" for u in range(12) for v in range(u + 1, 12)]


@pytest.mark.parametrize(("lines", "oddity"), [
    (PEOPLE, None),
    (["name,born", *(f"p{u},19{u:02}-01-31" for u in range(30))], "column born holds dates"),
    (["name,height", *(f"p{u},1.{u:02}" for u in range(30))], "column height holds numbers"),
    (["name,age", *(f"p{u},{u}" for u in range(30))], "column name texts and column age whole numbers hold"),
    ([f"hub,p{u}" for u in range(1200)], "one person has 1,200 ties, and everybody else one or none"),
    ([f"p{2 * u},p{2 * u + 1}" for u in range(30)], "there are more people than ties: 60 people in 30 lines"),
    ([*PEOPLE[:3], *["p1,p2"] * 40], "39 ties of 43 are repeats of others"),
    ([*PEOPLE, "#p1,p3"], "1 line that starts with # or % was taken for comments, and may be ties"),
    ([f"{1_700_000_000 + n},{n % 7}" for n in range(30)], "column 1 may hold times"),
])  # fmt: skip
def test_oddities_are_told(lines: list[str], oddity: str | None, tmp_path: Path) -> None:
    """One for each file of these, and none for an ordinary one."""
    file = tmp_path / "contacts.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    reading = read(file).reading

    assert reading is not None
    assert bool(reading.oddities) == (oddity is not None)
    assert oddity is None or any(told.startswith(oddity) for told in reading.oddities)


@pytest.mark.parametrize(("one", "other", "spellings"), [
    ("José", "Jose\u0301", r"'Jos\xe9' and 'Jose\u0301'"),
    ("anna", "an\u200bna", r"'anna' and 'an\u200bna'"),
    ("paco", "\u0440\u0430\u0441\u043e", r"'paco' and '\u0440\u0430\u0441\u043e'"),
    ("Tom", "\u03a4om", r"'Tom' and '\u03a4om'"),
    ("Anna Bell", "Anna\xa0Bell", r"'Anna Bell' and 'Anna\xa0Bell'"),
    ("\u0451ж", "е\u0308ж", r"'\u0451\u0436' and '\u0435\u0308\u0436'"),
], ids=["accent", "zero width", "Cyrillic", "Greek", "blank", "both Cyrillic"])  # fmt: skip
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_labels_that_look_the_same_are_told_with_both_spellings(
    one: str, other: str, spellings: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay two people; large files, whose labels are compact, are no exception."""
    monkeypatch.setattr(edge_list, "LARGE", 0 if large else 1 << 30)
    file = tmp_path / "contacts.csv"
    lines = ["source,target", *PEOPLE, f"{one},p1", f"{other},p2", "Zoë,p3"]
    file.write_text("\n".join(lines), encoding="utf-8")
    network = read(file)

    # A blank that breaks no line is unusual, and has a file read at once.
    assert isinstance(network.labels, CompactLabels) == (large and "\xa0" not in other)
    assert {one, other} < set(network.labels)
    assert network.reading is not None
    told = "1 label is spelled in ways that look the same, each taken for another person: "
    assert network.reading.oddities == (told + spellings,)


def test_of_many_labels_that_look_the_same_some_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many there are, and three of them; on the command line it is a warning."""
    file = tmp_path / "contacts.csv"
    pairs = [f"p{number},\u0440{number}" for number in range(5)] + ["p0,\u0440\u200b0"]
    file.write_text("\n".join(["source,target", *pairs, *PEOPLE]), encoding="utf-8")

    assert main(["measure", str(file), "--quiet"]) == 0
    assert capsys.readouterr().err == (
        "warning: 5 labels are spelled in ways that look the same, each taken for another person: "
        r"'p0' and '\u04400' and '\u0440\u200b0'; 'p1' and '\u04401'; 'p2' and '\u04402'; …. "
        "Check that this is the network that was meant.\n"
    )


def test_labels_that_look_different_are_not_told(tmp_path: Path) -> None:
    """Other accents, other letters, another case; and labels of one alphabet that is not Latin."""
    file = tmp_path / "contacts.csv"
    names = [
        "Jose",
        "José",
        "Josè",
        "josé",
        "Müller",
        "Mueller",
        "Анна",
        "Anna",
        "Ольга",
        "Νίκος",
        "l1",
        "11",
    ]
    lines = [f"{one},{other}" for one in names for other in names if one < other]
    file.write_text("\n".join(["source,target", *lines]), encoding="utf-8")
    reading = read(file).reading

    assert reading is not None and reading.oddities == ()
