"""`netveil experiment paper`: what it takes on, and end to end through the real runner on small networks."""

from __future__ import annotations

import json
import re
import struct
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest
from paper_rows import NETWORKS, made_up_runs

from as_in_all_tests import whole_figures
from netveil.cli.experiment import run_and_tell
from netveil.cli.options import Output
from netveil.errors import FileError, SettingError
from netveil.network import Network
from netveil.opening import load
from netveil.search import Control
from netveil.studies import PlanError, execute, paper as reproduction, planned_network, run_study
from netveil.studies.paper import PaperAgain, halving_figure, planned, runtime_figure, utility_figure
from netveil.studies.paper_tables import CONFIGURATIONS, TITLES, UTILITY, title_of
from netveil.studies.study import RunOptions

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network of the paper is on this machine, and none can be fetched."""

    def find(name: str, *, download: bool = True) -> Network:
        raise FileError(f"{name} is not on this machine.")

    monkeypatch.setattr(reproduction, "find_network", find)
    monkeypatch.setattr(reproduction, "STAND_INS", ("karate",))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick version on the karate club."""
    options = RunOptions(folder=tmp_path_factory.mktemp("paper") / "out", workers=1)
    study = PaperAgain((planned_network("karate", load("karate")),), 2, ("conf2",), quick=True)
    with whole_figures():
        run_study(study, options)
    return options.folder


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
    return run_and_tell(partial(planned, seeds, quick), how, Output(as_json, quiet))


def document(capsys: Captured, **wishes: Any) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON document of the command."""
    capsys.readouterr()
    code = paper(as_json=True, workers=1, **wishes)
    return code, json.loads(capsys.readouterr().out)


def test_the_folder_has_everything(quick: Path) -> None:
    """Runs, each table in three formats, each figure in two, and the page."""
    tables = {"table-1-networks", "table-1-results", "figures-2-3", "configurations"}

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
    assert page.count("<table ") == 4
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert "url(http" not in page and "@import" not in page and "<script" not in page


def test_quick_is_written_all_over_it(quick: Path) -> None:
    """Nobody takes it for the paper's experiment: not the page, nor any table or figure by itself."""
    page = (quick / "index.html").read_text(encoding="utf-8")

    assert "QUICK VERSION" in page and "(QUICK)" in page
    for file in [*(quick / "tables").iterdir(), *(quick / "figures").glob("*.svg")]:
        text = file.read_text(encoding="utf-8")
        assert "QUICK: 2 seeds instead of 5, conf2 only" in text, file.name
        assert "NOT the paper" in text, file.name
    assert "Successive halving has not been run" in page and "Wall-clock seconds" in page


def test_the_same_command_again_runs_nothing(quick: Path, capsys: Captured) -> None:
    """Everything is there; tables are written again, and are the same."""
    before = (quick / "tables" / "table-1-results.csv").read_bytes()
    code, said = document(capsys, out=quick, quick=True)

    assert code == 0
    assert said["summary"]["already"] == said["summary"]["total"] == 12 and said["summary"]["done"] == 0
    assert said["missing"] == 0 and said["networks"] == ["karate"] and said["quick"] is True
    assert all(Path(file).is_file() for file in (said["page"], *said["tables"], *said["figures"]))
    assert (quick / "tables" / "table-1-results.csv").read_bytes() == before
    # Fewer seeds take their runs only: what else is in the folder does not count.
    code, said = document(capsys, out=quick, quick=True, seeds=1, collect=True)
    text = (quick / "tables" / "table-1-results.csv").read_text()

    assert code == 0 and said["summary"] is None
    assert "QUICK: 1 seed instead of 5" in text


