"""`netveil web` as a command: what it needs, and what it makes of folders."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest
from over_http import client_of, hall_in

import netveil as nv
from netveil.cli import main
from netveil.experiments import Store, execute, read_plan
from netveil.web.hall import Hall
from netveil.web.server import _socket, told_apart


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(
    package: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, and nothing is served."""
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["web", "--no-browser"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "pip install 'netveil[web]'" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--largest-upload", "0"], "give megabytes"),
        (["--temporary", "--folder", "x"], "give one of them"),
        (["nothing-here"], "neither a release folder nor that of an experiment"),
        (["--port", "99999", "--temporary"], "port 99999 cannot be used"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is served."""
    assert main(["web", "--no-browser", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and message in said.err


def test_small_answers_are_sent_at_once() -> None:
    """On a socket that does not say that it is TCP, asyncio lets each answer wait for 40 ms."""

    async def connected() -> int:
        def without_delay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            found.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        found = asyncio.get_running_loop().create_future()
        with _socket(0) as listening:
            async with await asyncio.start_server(without_delay, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                writer.close()
                return int(await found)

    assert asyncio.run(connected()) > 0


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """A server that was given a release folder and an experiment."""
    place = tmp_path_factory.mktemp("folders")
    release = nv.anonymize(nv.load("karate"), 4, seed=1, effort=0.01)
    nv.save(release, place / "mine", utility=False, audit=False, baselines=False)
    plan = place / "plan.toml"
    plan.write_text('networks = ["karate"]\nalgorithms = ["es"]\nbudgets = ["2%"]\nseeds = 2\n')
    planned, store = read_plan(plan), Store(place / "results")
    store.prepare(planned.text)
    for task in planned.tasks():
        store.save(task, execute(task))
    releases, experiments = told_apart([place / "mine", place / "results"])
    return hall_in(place / "kept", releases_given=releases, experiments_given=experiments)


def test_folders_of_releases_are_listed_and_stay(hall: Hall) -> None:
    """With the figures of their records; they are the user's, and not deleted from here."""
    client = client_of(hall)
    (row,) = client.get("/api/state").json()["releases"]

    assert (row["source"], row["name"], row["figures"]["deleted"]) == ("folder", "mine", 4)
    assert client.get(f"/api/releases/{row['id']}").json()["record"]["seed"] == 1
    assert client.get(f"/api/releases/{row['id']}/public.zip").content.startswith(b"PK")
    assert "load_release" in client.get(f"/api/releases/{row['id']}/lines").json()["python"]
    assert client.delete(f"/api/releases/{row['id']}").status_code == 409


def test_experiments_are_watched(hall: Hall) -> None:
    """How far they are, and their table."""
    client = client_of(hall)
    (row,) = client.get("/api/state").json()["experiments"]
    document = client.get(f"/api/experiments/{row['id']}").json()

    assert (row["name"], row["finished"], row["failed"], row["total"]) == ("results", 2, 0, 2)
    assert len(document["rows"]) == 2 and document["columns"][:2] == ["network", "nodes"]


def test_everything_is_forgotten_when_that_is_confirmed(tmp_path: Path) -> None:
    """And only then."""
    hall = hall_in(tmp_path)
    hall.networks.add("x.csv", "upload")
    client = client_of(hall)

    assert client.post("/api/forget", json={}).status_code == 422
    assert client.post("/api/forget", json={"confirm": True}).json() == {"forgotten": 1}
    assert list((tmp_path / "networks").iterdir()) == []
