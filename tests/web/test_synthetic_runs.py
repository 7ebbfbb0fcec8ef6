"""Synthetic networks on the page, over HTTP: what nobody can exceed, the run, its record, pages and lines."""

from __future__ import annotations

import html
import io
import json
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_http import Served, announced, served

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.cli import main
from netveil.formatting import percentage
from netveil.release.synthetic_release import load_drawn, load_synthetic
from netveil.synthetic import ceilings
from netveil.web.forms import JOBS, Source, checked_options, command_for, python_for
from netveil.web.requests import WebError
from netveil.web.work.run_job import ServerEnded, Steering, make

SYNTHESIS = JOBS["synthetic"]
ASKED: dict[str, Any] = {"k": 3, "copies": 2, "seed": 7, "audit": False}


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic release from Python, which the server is told of when it starts."""
    release = nv.synthesize("karate", k=2, seed=1)
    return nv.save(release, tmp_path_factory.mktemp("brought") / "mine", utility=False, audit=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, brought: Path) -> Iterator[Served]:
    """A server with a synthetic release."""
    with served(tmp_path_factory.mktemp("synthetic") / "kept", str(brought)) as running:
        yield running


def files_in(server: Served, path: str) -> dict[str, bytes]:
    """The files in a zip."""
    with zipfile.ZipFile(io.BytesIO(server.browser.get(path).content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_synthetic_network_is_drawn_judged_and_taken_away(
    server: Served, brought: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page, report and record have the same figures; the command and the Python lines draw the same ties."""
    network = server.post("/api/networks/builtin", {"name": "karate"})["id"]
    told = server.get(f"/api/networks/{network}/ceilings")["ceilings"]
    empty: dict[str, Any] = {
        "keep": {},
        "keep_attributes": None,
        "within": None,
    }  # as the form sends fields left empty
    order = {"network": network, "kind": "synthetic", "options": {**ASKED, **empty}}
    run = server.post("/api/runs", order)["id"]
    done = server.wait(run, "done")
    release = server.get(f"/api/releases/{run}")
    public = files_in(server, f"/api/releases/{run}/public.zip")
    private = files_in(server, f"/api/releases/{run}/private.zip?confirmed=yes")
    record = json.loads(private["private/run.json"])

    assert told == [each._asdict() for each in ceilings(nv.load("karate"))]
    assert set(public) == {
        f"public/{name}" for name in ("network.txt", "network-2.txt", "about.json", *DEPOSIT_FILES)
    }
    assert "private/table.csv" in private and "private/deleted_edges.csv" not in private
    assert release["record"] == record and done["figures"].items() <= record.items()
    assert {row["title"] for row in release["utility"]} == {
        row["title"] for row in record["report"]["utility"]
    }
    for page in ("report.html", "sign-off.html"):
        text = html.unescape(server.browser.get(f"/api/releases/{run}/{page}").text)
        assert all(sentence in text for sentence in record["report"]["sentences"])
        assert percentage(done["figures"]["rows"], 34) in text

    lines = server.get(f"/api/releases/{run}/lines")
    folder = server.folder / "runs" / run / "release"
    monkeypatch.chdir(tmp_path)
    assert lines["repeats"] and lines["command"] == record["command"]
    assert main([*shlex.split(lines["command"])[1:], "--quiet"]) == 0
    exec(lines["python"].replace("'karate-synthetic'", "'in-python'"), {})
    for again in ("karate-synthetic", "in-python"):
        for one, other in zip(load_drawn(again).drawn, load_drawn(folder).drawn, strict=True):
            assert np.array_equal(one.edges, other.edges)

    given = next(each["id"] for each in server.get("/api/state")["releases"] if each["source"] == "folder")
    table = server.post("/api/compare", {"releases": [run, given]})
    rows = {row["name"]: row for group in table["groups"] for row in group["rows"]}
    assert table["same_network"] and rows["k"]["values"] == [3, 2]
    assert "Two tables give away" in release["warnings"][0]
    assert "at least 2 people" in server.browser.get(f"/api/releases/{given}/report.html").text
    assert f"nv.read('{brought}/public/network.txt')" in server.get(f"/api/releases/{given}/lines")["python"]
    server.post(f"/api/releases/{given}/network", status=422)
    server.post("/api/runs", order | {"kind": "magic"}, 422)


