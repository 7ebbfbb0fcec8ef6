"""`netveil synthesize`, and what other commands say of a synthetic release."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from command_line import PEOPLE, listing, mistake, netveil, write

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.cli import main
from netveil.release import synthetic_release
from netveil.release.synthetic_release import load_drawn
from netveil.utility import communities

KARATE = ("synthesize", "karate", "--k", "3", "--seed", "1", "--no-utility", "--no-audit")
KEYS = {
    *("network", "nodes", "edges", "k", "rows", "smallest_row", "ceiling", "true_ties", "seed", "copies"),
    *("seconds", "release"),
}
"""Of the contract."""


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic release of the karate club, to be copied."""
    folder = tmp_path_factory.mktemp("drawn") / "drawn"
    assert main([*KARATE, "--out", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture
def drawn(drawn_once: Path, folder: Path) -> Path:
    """A synthetic release of the karate club."""
    return Path(shutil.copytree(drawn_once, folder / "drawn"))


def save_deletion(folder: Path) -> None:
    """Save a release of the karate club without three of its ties beside the synthetic one."""
    release = nv.anonymize(nv.load("karate"), 3, algorithm="es", seed=1)
    with pytest.warns(nv.SecondReleaseWarning):
        nv.save(release, folder, utility=False, audit=False)


def test_what_nobody_can_exceed_is_told_before_anything_is_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For several k, the one that was asked for among them; a k that is too large is left out."""
    told: list[str] = []

    def drawing(table: object, seed: int, copy: int) -> Generator[float, None, None]:
        told.append("drawing")
        raise KeyboardInterrupt
        yield 0.0

    monkeypatch.setattr(synthetic_release, "drawing", drawing)
    said = netveil("synthesize", "karate", "--k", "3", "--out", "new/drawn")

    assert told == ["drawing"]
    table = [line.split() for line in said.out.splitlines()[2:-1]]
    assert [line[0] for line in table] == ["2", "3", "5", "10"] and table[1][1:3] == ["(asked", "for)"]
    assert (said.code, said.err.splitlines()[-1]) == (130, "netveil: interrupted; nothing was written.")
    assert list(listing(folder)) == ["people.csv"]


def test_the_summary_begins_with_what_may_be_claimed(folder: Path) -> None:
    said = netveil(*KARATE, "--copies", "2")

    lines = [line for line in said.out.partition("\n\n")[2].splitlines() if line]
    assert said.code == 0
    assert lines[0].startswith(
        "No policy was set. It may be claimed that nobody can be found with a chance above"
    )
    assert lines[1:3] == [
        "Who is the attacker?",
        "  Whoever it is finds at most 6 of 34 people on average (17.6%).",
    ]
    lines = lines[7:]
    assert lines[0].startswith("All ties of this network are made up") and "who knows whom" in lines[2]
    assert "6 of 34 people (17.6%) at most on average, nobody with a chance above one in 3" in lines[1]
    assert lines[3] == "2 networks of 34 people and 78 ties drawn, seed 1."
    assert lines[-1] == "Further ones: netveil synthesize --from karate-synthetic --out DIR"
    assert {file.name for file in (folder / "karate-synthetic" / "public").iterdir()} == {
        *(*DEPOSIT_FILES, "about.json", "network.txt", "network-2.txt")
    }


def test_json_has_the_keys_of_the_contract(folder: Path) -> None:
    document = netveil(*KARATE, "--out", "drawn", "--json").json
    loaded = load_drawn(folder / "drawn")

    assert document.keys() >= KEYS
    verdict, scenarios, questions = (document.pop(name) for name in ("verdict", "scenarios", "questions"))
    assert document == {**loaded.figures(), "network": "karate", "release": "drawn"}
    assert verdict.startswith("No policy was set.") and len(scenarios) == 5 and len(questions) == 3
    assert document["ceiling"] == pytest.approx(document["rows"] / 34)


def test_further_networks_come_from_the_table_alone(drawn: Path, folder: Path) -> None:
    """No network is named or opened; numbers and people's nodes are drawn anew, and nothing is warned of."""
    said = netveil("synthesize", "--from", "drawn", "--seed", "2", "--copies", "2", "--out", "more", "--json")
    first, more = load_drawn(drawn), load_drawn(folder / "more")

    assert (said.code, said.err) == (0, "")
    assert said.json["true_ties"] is None and said.json["edges"] == 78
    assert more.table == first.table == nv.synthesize(nv.load("karate"), k=3, seed=2).table
    assert more.drawn == nv.synthesize(nv.load("karate"), k=3, seed=2, copies=2).drawn
    assert more.labels != first.labels and more.secret != first.secret
    assert "Whoever has the network itself" not in netveil("synthesize", "--from", "more", "--out", "x").out


def test_a_second_table_beside_it_is_warned_of(drawn: Path) -> None:
    said = netveil("synthesize", "karate", "--k", "5", "--seed", "1", "--no-utility", "--out", "second")

    assert said.code == 0
    assert "Two tables give away what one hides" in said.err and "--from drawn" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either NETWORK or --from RELEASE"),
        (("karate", "--from", "drawn"), "give either NETWORK or --from RELEASE"),
        (("--from", "drawn", "--k", "3"), "--k is of no use with --from"),
        (("--from", "deleted"), "deleted holds no table: its ties were deleted, not made up"),
        (("--from", "nowhere"), "nowhere is not a release"),
        (("--from", "damaged"), "table.csv and table-ties.csv do not make a table"),
        (("karate", "--k", "18"), "--k 18 is more than half of the 34 people"),
        (("karate", "--k", "1"), "--k 1: give a whole number, 2 or more"),
        (("karate", "--copies", "0"), "copies 0: give a whole number, 1 or more"),
        (("karate", "--seed", "-1"), "seed -1: give a whole number, 0 or more"),
        (("karate", "--out", "drawn"), "drawn exists already"),
        (("drawn",), "drawn is a folder. Give a file in it"),
        (("nowhere.csv",), "nowhere.csv: there is no such file"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    drawn: Path, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    if "deleted" in arguments:
        save_deletion(folder / "deleted")
    if "damaged" in arguments:
        drawn.rename(folder / "damaged")
        table = folder / "damaged" / "private" / "table.csv"
        head, first, *others = table.read_text(encoding="utf-8").splitlines()
        write(table, "\n".join([head, first, f"x{others[0][1:]}", *others[1:], ""]))
    assert message in mistake(folder, "synthesize", *arguments)


def test_people_without_ties_are_drawn_and_published_as_the_file_is(folder: Path) -> None:
    write(folder / "alone.csv", PEOPLE + "finn,finn\ngrit,grit\nhans,hans\n")
    assert netveil("synthesize", "alone.csv", "--k", "4", "--no-utility", "--quiet").code == 0

    public = folder / "alone-synthetic" / "public"
    assert {file.name for file in public.iterdir()} == {
        *DEPOSIT_FILES,
        "about.json",
        "network.csv",
        "nodes.csv",
    }
    assert nv.read(public / "network.csv").node_count == 8


# Other commands.


def test_report_renders_its_pages_again(drawn: Path) -> None:
    pages = [drawn / "private" / name for name in ("report.html", "sign-off.html", "decision.md")]
    before = [page.read_text(encoding="utf-8") for page in pages]
    for page in pages:
        page.unlink()
    said = netveil("report", "drawn")

    assert (said.code, said.out.split()) == (0, [f"drawn/private/{page.name}" for page in pages])
    assert [page.read_text(encoding="utf-8") for page in pages] == before
    record = drawn / "private" / "run.json"
    run = json.loads(record.read_text(encoding="utf-8"))
    write(record, json.dumps({**run, "report": {}}))
    assert "it lacks what the report shows" in netveil("report", "drawn").err


def test_measure_and_audit_say_in_one_line_why_not(drawn: Path, folder: Path) -> None:
    """Figures about made-up people would mislead."""
    assert "who looks unique in a synthetic network is noise" in mistake(folder, "measure", "drawn")
    assert "ties of a synthetic release are all made up" in mistake(folder, "audit", "karate", "drawn")


def test_compare_shows_releases_side_by_side(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's keys describe the first; a synthetic one is told by its true ties."""
    monkeypatch.setattr(communities, "RUNS", 10)
    save_deletion(drawn.parent / "deleted")
    document = netveil("compare", "karate", "deleted", "drawn", "--json").json
    first, second = document.pop("comparisons")

    assert document == first
    assert [each["released"] for each in (first, second)] == ["deleted", "drawn"]
    assert (first["kind"], first["deleted"], first["true_ties"]) == ("deletion", 3, 1.0)
    assert (second["kind"], second["true_ties"]) == ("synthetic", _true_ties(drawn))
    alone: dict[str, Any] = netveil("compare", "karate", "drawn", "--json").json
    assert alone.pop("comparisons") == [alone] == [second]

    lines = netveil("compare", "karate", "deleted", "drawn").out.splitlines()
    shared = round(78 * second["true_ties"])
    assert lines[0] == "deleted: 3 of 78 edges deleted (3.85%)"
    assert lines[1].startswith(f"drawn: all 78 edges made up, {shared} of them (")
    assert lines[3].split() == ["before", "deleted", "change", "drawn", "change", "better"]
    assert lines[4].split() == ["edges", "78", "75", "-3.85%", "78", "same", "closer"]


def test_the_table_of_labels_is_that_of_one_release(drawn: Path, folder: Path) -> None:
    """With several, it would be wrong for all but one."""
    several = ("drawn", "drawn", "--labels", "drawn/private/labels.csv")
    assert "is the table of one release" in mistake(folder, "compare", "karate", *several)


def _true_ties(folder: Path) -> float:
    """Share of true ties that the record tells."""
    return float(json.loads((folder / "private" / "run.json").read_text(encoding="utf-8"))["true_ties"])
