"""`netveil experiment simulated` as a user meets it, on a plan of two small networks."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from netveil._version import __version__
from netveil.cli import main
from netveil.experiments import Plan, planned_algorithm, planned_network
from netveil.simulated import generate


@pytest.fixture(autouse=True)
def small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the series on density, smaller than in the ready plan."""
    networks = tuple(
        planned_network(
            f"density-{degree}",
            generate({"kind": "watts-strogatz", "nodes": 40, "degree": degree, "rewiring": 0.1, "seed": 1}),
        )
        for degree in (4, 6)
    )
    plan = Plan(
        name="small",
        networks=networks,
        algorithms=tuple(planned_algorithm(name, settings={"patience": 2}) for name in ("ga", "uga")),
        metrics=("clustering",),
    )

    def read(file: Path, seeds: int | None) -> Plan:
        assert file.read_text(encoding="utf-8").startswith(("#", "name"))
        return replace(plan, seeds=tuple(range(1, (seeds or 2) + 1)))

    monkeypatch.setattr("netveil.studies.simulated.study.read_plan", read)


def test_a_table_and_figures_stand_beside_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once all runs are done; the same command again runs none."""
    out = tmp_path / "out"
    assert main(["experiment", "simulated", "--out", str(out), "--workers", "1"]) == 0

    assert capsys.readouterr().out == f"page: {out / 'simulated.md'}\n"
    page = (out / "simulated.md").read_text(encoding="utf-8")
    assert "density-4" in page and "density.svg" in page
    assert (out / "density.svg").is_file()
    assert len(list((out / "runs").iterdir())) == 8
    assert main(["experiment", "simulated", "--out", str(out), "--json"]) == 0
    assert '"done": 0' in capsys.readouterr().out


def test_part_of_the_runs_has_no_table_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--quick has one seed; the second half of its four runs completes the table."""
    out = tmp_path / "out"
    given = ["experiment", "simulated", "--quick", "--out", str(out), "--workers", "1"]
    assert main([*given, "--task", "1/2"]) == 0

    assert "still to be done" in capsys.readouterr().out
    assert not (out / "simulated.md").exists()
    assert main([*given, "--task", "2/2"]) == 0
    page = (out / "simulated.md").read_text(encoding="utf-8")
    assert f"QUICK: 1 seed, 4 runs by netveil {__version__}." in page and "±" not in page


def test_runs_of_other_plans_neither_complete_the_table_nor_are_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four runs of one seed, and half of those of two, are as many as are wanted by neither."""
    out = tmp_path / "out"
    given = ["experiment", "simulated", "--out", str(out), "--workers", "1"]
    assert main([*given, "--seeds", "3"]) == 0
    shutil.rmtree(next((out / "runs").glob("*seed1*")))
    (out / "simulated.md").unlink()
    capsys.readouterr()

    assert main([*given, "--seeds", "2", "--collect"]) == 0
    assert "1 run is still to be done" in capsys.readouterr().out
    assert not (out / "simulated.md").exists()
    assert main([*given, "--seeds", "2"]) == 0
    assert "2 seeds, 8 runs by netveil" in (out / "simulated.md").read_text(encoding="utf-8")


def test_collecting_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of what is there; runs of another version are told."""
    out = tmp_path / "out"
    given = ["experiment", "simulated", "--quick", "--out", str(out)]
    assert main([*given, "--collect"]) == 2
    assert not out.exists()
    assert main([*given, "--workers", "1"]) == 0
    settings = next(out.glob("runs/*/settings.json"))
    settings.write_text(settings.read_text(encoding="utf-8").replace(__version__, "0.0.9"), encoding="utf-8")
    (out / "simulated.md").unlink()
    capsys.readouterr()
    assert main([*given, "--collect", "--json"]) == 0
    said = capsys.readouterr()

    assert '"missing": 0' in said.out and '"done"' not in said.out
    assert f"1 of the runs in {out} is of another version of netveil" in said.err
    assert (out / "simulated.md").is_file() and (out / "results.csv").is_file()
    assert main(given) == 0
    assert "is of another version" in capsys.readouterr().err


@pytest.mark.parametrize("seeds", ["0", "-1"])
def test_a_wrong_number_of_seeds_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seeds: str
) -> None:
    """As the option that it is."""
    monkeypatch.chdir(tmp_path)
    assert main(["experiment", "simulated", "--seeds", seeds]) == 2
    assert capsys.readouterr().err.startswith(f"netveil: --seeds {seeds}: give how many")
