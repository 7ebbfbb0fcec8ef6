"""`netveil tune`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import netveil as nv
from graphs import clustered
from netveil.cli import main
from netveil.errors import FileError
from netveil.search.genetic import Genetic
from netveil.studies.tuning import TuningResult
from waiting import HANG

FILES = {"winner.toml", "tuning.json", "results.csv", "halving.svg", "halving.png"}
GRID = """
population = 20
offspring = 20
patience = 12
crossover = [5, "uniform"]
mutation_rate = [0.0, 0.002, 0.00001]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a network and a small grid."""
    nv.write(clustered(), tmp_path / "people.txt")
    (tmp_path / "grid.toml").write_text(GRID)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tuned(*options: str) -> int:
    """A small tournament."""
    quick = ("--grid", "grid.toml", "--every", "3", "--finalists", "2", "--seed", "5")
    return main(["tune", "people.txt", *quick, *options])


def test_the_folder_holds_all_that_is_promised(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the network, under its name; the record can be read again, and the table agrees with it."""
    assert tuned() == 0
    made = folder / "people-tuning"
    result = TuningResult.from_dict(json.loads((made / "tuning.json").read_text()))
    rows = list(csv.DictReader((made / "results.csv").read_text().splitlines()))

    assert {path.name for path in made.iterdir()} == FILES
    assert sorted(path.name for path in folder.iterdir()) == ["grid.toml", "people-tuning", "people.txt"]
    assert [int(row["configuration"]) for row in rows] == list(result.ranking)
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[-1]["eliminated_at"] == "3" and int(rows[0]["at_risk"]) == result.winner.score
    assert TuningResult.from_dict(result.to_dict()) == result
    with pytest.raises(
        FileError, match=r"not the record of a tuning \(Object missing required field `nodes`\)"
    ):
        TuningResult.from_dict({"network": "people"})


def test_the_winner_is_a_preset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`anonymize --config` with the same seed repeats the winner's run, as the printed command says."""
    assert tuned() == 0
    out = capsys.readouterr().out
    result = TuningResult.from_dict(json.loads((folder / "people-tuning" / "tuning.json").read_text()))
    command = next(line for line in out.splitlines() if line.startswith("To use it:")).split(maxsplit=3)[3]
    settings = tomllib.loads((folder / "people-tuning" / "winner.toml").read_text())

    assert command == "netveil anonymize people.txt --algorithm ga --config people-tuning/winner.toml"
    assert Genetic(**settings) == Genetic(**result.winner.settings)
    options = ["--seed", "5", "--json", "--no-utility", "--no-audit"]
    assert main([*command.split()[1:], *options]) == 0
    release = json.loads(capsys.readouterr().out)
    assert release["at_risk_after"] == result.winner.at_risk
    assert release["generations"] == result.winner.generations


