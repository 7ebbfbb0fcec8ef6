"""The whole story over HTTP, with a server and workers as users have them: from a file to both zips.

Then that of synthetic networks: what nobody can exceed, the run, its record, pages and lines.
"""

from __future__ import annotations

import html
import io
import json
import shlex
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_http import CONTACTS, NASTY, Served, announced, bring_folder, served

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.cli import main
from netveil.formatting import percentage
from netveil.release.synthetic_release import load_drawn
from netveil.synthetic import ceilings
from netveil.web.forms import JOBS, Source, checked_options, command_for, python_for
from netveil.web.requests import WebError
from waiting import until

BRIEF = {"utility": False, "audit": False, "baselines": False}
QUICK = {**BRIEF, "budget": "10%", "effort": 0.01, "seed": 5}
ENDLESS = {**BRIEF, "budget": "10%", "effort": 100_000.0, "k": 3, "threads": 1}


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic release from Python, which the server is told of when it starts."""
    release = nv.synthesize("karate", k=2, seed=1)
    return nv.save(release, tmp_path_factory.mktemp("brought") / "mine", utility=False, audit=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, brought: Path) -> Iterator[Served]:
    """One for all of these tests."""
    place = tmp_path_factory.mktemp("story") / "kept"
    with served(place, str(brought), "--largest-upload", "1") as server:
        yield server
        assert server.end(signal.SIGINT) == 0
        said = server.log.read_text()
        assert "Zebediah" not in said and "contacts" not in said and NASTY not in said


@pytest.fixture(scope="module")
def karate(server: Served) -> str:
    """A network that is brought by its name."""
    record = server.post("/api/networks/builtin", {"name": "karate"})
    assert (record["state"], record["nodes"], record["edges"]) == ("read", 34, 78)
    return str(record["id"])


@pytest.fixture(scope="module")
def curve(server: Served, karate: str) -> str:
    """A finished run with a curve and all evidence, which most tests look at."""
    run = server.run(karate, **{**QUICK, "curve": True, "utility": True, "audit": True, "baselines": True})
    assert server.wait(run, "done")["figures"]["at_risk_before"] == 15
    return run


def zip_at(server: Served, path: str) -> dict[str, bytes]:
    """The files in a zip."""
    answer = server.browser.get(path)
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.thorough  # quick: the story in a browser, and each part of it by itself
def test_a_file_becomes_a_release(
    server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose command and Python lines delete the same ties, and decide the same, under other numbers."""
    assert server.browser.get("/").headers["content-type"].startswith("text/html")
    about = server.get("/api/about")
    assert about["largest_upload"] == 1 << 20 and about["default_measure"] == "count"
    assert {row["name"] for row in about["measures"]} == set(nv.anonymity.MEASURES)
    assert [row["name"] for row in server.get("/api/guide")["questions"]] == ["attacker", "alike", "change"]
    record = server.upload("contacts.csv", CONTACTS.encode())
    again = server.post(f"/api/networks/{record['id']}/reading", {"columns": ["who", "whom"], "header": True})
    assert again["asked"]["columns"] == ["who", "whom"] and again["reading"]["separator"] == "semicolon"
    policy = {"policy": {"name": "ours", "k": 2}, "decision": {"purpose": 'a "test"'}}
    run = server.run(record["id"], **{**QUICK, "budget": 2, "protect": "Cleo;Dan\n", "policy": policy})
    assert server.wait(run, "done")["figures"]["protected"] == 1
    public = zip_at(server, f"/api/releases/{run}/public.zip")
    private = zip_at(server, f"/api/releases/{run}/private.zip?confirmed=yes")
    lines = server.get(f"/api/releases/{run}/lines")

    assert set(public) == {
        f"public/{name}" for name in (*DEPOSIT_FILES, "network.csv", "nodes.csv", "about.json")
    }
    assert {"private/run.json", "private/labels.csv", "private/protected.txt"} <= set(private)
    assert server.browser.get(f"/api/releases/{run}/private.zip").status_code == 409
    monkeypatch.chdir(tmp_path)
    Path("contacts.csv").write_text(CONTACTS)
    Path("protected.txt").write_bytes(private["private/protected.txt"])
    Path("policy.toml").write_text(lines["needs"][-1]["text"])
    assert lines["repeats"] and lines["note"] == ""
    assert main([*shlex.split(lines["command"])[1:], "--quiet"]) == 3  # leaks were not looked for
    capsys.readouterr()
    with pytest.warns(nv.LossWarning, match="weights are ignored"):
        exec(lines["python"].replace("contacts-release", "in-python"), {})
    for folder in map(Path, ("contacts-release", "in-python")):
        for part in (public, private):
            for name in part.keys() & {"public/about.json", "public/nodes.csv", "private/deleted_edges.csv"}:
                assert (folder / name).read_bytes() == part[name]
        decisions = (
            json.loads(private["private/decision.json"]),
            json.loads((folder / "private" / "decision.json").read_text()),
        )
        for name in ("verdict", "policy", "rules", "grounds"):
            assert decisions[0][name] == decisions[1][name]
        again = json.loads((folder / "private" / "run.json").read_text())
        assert again["secret"] != json.loads(private["private/run.json"])["secret"]  # so other numbers


