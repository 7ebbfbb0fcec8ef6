"""How a server ends: by a signal, with exit code 0, its searches kept; or killed, and started again."""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import Path

import pytest
from over_http import Served, served

from netveil.cli import main
from netveil.web.data_folder import DataFolder
from netveil.web.server import _socket
from waiting import HANG, until

BRIEF = {"utility": False, "audit": False, "baselines": False}
ENDLESS = {**BRIEF, "budget": "10%", "effort": 100_000.0, "k": 3, "threads": 1}


def with_a_search(server: Served) -> str:
    """A search that has found something and goes on, and another that waits."""
    network = server.post("/api/networks/builtin", {"name": "karate"})["id"]
    run = server.run(network, **ENDLESS)
    server.run(network, **ENDLESS)
    until(lambda: (server.get(f"/api/runs/{run}")["progress"] or {}).get("deleted", 0) > 0, server.process)
    return run


@pytest.mark.thorough
def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    """Its workers end too; when it is started again, what ran can go on, what waited runs."""
    with served(tmp_path / "kept") as first:
        run = with_a_search(first)
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
    with served(tmp_path / "kept") as second:
        runs = second.get("/api/state")["runs"]
        assert runs[0]["state"] == "cut-off"
        assert second.get("/api/state")["networks"][0]["nodes"] == 34
        second.wait(runs[1]["id"], "searching")
        lines = second.get(f"/api/runs/{run}/lines")
        assert "--resume" in lines["command"] and not lines["repeats"]
        second.post(f"/api/runs/{runs[1]['id']}/cancel")
        second.post(f"/api/runs/{run}/resume")
        second.wait(run, "searching")
        second.post(f"/api/runs/{run}/stop")
        second.wait(run, "done")
        second.post("/api/quit")
        assert second.process.wait(HANG) == 0


@pytest.mark.thorough
def test_a_signal_keeps_the_best_for_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server ends with 0, and `netveil anonymize --resume` goes on where it was."""
    with served(tmp_path / "kept") as server:
        run = with_a_search(server)
        command = server.get(f"/api/runs/{run}/lines")["command"]
        assert server.end(signal.SIGTERM) == 0
    folder = tmp_path / "kept" / "runs" / run
    record = json.loads((folder / "record.json").read_text())
    best = json.loads((folder / ".release.unfinished" / "best.json").read_text())
    words = shlex.split(command)[1:]
    words[words.index("--effort") + 1] = "0.01"
    words[words.index("--out") + 1] = str(folder / "release")

    assert record["state"] == "cut-off"
    assert main([*words, "--resume", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["at_risk_after"] <= best["at_risk"]


def test_two_servers_share_neither_a_folder_nor_a_port(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second says so, and ends."""
    with DataFolder(tmp_path / "kept").served_alone(), _socket(0) as listening:
        assert main(["web", "--no-browser", "--folder", str(tmp_path / "kept")]) == 2
        said = capsys.readouterr()
        assert said.out == "" and "used by another netveil web" in said.err and "--folder" in said.err
        port = str(listening.getsockname()[1])
        assert main(["web", "--no-browser", "--temporary", "--port", port]) == 2
        assert f"port {port} cannot be used" in capsys.readouterr().err
