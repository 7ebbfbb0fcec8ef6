"""Tuning: the grid, the tournament (who goes on; pauses and workers make no difference), and the command."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import threading
import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest

import netveil as nv
from as_in_all_tests import whole_figures
from graphs import SQUARE, clustered
from netveil.cli import main
from netveil.errors import FileError, NetworkError, SettingError
from netveil.search import ALGORITHMS, Control
from netveil.search.genetic import CONFIGURATIONS, Genetic
from netveil.studies.tuning import RoundStatus, TuningResult, grid_for, tune
from netveil.studies.tuning_folder import preset_text
from waiting import HANG, until

PEOPLE = clustered()
QUICK = {
    "population": 20,
    "offspring": 20,
    "patience": 12,
    "crossover": [5, "uniform"],
    "mutation_rate": [0.0, 0.002, 0.01],
    "parental_selection": ["roulette", "tournament"],
}
"""Twelve configurations that take no time, some of them bad."""


def quick(algorithm: str = "ga", **options: Any) -> TuningResult:
    """A small tournament."""
    given = {"grid": QUICK, "every": 3, "finalists": 2, "seed": 5, "workers": 2, **options}
    return tune(PEOPLE, algorithm=algorithm, **given)


def objectives(history: Any) -> tuple[int, ...]:
    """The best by step, of a search that nobody paused."""
    best: dict[int, int] = {}
    for row in history:
        best[row.step] = min(row.objective, best.get(row.step, row.objective))
    return tuple(best.values())


def test_the_worse_half_is_eliminated_at_each_halving() -> None:
    """Twelve, six, three, two; and nobody who goes on was worse than somebody who does not."""
    result = quick()
    eliminated = [curve.eliminated_at for curve in result.curves]

    assert {step: eliminated.count(step) for step in result.halvings} == {3: 6, 6: 3, 9: 1}
    assert eliminated.count(None) == 2
    for step in result.halvings:
        out = [curve.objectives[step] for curve in result.curves if curve.eliminated_at == step]
        on = [
            curve.objectives[step]
            for curve in result.curves
            if curve.eliminated_at is None or curve.eliminated_at > step
        ]
        assert max(on) <= min(out)
    for curve in (curve for curve in result.curves if curve.eliminated_at is not None):
        assert curve.generations == curve.eliminated_at
        assert (curve.stopped_by, curve.at_risk) == ("eliminated", None)
    # The ranking: finalists come first, then who stayed longest.
    assert [each.eliminated_at for each in result.best_first] == [None] * 2 + [9] + [6] * 3 + [3] * 6
    assert result.winner.at_risk == min(curve.at_risk for curve in result.curves if curve.at_risk is not None)
    odd = quick(configurations=7, finalists=1)  # seven, four, two, one
    assert [each.eliminated_at for each in odd.best_first] == [None, 9, 6, 6, 3, 3, 3]


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("algorithm", "grid", "every"),
    [
        ("ga", QUICK, 3),
        ("uga", QUICK, 3),
        ("annealing", {"effort": [0.05, 0.1], "chains": [1, 2, 3]}, 1),
        ("es", {"steps": [2, 5, 14, 15]}, 4),
        ("ua", {"steps": [2, 5, 14, 15]}, 4),
        ("class-targeted", {"rounds": [1, 2, 3, 4]}, 4),
        ("sana", {"cooling": [0.5, 0.75, 0.99, 0.999], "patience": 2_000}, 500),
    ],
)
def test_a_run_that_pauses_is_the_run_that_does_not(algorithm: str, grid: Any, every: int) -> None:
    """Each finalist's curve is that of `anonymize` with its settings and seed; of the others it is a part."""
    result = quick(algorithm, grid=grid, every=every)

    assert result.halvings
    for curve in result.curves:
        alone = nv.anonymize(PEOPLE, algorithm=algorithm, settings=curve.settings, seed=5, threads=1).outcome
        whole = objectives(alone.history)
        assert curve.objectives == whole[: len(curve.objectives)]
        if curve.eliminated_at is None:
            assert (curve.objectives, curve.at_risk) == (whole, alone.at_risk_after)
        elif result.counts_generations:
            assert curve.generations == curve.eliminated_at


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_the_baselines_run_to_their_end(algorithm: str) -> None:
    """One with two steps has spent its budget when one with eleven begins: they are not compared midway."""
    result = quick(algorithm, grid={"steps": [1, 2, 5, 8, 11]}, every=None)

    assert result.halvings == ()
    assert [curve.generations for curve in result.curves] == [1, 2, 5, 8, 11]
    assert all(curve.stopped_by in ("budget", "solved") for curve in result.curves)


