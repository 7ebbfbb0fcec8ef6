"""`netveil experiment simulated` as a user meets it, on a plan of two small networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from netveil.cli import main
from netveil.experiments import Plan, planned_algorithm, planned_network, simulated_study
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

    monkeypatch.setattr(simulated_study, "read_plan", read)


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
    assert (out / "simulated.md").is_file()
