"""Plans: what a file says, in which order it is run, and all that can be wrong with it, at once."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from small_plans import SMALL, study

import netveil as nv
from netveil.cli import main
from netveil.errors import NetveilError, SettingError
from netveil.studies import Plan, PlanError, planned_algorithm, planned_attacker, planned_network, read_plan


def test_a_plan_is_read_with_all_its_parts(tmp_path: Path) -> None:
    """Files are relative to the plan, settings complete, defaults there; it may begin with a mark."""
    file = study(tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    plan = read_plan(file)

    assert (plan.name, plan.seeds, plan.k, plan.budgets) == ("small", (1, 2), (2,), ("5%", "6"))
    assert [(each.name, each.edge_count) for each in plan.networks] == [("karate", 78), ("people", 10)]
    assert [each.name for each in plan.algorithms] == ["es", "quick"]
    assert plan.algorithms[1].job.settings["patience"] == 2
    assert plan.algorithms[1].job.settings["crossover"] == "uniform"
    assert plan.attackers[0]["measures"] == ("count",)
    assert plan.metrics == ("clustering", "lcc")


def test_tables_measures_and_settings_in_files_are_read(tmp_path: Path) -> None:
    """All ways to write an entry; "all" metrics; a number of seeds from outside."""
    (tmp_path / "long.toml").write_text("patience = 99\n", encoding="utf-8")
    text = (
        'metrics = "all"\nbudgets = 3\nk = 3\nseeds = [4, 0]\n'
        'measures = [{measure = ["count", "degree"], distance = 2, fuzzy = 0.05, twins = true}]\n'
        '[[networks]]\nname = "folk"\nnetwork = "people.csv"\n'
        '[[networks]]\nname = "ring"\n'
        'generate = {kind = "watts-strogatz", nodes = 50, degree = 4, rewiring = 0.1, seed = 1}\n'
        '[[algorithms]]\nalgorithm = "uga"\nconfig = "long.toml"\ntime = 2\n'
    )
    file = study(tmp_path, text)
    plan = read_plan(file)

    assert plan.networks[0].name == "folk"
    assert (plan.networks[1].name, plan.networks[1].edge_count) == ("ring", 100)
    assert (plan.algorithms[0].name, plan.algorithms[0].config) == ("uga-long", "long.toml")
    assert plan.algorithms[0].job.settings["patience"] == 99 and plan.algorithms[0].job.time == 2.0
    assert plan.attackers == (planned_attacker("count", "degree", distance=2, fuzzy="0.05", twins=True),)
    assert plan.seeds == (4, 0) and "diameter" in plan.metrics
    assert read_plan(file, seeds=3).seeds == (1, 2, 3)


def test_a_table_is_read_as_the_plan_says(tmp_path: Path) -> None:
    """With the options of the command line; a table that must be asked about is a problem of the plan."""
    table = "".join(f"{node};x{node};y{node % 3};y{node % 4}\n" for node in range(20))
    (tmp_path / "odd.csv").write_bytes(("a;b;c;Empfänger\n" + table).encode("cp1252"))
    wishes = 'columns = ["c", "Empfänger"], separator = ";", header = true, encoding = "cp1252"'
    start = 'algorithms = ["es"]\nnetworks = ['
    (network,) = read_plan(study(tmp_path, f'{start}{{network = "odd.csv", {wishes}}}]')).networks

    assert set(network.labels) == {"y0", "y1", "y2", "y3"}
    with pytest.raises(NetveilError, match="its header does not say which two of its 4 columns"):
        read_plan(study(tmp_path, f'{start}"odd.csv"]'))


def test_tasks_come_in_a_fixed_order_and_shares_of_them_add_up(tmp_path: Path) -> None:
    """Networks × algorithms × budgets × attackers × k × seeds."""
    plan = read_plan(study(tmp_path))
    order = [
        (each.network.name, each.algorithm, each.settings["budget"], each.job.seed) for each in plan.tasks()
    ]
    shares = [task.folder for number in (1, 2, 3) for task in plan.tasks((number, 3))]

    assert len(order) == 16
    assert order[:3] == [("karate", "es", "5%", 1), ("karate", "es", "5%", 2), ("karate", "es", "6", 1)]
    assert order == sorted(order, key=lambda row: (row[0] != "karate", row[1] != "es", row[2] != "5%"))
    assert sorted(shares) == sorted({task.folder for task in plan.tasks()})


def test_a_task_has_a_stable_identity_and_travels_without_names(tmp_path: Path) -> None:
    """The identity is the same in another process; it changes with each setting, not with the metrics."""
    plan = read_plan(study(tmp_path))
    task = plan.tasks()[8]
    travelled = pickle.loads(pickle.dumps(task))
    without_metrics = read_plan(study(tmp_path, SMALL.replace('metrics = ["clustering", "lcc"]', "")))

    assert travelled.identity == task.identity and travelled.folder == task.folder
    assert task.folder.startswith("people_es_5pct_count_k2_seed1_")
    assert list(travelled.network.labels) == list(range(9))
    assert b"anna" not in pickle.dumps(task)
    assert without_metrics.tasks()[8].identity == task.identity
    assert len({each.identity for each in plan.tasks()}) == 16


def test_a_plan_can_be_made_in_python() -> None:
    """As those that come with netveil are."""
    plan = Plan(
        name="own",
        networks=(planned_network("club", nv.load("karate")),),
        algorithms=(planned_algorithm("ga", config="conf3", name="mine"),),
        attackers=(planned_attacker("degree"), planned_attacker("count", distance=2)),
    )

    assert [task.folder.split("_")[3] for task in plan.tasks()] == ["degree", "count-d2"]
    with pytest.raises(SettingError, match="unknown measure"):
        planned_attacker("dgree")


START = 'networks = ["karate"]\nalgorithms = ["es"]\n'
WRONG = {
    "": ["a plan needs networks and algorithms, such as networks = ["],
    "networks = ['karate'": ["not a TOML file: Unclosed array"],
    f"{START}name = 5": ["name = 5: Expected `str`"],
    f"{START}name = ' '": ["name = ' ': Expected `str` matching"],
    f"{START}budget = ['5%']": ["unknown key 'budget': did you mean budgets?"],
    f"{START}seeds = [1, 1]": ["seeds, entry 2: 1 is there already"],
    f"{START}metrics = 'clusterin'": ["unknown metric 'clusterin': did you mean clustering?"],
    f"{START}k = [35]": ["k = 35 is more than the network"],
    f"{START}synthetic = [18]": ["half of the 34 people"],
    "networks = []\nalgorithms = ['es']": ["networks: the list is empty"],
    f"{START}measures = [{{measure = 'count', distances = 2}}]": ["did you mean distance?"],
    f"{START}measures = [{{measure = 'ego', fuzzy = '5%'}}]": ["measure ego cannot be fuzzy"],
    f"{START}measures = [{{measure = 5}}]": ["measure = 5: Expected `str | array`"],
    "networks = 'karate'\nalgorithms = [{algorithm = ['ga']}]": ["algorithms: algorithm = ['ga']: Expected"],
    "networks = 'karate'\nalgorithms = [{name = 'es'}]": ["this algorithm has no key algorithm; add it"],
    "networks = 'karate'\nalgorithms = [{algorithm = 'ga', config = 'conf9'}]": ["conf9: no such file"],
    "networks = 'karate'\nalgorithms = [{algorithm = 'ga', settings = {patiense = 3}}]": ["patience?"],
    "networks = 7\nalgorithms = 'es'": ["network 7: give a name, or a table"],
    "networks = [{name = 'r', generate = {kind = 'rung'}}]\nalgorithms = 'es'": ["unknown generator 'rung'"],
    "networks = [{network = 'karate', generate = {}}]\nalgorithms = 'es'": ["either generated or read"],
    "networks = [{network = 'people.csv', format = 'no'}]\nalgorithms = 'es'": ["unknown format 'no'"],
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[-40:].replace("\n", " "))
def test_a_mistake_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """With the file and the key, which is not endless; exit code 2, and nothing is written."""
    file = study(tmp_path, text)

    assert main(["experiment", str(file), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"netveil: {file}") and all(part in said for part in WRONG[text])
    assert said.count("\n") == 1 and len(said) < 800
    assert not (tmp_path / "out").exists()


def test_mistakes_of_all_entries_are_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of each entry, with its place."""
    study(
        tmp_path,
        'networks = ["karate", "missing.csv", "karate"]\nbudgets = ["many", 0.05, "5%", 1000]\n'
        'k = [1, "two"]\nalgorithms = "gaa"\nmeasures = "cuont"\n',
    )
    monkeypatch.chdir(tmp_path)

    assert main(["experiment", "plan.toml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    for line, (place, problem) in zip(
        lines,
        [
            ("networks, entry 2", "missing.csv: there is no such file"),
            ("networks, entry 3", "karate is there already"),
            ("algorithms", "unknown algorithm 'gaa': did you mean ga?"),
            ("budgets, entry 1", "budget 'many'"),
            ("budgets, entry 3", "is there already"),
            ("budgets, entry 4", "budget 1000"),
            ("measures", "unknown measure 'cuont'"),
            ("k, entry 1", "k = 1: Expected `int` >= 2"),
            ("k, entry 2", "k = 'two': Expected `int`"),
        ],
        strict=True,
    ):
        assert line.startswith(f"netveil: plan.toml, {place}: ") and problem in line


@pytest.mark.parametrize("seeds", [0, 10**7])
def test_a_count_of_seeds_beside_the_plan_is_told_as_such(tmp_path: Path, seeds: int) -> None:
    """Rather than as a mistake in the file, as it is there."""
    with pytest.raises(SettingError, match=rf"^seeds={seeds}: give how many"):
        read_plan(study(tmp_path), seeds)
    with pytest.raises(PlanError, match=rf"plan\.toml, seeds: seeds={seeds}: give how many, between 1 and"):
        read_plan(study(tmp_path, f"{START}seeds = {seeds}"))
