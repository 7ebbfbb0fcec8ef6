"""What users write is used as an object, by `nv.add`, as `module:object`, and from another package."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recipes import PLAN, RECIPES, added, install, mistake, recipe, said

import netveil as nv
from netveil.extensions import user_code_refused
from netveil.registries import KINDS
from netveil.studies.tuning import grid_for
from netveil.web.forms import checked_options
from netveil.web.requests import WebError

NAMES = {kind: place.partition(":")[0] for kind, place in RECIPES.items()} | {"matcher": "own-degree"}


@pytest.mark.parametrize("kind", RECIPES)
def test_what_is_added_is_listed_after_netveils_own_and_may_be_added_again(kind: str) -> None:
    own = recipe(kind)
    assert nv.add(kind, own) is own and nv.add(kind, name="mine")(own) is own

    assert list(KINDS[kind])[-2:] == [NAMES[kind], "mine"]
    assert nv.add(kind, own) is own
    assert getattr(KINDS[kind]["mine"], "kind" if kind == "generator" else "name") == "mine"


def test_objects_stand_for_names_and_are_not_listed() -> None:
    limits: Any = {recipe("limit"): "0%"}
    release = nv.anonymize("karate", "10%", algorithm=recipe("algorithm"), keep=limits, seed=1)
    compared = nv.compare("karate", release, metrics=[recipe("metric"), "lcc"])
    nv.write(nv.load("karate"), "karate.odd", format=recipe("format"))

    assert release.outcome.algorithm == release.figures()["algorithm"] == "draws"
    assert [limit.name for limit in release.outcome.limits] == ["contacts"]
    assert list(compared.metrics) == ["lcc", "one_contact"]
    assert nv.read("karate.odd", format="pairs").edge_count == 78
    assert nv.generate(recipe("generator"), nodes=8, size=4).name == "cliques"
    assert nv.measure("karate", recipe("measure")).at_risk == 7
    assert nv.pareto_front(release, recipe("metric")).rows[0].keys() == {"deleted", "at_risk", "one_contact"}
    assert nv.tune("karate", algorithm=recipe("algorithm"), finalists=1, seed=1).algorithm == "draws"
    for kind, registry in KINDS.items():
        assert NAMES[kind] not in registry


def test_commands_and_plans_take_module_and_object(capsys: pytest.CaptureFixture[str]) -> None:
    """The name is recorded as it was given, so that others find it again."""
    brief = "--seed 1 --budget 10% --set draws=3 --no-utility --no-audit --out release --json"
    said(capsys, f"anonymize karate --algorithm draws:RANDOM_DRAWS --keep contacts:KeepContacts=0 {brief}")
    Path("ours.pairs").write_text("anna -- bob\nbob -- cleo\n", encoding="utf-8")
    said(capsys, "anonymize ours.pairs --format pairs:PAIRS --budget 1 --no-audit --out other --quiet")
    compared = said(capsys, "compare karate release --metric one_contact:OneContact --json")
    again = nv.load_release("release")

    assert '"one_contact:OneContact"' in compared
    assert said(capsys, "measure ours.pairs --format pairs:PAIRS --measure triangles:Triangles --quiet")
    assert Path("other/public/network.csv").exists()  # no suffix names the format
    assert again.outcome.algorithm == "draws:RANDOM_DRAWS"
    assert [limit.name for limit in again.outcome.limits] == ["contacts:KeepContacts"]
    assert grid_for("draws:RANDOM_DRAWS").size == 3


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_plans_name_modules_and_their_processes_find_them(
    workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = """\