def test_workers_make_no_difference_and_the_seed_does() -> None:
    """Seconds apart, which are nobody's result; the seed draws the configurations, too."""
    first, second = quick(configurations=5, seed=1), quick(configurations=5, seed=2)

    assert quick(workers=1) == quick(workers=2) == quick(workers=7)
    assert {curve.number for curve in first.curves} != {curve.number for curve in second.curves}


def test_an_interrupted_tournament_tells_the_best_so_far() -> None:
    """In the second round, of which who watches hears: nobody else is eliminated, no thread stays behind."""
    control, before = Control(), threading.active_count()
    heard: list[nv.ProgressReport] = []

    def interrupt(report: nv.ProgressReport) -> None:
        heard.append(report)
        if report.state.until == 6:
            control.interrupt()

    result = quick(control=control, progress=interrupt, workers=1)

    rounds: list[RoundStatus] = [each.state for each in heard if each.share == 1.0]
    assert result.interrupted and heard[0].doing.startswith("1 of 12 runs at generation 3 · best objective ")
    assert [(each.until, each.running) for each in rounds] == [(3, 12), (6, 6), (None, 6)]
    assert "\n# Interrupted: the tournament was stopped before its end" in preset_text(result)
    assert "Interrupted" not in preset_text(replace(result, interrupted=False))
    assert result.halvings in ((3,), (3, 6))
    assert result.winner.eliminated_at is None and result.winner.at_risk is not None
    until(lambda: threading.active_count() <= before)


def test_a_failing_run_ends_the_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """What went wrong in a thread is raised where the tournament was asked for; all others are stopped."""
    stopped: list[Control] = []
    monkeypatch.setattr(Control, "interrupt", lambda self: stopped.append(self))
    monkeypatch.setattr("netveil.search.Problem.fresh_state", Mock(side_effect=RuntimeError("broken")))
    with pytest.raises(RuntimeError, match="broken"):
        quick()
    assert len(stopped) == 12


@pytest.mark.parametrize(
    ("options", "told"),
    [
        *(({name: 0}, f"{name} 0") for name in ("configurations", "every", "finalists", "workers")),
        ({"seed": -1}, "seed -1"),
        ({"configurations": 5000}, "2,000 at most"),
        ({"algorithm": "gaa"}, "unknown algorithm"),
    ],
)
def test_a_bad_number_is_refused(options: dict[str, Any], told: str) -> None:
    """In one sentence, before anything runs."""
    with pytest.raises(SettingError, match=told):
        quick(**options)
    with pytest.raises(NetworkError, match="nobody is at risk"):  # all four corners of a square are alike
        tune(SQUARE, budget=1)


def test_the_papers_grid() -> None:
    """432 configurations, the four final ones among them; every algorithm with settings has a grid."""
    for algorithm in ("ga", "uga"):
        grid = grid_for(algorithm)
        everything = {grid.configuration(number) for number in range(1, 433)}
        assert grid.size == len(everything) == 432 and set(CONFIGURATIONS.values()) <= everything
    able = {name for name, algorithm in ALGORITHMS.items() if asdict(algorithm.default)}
    assert all(grid_for(algorithm).size > 1 for algorithm in able)
    # A new one is to pause in a test above.
    assert able == {"ga", "uga", "annealing", "es", "ua", "class-targeted", "sana"}


def test_drawing_takes_each_once_and_follows_the_seed() -> None:
    """Fifty of 432, and all of them where there are fewer."""
    grid = grid_for("ga")
    drawn = grid.drawn(50, seed=7)

    assert len(set(drawn)) == 50
    assert drawn == sorted(drawn) == grid.drawn(50, seed=7) != grid.drawn(50, seed=8)
    assert grid.drawn(1000, seed=7) == list(range(1, 433))
    # A huge grid is not written out: it would not fit in memory.
    hundreds = {name: list(range(2, 202)) for name in ("population", "offspring", "patience")}
    huge = grid_for("ga", {**hundreds, "tournament_size": [*range(1, 101)], "crossover": [*range(1, 101)]})
    assert huge.size == 80 * 10**9
    assert len({huge.configuration(number) for number in huge.drawn(5, seed=1)}) == 5


