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

    assert [task.attacker.name for task in plan.tasks()] == ["degree", "count-d2"]
    with pytest.raises(SettingError, match="unknown measure"):
        planned_attacker("dgree")


ALL_WRONG = """\
name = 5
seeds = 0
budget = ["5%"]
budgets = [
  "500%",
  "many",
  0.05,
  "5%",
  1000,
]
k = [1, "two"]
metrics = ["clusterin"]
networks = ["karate", "missing.csv", "karate", "no-such-network", 7]
measures = ["cuont", {measure = "count", distances = 2}, {measure = "ego", fuzzy = "5%"}]
[[algorithms]]
algorithm = "gaa"
[[algorithms]]
algorithm = "ga"
settings = {patiense = 3}
[[algorithms]]
algorithm = "ga"
config = "conf9"
[[algorithms]]
algorithm = "es"
time = -1
[[algorithms]]
name = "es"
"""


def problems_of(folder: Path, text: str) -> list[str]:
    """What is said about a plan, without the name of its file."""
    file = study(folder, text)
    with pytest.raises(PlanError) as caught:
        read_plan(file)
    return [problem.removeprefix(f"{file}, ") for problem in caught.value.problems]


def test_all_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    """One line each, in the order of the file."""
    problems = problems_of(tmp_path, ALL_WRONG)

    expected = [
        ("line 1: name = 5", "give a text"),
        ("line 2: seeds = 0", "give how many"),
        ("line 3: unknown key 'budget'", "did you mean budgets?"),
        ("line 5: budget 500%", "more than all edges"),
        ("line 6: budget 'many'", "not a number"),
        ("line 8: budgets: 5% is there already", "give each once"),
        ("line 9: budget 1000", "(network karate)"),
        ("line 11: k = 'two'", "give a whole number"),
        ("line 11: k = 1", "give k = 2 or more"),
        ("line 12: unknown metric 'clusterin'", "did you mean clustering?"),
        ("line 13: ", "missing.csv: there is no such file"),
        ("line 13: ", "'karate' is there already"),
        ("line 13: ", "no-such-network"),
        ("line 13: network 7", "give a file, a name"),
        ("line 14: unknown measure 'cuont'", "did you mean count?"),
        ("line 14: unknown key 'distances'", "did you mean distance?"),
        ("line 14: measure ego cannot be fuzzy", "leave fuzzy out"),
        ("line 16: unknown algorithm 'gaa'", "did you mean ga?"),
        ("line 19: settings: unknown setting 'patiense'", "did you mean patience?"),
        ("line 22: ", "conf9: no such file, and no preset of this algorithm"),
        ("line 25: time -1", "more than 0"),
        ("line 26: this algorithm has no key algorithm", "add it"),
    ]
    for start, remedy in expected:
        assert any(each.startswith(start) and remedy in each for each in problems), (start, remedy, problems)
    assert len(problems) == len(expected)
    assert [int(each.split()[1].rstrip(":")) for each in problems] == sorted(
        int(start.split()[1].rstrip(":")) for start, _ in expected
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: the plan has no networks; add a line such as"),
        ('networks = ["demo"\n', "line 1: not TOML: Unclosed array."),
        ("seeds = 1\nk = = 2\n", "line 2: not TOML: Invalid value."),
        ('networks = []\nalgorithms = ["es"]\n', "line 1: networks is empty"),
        ('networks = ["karate"]\nalgorithms = ["es"]\nseeds = [1, 1]\n', "line 3: seeds: 1 is there already"),
        (
            'networks = ["karate"]\nalgorithms = ["es"]\nk = [35]\n',
            "line 3: k = 35 is more than the network's 34",
        ),
        ('networks = [{generate = {}}]\nalgorithms = ["es"]\n', "line 1: a generated network needs a name"),
        (
            'algorithms = ["es"]\nnetworks = [\n{name = "ring", generate = {kind = "rung"}}]\n',
            "line 3: unknown kind 'rung'",
        ),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, text: str, problem: str) -> None:
    """Single problems, of syntax too."""
    assert problems_of(tmp_path, text)[0].startswith(problem)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            'networks = ["nosuch.txt"]\nalgorithms = ["es"]\nbudgets = ["500%",\n"-5%"]\nk = [3, 1, 0]\n',
            [
                ("line 1: ", "nosuch.txt: there is no such file"),
                ("line 3: budget 500% ", "more than all edges"),
                ("line 4: budget -5% ", "negative"),
                ("line 5: k = 1 ", "give k = 2 or more"),
                ("line 5: k = 0 ", "give k = 2 or more"),
            ],
        ),
        (
            'networks = ["karate"]\n[[algorithms]]\nalgorithm = "ga"\nconfg = "conf1"\ntimes = 3\ntime = -1\n'
            'name = " "\n[algorithms.settings]\npatience = 0\npopulation = "many"\n',
            [
                ("line 4: unknown key 'confg'", "did you mean config?"),
                ("line 5: unknown key 'times'", "did you mean time?"),
                ("line 6: time -1", "more than 0"),
                ("line 7: name = ' '", "it is empty"),
                ("line 9: ", "patience = 0"),
                ("line 10: ", "population = 'many'"),
            ],
        ),
        (
            'networks = ["karate"]\n[[algorithms]]\nalgorithm = "ga"\ntime = inf\n'
            '[[algorithms]]\nalgorithm = "es"\ntime = nan\n',
            [
                ("line 4: time inf", "at most 1,000,000,000, or leave the time out."),
                ("line 7: time nan", "more than 0"),
            ],
        ),
        (
            'algorithms = ["es"]\n[[networks]]\nname = "ring"\n[networks.generate]\nkind = "watts-strogatz"\n'
            "nodes = 50\ndegree = 3\nrewiring = 2\nseed = -1\n",
            [
                ("line 7: generate, watts-strogatz: degree = 3", "even"),
                ("line 8: generate, watts-strogatz: rewiring = 2", "between 0 and 1"),
                ("line 9: generate, watts-strogatz: seed = -1", "between 0"),
            ],
        ),
        (
            'algorithms = ["es"]\n[[networks]]\nname = ""\ncolour = 1\ngenerate.kind = "erdos-renyi"\n'
            'generate.nodes = "x"\n[[networks]]\nnetwork = "karate"\nformat = "nosuch"\n',
            [
                ("line 3: name = ''", "it is empty"),
                ("line 4: unknown key 'colour'", "The choice is"),
                ("line 5: generate, erdos-renyi: degree is missing", "The keys are"),
                ("line 6: generate, erdos-renyi: nodes = 'x'", "a whole number"),
                ("line 9: unknown format 'nosuch'", "The choice is"),
            ],
        ),
        (
            'name = ""\nnetworks = ["karate"]\nalgorithms = ["es"]\nmetrics = ["clustering", "all"]\n'
            "[[measures]]\nmeasure = 5\ndistance = 0\nfuzzy = true\n",
            [
                ("line 1: name = ''", "it is empty"),
                ('line 4: metrics: "all" stands alone', 'write metrics = "all"'),
                ("line 6: measure = 5", "give a text"),
                ("line 7: distance", "0"),
                ("line 8: fuzzy = True", "give a number"),
            ],
        ),
    ],
    ids=["without network", "algorithm", "times", "generate", "networks", "measures"],
)
def test_all_mistakes_inside_entries_have_their_own_lines(
    tmp_path: Path, text: str, problems: list[tuple[str, str]]
) -> None:
    """Though none of the entries can be read."""
    found = problems_of(tmp_path, text)

    assert len(found) == len(problems), found
    for told, (start, remedy) in zip(found, problems, strict=True):
        assert told.startswith(start) and remedy in told


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
    assert len(said.err.splitlines()) == 22
    assert all(line.startswith("netveil: plan.toml, line ") for line in said.err.splitlines())
    assert not (tmp_path / "out").exists()