@pytest.mark.thorough
def test_a_synthetic_release_folder_is_brought(server: Served, brought: Path) -> None:
    """Its pages are rendered anew, its figures are those of its record; one without its table is refused."""
    files = {
        f"mine/{path.relative_to(brought)}": path.read_bytes()
        for path in sorted(brought.rglob("*"))
        if path.is_file()
    }
    files["mine/private/report.html"] = b"<script>alert(1)</script>"

    def bring(files: dict[str, bytes]) -> Any:
        sizes = [(name, len(content)) for name, content in files.items()]
        return server.browser.post(
            "/api/releases", content=b"".join(files.values()), headers=announced(*sizes)
        )

    answer = bring(files)
    row, record = answer.json(), json.loads(files["mine/private/run.json"])
    refused = bring({name: content for name, content in files.items() if not name.endswith("table-ties.csv")})

    assert answer.status_code == 201 and row["figures"].items() <= record.items()
    page = server.browser.get(f"/api/releases/{row['id']}/report.html").text
    assert "alert(1)" not in page and "at least 2 people" in page
    assert refused.status_code == 422 and "table-ties.csv" in refused.json()["error"]["message"]


def test_what_cannot_be_drawn_is_told_before_anything_is_queued() -> None:
    """In words, at the field of the form."""
    wrong = {"k": (1, 18, "5"), "copies": (0, 101), "seed": (-1,), "budget": ("5%",)}
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        with pytest.raises(WebError) as caught:
            checked_options({name: value}, 34, 78, SYNTHESIS)
        assert (caught.value.kind, caught.value.field) == ("mistake", None if name == "budget" else name)
        assert "--" not in caught.value.message


def test_every_option_is_in_the_lines() -> None:
    """Only what is not the default, as for a search."""
    source = Source("contacts.csv", False, {"header": False})
    options = checked_options({**ASKED, "utility": False}, 34, 78, SYNTHESIS)

    assert command_for(source, options, "out", "synthetic") == (
        "netveil synthesize contacts.csv --no-header --k 3 --copies 2 --seed 7 --no-utility --no-audit "
        "--out out"
    )
    assert python_for(source, options, "csv", "out", "synthetic").splitlines()[2:] == [
        "network = nv.read('contacts.csv', header=False)",
        "release = nv.synthesize(",
        "    network,",
        "    k=3,",
        "    copies=2,",
        "    seed=7,",
        "    keep_attributes=[],",  # of what the network has, none: without a warning
        ")",
        "nv.save(release, 'out', extension='csv', utility=False, audit=False)",
    ]


@pytest.mark.thorough
def test_what_is_cut_off_is_drawn_again(tmp_path: Path) -> None:
    """The server ends while ties are drawn: nothing is left; the run that is resumed draws the same ties."""
    order = {
        "kind": "synthetic",
        "network": {"kind": "builtin", "name": "karate"},
        "options": checked_options(ASKED, 34, 78, SYNTHESIS),
        "folder": str(tmp_path / "a"),
        "policy": None,
        "extension": "txt",
        "command": "so",
        "resumed": False,
    }
    told: list[dict[str, Any]] = []
    steering = Steering()

    def leave(message: dict[str, Any]) -> None:
        told.append(message)
        if "progress" in message:
            steering.hear("leave")

    with pytest.raises(ServerEnded):
        make(order, leave, steering)
    left = sorted(path.name for path in tmp_path.iterdir())
    figures = make(order | {"resumed": True}, told.append, Steering())

    assert left == []
    assert told[1]["progress"]["doing"] == "drawing the network" and 0 <= told[1]["progress"]["share"] <= 1
    assert told[-1]["doing"].startswith("measuring what it still tells")
    assert figures["kind"] == "synthetic" and load_synthetic(tmp_path / "a").seed == 7
    same = nv.synthesize("karate", k=3, copies=2, seed=7)
    for one, other in zip(load_drawn(tmp_path / "a").drawn, same.drawn, strict=True):
        assert np.array_equal(one.edges, other.edges)
