"""The whole story over HTTP, with a server and workers as users have them: from a file to both zips."""

from __future__ import annotations

import io
import json
import shlex
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from over_http import CONTACTS, NASTY, Served, announced, served

import netveil as nv
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.cli import main
from waiting import until

pytestmark = pytest.mark.thorough  # quick: the story in a browser, and each part of it by itself

BRIEF = {"utility": False, "audit": False, "baselines": False}
QUICK = {**BRIEF, "budget": "10%", "effort": 0.01, "seed": 5}
ENDLESS = {**BRIEF, "budget": "10%", "effort": 100_000.0, "k": 3, "threads": 1}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for most of these tests."""
    with served(tmp_path_factory.mktemp("story") / "kept", "--largest-upload", "1") as server:
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


def test_a_release_folder_is_brought(server: Served, curve: str) -> None:
    """What it holds is checked, its pages are rendered anew, and its original can be protected again."""
    files = zip_at(server, f"/api/releases/{curve}/public.zip")
    files |= zip_at(server, f"/api/releases/{curve}/private.zip?confirmed=yes")
    files["private/report.html"] = b"<script>alert(1)</script>"
    sizes = [(f"mine/{name}", len(content)) for name, content in files.items()]
    answer = server.browser.post("/api/releases", content=b"".join(files.values()), headers=announced(*sizes))
    row = answer.json()
    assert answer.status_code == 201 and row["source"] == "upload"
    assert "alert(1)" not in server.browser.get(f"/api/releases/{row['id']}/report.html").text
    original = server.post(f"/api/releases/{row['id']}/network")
    assert (original["source"], original["nodes"]) == ("release", 34)
    assert server.get(f"/api/networks/{original['id']}/measure")["figures"]["at_risk"] == 15
    assert server.browser.delete(f"/api/releases/{row['id']}").status_code == 409
    assert server.browser.delete(f"/api/networks/{original['id']}").status_code == 200
    assert server.browser.delete(f"/api/releases/{row['id']}").status_code == 200
    half = server.browser.post("/api/releases", content=b"x", headers=announced(("public/network.csv", 1)))
    assert half.status_code == 422 and "only the public part" in half.json()["error"]["message"]


def test_what_is_cancelled_leaves_nothing(server: Served, karate: str) -> None:
    """But its record, until that is deleted."""
    run = server.run(karate, **ENDLESS)
    server.wait(run, "searching")
    server.post(f"/api/runs/{run}/cancel")
    folder = server.folder / "runs" / run
    until(lambda: [path.name for path in folder.iterdir()] == ["record.json"])
    assert server.browser.delete(f"/api/runs/{run}").status_code == 200
    assert not folder.exists() and server.browser.get(f"/api/runs/{run}").status_code == 404


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
