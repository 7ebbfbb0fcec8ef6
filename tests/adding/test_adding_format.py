"""A format that was added is read and written by its suffix and its name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from recipes import added, document, mistake, said

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.files import FORMATS
from pages import PAGES

PEOPLE = [("anna", "bob"), ("bob", "cleo"), ("cleo", "anna"), ("cleo", "dan"), ("dan", "eve")]
PLAN = """\
networks = ["contacts.pairs", {name = "other", network = "contacts.dat", format = "pairs"}]
algorithms = ["es"]
"""


@pytest.fixture
def _files() -> None:
    """Some files of the format of the page, which is added."""
    content = "\n".join(["!pairs", "finn", *(f"{one} -- {two}" for one, two in PEOPLE)])
    for name in ("contacts.pairs", "contacts.dat", "contacts.txt", "contacts.odd", "data/GRQC.pairs"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    Path("noted.pairs").write_text(f"{content}\n// of the ward\n", encoding="utf-8")
    added("format")


@pytest.mark.usefixtures("_files")
def test_a_release_is_published_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing but labels and edges; audits warn of what else a file holds, as the format says."""
    brief = "--no-audit --no-utility --quiet"
    said(capsys, f"anonymize contacts.pairs --budget 2 --algorithm es --seed 1 {brief} --out release")
    public = Path("release/public")
    first, *lines = (public / "network.pairs").read_text(encoding="utf-8").splitlines()
    edges = [line for line in lines if " -- " in line]
    compared = json.loads(said(capsys, "compare contacts.pairs release --json"))
    audited, noted = (
        json.loads(said(capsys, f"audit contacts.pairs {released} --matching none --json"))
        for released in ("release", "noted.pairs")
    )

    assert {file.name for file in public.iterdir()} == {*DEPOSIT_FILES, "network.pairs", "about.json"}
    assert first == "!pairs" and len(lines) - len(edges) == 6
    assert compared["deleted"] == len(PEOPLE) - len(edges) > 0
    assert [leak for leak in audited["leaks"] if leak["kind"] == "comments"] == []
    (leak,) = (leak for leak in noted["leaks"] if leak["kind"] == "comments")
    assert "The file holds comments" in leak["finding"]


@pytest.mark.usefixtures("_files")
def test_errors_list_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a suffix or a name is not known, and where a file is taken for an edge list."""
    Path("odd.toml").write_text('networks = ["contacts.odd"]\nalgorithms = ["es"]\n', encoding="utf-8")

    assert ", adjacency-list, pairs (" in mistake(capsys, "measure contacts.odd")
    told = mistake(capsys, "experiment odd.toml")
    assert "Name one with --format: edge-list, " in told and ", pairs (" in told
    assert "did you mean pairs?" in mistake(capsys, "measure contacts.dat --format pears")
    assert "it looks like pairs. Read it with --format pairs." in mistake(capsys, "measure contacts.txt")


def test_the_guide_lists_every_format() -> None:
    table = PAGES["guide.md"].read_text(encoding="utf-8").split("| format | suffixes |")[1].split("\n\n")[0]
    cells: list[Any] = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    listed = [name for names, _ in cells for name in re.findall(r"`([a-z-]+)`", names)]
    suffixes = [suffix for _, several in cells for suffix in several.strip(" `").split()]

    assert listed == list(FORMATS)
    assert suffixes == [suffix for known in FORMATS.values() for suffix in known.suffixes]


@pytest.mark.usefixtures("_files")
def test_it_is_read_by_its_suffix_and_by_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETVEIL_DATA", "data")
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    measured = [
        json.loads(said(capsys, f"measure {given} --json"))
        for given in ("contacts.pairs", "contacts.dat --format pairs")
    ]
    listed = json.loads(said(capsys, "networks --json"))
    said(capsys, "experiment plan.toml --out out --workers 1 --quiet")
    results = [document(str(file)) for file in sorted(Path("out").glob("runs/*/result.json"))]

    for found in measured:
        assert (found["nodes"], found["edges"]) == (6, len(PEOPLE))
        assert found["at_risk"] == nv.measure(nv.Network.from_edges(PEOPLE, nodes=["finn"])).at_risk
    assert [(result["nodes"], result["edges"]) for result in results] == [(6, len(PEOPLE))] * 2
    places = {row["name"]: row["place"] for row in listed["fetchable"]}
    assert places["grqc"] == "NETVEIL_DATA" != places["blogs"]