@pytest.mark.thorough
def test_what_is_cancelled_leaves_nothing(server: Served, karate: str) -> None:
    run = server.run(karate, **ENDLESS)
    server.wait(run, "searching")
    server.post(f"/api/runs/{run}/cancel")
    folder = server.folder / "runs" / run
    until(lambda: [path.name for path in folder.iterdir()] == ["record.json"])
    assert server.browser.delete(f"/api/runs/{run}").status_code == 200
    assert not folder.exists() and server.browser.get(f"/api/runs/{run}").status_code == 404


@pytest.mark.thorough
def test_dear_measures_have_a_process_of_their_own_and_failures_words(server: Served, karate: str) -> None:
    """Figures are those of `nv.measure`; failures are told without our paths, also that too much was sent."""
    run = server.run(karate, **{**QUICK, "protect": "nobody;here\n"})
    found = server.get(f'/api/networks/{karate}/measure?attackers={{"measures":["ego"]}}')
    assert found["figures"]["at_risk"] == nv.measure(nv.load("karate"), "ego").at_risk
    nothing = server.post(f"/api/networks/{karate}/measure/cancel", {"measures": ["ego"]})
    assert nothing == {"cancelled": False}
    until(lambda: server.get(f"/api/runs/{run}")["state"] == "failed")
    said = server.get(f"/api/runs/{run}")["error"]
    assert "protected ties, line 1" in said and str(server.folder) not in said
    content = b"a,b\n" * 2_000_000
    answer = server.browser.post("/api/networks", content=content, headers=announced(("a.csv", len(content))))
    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too-large")


SYNTHESIS = JOBS["synthetic"]
ASKED: dict[str, Any] = {"k": 3, "copies": 2, "seed": 7, "audit": False}


def test_a_synthetic_network_is_drawn_judged_and_taken_away(
    server: Served, brought: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page, report and record have the same figures; the command and the Python lines draw the same ties."""
    network = server.post("/api/networks/builtin", {"name": "karate"})["id"]
    told = server.get(f"/api/networks/{network}/ceilings")["ceilings"]
    empty: dict[str, Any] = {"keep": {}, "keep_attributes": None, "within": None}  # as the form sends them
    order = {"network": network, "kind": "synthetic", "options": {**ASKED, **empty}}
    run = server.post("/api/runs", order)["id"]
    done = server.wait(run, "done")
    release = server.get(f"/api/releases/{run}")
    public = zip_at(server, f"/api/releases/{run}/public.zip")
    private = zip_at(server, f"/api/releases/{run}/private.zip?confirmed=yes")
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
    assert "publish one only" in release["warnings"][0]
    assert "at least 2 people" in server.browser.get(f"/api/releases/{given}/report.html").text
    assert f"nv.read('{brought}/public/network.txt')" in server.get(f"/api/releases/{given}/lines")["python"]
    server.post(f"/api/releases/{given}/network", status=422)
    server.post("/api/runs", order | {"kind": "magic"}, 422)


@pytest.mark.thorough
def test_a_synthetic_release_folder_is_brought(server: Served, brought: Path) -> None:
    """Its pages are rendered anew, its figures are those of its record; one without its table is refused."""
    files = {
        str(each.relative_to(brought)): each.read_bytes() for each in brought.rglob("*") if each.is_file()
    }
    files["private/report.html"] = b"<script>alert(1)</script>"
    record = json.loads(files["private/run.json"])
    answer = bring_folder(server.browser, files)
    row = answer.json()
    refused = bring_folder(
        server.browser, {name: files[name] for name in files if not name.endswith("table-ties.csv")}
    )

    assert answer.status_code == 201 and row["figures"].items() <= record.items()
    page = server.browser.get(f"/api/releases/{row['id']}/report.html").text
    assert "alert(1)" not in page and "at least 2 people" in page
    assert refused.status_code == 422 and "table-ties.csv" in refused.json()["error"]["message"]


def test_what_cannot_be_drawn_is_told_before_anything_is_queued() -> None:
    wrong = {"k": (1, 18, "5"), "copies": (0, 101), "seed": (-1,), "budget": ("5%",)}
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        with pytest.raises(WebError) as caught:
            checked_options({name: value}, 34, 78, SYNTHESIS)
        assert (caught.value.kind, caught.value.field) == ("mistake", None if name == "budget" else name)
        assert "--" not in caught.value.message


def test_every_option_is_in_the_lines() -> None:
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