def test_a_file_says_what_to_vary(tmp_path: Path) -> None:
    """A list is varied, a single value holds for all, and what is not named stays at its default."""
    file = tmp_path / "grid.toml"
    text = b'crossover = [10, "uniform"]\nmutation-rate = [0.001, 0]\npatience = 80\n'
    file.write_bytes(b"\xef\xbb\xbf" + text)  # the mark with which some editors begin a file
    grid = grid_for("uga", file)

    assert [grid.configuration(number) for number in (1, 2, 3, 4)] == [
        Genetic(crossover=cuts, mutation_rate=rate, patience=80)
        for cuts in (10, "uniform")
        for rate in (0.001, 0.0)
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("crosover = [10]", "unknown setting 'crosover': did you mean crossover?"),
        ("population = [100, 1]", "setting population = 1: it must be between 2 and"),
        ("patience = [40, 'long']", "patience = 'long': Expected `int`"),
        ("patience = []", "patience has no value"),
        ("patience = [40, 40]", "or a value twice"),
        ("mutation-rate = 0.1\nmutation_rate = 0.2", "or a value twice"),
        ("# nothing", "nothing to vary"),
    ],
)
def test_a_bad_value_is_named_with_its_file(tmp_path: Path, text: str, told: str) -> None:
    """Before anything runs."""
    file = tmp_path / "grid.toml"
    file.write_text(text)

    with pytest.raises(SettingError) as error:
        grid_for("ga", file)
    assert str(error.value).startswith(f"{file}: ")
    assert told in str(error.value)


def test_what_has_no_grid_is_refused(tmp_path: Path) -> None:
    """More combinations than can be numbered (seven settings of sixty values each), no algorithm, no file."""
    whole = ("population", "offspring", "patience", "tournament_size", "crossover")
    shares = [place / 100 for place in range(60)]
    many = {**{name: list(range(2, 62)) for name in whole}, "initial_rate": shares, "mutation_rate": shares}

    with pytest.raises(SettingError, match="too many"):
        grid_for("ga", many)
    with pytest.raises(SettingError, match="did you mean annealing"):
        grid_for("anealing")
    with pytest.raises(FileError, match=r"none\.toml: no such file\. Write lines such as: crossover = \[25"):
        grid_for("ga", tmp_path / "none.toml")


# The command.


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
    """Beside the network, under its name; the record can be read again, and the table agrees with it.

    With --json all that is printed is the record, and --quiet silences progress.
    """
    assert tuned("--json", "--quiet") == 0
    out, err = capsys.readouterr()
    document, made = json.loads(out), folder / "people-tuning"
    result = TuningResult.from_dict(json.loads((made / "tuning.json").read_text()))
    rows = list(csv.DictReader((made / "results.csv").read_text().splitlines()))

    assert (err, document["network"], document["folder"]) == ("", "people.txt", "people-tuning")
    assert TuningResult.from_dict(document) == replace(result, network="people.txt")
    assert document["winner"]["number"] == document["ranking"][0] == result.ranking[0]
    assert {path.name for path in made.iterdir()} == FILES
    assert sorted(path.name for path in folder.iterdir()) == ["grid.toml", "people-tuning", "people.txt"]
    ranks = enumerate(result.ranking, start=1)
    assert [(int(row["rank"]), int(row["configuration"])) for row in rows] == list(ranks)
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
@whole_figures()
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


@pytest.mark.parametrize("entries", [{"diary.txt"}, {"diary.txt", "tuning.json"}, {"results.csv"}])
def test_a_folder_that_exists_stays(
    folder: Path, capsys: pytest.CaptureFixture[str], entries: set[str]
) -> None:
    """Without --overwrite always, and with it whatever is not a tuning."""
    (folder / "mine").mkdir()
    for name in entries:
        (folder / "mine" / name).write_text("dear diary")

    for options in ((), ("--overwrite",)):
        assert tuned("--out", "mine", *options) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and said.err.startswith("netveil: mine exists")
    assert {path.name for path in (folder / "mine").iterdir()} == entries


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--every", "0"), "every 0: give a whole number, 1 or more."),
        (("--budget", "500%"), "budget 500% is more than all edges"),
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