networks = [{name = "circles", generate = {kind = "cliques:CLIQUES", nodes = 20, size = 4}}]
algorithms = [{algorithm = "draws:RANDOM_DRAWS", settings = {draws = 2}}]
measures = ["triangles:Triangles"]
metrics = ["one_contact:OneContact", "lcc"]
"""
    Path("plan.toml").write_text(plan, encoding="utf-8")
    said(capsys, f"experiment plan.toml --out runs --workers {workers} --collect --quiet")
    with Path("runs/results.csv").open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))

    assert [(row["algorithm"], row["measure"]) for row in rows] == [
        ("draws:RANDOM_DRAWS", "triangles:Triangles")
    ]
    assert rows[0]["one_contact:OneContact_before"] == "0"


def test_a_package_brings_entries_of_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """Found by name, listed, and used where all are; `--no-user-code` is about what a command names."""
    install({f"{kind}.{NAMES[kind]}": place for kind, place in RECIPES.items()})
    Path("plan.toml").write_text(f'{PLAN}metrics = "all"\n'.replace('"es"', '"draws"'), encoding="utf-8")
    said(capsys, "experiment plan.toml --out runs --workers 1 --collect --quiet --no-user-code")

    assert "one_contact_before" in Path("runs/results.csv").read_text(encoding="utf-8")
    for kind, registry in KINDS.items():
        assert list(registry)[-1] == NAMES[kind] and registry[NAMES[kind]]
    assert nv.algorithms()["draws"] == "spends the budget at random, several times"
    assert nv.limits()["contacts"] and nv.measures()["triangles"]
    assert "did you mean draws?" in mistake(capsys, "anonymize karate --algorithm drawss")
    with pytest.raises(nv.SettingError, match="algorithm draws: there is one of this name"):
        added("algorithm")


def test_a_package_that_is_broken_is_named() -> None:
    points = {"algorithm.es": "draws:RANDOM_DRAWS", "algorithm.gone": "nowhere_at_all:X"}
    install(points)

    assert nv.anonymize("karate", 2, algorithm="es", seed=1).outcome.settings == {"steps": 100}
    with pytest.raises(
        nv.SettingError, match="algorithm gone of the package ours cannot be imported: Module"
    ):
        nv.anonymize("karate", 2, algorithm="gone")


def test_code_that_is_named_is_refused_where_that_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """By commands for names of every kind, and by the page always; before it is imported."""
    plan = PLAN.replace('"es"', '"draws:RANDOM_DRAWS"')
    Path("plan.toml").write_text(plan, encoding="utf-8")
    refused = "is code of a user, which is refused here"
    for command in (
        "anonymize karate --algorithm draws:RANDOM_DRAWS",
        "anonymize karate --keep contacts:KeepContacts=0",
        "tune karate --algorithm draws:RANDOM_DRAWS",
        "experiment plan.toml",
    ):
        assert refused in mistake(capsys, f"{command} --no-user-code")
    with user_code_refused(), pytest.raises(nv.SettingError, match=refused):
        nv.generate("cliques:CLIQUES", nodes=8, size=4)
    for option in ({"algorithm": "draws:RANDOM_DRAWS"}, {"keep": {"contacts:KeepContacts": "0%"}}):
        with pytest.raises(WebError, match=refused):
            checked_options(option, 34, 78)
    assert not {"draws", "contacts"} & sys.modules.keys()


def wrong(kind: str, **members: Any) -> Any:
    """The class that the page makes, with other members."""
    return type("Wrong", (recipe(kind),), members)


NO_ENTRIES = [
    ("metrik", lambda: 1, "unknown kind 'metrik': did you mean metric?"),
    ("algorithm", lambda: print, "algorithm print: give a name, or an object of netveil.search.algor"),
    ("metric", lambda: object, "metric object: give a name, or an object of netveil.utility.metric"),
    ("metric", lambda: nv.Network, "metric Network: Network.__init__() missing 3 required"),
    ("metric", lambda: wrong("metric", title=""), "metric Wrong: its title is '', and must be a text;"),
    ("metric", lambda: wrong("metric", name="lcc"), "metric lcc: there is one of this name; choose"),
    ("metric", lambda: wrong("metric", name="a:b"), "metric 'a:b': give a name of letters, digits,"),
    ("format", lambda: replace(recipe("format"), suffixes=".x"), "format pairs: its suffixes is '.x',"),
    ("matcher", lambda: wrong("matcher", needs_seeds=1), "matcher Wrong: its needs_seeds is 1, and must"),
    ("attack", lambda: wrong("attack", attempts=lambda self: ()), "attack Wrong: it has no method attemp"),
    ("limit", lambda: wrong("limit", look=None), "limit Wrong: it has no method look(original, remaining"),
    ("measure", lambda: 5, "measure 5: give a name, a function, or an object of netveil.anonymity."),
]


@pytest.mark.parametrize(("kind", "make", "told"), NO_ENTRIES)
def test_what_is_no_entry_is_refused_when_it_is_added(kind: str, make: Any, told: str) -> None:
    before = {each: list(registry) for each, registry in KINDS.items()}
    with pytest.raises(nv.SettingError) as refused:
        nv.add(kind, make())

    assert str(refused.value).startswith(told)
    assert before == {each: list(registry) for each, registry in KINDS.items()}
