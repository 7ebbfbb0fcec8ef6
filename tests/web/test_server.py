"""`netveil web` as a process: what it needs, keeps and tells, and how it and its workers end."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from over_http import Served, client_of, served, state_in

import netveil as nv
from netveil.cli import main
from netveil.studies import Store, execute, read_plan
from netveil.web import state as events_module
from netveil.web.data_folder import KINDS, DataFolder, Run
from netveil.web.requests import WebError, json_answer
from netveil.web.server import _socket, told_apart
from netveil.web.state import MOST_WAITING, Events, PageState, Workers
from waiting import HANG, until


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(
    package: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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
    with DataFolder(tmp_path / "kept").served_alone(), _socket(0) as listening:
        assert main(["web", "--no-browser", "--folder", str(tmp_path / "kept")]) == 2
        said = capsys.readouterr()
        assert said.out == "" and "used by another netveil web" in said.err and "--folder" in said.err
        port = str(listening.getsockname()[1])
        assert main(["web", "--no-browser", "--temporary", "--port", port]) == 2
        assert f"port {port} cannot be used" in capsys.readouterr().err


Result = TypeVar("Result")

KARATE = {"kind": "builtin", "name": "karate"}
EGO = {"measures": ["ego"], "distance": 1, "k": 2, "fuzzy": None, "twins": False}


def lived(story: Coroutine[Any, Any, Result]) -> Result:
    """What a story comes to, in a thread of its own: a browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()


def heard(message: str) -> tuple[str, Any]:
    """The event and the document of a message."""
    lines = dict(line.split(": ", 1) for line in message.strip().splitlines())
    assert int(lines["id"]) > 0
    return lines["event"], json.loads(lines["data"])


def test_a_slow_page_hears_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    """First how everything stands; then of each thing the last that was told, in that order."""
    monkeypatch.setattr(events_module, "SECONDS_BETWEEN", 0.0)

    async def story() -> list[tuple[str, Any]]:
        events = Events()
        stream = events.stream(lambda: {"runs": []})
        messages = [heard(await anext(stream))]
        for number in range(5):
            events.tell("progress", "a", number)
            events.tell("progress", "b", -number)
        events.tell("run", "a", "done")
        events.close()
        return messages + [heard(message) async for message in stream]

    async def silence() -> str:
        stream = Events().stream(dict)
        await anext(stream)
        return await anext(stream)

    told = [("progress", 4), ("progress", -4), ("run", "done"), ("ending", {})]
    assert lived(story()) == [("snapshot", {"runs": []}), *told]
    monkeypatch.setattr(events_module, "SECONDS_OF_SILENCE", 0.0)
    assert lived(silence()).startswith(": "), "a comment, which no page hears but every connection feels"


def test_whoever_waits_for_a_process_hears_of_its_end() -> None:
    async def story() -> None:
        workers = Workers()
        waiting = asyncio.create_task(workers.ask("measure", alone="key", network=KARATE, attackers=EGO))
        await asyncio.sleep(0)
        assert workers.cancel("key") and not workers.cancel("other")
        with pytest.raises(WebError, match="cancelled"):
            await waiting
        asked = asyncio.create_task(workers.ask("look", network=KARATE, k=2))
        await asyncio.sleep(0)
        gone = workers.start()
        workers.close()
        with pytest.raises(WebError, match="ended unexpectedly"):
            await asked
        assert workers.start() is not gone, "the next who asks gets another"
        workers.close()

    lived(story())


def test_a_process_that_is_killed_within_a_line_is_heard_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an answer is none: whoever waits is told, as of every other end; no pipe is left open."""
    half = [sys.executable, "-c", "print('{\"id\": 1, \"result\": [1, 2', end='', flush=True)"]
    started: list[subprocess.Popen[bytes]] = []

    class Halved(subprocess.Popen[bytes]):
        def __init__(self, _: Any, **more: Any) -> None:
            super().__init__(half, **more)
            started.append(self)

    async def story() -> str:
        with pytest.raises(WebError) as ended:
            await Workers().ask("read", network=KARATE)
        return str(ended.value.message)

    monkeypatch.setattr(subprocess, "Popen", Halved)

    assert "ended unexpectedly" in lived(story())
    assert all(pipe is not None and pipe.closed for pipe in (started[0].stdin, started[0].stdout))
