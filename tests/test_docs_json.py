"""docs/json.md keeps its word: every key of a document is on the page, and every key of the page is there.

A failure names the key. Whoever adds one to a document adds a row to the page.
"""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import netveil as nv
from netveil.cli import main
from netveil.fetching import CATALOGUE, FetchableNetwork
from netveil.studies import STUDIES, Plan, planned_algorithm, planned_network, read_plan
from netveil.studies.paper import PaperAgain
from netveil.studies.store import Store
from pages import PAGES

Steps = tuple[str, ...]  # names that lead to a value; entries of a list have the path of the list

ROW = re.compile(r"^- ((?:`[^`]+`(?:, )?)+): (.*?)(?: \((only .*)\))?$")
"""A row of a list: keys, what they mean, and when they are there."""

_INCLUDES = re.compile(r"\[keys\]\(#([\w-]+)\)(?: of [^,]*? but `(\w+)`)?")


class Key(NamedTuple):
    """One documented key."""

    path: Steps  # `*` stands for any name; as the last one it may stand for none, but the object is there
    only: str = ""  # when it is there, if not always


def documented() -> dict[str, list[Key]]:
    """The keys of every section by its heading, with those that it includes from other sections."""
    text = PAGES["json.md"].read_text(encoding="utf-8")
    headings = re.findall(r"^##+ (.*)$", text, flags=re.MULTILINE)
    bodies = re.split(r"^##+ .*$", text, flags=re.MULTILINE)[1:]
    sections = dict(zip(headings, bodies, strict=True))
    by_anchor = {_anchor(heading): body for heading, body in sections.items()}
    return {heading: list(_keys_in(body, by_anchor)) for heading, body in sections.items()}


