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
from netveil.studies.plan import TomlPath, line_of

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


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("quoted key",), 3),
        (("networks", 0, "name"), 5),
        (("networks", 0, "generate"), 7),
        (("networks", 0, "generate", "sizes"), 9),
        (("networks", 0, "generate", "sizes", 1, 1), 10),
        (("networks", 0, "generate", "sizes", 2, "deep", 1, "deeper"), 11),
        (("networks", 0, "generate", "sizes", 2, "other", "dotted"), 11),
        (("networks", 1), 13),
        (("networks", 1, "when"), 15),
        (("table", "inner", "value"), 17),
    ],
)
def test_every_value_of_a_file_has_its_line(path: TomlPath, line: int) -> None:
    """Strings with marks in them, lists over lines, dotted keys and tables in tables included."""
    assert line_of(path, AWKWARD) == line


def test_a_plan_is_read_with_all_its_parts(tmp_path: Path) -> None:
    """Files are relative to the plan, settings complete, and what is left out has a default."""
    plan = read_plan(study(tmp_path))

    assert (plan.name, plan.seeds, plan.k, plan.budgets) == ("small", (1, 2), (2,), ("5%", "6"))
    assert [(each.name, each.edge_count) for each in plan.networks] == [("karate", 78), ("people", 10)]
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

    assert plan.networks[0].name == "folk"
    assert (plan.networks[1].name, plan.networks[1].edge_count) == ("ring", 100)
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

    assert set(network.labels) == {"y0", "y1", "y2", "y3"}
    with pytest.raises(NetveilError, match="its header does not say which two of its 4 columns"):
        read_plan(study(tmp_path, f'{start}"odd.csv"]'))


def test_a_plan_may_begin_with_a_mark(tmp_path: Path) -> None:
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

    assert [task.attacker and task.attacker.name for task in plan.tasks()] == ["degree", "count-d2"]
    with pytest.raises(SettingError, match="unknown measure"):
        planned_attacker("dgree")


# Plans with mistakes; behind `#!` stand parts of what is told of the line, ` | ` between those of one problem
# and ` & ` between problems.
ALL_WRONG = """\
name = 5  #! name = 5: give a text
seeds = 0  #! seeds = 0: give how many
budget = ["5%"]  #! unknown key 'budget' | did you mean budgets?
budgets = [
  "500%",  #! budget 500% | more than all edges
  "many",  #! budget 'many' | not a number
  0.05,
  "5%",  #! budgets: 5% is there already | give each once
  1000,  #! budget 1000 | (network karate)
]
k = [1, "two"]  #! k = 1 | give k = 2 or more & k = 'two' | give a whole number
metrics = ["clusterin"]  #! unknown metric 'clusterin' | did you mean clustering?
networks = [
  "karate",
  "missing.csv",  #! missing.csv: there is no such file
  "karate",  #! 'karate' is there already
  "no-such-network", 7,  #! no-such-network & network 7 | give a file, a name
]
measures = [
  "cuont",  #! unknown measure 'cuont' | did you mean count?
  {measure = "count", distances = 2},  #! unknown key 'distances' | did you mean distance?
  {measure = "ego", fuzzy = "5%"},  #! measure ego cannot be fuzzy | leave fuzzy out
]
[[algorithms]]
algorithm = "gaa"  #! unknown algorithm 'gaa' | did you mean ga?
[[algorithms]]
algorithm = "ga"
settings = {patiense = 3}  #! settings: unknown setting 'patiense' | did you mean patience?
[[algorithms]]
algorithm = "ga"
config = "conf9"  #! conf9: no such file, and no preset of this algorithm
[[algorithms]]
algorithm = "es"
time = -1  #! time -1 | more than 0
[[algorithms]]  #! this algorithm has no key algorithm | add it
name = "es"
"""
WRONG = {
    "everything": ALL_WRONG,
    "nothing in it": "#! the plan has no networks; add a line such as & the plan has no algorithms\n",
    "unclosed": 'networks = ["demo"  #! not TOML: Unclosed array.\n',
    "no value": "seeds = 1\nk = = 2  #! not TOML: Invalid value.\n",
    "no network": 'networks = []  #! networks is empty\nalgorithms = ["es"]\n',
    "twice": 'networks = ["karate"]\nalgorithms = ["es"]\nseeds = [1, 1]  #! seeds: 1 is there already\n',
    "large k": 'networks = ["karate"]\nalgorithms = ["es"]\nk = [35]  #! k = 35 is more than the network\n',
    "synthetic": """\
networks = ["karate"]
synthetic = [1, 5, 18]  #! k = 1 | 2 or more & 18 | half of the 34 people
""",
    "without network": """\
networks = ["nosuch.txt"]  #! nosuch.txt: there is no such file
algorithms = ["es"]
budgets = ["500%",  #! budget 500% | more than all edges
"-5%"]  #! budget -5% | negative
k = [3, 1, 0]  #! k = 1 | give k = 2 or more & k = 0 | give k = 2 or more
""",
    "algorithms": """\
networks = ["karate"]
[[algorithms]]
algorithm = "ga"
confg = "conf1"  #! unknown key 'confg' | did you mean config?
times = 3  #! unknown key 'times' | did you mean time?
time = -1  #! time -1 | more than 0
name = " "  #! name = ' ' | it is empty
[algorithms.settings]
patience = 0  #! patience = 0
population = "many"  #! population = 'many'
[[algorithms]]
algorithm = "ga"
time = inf  #! time inf | at most 1,000,000,000, or leave the time out.
[[algorithms]]
algorithm = "es"
time = nan  #! time nan | more than 0
""",
    "generate": """\
algorithms = ["es"]
[[networks]]
name = "ring"
[networks.generate]
kind = "watts-strogatz"
nodes = 50
degree = 3  #! generate, watts-strogatz: degree = 3 | even
rewiring = 2  #! generate, watts-strogatz: rewiring = 2 | between 0 and 1
seed = -1  #! generate, watts-strogatz: seed = -1 | between 0
[[networks]]
name = "rung"
generate = {kind = "rung"}  #! unknown generator 'rung'
[[networks]]  #! a generated network needs a name
generate = {kind = "erdos-renyi", nodes = 9, degree = 2}
""",
    "networks": """\
algorithms = ["es"]
[[networks]]
name = ""  #! name = '' | it is empty
colour = 1  #! unknown key 'colour' | The choice is
generate.kind = "erdos-renyi"  #! generate, erdos-renyi: degree is missing | The keys are
generate.nodes = "x"  #! generate, erdos-renyi: nodes = 'x' | a whole number
[[networks]]
network = "karate"
format = "nosuch"  #! unknown format 'nosuch' | The choice is
""",
    "measures": """\
name = ""  #! name = '' | it is empty
networks = ["karate"]
algorithms = ["es"]
metrics = ["clustering", "all"]  #! metrics: "all" stands alone | write metrics = "all"
[[measures]]
measure = 5  #! measure = 5 | give a text
distance = 0  #! distance | 0
fuzzy = true  #! fuzzy = True | give a number
""",
}


