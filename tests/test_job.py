"""The record of what can be asked: each option once, and every front has it from there."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import netveil as nv
from netveil.cli import netveil as root_command
from netveil.cli.options import job_options
from netveil.errors import SettingError
from netveil.job import Anonymization, Option, OptionError, option
from netveil.progress import Watcher
from netveil.release.folder import ReleaseFolder
from netveil.search import Control
from netveil.studies import plan
from netveil.studies.task import execute
from netveil.web.forms import checked_options, choices
from netveil.web.requests import WebError
from netveil.workflow import make_release

BRIEF: dict[str, Any] = {"utility": False, "audit": False}


def _at_most_nine(value: int) -> None:
    if value > 9:
        raise SettingError(f"made_up {value}: give at most 9.")


@dataclass(frozen=True, kw_only=True, eq=False)
class WithMadeUp(Anonymization):
    """An anonymization with an option more than it has."""

    made_up: int | None = option(
        None, "Made up, as --time is not.", "N", check=_at_most_nine, in_plan="algorithms"
    )


MADE_UP = WithMadeUp(made_up=7, budget=4, seed=1, algorithm="es", **BRIEF)


def test_a_made_up_option_is_on_the_command_line() -> None:
    @click.command()
    @job_options(WithMadeUp, "attackers", "search", "release", "report")
    def command(**asked: Any) -> None:
        click.echo(json.dumps(WithMadeUp(**asked).to_document()))

    said = CliRunner().invoke(command, ["--help"]).output
    assert "--made-up N" in said and "Made up, as --time is not." in said
    typed = CliRunner().invoke(command, MADE_UP.words())
    assert json.loads(typed.output) == MADE_UP.to_document() | {"budget": "4"}
    assert CliRunner().invoke(command, ["--made-up", "many"]).exit_code == 2
    flags = {flag for parameter in root_command.commands["anonymize"].params for flag in parameter.opts}
    assert {each.flag for each in Anonymization.declared().values()} <= flags


def test_a_made_up_option_is_on_the_page() -> None:
    """In the form, where other options are fields, with its kind; checked beside its field."""
    row = next(row for row in choices(WithMadeUp)["options"] if row["name"] == "made_up")
    assert row == {"name": "made_up", "kind": "whole", "default": None, "help": "Made up, as “time” is not."}
    assert choices(WithMadeUp)["defaults"]["made_up"] is None
    assert checked_options({"made_up": 7}, 34, 78, WithMadeUp)["made_up"] == 7
    for wrong in (10, "7", 1.5):
        with pytest.raises(WebError) as caught:
            checked_options({"made_up": wrong}, 34, 78, WithMadeUp)
        assert caught.value.field == "made_up"
    with pytest.raises(WebError, match="unknown option 'made_up'"):
        checked_options({"made_up": 7}, 34, 78)


def test_a_made_up_option_is_in_the_lines_that_repeat_a_run() -> None:
    """In the command and in the Python lines, where it is not the default."""
    words = MADE_UP.words()
    assert words[words.index("--made-up") + 1] == "7" and "--made-up" not in WithMadeUp().words()
    assert MADE_UP.arguments("search") == {"budget": 4, "algorithm": "es", "seed": 1, "made_up": 7}


def test_a_made_up_option_is_an_entry_of_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netveil.studies.plan.Anonymization", WithMadeUp)
    file = tmp_path / "plan.toml"
    entry = 'networks = ["karate"]\nalgorithms = [{algorithm = "es", made_up = %s}]'
    file.write_text(entry % 7)
    (task,) = plan.read_plan(file).tasks()

    assert execute(task).figures["asked"]["made_up"] == 7
    for wrong in ("10", '"7"'):
        file.write_text(entry % wrong)
        with pytest.raises(plan.PlanError, match=r"algorithms: .*made_up"):
            plan.read_plan(file)


def test_a_made_up_option_is_in_the_record_of_a_run(tmp_path: Path) -> None:
    folder = ReleaseFolder(tmp_path / "release")
    make_release(MADE_UP, nv.load("karate"), folder, Watcher(), Control(), command="netveil anonymize")
    asked = json.loads((tmp_path / "release" / "private" / "run.json").read_text())["asked"]

    assert asked == MADE_UP.to_document() and asked["made_up"] == 7
    assert WithMadeUp.from_document(asked).to_document() == asked


def _in_python(each: Option) -> Any:
    """The default of an option as a keyword argument has it."""
    if each.kind == "pairs":
        return None
    return each.default[0] if each.kind == "names" and each.default else each.default


@pytest.mark.parametrize(
    ("function", "parts", "others"),
    [
        (
            nv.anonymize,
            ("attackers", "search", "release"),
            {"network", "start", "runs", "progress", "on_interrupt", "control"},
        ),
        (nv.save, ("report",), {"release", "folder", "overwrite", "extension", "progress"}),
    ],
)
def test_written_out_arguments_are_those_of_the_job(
    function: Callable[..., Any], parts: tuple[Any, ...], others: set[str]
) -> None:
    declared = [each for part in parts for each in Anonymization.declared(part).values()]
    written = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in others
    }

    assert written == {each.argument: _in_python(each) for each in declared}


def test_written_out_arguments_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"measure": ["degree"], "distance": 2, "fuzzy": "5%", "twins": True, "k": 3}
    asked |= {
        "budget": "7%",
        "target": "90%",
        "algorithm": "ga",
        "config": "conf1",
        "time": 6.0,
        "effort": 8.0,
    }
    asked |= {
        "settings": {"patience": 3},
        "keep": {"lcc": "1%"},
        "protect": "stay.txt",
        "seed": 5,
        "threads": 1,
    }
    asked |= {"curve": True, "keep_labels": True, "keep_attributes": (), "known": ()}
    jobs: list[Anonymization] = []

    def caught(network: nv.Network, job: Anonymization, *others: Any) -> Any:
        jobs.append(job)
        raise InterruptedError

    monkeypatch.setattr(Anonymization, "check", lambda job: None)  # no algorithm takes all of these
    monkeypatch.setattr("netveil.api.anonymizing", caught)
    with pytest.raises(InterruptedError):
        nv.anonymize(nv.load("karate"), **asked)

    names = {each.argument: each.name for each in Anonymization.declared().values()}
    assert jobs[0].given() == {names[argument]: value for argument, value in asked.items()}
    assert set(names) == {*asked, *Anonymization.declared("report")}


def test_a_document_is_the_job_again() -> None:
    job = Anonymization(protect=Path("a/b"), measures=(len,), keep={"lcc": Fraction(1, 10)})
    document = job.to_document()

    assert [document[name] for name in ("keep", "protect", "measures")] == [{"lcc": "1/10"}, "a/b", ["len"]]
    assert json.loads(json.dumps(document)) == document
    assert Anonymization.from_document(document).to_document() == document
    assert Anonymization.from_document({}).to_document() == Anonymization().to_document()


def test_what_is_wrong_is_told_by_its_option() -> None:
    documents: list[dict[str, Any]] = [
        {"k": "2"},
        {"k": True},
        {"budget": []},
        {"seed": 1.5},
        {"keep": ["lcc"]},
    ]
    documents += [{"keep_attributes": [1]}, {"nonsense": 1}, {"x" * 99: 1}]
    for document in documents:
        with pytest.raises(OptionError) as caught:
            Anonymization.from_document(document)
        assert caught.value.option == next(iter(document))[:40] and "$" not in str(caught.value)

    values: list[dict[str, Any]] = [
        {"seed": -1},
        {"threads": 0},
        {"time": 0},
        {"target": "150%"},
        {"effort": 0.0},
    ]
    values += [{"keep": {"people": "1%"}}, {"algorithm": "magic"}, {"algorithm": "ga", "effort": 2.0}]
    values += [{"algorithm": "ga", "curve": True}, {"effort": 2.0, "settings": {"effort": 3}}]
    values += [{"measures": "nonsense"}, {"distance": 0}, {"fuzzy": "900%"}]
    for asked in values:
        with pytest.raises(OptionError) as caught:
            Anonymization(**asked).check()
        assert caught.value.option == next(iter(asked))
    Anonymization().check()


def test_what_is_given_is_what_is_not_the_default() -> None:
    job = Anonymization(
        measures=("degree",),
        settings={"chains": 2, "groups": 3},
        keep_attributes=("age", "town"),
        audit=False,
        baselines=True,
        budget="5%",
    )

    assert job.given("report") == {"audit": False, "baselines": True}
    assert Anonymization().given() == {} and Anonymization().words() == []
    assert job.words() == [
        *("--measure", "degree", "--budget", "5%", "--set", "chains=2", "--set", "groups=3"),
        *("--keep-attributes", "age,town", "--no-audit", "--baselines"),
    ]
    assert job.arguments("attackers", "search", "release") == {
        "measure": "degree",
        "budget": "5%",
        "settings": {"chains": 2, "groups": 3},
        "keep_attributes": ["age", "town"],
    }
    assert Anonymization(measures=("degree", "ego")).arguments("attackers") == {"measure": ["degree", "ego"]}


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"k": np.int64(3), "distance": np.int32(1), "threads": np.int8(1)}
    asked |= {
        "seed": np.uint32(1),
        "time": np.float32(1 / 64),
        "curve": np.bool_(True),
        "budget": np.int64(3),
    }
    release = nv.anonymize("karate", **asked)
    loaded = nv.load_release(nv.save(release, tmp_path / "saved", **BRIEF))

    for name, value in asked.items():
        assert loaded.outcome.asked[name] == value


def test_a_wrong_option_is_told_before_a_file_is_read(tmp_path: Path) -> None:
    """On the command line and in Python: reading may take minutes, and the file may not be there at all."""
    file = str(tmp_path / "nothing.csv")
    asked: dict[str, Any] = {"measure": "conut", "distance": 0, "fuzzy": "x", "seed": -1}
    for name, value in asked.items():
        typed = CliRunner().invoke(root_command, ["anonymize", file, f"--{name}", str(value)])
        assert isinstance(typed.exception, OptionError)
        wrong: dict[str, Any] = {name: value}
        with pytest.raises(OptionError):
            nv.anonymize(file, **wrong)
