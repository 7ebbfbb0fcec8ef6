"""Commands say how a file was read, ask where it can be read in two ways, and convert it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import PEOPLE, listing, netveil, write
from pyarrow import ipc, parquet

import netveil as nv
from netveil.cli import options as shared_options

TABLE = "day;boss;helper;place\n" + "".join(
    f"{day};Zoë {day % 5};Jörg {day % 7};x{day}\n" for day in range(40)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table in it of which it is not clear where the people are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work.csv").write_bytes(TABLE.encode("cp1252"))
    return tmp_path


def test_a_question_is_one_line_and_the_first_lines_of_the_file(folder: Path) -> None:
    """Exit code 2, the option to give, the lines as they were seen; nothing is written."""
    before = listing(folder)
    for command, files in {"measure": 1, "anonymize": 1, "tune": 1, "compare": 2, "audit": 2}.items():
        said = netveil(command, *["work.csv"] * files)

        assert (said.code, said.out) == (2, "")
        assert said.err.splitlines() == [
            "netveil: work.csv: its header does not say which two of its 4 columns are the people. Give both "
            "by their names or numbers, such as --columns 1,2. (more: guide.html#tables)",
            "    day | boss | helper | place",
            *(f"    {day} | Zoë {day} | Jörg {day} | x{day}" for day in range(3)),
        ]
        assert listing(folder) == before


def test_ties_that_are_left_out_are_asked_about_or_told(folder: Path) -> None:
    """Of a survey whose lines name several people: exit code 2, or a warning where two columns are named."""
    lines = ["from,to,also,too"]
    lines += [",".join(f"p{(at + step) % 30}" for step in (0, 1, 5, 7)) for at in range(30)]
    (folder / "survey.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = netveil("measure", "survey.csv")
    told = netveil("measure", "survey.csv", "--columns", "from,to", "--quiet", "--json")

    assert (asked.code, asked.out) == (2, "")
    assert asked.err.splitlines()[0] == (
        "netveil: survey.csv: columns 3, 4 hold the same people as columns 1 and 2, so that a line is several"
        " ties, of which only one would be read. Give --nominations if the first names the others; or name"
        " the two columns to read, such as --columns 1,2, and the others are left out."
        " (more: guide.html#tables)"
    )
    assert told.code == 0
    (oddity,) = told.json["reading"]["oddities"]
    assert oddity.startswith("columns also, too hold the same people as those that are read")
    assert f"warning: {oddity}." in told.err


def test_the_options_answer_it_and_the_answer_is_shown_and_kept(folder: Path) -> None:
    """On the screen, in JSON, in run.json, in the report and on the page to sign."""
    options = ["--columns", "boss,3", "--separator", ";", "--header", "--encoding", "cp1252"]
    shown = netveil("measure", "work.csv", *options)
    document = netveil("measure", "work.csv", *options, "--json").json
    quiet = netveil("measure", "work.csv", *options, "--json", "--quiet").json
    netveil("anonymize", "work.csv", *options, "--budget", "5%", "--effort", "0.1",
        "--no-audit", "--no-baselines", "--no-utility", "--quiet",
    )  # fmt: skip
    private = folder / "work-release" / "private"
    kept = json.loads((private / "run.json").read_text(encoding="utf-8"))["reading"]

    sentence = (
        "read as edge-list: separator semicolon, people in columns boss and helper, header, cp1252, "
        "dropped: 2 further columns, 5 repeated ties"
    )
    assert f"\n  {sentence}\n  first ties: Zoë 0 – Jörg 0; Zoë 1 – Jörg 1; Zoë 2 – Jörg 2\n" in shown.out
    assert document["reading"] == kept
    assert document["reading"] == {
        "format": "edge-list",
        "separator": "semicolon",
        "columns": ["boss", "helper"],
        "header": True,
        "encoding": "cp1252",
        "first": [["Zoë 0", "Jörg 0"], ["Zoë 1", "Jörg 1"], ["Zoë 2", "Jörg 2"]],
        "dropped": ["2 further columns", "5 repeated ties"],
        "oddities": [],
        "nominations": None,
        "sheet": None,
        "both_ways": 0,
    }
    assert quiet["reading"] == {key: value for key, value in kept.items() if key != "first"}
    for page in ("report.html", "sign-off.html"):
        text = (private / page).read_text(encoding="utf-8")
        assert sentence.removeprefix("read") in text
        assert ("Zoë 0" in text) == (page == "report.html")  # the page to sign names nobody


def test_oddities_are_warnings_whatever_is_printed(folder: Path) -> None:
    (folder / "ages.csv").write_text(
        "name,height\n" + "".join(f"p{n},1.{n:02}\n" for n in range(30)), encoding="utf-8"
    )

    for words in ([], ["--quiet"], ["--json"]):
        said = netveil("measure", "ages.csv", *words)
        assert said.code == 0
        assert said.err.splitlines()[0] == (
            "warning: column height holds numbers, which were taken for people. "
            "Check that this is the network that was meant."
        )


def test_an_option_of_tables_is_refused_for_other_formats(folder: Path) -> None:
    (folder / "a.graphml").write_text("<graphml/>", encoding="utf-8")
    said = netveil("measure", "a.graphml", "--columns", "1,2")

    assert (said.code, said.err) == (2, "netveil: columns is of no use for graphml files; leave it out.\n")


def test_a_network_is_the_same_in_another_file_and_back(tmp_path: Path) -> None:
    people = write(tmp_path / "people.csv", PEOPLE)
    for suffix in ("parquet", "arrow", "csv", "txt.gz", "graphml"):
        other, back = tmp_path / f"a.{suffix}", tmp_path / f"b-{suffix}.csv"
        said = netveil("convert", people, "--out", other, "--json")

        assert (said.code, netveil("convert", other, "--out", back, "--quiet").code) == (0, 0), said.err
        assert said.json["dropped"] == {"self_loops": 1, "duplicates": 1}
        assert (said.json["nodes"], said.json["edges"], said.json["bytes"]) == (5, 4, other.stat().st_size)
        assert nv.read(other) == nv.read(back) == nv.read(people)


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    """And a format that is not written is told, both before the network is read."""
    place = write(tmp_path / "a.csv", "x,y\n")
    there = netveil("convert", tmp_path / "missing.csv", "--out", place)
    unwritten = netveil("convert", tmp_path / "missing.csv", "--out", tmp_path / "a.xlsx")

    assert (there.code, unwritten.code) == (2, 2)
    assert "exists already" in there.err and "--overwrite" in there.err
    assert "does not write them" in unwritten.err
    assert netveil("convert", "karate", "--out", place, "--overwrite").code == 0
    assert nv.read(place).edge_count == 78


@pytest.mark.quick(1)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_whole_numbers_are_stored_as_such_and_are_the_same_labels(tmp_path: Path, suffix: str) -> None:
    kinds = {"100": "int32", "5000000000": "int64", "007": "string", "9" * 20: "string"}
    for label, kind in kinds.items():
        labels = ["7", label, "-3", "12"]
        network = nv.Network.from_edges([(labels[0], labels[1]), (labels[1], labels[2])], labels)
        file = tmp_path / f"{label}.{suffix}"
        nv.write(network, file)

        schema = parquet.read_schema(file) if suffix == "parquet" else ipc.open_file(file).schema
        in_lists = "dictionary<values=string, indices=int32, ordered=0>"
        assert (
            list(map(str, schema.types)) == [in_lists if (suffix, kind) == ("arrow", "string") else kind] * 2
        )
        assert nv.read(file) == network


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("command", "further"),
    [
        ("measure", ()),
        ("convert", ("--out", "copy.csv")),
        ("anonymize", ("--algorithm", "es", "--budget", "1", "--out", "released", "--overwrite")),
        ("tune", ("--algorithm", "es", "--budget", "1", "--out", "tuned", "--overwrite")),
        ("compare", ("{network}",)),
        ("compare", ("release",)),
        ("audit", ("{network}", "--measure", "degree", "--matching", "none")),
    ],
)
def test_a_large_file_is_read_with_a_bar_by_every_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, further: tuple[str, ...]
) -> None:
    """Only where it is large, and never with --quiet; of a release folder, the network in it counts."""
    shown: list[tuple[str, bool]] = []

    @contextmanager
    def share_on_bar(doing: str, quiet: bool) -> Iterator[None]:
        shown.append((doing, quiet))
        yield

    write(folder / "large.csv", "# the same network\na,b\nb,c\n")
    write(folder / "small.csv", "a,b\nb,c\n")
    if "release" in further:
        nv.save(nv.anonymize("small.csv", 0, seed=1), "release", utility=False, audit=False)
    monkeypatch.setattr(shared_options, "share_on_bar", share_on_bar)
    monkeypatch.setattr(shared_options, "WORTH_A_BAR", 10)
    for network, quiet in (("large.csv", ()), ("small.csv", ()), ("large.csv", ("--quiet",))):
        words = [word.format(network=network) for word in further]
        said = netveil(command, network, *words, *quiet)
        assert said.code == 0, said.err
        Path("copy.csv").unlink(missing_ok=True)

    assert shown == [("reading", False), ("reading", "release" not in further), ("reading", True)]
