"""Commands say how a file was read, and ask where it can be read in two ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import listing, netveil

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
    """On standard error, also with --json and --quiet."""
    (folder / "ages.csv").write_text(
        "name,height\n" + "".join(f"p{n},1.{n:02}\n" for n in range(30)), encoding="utf-8"
    )

    for options in ([], ["--quiet"], ["--json"]):
        said = netveil("measure", "ages.csv", *options)
        assert said.code == 0
        assert said.err.splitlines()[0] == (
            "warning: column height holds numbers, which were taken for people. "
            "Check that this is the network that was meant."
        )


def test_an_option_of_tables_is_refused_for_other_formats(folder: Path) -> None:
    """An option that is not used must not seem to be."""
    (folder / "a.graphml").write_text("<graphml/>", encoding="utf-8")
    said = netveil("measure", "a.graphml", "--columns", "1,2")

    assert (said.code, said.err) == (2, "netveil: columns is of no use for graphml files; leave it out.\n")
