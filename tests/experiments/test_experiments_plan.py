"""Plans: what a file says, in which order it is run, and all that can be wrong with it, at once."""

from __future__ import annotations

import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.errors import NetveilError, SettingError
from netveil.experiments import (
    Plan,
    planned_algorithm,
    planned_attacker,
    planned_network,
    read_plan,
)
from netveil.experiments.plan import TomlPath, lines_of
from studies import SMALL, study

AWKWARD = """\
# networks = ["not this one"]
name = "a # b = [c]"
"quoted key" = 'x\\'
[[networks]]
name = \"\"\"two
lines # "really" \"\"\"
[networks.generate]
kind = "ring"
sizes = [
  1, [2, 3], # four
  {deep = [4, {deeper = 5}], other.dotted = 6},
]
[[networks]]
name = ''
when = 2024-01-01T00:00:00Z
[table.inner]
value = 1e3
"""


def paths_of(value: Any, path: TomlPath = ()) -> set[TomlPath]:
    """The paths of all values in a document, and of all lists and tables."""
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = dict(enumerate(value)).items()
    else:
        return {path}
    return {path}.union(*(paths_of(each, (*path, key)) for key, each in inner))


def test_every_value_of_a_file_has_its_line() -> None:
    """Strings with marks in them, lists over lines, dotted keys and tables in tables included."""
    lines = lines_of(AWKWARD)

    assert paths_of(tomllib.loads(AWKWARD)) - lines.keys() <= {(), ("networks",), ("table",)}
    assert lines[("quoted key",)] == 3
    assert lines[("networks", 0, "generate", "sizes", 1, 1)] == 10
    assert lines[("networks", 0, "generate", "sizes", 2, "other", "dotted")] == 11
    assert lines[("networks", 1)] == 13
    assert lines[("table", "inner", "value")] == 17


def test_a_plan_is_read_with_all_its_parts(tmp_path: Path) -> None:
    """Files are relative to the plan, settings complete, and what is left out has a default."""
    plan = read_plan(study(tmp_path))

    assert (plan.name, plan.seeds, plan.k, plan.budgets) == ("small", (1, 2), (2,), ("5%", "6"))
    assert [(each.name, each.network.edge_count) for each in plan.networks] == [
        ("karate", 78),
        ("people", 10),
    ]
    assert [each.name for each in plan.algorithms] == ["es", "quick"]
    assert plan.algorithms[1].settings["patience"] == 2
    assert plan.algorithms[1].settings["crossover"] == "uniform"
    assert plan.attackers[0].measures == ("count",)
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

    assert plan.networks[0].name == plan.networks[0].network.name == "folk"
    assert (plan.networks[1].name, plan.networks[1].network.edge_count) == ("ring", 100)
    assert (plan.algorithms[0].name, plan.algorithms[0].config) == ("uga-long", "long.toml")
    assert plan.algorithms[0].settings["patience"] == 99 and plan.algorithms[0].time == 2.0
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

    assert set(network.network.labels) == {"y0", "y1", "y2", "y3"}
    with pytest.raises(NetveilError, match="its header does not say which two of its 4 columns"):
        read_plan(study(tmp_path, f'{start}"odd.csv"]'))


def test_a_file_may_begin_with_a_mark(tmp_path: Path) -> None:
    """As some editors write it."""
    file = study(tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())

    assert read_plan(file).name == "small"


def test_tasks_come_in_a_fixed_order_and_shares_of_them_add_up(tmp_path: Path) -> None:
    """Networks × algorithms × budgets × attackers × k × seeds."""
    plan = read_plan(study(tmp_path))
    order = [(each.network.name, each.algorithm.name, each.budget, each.seed) for each in plan.tasks()]
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
    assert list(travelled.network.network.labels) == list(range(9))
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

    assert [task.attacker.name for task in plan.tasks()] == ["degree", "count-d2"]
    with pytest.raises(SettingError, match="unknown measure"):
        planned_attacker("dgree")