@pytest.mark.parametrize("stopped", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_a_failed_run_is_listed_and_an_interruption_counts_more(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """Exit code 1, the others count and the page says that one is missing; or 130, and there is no page."""
    stop, out = Control(), tmp_path / "out"

    def failing(task: Any, control: Any = None) -> Any:
        if (task.algorithm, task.job.seed) == ("es", 1):
            if stopped:
                stop.interrupt()
            raise RuntimeError("no luck")
        return execute(task, control)

    monkeypatch.setattr("netveil.studies.pools.execute", failing)
    code = paper(out=out, quick=True, seeds=1 + (not stopped), workers=1, quiet=True, stop=stop)
    said = capsys.readouterr().err

    assert (code, "no luck" in said) == (130 if stopped else 1, True)
    assert ("interrupted" in said and "goes on from there" in said) is stopped
    assert (out / "index.html").exists() is not stopped
    if not stopped:
        assert "INCOMPLETE: 1 of 12" in (out / "index.html").read_text(encoding="utf-8")


def test_tuning_is_kept_and_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is begun after a stop, nor kept of one that was stopped; the second time results are read."""
    monkeypatch.setattr("netveil.studies.paper_tables.TUNED_NETWORKS", ("karate",))
    monkeypatch.setattr(reproduction, "DRAWN", 10)
    study = PaperAgain((planned_network("karate", load("karate")),), 1)
    stop = Control()
    stop.interrupt()
    assert study.tuned(RunOptions(folder=tmp_path, stop=stop)) == [] and list(tmp_path.iterdir()) == []
    with monkeypatch.context() as patch:
        patch.setattr(reproduction, "tune", Mock(return_value=Mock(interrupted=True)))
        assert study.tuned(RunOptions(folder=tmp_path)) == [] and list(tmp_path.iterdir()) == []

    lines: list[str] = []
    options = RunOptions(folder=tmp_path, workers=1, tell=lines.append)
    first, again = study.tuned(options), study.tuned(options)

    assert lines == ["tuning GA on karate", "tuning UGA on karate"] and first == again
    with whole_figures():
        check(halving_figure(first, "some scope"), "some scope", "GA, karate", "UGA, karate")


def check(picture: Any, *texts: str) -> None:
    """A figure is SVG and PNG, calls nobody, and has these texts in it."""
    width, height = struct.unpack(">II", picture.png[16:24])
    written = " ".join(ElementTree.fromstring(picture.svg).itertext())

    assert picture.png.startswith(b"\x89PNG") and width > 600 and height > 400
    assert all(text in written for text in texts) and texts[0] in picture.caption
    assert "currentColor" in picture.svg and "<image" not in picture.svg
    assert 'href="http' not in picture.svg and "url(http" not in picture.svg


@pytest.mark.thorough
def test_figures_have_every_network_and_algorithm_and_are_the_same_every_time() -> None:
    """Utility in six panels, runtime in one; without deviations too."""
    names = (*map(title_of, NETWORKS), "ES", "UA", "GA", "UGA", "GA, faithful")
    with whole_figures():
        one, other = (runtime_figure(made_up_runs(), "5 seeds of nothing") for _ in range(2))
        utility = utility_figure(made_up_runs(), "5 seeds")
        single = runtime_figure(made_up_runs(seeds=1), "1 seed")

    check(utility, "5 seeds", *names, *(panel.title for panel in UTILITY))
    check(one, "5 seeds of nothing", *names)
    assert (one.svg, one.png) == (other.svg, other.png)
    check(single, "1 seed")


def test_missing_networks_are_told_all_at_once(tmp_path: Path, capsys: Captured) -> None:
    """Exit code 2, a line each, and a way out; nothing is written."""
    with pytest.raises(PlanError) as caught:
        planned()
    code = paper(out=tmp_path / "out")
    lines = capsys.readouterr().err.splitlines()

    assert len(caught.value.problems) == len(TITLES) + 1
    assert code == 2 and not (tmp_path / "out").exists()
    assert [line for name in TITLES for line in lines if f"{name} is not on" in line] == lines[:5]
    assert "--quick" in lines[5]


def test_the_whole_experiment_is_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five networks × (ES, UA, four GA, four UGA, both faithful too) × 5 seeds, 5% of the edges; or more."""
    monkeypatch.setattr(reproduction, "find_network", lambda name, download=True: load("karate"))
    tasks = planned().plan.tasks()
    genetic = map(
        "-".join, product(("ga", "uga"), (*CONFIGURATIONS, *(f"faithful-{each}" for each in CONFIGURATIONS)))
    )

    assert len(tasks) == 5 * 18 * 5 and len(planned(seeds=20).plan.tasks()) == 1800
    assert {task.network.name for task in tasks} == set(TITLES)
    assert {task.algorithm for task in tasks} == {"es", "ua", *genetic}
    settings = [task.settings for task in tasks]
    assert {(each["budget"], *each["attacker"]["measures"], each["k"]) for each in settings} == {
        ("5%", "count", 2)
    }
    algorithms = [each["algorithm"] for each in settings]
    assert all(each["settings"]["patience"] == 40 for each in algorithms if each["config"])


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

    monkeypatch.setattr(reproduction, "find_network", find)
    study = planned(quick=True)

    assert study.names == chosen
    with pytest.raises(SettingError, match="seeds=0: give how many"):
        planned(seeds=0, quick=True)
    said = f"{len(chosen)} of the paper's 5 networks" if there else "networks NOT the paper's (karate)"
    assert said in study.scope
