"""`netveil experiment paper`: what it takes on, and end to end through the real runner on small networks."""

from __future__ import annotations

import inspect
import json
import re
import sys
from functools import partial
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from as_in_all_tests import whole_pictures
from netveil.cli.experiment import run_and_tell
from netveil.errors import FileError, SettingError
from netveil.network import Network
from netveil.opening import load
from netveil.search import Control
from netveil.studies import PlanError, execute, planned_network
from netveil.studies.paper import Scope, paper_scope, reproduce
from netveil.studies.paper.paper_figures import tuned
from netveil.studies.paper.published import CONFIGURATIONS, TITLES
from netveil.studies.paper.reproduction import STUDY
from netveil.studies.study import RunOptions

Captured = pytest.CaptureFixture[str]
REPRODUCE = sys.modules[reproduce.__module__]


@pytest.fixture(autouse=True)
def no_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network of the paper is on this machine, and none can be fetched."""

    def find(name: str, *, download: bool = True) -> Network:
        raise FileError(f"{name} is not on this machine.")

    monkeypatch.setattr("netveil.studies.paper.published.find_network", find)
    monkeypatch.setattr("netveil.studies.paper.published.STAND_INS", ("karate",))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick version on the karate club."""
    folder = tmp_path_factory.mktemp("paper") / "out"
    scope = Scope((planned_network("karate", load("karate")),), 2, ("conf2",), quick=True)
    with whole_pictures():
        reproduce(scope, folder, workers=1)
    return folder


def paper(
    *,
    out: Path,
    quick: bool = False,
    seeds: int | None = None,
    collect: bool = False,
    as_json: bool = False,
    quiet: bool = False,
    **options: Any,
) -> int:
    """The exit code of the command."""
    how = RunOptions(folder=out, run=not collect, collect=collect, **options)
    return run_and_tell(partial(STUDY.planned, seeds, quick), how, as_json=as_json, quiet=quiet)


def document(capsys: Captured, **wishes: Any) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON document of the command."""
    capsys.readouterr()
    code = paper(as_json=True, workers=1, **wishes)
    return code, json.loads(capsys.readouterr().out)


def test_the_folder_has_everything(quick: Path) -> None:
    """Runs, each table in three formats, each figure in two, and the page."""
    tables = {
        *("table-1-networks", "table-1-results", "baselines", "figure-2-utility", "figure-3-runtime"),
        *("statements", "configurations"),
    }

    assert len(list((quick / "runs").iterdir())) == 6 * 2
    assert {file.name for file in (quick / "tables").iterdir()} == {
        f"{name}.{suffix}" for name in tables for suffix in ("md", "csv", "tex")
    }
    assert {file.name for file in (quick / "figures").iterdir()} == {
        f"figure-{name}.{suffix}" for name in ("2-utility", "3-runtime") for suffix in ("svg", "png")
    }
    # The page has all tables and figures, and loads nothing from anywhere.
    page = (quick / "index.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == page.count("<svg") == 2
    assert page.count("<table ") == 7
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert "url(http" not in page and "@import" not in page and "<script" not in page
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(set(identifiers)) >= len(identifiers) // 2


def test_quick_is_written_all_over_it(quick: Path) -> None:
    """Nobody takes it for the paper's experiment: not the page, nor any table or figure by itself."""
    page = (quick / "index.html").read_text(encoding="utf-8")

    assert "QUICK VERSION" in page and "(QUICK)" in page
    for file in [*(quick / "tables").iterdir(), *(quick / "figures").glob("*.svg")]:
        text = file.read_text(encoding="utf-8")
        assert "QUICK: 2 seeds instead of 5, conf2 only" in text, file.name
        assert "NOT the paper" in text, file.name
    assert "Successive halving has not been run" in page and "Wall-clock seconds" in page


@pytest.mark.thorough
def test_the_same_command_again_runs_nothing(quick: Path, capsys: Captured) -> None:
    """Everything is there; tables are written again, and are the same."""
    before = (quick / "tables" / "table-1-results.csv").read_bytes()
    code, said = document(capsys, out=quick, quick=True)

    assert code == 0
    assert said["summary"]["already"] == said["summary"]["total"] == 12 and said["summary"]["done"] == 0
    assert said["missing"] == 0 and said["networks"] == ["karate"] and said["quick"] is True
    assert Path(said["page"]).is_file() and all(
        Path(file).is_file() for file in said["tables"] + said["figures"]
    )
    assert (quick / "tables" / "table-1-results.csv").read_bytes() == before
    # Fewer seeds take their runs only: what else is in the folder does not count.
    code, said = document(capsys, out=quick, quick=True, seeds=1, collect=True)
    text = (quick / "tables" / "table-1-results.csv").read_text()

    assert code == 0 and said["summary"] is None
    assert "QUICK: 1 seed instead of 5" in text


