"""The table of all runs, and studies, which have a name instead of a plan."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from small_plans import study

from netveil._version import __version__
from netveil.cli import main
from netveil.files.staging import Hold, hidden_name
from netveil.studies import STUDIES, LostCluster, read_plan, results_table
from netveil.studies.study import Conclusion, RunOptions, StudyRuns

TWO = """\
networks = ["karate"]
algorithms = ["es", "ua"]
budgets = ["10%"]
seeds = 2
metrics = ["clustering", "communities"]
measures = [{measure = "count", fuzzy = "5%"}]
"""
COLUMNS = [
    *("network", "nodes", "edges", "algorithm", "config", "budget"),
    *("measure", "distance", "fuzzy", "twins", "k", "seed"),
    *("at_risk_before", "at_risk_after", "reduction", "unique_before", "unique_after"),
    *("deleted", "deleted_share", "evaluations", "generations", "seconds", "stopped_by"),
]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of an experiment whose four runs are finished."""
    study(tmp_path, TWO)
    monkeypatch.chdir(tmp_path)

    assert main(["experiment", "plan.toml", "--out", "out", "--workers", "1", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    return tmp_path / "out"


def test_the_table_has_a_row_a_run_and_columns_for_each_metric(runs: Path) -> None:
    """Those of the contract first."""
    rows = results_table(runs)

    assert list(rows[0])[: len(COLUMNS)] == COLUMNS
    assert [(row["algorithm"], row["seed"]) for row in rows] == [("es", 1), ("es", 2), ("ua", 1), ("ua", 2)]
    for row in rows:
        assert (row["nodes"], row["edges"], row["budget"], row["budget_edges"]) == (34, 78, "10%", 7)
        assert row["fuzzy"] == "5%" and row["measure"] == "count" and row["config"] is None
        assert row["reduction"] == (row["at_risk_before"] - row["at_risk_after"]) / row["at_risk_before"]
        assert row["clustering_change"] == row["clustering_after"] - row["clustering_before"]
        assert row["clustering_score"] is None
        assert row["communities_score"] == row["communities_after"]
        assert row["deleted_share"] == row["deleted"] / 78


def test_the_table_is_written_as_csv_and_parquet(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both hold what `results_table` returns."""
    parquet = pytest.importorskip("pyarrow.parquet")
    code = main(["experiment", str(runs), "--collect", "--parquet", "--json"])
    document = json.loads(capsys.readouterr().out)
    with (runs / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert code == 0
    assert document["tables"] == [str(runs / "results.csv"), str(runs / "results.parquet")]
    table = results_table(runs)
    assert rows == [{key: "" if value is None else str(value) for key, value in row.items()} for row in table]
    assert parquet.read_table(runs / "results.parquet").to_pylist() == table


def test_what_killed_processes_left_is_swept_and_other_versions_are_told(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is being written right now is left alone, however long it takes, and what is not netveil's too.

    A plan that is run can be collected in the same command, which says where the table is.
    """
    left, written = (hidden_name(runs / "runs" / "karate", "folder") for _ in range(2))
    others = runs / "runs" / ".others"
    for folder in (left, written, others):
        folder.mkdir()
        os.utime(folder, (time.time() - 7200,) * 2)
    hold = Hold(written)
    settings = sorted(runs.glob("runs/[a-z]*/settings.json"))[0]
    settings.write_text(settings.read_text(encoding="utf-8").replace(__version__, "0.0.9"), encoding="utf-8")
    code = main(["experiment", "plan.toml", "--out", "out", "--collect"])
    hold.end()
    out, err = capsys.readouterr()

    assert (code, "table: out/results.csv" in out) == (0, True)
    assert "1 of the runs in out is of another version of netveil; delete what" in err
    assert set((runs / "runs").glob(".*")) == {written, others} and len(results_table(runs)) == 4


@pytest.mark.parametrize("damage", ["copy", "cut off", "another version"])
def test_a_damaged_or_copied_run_is_named_and_run_again(
    runs: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    """It is in no table, and the others are."""
    one, *_ = sorted((runs / "runs").iterdir())
    named = one.with_name(f"{one.name} (copy)") if damage == "copy" else one
    if damage == "copy":
        shutil.copytree(one, named)
    else:
        (one / "result.json").write_text("{" if damage == "cut off" else "{}", encoding="utf-8")
    assert main(["experiment", "out", "--collect"]) == 0
    warning = capsys.readouterr().err

    assert warning.startswith(f"warning: out/runs/{named.name} is damaged or a copy") and "\n" in warning
    assert len(results_table(runs)) == (4 if damage == "copy" else 3)
    assert main(["experiment", "plan.toml", "--out", "out", "--workers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == (0 if damage == "copy" else 1)
    assert len(results_table(runs)) == 4


def test_options_that_say_nothing_about_a_table_are_refused(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rather than ignored; nothing is written."""
    for options in ("--task 1/2", "--out x", "--workers 2", "--dask a:1", "--seeds 3", "--quick"):
        assert main(["experiment", "out", "--collect", *options.split()]) == 2
        assert f"{options.split()[0]} is of no use with the folder out" in capsys.readouterr().err
    assert not (runs / "results.csv").exists()


def test_a_study_gets_all_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says is printed, and decides on the exit code; other names are not known."""
    heard: list[RunOptions] = []

    def conclude(runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Note the options."""
        heard.append(options)
        return Conclusion({"missing": runs.missing}, f"{runs.missing} missing", problem="too few")

    planned = Mock(return_value=SimpleNamespace(plan=read_plan(study(tmp_path, TWO)), conclude=conclude))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(STUDIES, "mine", planned)
    code = main(["experiment", "mine", "--quick", "--seeds", "9", "--task", "2/3", "--workers", "1"])
    said = capsys.readouterr()

    assert (code, said.out, planned.call_args.args) == (1, "3 missing\n", (9, True))
    assert said.err.endswith("netveil: too few\n")
    assert (heard[0].folder, heard[0].share, heard[0].workers) == (Path("mine-quick"), (2, 3), 1)
    assert heard[0].run and not heard[0].collect
    given = ["experiment", "mine", "--collect"]
    assert main([*given, "--parquet", "--out", "mine-quick", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"missing": 3}
    assert (heard[1].run, heard[1].collect, heard[1].parquet) == (False, True, True)
    assert (tmp_path / "mine-quick" / "results.csv").is_file()
    (tmp_path / "empty" / "runs").mkdir(parents=True)
    for words, says in {
        (*given,): "mine is not the folder of an experiment",
        (*given, "--out", "empty"): "no run of plan is finished; run it without --collect first",
        ("experiment", "./empty", "--collect"): "no run is finished yet",
        ("experiment", "mine", "--seeds", "0"): "--seeds 0: give how many",
        ("experiment", "mime"): "unknown study 'mime': did you mean mine?",
    }.items():
        assert main(words) == 2
        assert says in capsys.readouterr().err and len(heard) == 2


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "netveil: interrupted; what is finished stays in out"),
        (LostCluster("all is gone"), 1, "netveil: all is gone; what is finished stays in out"),
    ],
)
def test_what_ends_a_study_from_outside_is_told(
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Any,
    code: int,
    said: str,
) -> None:
    """Nothing is on standard output."""
    monkeypatch.setattr("netveil.studies.study.run_plan", Mock(side_effect=error))

    assert main(["experiment", "plan.toml", "--out", "out", "--json"]) == code
    assert capsys.readouterr() == ("", f"{said}, and the same command goes on from there.\n")


def test_a_study_without_matplotlib_is_told_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its figures come last: nobody is to wait for hours to hear of it. A plan of one's own has none."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)

    for words in (["experiment", "simulated", "--quick"], ["tune", "karate"]):
        assert main(words) == 2
        assert "for its figures, needs matplotlib, which is not installed: pip" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_what_the_registry_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name, and listed in the help."""
    assert STUDIES[name].__module__ == f"netveil.studies.{name}"
    assert main(["experiment", "--help"]) == 0
    assert name in capsys.readouterr().out.split("comes with netveil:")[1].split(".")[0]