@pytest.mark.thorough  # GA with such states has kernels of its own
def test_the_command_to_use_it_poses_the_same_problem(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Attackers and budget are repeated where they were given."""
    options = ("--measure", "degree", "--measure", "count", "--k", "3", "--twins", "--budget", "10%")
    assert tuned(*options, "--json", "--out", "my tuning") == 0
    document = json.loads(capsys.readouterr().out)

    assert document["command"] == (
        "netveil anonymize people.txt --algorithm ga --config 'my tuning/winner.toml' "
        "--measure degree --measure count --twins --k 3 --budget 10%"
    )
    assert document["measure"] == "degree + count" and document["k"] == 3 and document["twins"] is True


def test_json_is_all_that_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Progress goes to standard error, and --quiet silences it."""
    assert tuned("--json", "--quiet") == 0
    said = capsys.readouterr()
    document = json.loads(said.out)

    assert said.err == ""
    assert document["network"] == "people.txt" and document["folder"] == "people-tuning"
    assert document["winner"]["number"] == document["ranking"][0]
    assert len(document["curves"]) == 6


def test_the_table_shows_what_differs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Settings that are the same in all rows are told once; small numbers have no exponent.

    Nobody has counted who is at risk where a configuration was eliminated, so no number stands there.
    """
    assert tuned() == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    result = TuningResult.from_dict(json.loads((folder / "people-tuning" / "tuning.json").read_text()))
    header = next(number for number, line in enumerate(lines) if line.split()[:1] == ["no."])
    shown = [line.split()[-4:] for line in lines[header + 1 : header + 7]]

    assert "6 of 6 runs at generation 3" in err and "runs at" not in out
    assert out.startswith("6 of 6 configurations of ga tried, halved every 3 generations, seed 5:")
    assert "0.00001" in out and "e-05" not in out
    assert "The same in all of these: population = 20, offspring = 20" in out
    assert shown == [
        [
            "–" if curve.at_risk is None else str(curve.at_risk),
            *(str(curve.objective), str(curve.generations), curve.stopped_by),
        ]
        for curve in result.best_first
    ]
    assert {row[0] == "–" for row in shown} == {True, False}


@pytest.mark.thorough
@pytest.mark.usefixtures("whole_figures")
def test_the_figure_stands_alone(folder: Path) -> None:
    """Nothing is fetched from elsewhere, the axes are the paper's, the same result gives the same figure."""
    assert tuned() == 0
    svg = (folder / "people-tuning" / "halving.svg").read_bytes()
    root = ElementTree.fromstring(svg)
    links = [
        value for node in root.iter() for name, value in node.attrib.items() if name.endswith(("href", "src"))
    ]

    assert all(link.startswith("#") for link in links)
    assert b"number of generations" in svg and b"number of unique nodes" in svg
    assert (folder / "people-tuning" / "halving.png").read_bytes().startswith(b"\x89PNG")
    assert tuned("--overwrite") == 0
    assert (folder / "people-tuning" / "halving.svg").read_bytes() == svg


def test_a_folder_that_exists_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --overwrite always, and with it whatever is not a tuning."""
    (folder / "mine").mkdir()
    (folder / "mine" / "diary.txt").write_text("dear diary")

    for options in ((), ("--overwrite",)):
        assert tuned("--out", "mine", *options) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith("netveil: mine exists")
    assert [path.name for path in (folder / "mine").iterdir()] == ["diary.txt"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--algorithm", "gaa"), "unknown algorithm 'gaa'"),
        (("--grid", "none.toml"), "none.toml: no such file"),
        (("--every", "0"), "every 0: give a whole number, 1 or more."),
        (("--budget", "500%"), "budget 500% is more than all edges"),
        (("--measure", "cuont"), "did you mean count?"),
        (("--algorithm", "ua"), "unknown setting 'population'"),
        (("--out", "people.txt/tuning"), "people.txt/tuning cannot be written"),
    ],
)
def test_a_mistake_takes_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], told: str
) -> None:
    """Exit code 2, no traceback, nothing written."""
    assert tuned(*options) == 2
    said = capsys.readouterr()

    assert said.out == "" and said.err.count("\n") == 1 and told in said.err
    assert sorted(path.name for path in folder.iterdir()) == ["grid.toml", "people.txt"]


@pytest.mark.thorough
def test_ctrl_c_writes_the_best_so_far(folder: Path) -> None:
    """Exit code 130, one JSON document, and a winner that can be used."""
    (folder / "endless.toml").write_text("patience = 1000000\ncrossover = [5, 25, 'uniform']\n")
    command = "netveil tune demo --grid endless.toml --every 2 --finalists 1 --seed 1 --json"
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-m", *command.split()], **pipes) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "at generation 4" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG)

    assert (process.returncode, "Traceback" in err) == (130, False)
    document = json.loads(out)
    assert document["interrupted"] is True
    assert {path.name for path in (folder / "demo-tuning").iterdir()} == FILES
    assert Genetic(**tomllib.loads((folder / "demo-tuning" / "winner.toml").read_text())).patience == 1000000