def problems_of(folder: Path, text: str) -> list[str]:
    """What is said about a plan, without the name of its file."""
    file = study(folder, text)
    with pytest.raises(PlanError) as caught:
        read_plan(file)
    return [problem.removeprefix(f"{file}, ") for problem in caught.value.problems]


@pytest.mark.parametrize("name", WRONG)
def test_all_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path, name: str) -> None:
    """A sentence each, in the order of the lines; nothing else is told."""
    problems = problems_of(tmp_path, WRONG[name])
    lines = [int(problem.split()[1].rstrip(":")) for problem in problems]

    assert lines == sorted(lines)
    for number, line in enumerate(WRONG[name].splitlines(), start=1):
        told = [problem for problem in problems if problem.startswith(f"line {number}: ")]
        expected = line.partition("#! ")[2].split(" & ") if "#! " in line else []
        assert len(told) == len(expected), (line, told)
        for each in expected:
            assert any(all(part in problem for part in each.split(" | ")) for problem in told), (each, told)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('networks = ["karate"]\nalgorithms = [{algorithm = ["ga"]}]\n', 2),
        ('networks = ["karate"]\nalgorithms = [{algorithm = 5}]\n', 2),
        ('algorithms = ["es"]\nnetworks = [{name = "a", generate = {kind = ["x"]}}]\n', 2),
        (f'algorithms = ["es"]\nnetworks = [{{name = "a", generate = {{nodes = {10**400}}}}}]\n', 2),
        (
            'algorithms = ["es"]\nnetworks = [\n'
            f'{{name = "a", generate = {{kind = "erdos-renyi", nodes = 9, degree = {10**400}}}}}]\n',
            3,
        ),
        ('networks = ["karate"]\nalgorithms = ["es"]\nk = 0x' + "f" * 9000, 3),
        ('networks = ["karate"]\nalgorithms = ["es"]\nseeds = ' + "9" * 9000, 3),
    ],
)
def test_strange_values_are_problems_and_no_defects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    """One line, which is not endless, and exit code 2."""
    file = study(tmp_path, text)

    assert main(["experiment", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"netveil: {file}, line {line}: ")
    assert said.count("\n") == 1 and len(said) < 500


def test_a_format_is_asked_for_in_the_words_of_a_plan(tmp_path: Path) -> None:
    """Not by an option, which would not help."""
    (tmp_path / "people.xyz").write_text("a b\n", encoding="utf-8")
    (problem,) = problems_of(tmp_path, 'networks = ["people.xyz"]\nalgorithms = ["es"]\n')

    assert '{network = "people.xyz", format = "edge-list"}' in problem and "--format" not in problem


@pytest.mark.parametrize("seeds", [0, -1, 10**7])
def test_a_count_of_seeds_beside_the_plan_is_told_as_such(tmp_path: Path, seeds: int) -> None:
    """Rather than as a mistake in the file."""
    with pytest.raises(SettingError, match=rf"^seeds={seeds}: give how many"):
        read_plan(study(tmp_path), seeds)


def test_the_command_line_tells_each_problem_in_a_line_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2."""
    study(tmp_path, ALL_WRONG)
    monkeypatch.chdir(tmp_path)
    code = main(["experiment", "plan.toml", "--out", "out"])
    said = capsys.readouterr()

    assert (code, said.out) == (2, "")
    assert len(said.err.splitlines()) == ALL_WRONG.count("#! ") + ALL_WRONG.count(" & ")
    assert all(line.startswith("netveil: plan.toml, line ") for line in said.err.splitlines())
    assert not (tmp_path / "out").exists()