def fail_first(monkeypatch: pytest.MonkeyPatch, stop: Control | None = None) -> None:
    """Have the first run of ES fail, after a stop if one is given."""

    def failing(task: Any, control: Any = None) -> Any:
        if (task.algorithm.name, task.seed) == ("es", 1):
            if stop is not None:
                stop.interrupt()
            raise RuntimeError("no luck")
        return execute(task, control)

    monkeypatch.setattr("netveil.studies.pools.execute", failing)


@pytest.mark.thorough
def test_a_failed_run_is_listed_and_the_tables_are_written(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1; the others count, and the page says that one is missing."""

    fail_first(monkeypatch)
    code, said = document(capsys, out=tmp_path / "out", quick=True)

    assert code == 1 and len(said["summary"]["failed"]) == said["missing"] == 1
    assert "INCOMPLETE: 1 of 12" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("when", ["in a run", "after the runs"])
def test_an_interruption_counts_more_than_a_failed_run(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Exit code 130, whether it came during the runs or in what follows; the failure is told all the same."""
    stop = Control()

    def tuning(*_: Any) -> list[Any]:
        stop.interrupt()
        return []

    fail_first(monkeypatch, stop if when == "in a run" else None)
    monkeypatch.setattr(REPRODUCE, "_tunings", tuning)
    code = paper(out=tmp_path / "out", quick=True, seeds=1, workers=1, quiet=True, stop=stop)
    said = capsys.readouterr().err

    assert code == 130 and "no luck" in said and "interrupted" in said and "goes on from there" in said
    assert not (tmp_path / "out" / "index.html").exists()


def test_the_tuning_does_not_depend_on_seeds(
    quick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five further runs a finalist, so that more seeds later do not begin it again."""
    asked: list[tuple[Any, ...]] = []

    def not_tuned(networks: Any, options: RunOptions, *further: Any) -> list[Any]:
        asked.append(further)
        return []

    monkeypatch.setattr(REPRODUCE, "tuned", not_tuned)
    scope = Scope((planned_network("karate", load("karate")),), 7, ("conf2",))
    reproduce(scope, copytree(quick, tmp_path / "out"), run=False)

    assert asked == [()] and inspect.signature(tuned).parameters["runs"].default == 5


def test_missing_networks_are_told_all_at_once(tmp_path: Path, capsys: Captured) -> None:
    """Exit code 2, a line each, and a way out; nothing is written."""
    with pytest.raises(PlanError) as caught:
        paper_scope()
    code = paper(out=tmp_path / "out")
    lines = capsys.readouterr().err.splitlines()

    assert len(caught.value.problems) == len(TITLES) + 1
    assert code == 2 and not (tmp_path / "out").exists()
    assert [line for name in TITLES for line in lines if f"{name} is not on this machine" in line] == lines[
        :5
    ]
    assert "--quick" in lines[5]


def test_the_whole_experiment_is_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five networks × (ES, UA, four GA, four UGA, both faithful too) × 5 seeds, 5% of the edges; or more."""
    monkeypatch.setattr(
        "netveil.studies.paper.published.find_network", lambda name, download=True: load("karate")
    )
    plan = paper_scope().plan
    tasks = plan.tasks()

    assert len(tasks) == 5 * 18 * 5 and len(paper_scope(seeds=20).plan.tasks()) == 1800
    assert {task.network.name for task in tasks} == set(TITLES)
    assert {task.algorithm.name for task in tasks} == {
        "es",
        "ua",
        *(
            f"{each}-{prefix}{configuration}"
            for each in ("ga", "uga")
            for prefix in ("", "faithful-")
            for configuration in CONFIGURATIONS
        ),
    }
    assert {(task.budget, task.attacker and task.attacker.measures, task.k) for task in tasks} == {
        ("5%", ("count",), 2)
    }
    assert all(task.algorithm.settings["patience"] == 40 for task in tasks if task.algorithm.config)


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        (set(TITLES), ("fb-reed98", "blogs", "grqc")),
        ({"grqc", "college-msg"}, ("grqc",)),
        ({"college-msg"}, ("college-msg",)),
        (set(), ("karate",)),
    ],
)
def test_quick_takes_the_networks_that_are_there(
    monkeypatch: pytest.MonkeyPatch, there: set[str], chosen: tuple[str, ...]
) -> None:
    """It fetches none, and says which ones it took."""

    def find(name: str, *, download: bool) -> Network:
        assert not download
        if name not in there:
            raise FileError(f"{name} is not on this machine.")
        return load("karate")

    monkeypatch.setattr("netveil.studies.paper.published.find_network", find)
    monkeypatch.setattr("netveil.studies.paper.published.STAND_INS", ("karate",))
    scope = paper_scope(quick=True)

    assert scope.names == chosen
    said = f"{len(chosen)} of the paper's 5 networks" if there else "networks NOT the paper's (karate)"
    assert said in scope.text


@pytest.mark.parametrize("seeds", [0, -1, 1001])
def test_seeds_outside_their_rule(seeds: int) -> None:
    """The value and the rule are in the message."""
    with pytest.raises(SettingError, match=f"seeds {seeds}"):
        paper_scope(seeds=seeds, quick=True)