def _anchor(heading: str) -> str:
    """The name by which a link leads to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _keys_in(body: str, sections: dict[str, str]) -> Iterator[Key]:
    for line in body.splitlines():
        row = ROW.match(line)
        names, meaning, only = (
            (re.findall(r"`(.+?)`", row[1]), row[2], row[3] or "") if row else ([""], line, "")
        )
        for name in names:
            path = tuple(name.replace("[]", "").split(".")) if name else ()
            if row:
                yield Key(path, only)
            for anchor, but in _INCLUDES.findall(meaning):
                for key in _keys_in(sections[anchor], sections):
                    if key.path != (but,):
                        yield Key(path + key.path, key.only or only)


def undocumented(document: Any, keys: list[Key]) -> list[str]:
    """The keys of a document that no row is about; what leads to a documented key is documented with it."""
    known = {key.path[:length] for key in keys for length in range(1, len(key.path) + 1)}
    return sorted({".".join(path) for path in _paths(document) if not _is_among(path, known)})


def missing(document: Any, keys: list[Key]) -> list[str]:
    """The documented keys that an object in a document lacks, though nothing says that it may."""
    return [".".join(key.path) for key in keys if not key.only and not all(_has(document, key))]


def _has(document: Any, key: Key) -> list[bool]:
    """Whether it has the key, of each object in a document that is meant."""
    *parents, name = key.path[:-1] if key.path[-1] == "*" else key.path
    return [name in place for place in _objects(document, tuple(parents))]


def _paths(document: Any, path: Steps = ()) -> Iterator[Steps]:
    if isinstance(document, list):
        for entry in document:
            yield from _paths(entry, path)
    elif isinstance(document, dict):
        for name, value in document.items():
            yield (*path, name)
            yield from _paths(value, (*path, name))


def _is_among(path: Steps, known: set[Steps]) -> bool:
    return path in known or any(
        len(each) == len(path) and all(one in ("*", name) for one, name in zip(each, path, strict=True))
        for each in known
    )


def _objects(document: Any, path: Steps) -> Iterator[dict[str, Any]]:
    """The objects to which a path leads, in every entry of lists."""
    if isinstance(document, list):
        for entry in document:
            yield from _objects(entry, path)
    elif isinstance(document, dict) and not path:
        yield document
    elif isinstance(document, dict):
        for name in document if path[0] == "*" else [path[0]]:
            yield from _objects(document.get(name), path[1:])


SECTIONS = documented()
PARTS = {
    "One attacker",
    "How a file was read",
    "One comparison",
    "One metric",
    "What an attacker achieves",
    "One attacker who matches networks",
    "One attack by matching",
    "Numbers of the report",
    "Another algorithm",
    "One policy",
    "One scenario",
    "One question",
    "One inference",
    "Record of any release",
    "How runs ended",
}
"""Sections that are part of others."""

PEOPLE = "source,target\nanna,bob\nbob,cleo\ncleo,anna\ncleo,dan\nbob,anna\neve,eve\n"
PLAN = 'networks = ["karate"]\nalgorithms = ["es"]\nsynthetic = 5\nmetrics = ["clustering", "centrality"]\n'
POLICY = "[policy]\nleaks = 9\n[policy.loss]\nedges = '99%'\n"
KARATE = "anonymize karate --effort 0.05 --seed 1"
BOTH = "--measure count --measure degree"
COMMANDS = {
    "netveil measure": ("measure karate --cascade", f"measure people.csv {BOTH} --fuzzy 5% --k 3"),
    "netveil blocks": ("blocks people.csv --number 2 --out cut",),
    "netveil anonymize": (
        f"{KARATE} --budget 10% --curve --baselines --target 90% --keep clustering=5% --out whole "
        "--policy policy.toml",
        f"anonymize people.csv --algorithm es --seed 1 --budget 25% {BOTH} --out two",
        f"{KARATE} --fuzzy 5% --twins --no-utility --no-audit --out plain",
    ),
    "netveil synthesize": (
        "synthesize karate --k 3 --seed 1 --copies 2 --out drawn/whole",
        "synthesize --from drawn/whole --seed 2 --out drawn/again",
        "synthesize people.csv --k 2 --no-utility --out drawn/people",
    ),
    "netveil compare": ("compare karate whole drawn/whole", "compare people.csv two"),
    "netveil verify": ("verify whole", "verify plain --original karate"),
    "netveil audit": (
        "audit karate whole",
        "audit karate whole --measure degree --policy policy.toml",
        "audit people.csv people.csv --measure degree",
    ),
    "Several releases": (
        "audit karate whole plain --measure count",
        "audit people.csv people.csv people.csv --measure degree",
    ),
    "netveil convert": ("convert people.csv --out people.parquet", "convert karate --out karate.txt"),
    "netveil tune": (
        "tune karate --configurations 3 --finalists 2 --every 3 --seed 1",
        "tune karate --algorithm es --seed 1 --out es-tuning",
    ),
    "netveil networks": ("networks",),
    "netveil networks fetch": ("networks fetch tiny",),
    "netveil experiment": ("experiment plan.toml --workers 1", "experiment plan.toml --collect"),
    "A folder with `--collect`": ("experiment plan-runs --collect",),
    "The study `paper`": ("experiment paper --workers 1", "experiment paper --collect"),
    "The study `simulated`": ("experiment simulated --workers 1", "experiment simulated --collect"),
    "The study `searches`": (
        "experiment searches --networks tables --quick --workers 1",
        "experiment searches --networks tables --quick --collect --out searches-quick",
    ),
}
"""Each is run with --json, in this order."""

FILES = {
    "netveil tune": "*-tuning/tuning.json",
    "blocks.json": "cut/blocks.json",
    "public/about.json": "*/public/about.json",
    "Of a synthetic release": "drawn/*/public/about.json",
    "private/run.json": "*/private/run.json",
    "Record of a synthetic release": "drawn/*/private/run.json",
    "private/curve.json": "*/private/curve.json",
    "private/decision.json": "*/private/decision.json",
    "register.json": "register.json",
    "runs/*/settings.json": "plan-runs/runs/*/settings.json",
    "runs/*/result.json": "plan-runs/runs/*_es_*/result.json",
    "Result of a synthetic network": "plan-runs/runs/*_synthetic_*/result.json",
    "failed/*.json": "plan-runs/failed/*.json",
}
"""What they leave behind."""


@dataclass(frozen=True)
class Document:
    """A document, and where it comes from."""

    origin: str
    content: Any


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Document]]:
    """What every command prints and writes, by the section that is about it."""
    folder = tmp_path_factory.mktemp("json")
    found: dict[str, list[Document]] = defaultdict(list)
    with pytest.MonkeyPatch.context() as patch, chdir(folder):
        _small_world(patch, folder)
        for section, commands in COMMANDS.items():
            for command in commands:
                found[section].append(Document(f"netveil {command}", _said(command)))
        Store("plan-runs").save_failure(read_plan("plan.toml").tasks()[0], "out of order")
        for section, pattern in FILES.items():
            for file in sorted(folder.glob(pattern)):
                content = json.loads(file.read_text(encoding="utf-8"))
                found[section].append(Document(str(file.relative_to(folder)), content))
    return found


def _small_world(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Files to read, a network to fetch that is here already, and studies of one small network."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    (folder / "tiny.txt").write_text("1 2\n2 3\n3 1\n", encoding="utf-8")
    patch.setenv("NETVEIL_DATA", str(folder))
    patch.setenv("NETVEIL_REGISTER", str(folder / "register.json"))
    about: dict[str, Any] = {
        "name": "tiny",
        "title": "Three.",
        "address": "http://127.0.0.1:9/tiny.txt",
        "citation": "nobody",
    }
    patch.setitem(CATALOGUE, "tiny", FetchableNetwork(nodes=3, edges=3, **about))
    karate = planned_network("karate", nv.load("karate"))
    study = PaperAgain((karate,), 1, ("conf2",), quick=True)
    patch.setitem(STUDIES, "paper", lambda seeds, quick: study)
    algorithms = tuple(planned_algorithm(name, settings={"patience": 2}) for name in ("ga", "uga"))
    plan = Plan(name="small", networks=(karate,), algorithms=algorithms, seeds=(1,), metrics=("clustering",))
    patch.setattr("netveil.studies.simulated.read_plan", lambda file, seeds: plan)
    (folder / "tables").mkdir()
    nv.write(nv.load("karate"), folder / "tables" / "karate.csv")
    patch.setattr("netveil.studies.searches.ALGORITHMS", ["es"])


def _said(command: str) -> Any:
    """The document that a command prints."""
    with redirect_stdout(io.StringIO()) as printed:
        assert main([*command.split(), "--json"]) == 0, command
    return json.loads(printed.getvalue())


@pytest.mark.quick(8)
@pytest.mark.parametrize("section", [section for section in SECTIONS if section not in PARTS])
def test_every_key_that_is_there_is_on_the_page_and_the_other_way_round(
    section: str, documents: dict[str, list[Document]]
) -> None:
    assert documents[section], f"docs/json.md, {section}: no document is known"
    for document in documents[section]:
        unknown = undocumented(document.content, SECTIONS[section])
        assert not unknown, f"add to docs/json.md, {section}: {', '.join(unknown)} ({document.origin})"
        lacking = missing(document.content, SECTIONS[section])
        assert not lacking, f"{document.origin} lacks what docs/json.md, {section}, has: {', '.join(lacking)}"
    for key in SECTIONS[section]:
        found = any(any(_has(document.content, key)) for document in documents[section])
        assert found or key.only, f"docs/json.md, {section}: {key.path} is nowhere; say when it is"


def test_every_row_of_the_page_is_read() -> None:
    lines = PAGES["json.md"].read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("- ")]

    assert all(ROW.match(line) for line in rows), [line for line in rows if not ROW.match(line)]
    assert all("(only" not in found[2] for found in map(ROW.match, rows) if found)
    assert SECTIONS.keys() > PARTS and COMMANDS.keys() | FILES.keys() == SECTIONS.keys() - PARTS


KEYS = [Key(("nodes",)), Key(("sizes", "*")), Key(("each", "name")), Key(("more",), "only with --more")]


def test_what_is_too_much_or_too_little_is_found() -> None:
    """The checks above would pass on anything if this did not hold."""
    whole: dict[str, Any] = {"nodes": 1, "sizes": {"7": 1}, "each": [{"name": "a"}], "more": 2}
    more = {**whole, "each": [{"name": "a", "age": 3}], "made": 0}
    less = {"sizes": {"7": {"inner": 1}}, "each": [{"name": "a"}, {}]}

    assert (
        undocumented(whole, KEYS)
        == missing(whole, KEYS)
        == missing({**whole, "sizes": {}, "each": []}, KEYS)
        == []
    )
    assert (undocumented(more, KEYS), missing(more, KEYS)) == (["each.age", "made"], [])
    assert (undocumented(less, KEYS), missing(less, KEYS)) == (["sizes.7.inner"], ["nodes", "each.name"])
