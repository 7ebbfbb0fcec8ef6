"""`netveil web` as a command: what it needs, and what it makes of folders."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from over_http import client_of, state_in

import netveil as nv
from netveil.cli import main
from netveil.studies import Store, execute, read_plan
from netveil.web.data_folder import KINDS, Run
from netveil.web.requests import json_answer
from netveil.web.running import MOST_WAITING
from netveil.web.server import _socket, told_apart
from netveil.web.state import PageState


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
def state(tmp_path_factory: pytest.TempPathFactory) -> PageState:
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
    return state_in(place / "kept", releases_given=releases, experiments_given=experiments)


@pytest.mark.thorough
def test_folders_are_listed_and_stay(state: PageState) -> None:
    """Releases with the figures of their records, experiments with their table; none is deleted from here."""
    client = client_of(state)
    (row,) = client.get("/api/state").json()["releases"]

    assert (row["source"], row["name"], row["figures"]["deleted"]) == ("folder", "mine", 4)
    assert client.get(f"/api/releases/{row['id']}").json()["record"]["seed"] == 1
    assert client.get(f"/api/releases/{row['id']}/public.zip").content.startswith(b"PK")
    assert "load_release" in client.get(f"/api/releases/{row['id']}/lines").json()["python"]
    assert client.delete(f"/api/releases/{row['id']}").status_code == 409
    (row,) = client.get("/api/state").json()["experiments"]
    assert (row["name"], row["finished"], row["failed"], row["total"]) == ("results", 2, 0, 2)
    document = client.get(f"/api/experiments/{row['id']}").json()
    assert len(document["rows"]) == 2 and document["columns"][:2] == ["network", "nodes"]


def test_everything_is_forgotten_when_that_is_confirmed(tmp_path: Path) -> None:
    """And only then."""
    state = state_in(tmp_path)
    state.networks.new("upload", file="x.csv")
    client = client_of(state)

    assert client.post("/api/forget", json={}).status_code == 422
    assert client.post("/api/forget", json={"confirm": True}).json() == {"forgotten": 1}
    assert list((tmp_path / "networks").iterdir()) == []


RUN: dict[str, Any] = {
    "network": "0" * 16,
    "name": "karate",
    "given": {"kind": "builtin", "name": "karate"},
    "options": {"protect": ""},
    "extension": "txt",
    "command": "netveil anonymize karate",
}


WRONG: list[Any] = [None, -1, 1.5, "", [], {}, [[]], {"a": 1}, True]


def with_one_of_each_kind(folder: Path) -> dict[str, Path]:
    """The records of what a server has kept: a network, a run that is done, a release that was brought."""
    state = state_in(folder)
    network = state.networks.new("upload", file="x.csv")
    network.settle({"nodes": 3, "edges": 2})
    state.networks.write(network)
    run = Run(id="1" * 16, **RUN, state="done", figures={"network": "x"})
    state.runs.add(run)
    state.runs.write(run)
    brought = state.releases.folder_of_upload("2" * 16) / "release" / "private" / "run.json"
    for record in (state.runs.folder_of(run) / "private" / "run.json", brought):
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"network": "x", "history": [], "report": {}}))
    places = {"networks": network.id, "runs": run.id}
    kept = {kind: folder / kind / name / "record.json" for kind, name in places.items()}
    return {**kept, "releases": brought}


def changed(record: dict[str, Any]) -> Iterator[str]:
    """A record that holds its id only, lacks something, or holds something else, as JSON."""
    yield json.dumps({"id": record.get("id")})
    for name in record:
        yield json.dumps({key: value for key, value in record.items() if key != name})
        for value in WRONG:
            yield json.dumps(record | {name: value})
    yield from ("", "[]", "1", "{", "[" * 100_000)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_record_is_told_and_passed_over(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The page starts without it and shows all others; what it shows can be shown."""
    files = with_one_of_each_kind(tmp_path)
    whole = files[kind].read_text(encoding="utf-8")
    sizes = {each: len(state_in(tmp_path).document()[each]) for each in KINDS}
    assert caplog.text == "" and sizes == {"networks": 1, "runs": 1, "releases": 2}
    passed_over = 0
    for text in changed(json.loads(whole)):
        files[kind].write_text(text, encoding="utf-8")
        caplog.clear()
        found = json.loads(bytes(json_answer(state_in(tmp_path).document()).body))
        is_told = f"warning: {files[kind]} is damaged: " in caplog.text and caplog.text.count("\n") == 1
        assert is_told == (len(found[kind]) < sizes[kind]) and (is_told or not caplog.text)
        assert all(found[each] for each in KINDS if each != kind)
        passed_over += is_told

    assert passed_over > 20
    files[kind].write_text(json.dumps({"id": files[kind].parent.name}), encoding="utf-8")
    assert len(state_in(tmp_path).document()[kind]) < sizes[kind], "as with a network that holds only its id"


def test_the_queue_is_bounded(tmp_path: Path) -> None:
    """Whoever asks for one more is told; what is cancelled makes room, for one that was cut off as well."""
    state = state_in(tmp_path)
    state.runs.start_next = lambda: None  # type: ignore[method-assign]  # all of them wait
    network = state.networks.new("builtin", name="karate")
    network.settle({"nodes": 34, "edges": 78})
    client = client_of(state)
    asked = {"network": network.id, "options": {}}
    runs = [client.post("/api/runs", json=asked).json()["id"] for _ in range(MOST_WAITING)]
    answer = client.post("/api/runs", json=asked)

    assert (answer.status_code, answer.json()["error"]["kind"]) == (409, "busy")
    assert f"{MOST_WAITING} runs wait already" in answer.json()["error"]["message"]
    assert len(state.runs.all()) == len(list((tmp_path / "runs").iterdir())) == MOST_WAITING
    state.runs.get(runs[0]).cut_off()
    assert client.post("/api/runs", json=asked).status_code == 201
    assert client.post(f"/api/runs/{runs[0]}/resume", json={}).status_code == 409
    assert state.runs.get(runs[0]).state == "cut-off"
    assert client.post(f"/api/runs/{runs[1]}/cancel", json={}).status_code == 200
    assert client.post(f"/api/runs/{runs[0]}/resume", json={}).status_code == 200
