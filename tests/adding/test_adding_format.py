"""A format is one file and one line, as docs/guide.md says: all that lists formats then has it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recipes import Copy

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.files import FORMATS
from pages import PAGES

pytestmark = pytest.mark.thorough  # commands in a copy of netveil that is changed

PEOPLE = [("anna", "bob"), ("bob", "cleo"), ("cleo", "anna"), ("cleo", "dan"), ("dan", "eve")]
PLAN = """\
networks = ["contacts.pairs", {name = "other", network = "contacts.dat", format = "pairs"}]
algorithms = ["es"]
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """netveil with the format of the page, some files of that format, and a release made from one."""
    with Copy.made_in(tmp_path_factory.mktemp("copy")) as copy:
        copy.add("files/pairs.py", "guide.md", "Add a format to netveil", "FORMATS")
        content = "\n".join(["!pairs", "finn", *(f"{one} -- {two}" for one, two in PEOPLE)])
        for name in ("contacts.pairs", "contacts.dat", "contacts.txt", "contacts.odd", "data/GRQC.pairs"):
            (copy.folder / name).parent.mkdir(exist_ok=True)
            (copy.folder / name).write_text(content, encoding="utf-8")
        (copy.folder / "noted.pairs").write_text(f"{content}\n// of the ward\n", encoding="utf-8")
        (copy.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        brief = "--no-audit --no-utility --quiet"
        copy.netveil(f"anonymize contacts.pairs --budget 2 --algorithm es --seed 1 {brief} --out release")
        yield copy


def test_a_release_is_published_in_it(copy: Copy) -> None:
    """With nothing but labels and edges; it is compared with the original, and audited."""
    public = copy.folder / "release" / "public"
    first, *lines = (public / "network.pairs").read_text(encoding="utf-8").splitlines()
    edges = [line for line in lines if " -- " in line]
    compared, audited = map(
        json.loads,
        copy.netveil("compare contacts.pairs release --json", "audit contacts.pairs release --json"),
    )

    assert {file.name for file in public.iterdir()} == {*DEPOSIT_FILES, "network.pairs", "about.json"}
    assert first == "!pairs" and len(lines) - len(edges) == 6
    assert compared["deleted"] == len(PEOPLE) - len(edges) > 0
    assert [leak for leak in audited["leaks"] if leak["kind"] == "comments"] == []


def test_errors_list_it(copy: Copy) -> None:
    """Where a suffix or a name is not known, and where a file is taken for an edge list."""
    (copy.folder / "odd.toml").write_text(
        'networks = ["contacts.odd"]\nalgorithms = ["es"]\n', encoding="utf-8"
    )

    assert ", adjacency-list, pairs (" in copy.mistake("measure contacts.odd")
    assert "the choice is edge-list, " in (told := copy.mistake("experiment odd.toml")) and "pairs" in told
    assert "did you mean pairs?" in copy.mistake("measure contacts.dat --format pears")
    assert "it looks like pairs. Read it with --format pairs." in copy.mistake("measure contacts.txt")


def test_the_guide_lists_every_format() -> None:
    """With all suffixes, in the order of the registry."""
    table = PAGES["guide.md"].read_text(encoding="utf-8").split("| format | suffixes |")[1].split("\n\n")[0]
    cells: list[Any] = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    listed = [name for names, _ in cells for name in re.findall(r"`([a-z-]+)`", names)]
    suffixes = [suffix for _, several in cells for suffix in several.strip(" `").split()]

    assert listed == list(FORMATS)
    assert suffixes == [suffix for known in FORMATS.values() for suffix in known.suffixes]


def test_it_is_read_by_its_suffix_and_by_its_name(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """All people and ties, by commands, plans and from the data folder; and by no netveil but the copy."""
    monkeypatch.setitem(os.environ, "NETVEIL_DATA", str(copy.folder / "data"))
    *measured, listed, _ = copy.netveil(
        "measure contacts.pairs --json",
        "measure contacts.dat --format pairs --json",
        "networks --json",
        "experiment plan.toml --out out --workers 1 --quiet",
    )
    results = [copy.document(str(file)) for file in sorted(copy.folder.glob("out/runs/*/result.json"))]

    for document in map(json.loads, measured):
        assert (document["nodes"], document["edges"]) == (6, len(PEOPLE))
        assert document["at_risk"] == nv.measure(nv.Network.from_edges(PEOPLE, nodes=["finn"])).at_risk
    assert [(result["nodes"], result["edges"]) for result in results] == [(6, len(PEOPLE))] * 2
    places = {row["name"]: row["place"] for row in json.loads(listed)["fetchable"]}
    assert places["grqc"] == "NETVEIL_DATA" != places["blogs"]
    assert Path(nv.__file__).parent != copy.folder / "netveil"
    assert "pairs" not in FORMATS


def test_audits_warn_of_what_else_a_file_holds_and_help_lists_it(copy: Copy) -> None:
    """As the format says; every command with --format has it."""
    (said,) = copy.netveil("audit contacts.pairs noted.pairs --json")
    (leak,) = (leak for leak in json.loads(said)["leaks"] if leak["kind"] == "comments")
    commands, listed = ("measure", "anonymize", "compare", "audit", "tune"), ",".join([*FORMATS, "pairs"])

    assert "The file holds 1 comment" in leak["finding"]
    for told in copy.netveil(*(f"{command} --help" for command in commands)):
        assert listed in "".join(told.split())  # lines may break within a name, at its hyphen
