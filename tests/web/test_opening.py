"""How somebody gets in: the browser is opened without showing the token, and nobody waits at the door."""

from __future__ import annotations

import asyncio
import os
import socket
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import unquote, urlsplit

import pytest
import uvicorn
from over_http import BASE, client_of, mode_of, state_in
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from netveil.web.server import TimeoutProtocol, _settings, application, opened
from netveil.web.state import PageState
from waiting import HANG, until

ADDRESS = f"{BASE}/?token=secret&more"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What the browser is asked to open; the user's home is elsewhere."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "kept").mkdir()
    return addresses


def file_at(address: str) -> Path:
    """The file that an address of a file names."""
    return Path(unquote(urlsplit(address).path))


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
def test_the_browser_is_started_without_the_token(told: list[str], tmp_path: Path) -> None:
    """All users see what a process is started with: a file of the owner's leads there."""
    with opened(ADDRESS, tmp_path / "kept") as forget:
        until(lambda: bool(told))
        file = file_at(told[0])
        assert told[0].startswith("file:///") and "secret" not in told[0]
        assert file.parent == tmp_path / "home" and mode_of(file) == 0o600
        assert 'content="0;url=http://127.0.0.1:4711/?token=secret&amp;more"' in file.read_text()
        forget()
        assert not file.exists()
    (tmp_path / "home").rmdir()  # a home that cannot be written
    with opened(ADDRESS, tmp_path / "kept"):
        until(lambda: len(told) == 2)
        assert file_at(told[1]).parent == tmp_path / "kept"
    assert list((tmp_path / "kept").iterdir()) == []


def test_from_elsewhere_a_page_leads_on(tmp_path: Path) -> None:
    """A redirect would not bring the strict cookie along; the token works once, and its use is told of."""
    state, uses = state_in(tmp_path), []
    state.session.on_use = lambda: uses.append(1)
    client, path = client_of(state, let_in=False), state.address.removeprefix(BASE)
    assert not state.session.use_up("guessed") and uses == []
    answer = client.get(path, headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 200 and 'content="0;url=/"' in answer.text
    assert "SameSite=Strict" in answer.headers["set-cookie"] and uses == [1]
    assert client.get("/").status_code == 200
    assert client_of(state, let_in=False).get(path).status_code == 403


async def answers_never(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that is busy with something else."""
    await asyncio.Event().wait()


def connected(state: ServerState) -> tuple[TimeoutProtocol, Mock]:
    """The server's end of a new connection, and the wire, which leads to nobody."""
    config = uvicorn.Config(answers_never, log_config=None, lifespan="off")
    protocol = TimeoutProtocol(config, state, {}, asyncio.get_running_loop())
    wire = Mock(spec=asyncio.Transport)
    wire.is_closing.return_value, wire.get_write_buffer_size.return_value = False, 0
    protocol.connection_made(wire)
    return protocol, wire


def test_a_connection_must_go_on() -> None:
    """Headers must come, then so many bytes of the body; an answer must be read; what is drip is cut."""

    async def connect() -> None:
        state, enough = ServerState(), b"x" * TimeoutProtocol.least_bytes

        def is_cut(protocol: TimeoutProtocol, wire: Mock) -> bool:
            protocol.watching.cancel()
            protocol.look()
            return bool(wire.abort.called)

        protocol, wire = connected(state)
        protocol.data_received(
            b"POST / HTTP/1.1\r\nHost: somebody\r\nContent-Length: 1000000\r\n\r\n" + enough
        )
        assert not is_cut(protocol, wire), "it comes on"
        protocol.data_received(b"x")
        protocol.flow.pause_reading()
        assert not is_cut(protocol, wire), "the server has not read it yet"
        protocol.flow.resume_reading()
        protocol.data_received(b"x")
        assert is_cut(protocol, wire)

        whole, wire = connected(state)
        whole.data_received(b"POST / HTTP/1.1\r\nHost: somebody\r\nContent-Length: 2\r\n\r\nxx")
        assert not is_cut(whole, wire), "what it takes from now on is the server's"
        unread = wire.get_write_buffer_size
        unread.return_value = 10 * whole.least_bytes
        whole.resume_writing()
        assert not is_cut(whole, wire), "it has been read"
        unread.return_value -= whole.least_bytes
        assert not is_cut(whole, wire), "it is being read"
        unread.return_value -= whole.least_bytes - 1
        assert is_cut(whole, wire)

        dripping, wire = connected(state)
        dripping.data_received(b"GET / HT")
        assert is_cut(dripping, wire), "a byte now and then gains no time"
        for task in state.tasks:
            task.cancel()

    asyncio.run(connect())


@asynccontextmanager
async def listening(
    app: ASGIApp, backlog: int = 100, **limits: float
) -> AsyncIterator[tuple[ServerState, int]]:
    """A server with these limits, and no others that could be reached: its connections, and its port."""
    kind = type("Hasty", (TimeoutProtocol,), {"seconds": HANG} | limits)
    config, state = uvicorn.Config(app, log_config=None, lifespan="off"), ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: kind(config, state, {}, loop), "127.0.0.1", 0, backlog=backlog)
    try:
        yield state, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()
        while state.connections:
            await asyncio.sleep(0)


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the connection ends, which it must."""
    try:
        return await asyncio.wait_for(reader.read(), HANG)
    except ConnectionError:
        return b""


def request_of(state: PageState, method: str, *more: str, path: str = "/api/state") -> bytes:
    """A request from our own page, as far as it says so itself."""
    host = f"127.0.0.1:{state.session.port}"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", *more]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def cookie_of(state: PageState) -> str:
    """The header of a browser that was let in."""
    return f"Cookie: {state.session.set_cookie().partition(';')[0]}"


@pytest.mark.parametrize("more", ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
def test_a_refusal_ends_the_connection(more: str, tmp_path: Path) -> None:
    """Whoever is not let in cannot go on sending, nor ask again; with the cookie both is possible."""
    state = state_in(tmp_path)
    again = request_of(state, "GET")

    async def ask() -> None:
        async with listening(application(state)) as (served, port):
            asked = request_of(state, "POST", more), again + again, request_of(state, "GET", path="/")
            for request in asked:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request)
                answer = await rest_of(reader)
                assert answer.startswith(b"HTTP/1.1 403 ") and answer.count(b"HTTP/1.1") == 1
                assert b"connection: close" in answer.lower()
                writer.close()
            while served.connections:
                await asyncio.sleep(0)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(2):
                writer.write(request_of(state, "GET", cookie_of(state)))
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG)
                assert head.startswith(b"HTTP/1.1 200 ") and b"connection: close" not in head.lower()
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                await asyncio.wait_for(reader.readexactly(length), HANG)
            writer.close()

    asyncio.run(ask())


def test_those_who_drip_or_never_read_are_let_go() -> None:
    """Over real connections: a body that drips, and a long answer that nobody reads."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while scope["method"] == "POST" and (await receive())["type"] == "http.request":
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 50_000_000})

    async def drip(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0.001)

    async def changed(state: ServerState, connections: int) -> None:
        while len(state.connections) != connections:
            await asyncio.sleep(0)

    async def connect() -> None:
        async with listening(app, seconds=0.05) as (state, port):
            for request in (b"GET / HTTP/1.1", b"POST / HTTP/1.1\r\nContent-Length: 1000000"):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
                writer.write(request + b"\r\nHost: somebody\r\n\r\n")
                dripping = asyncio.create_task(drip(writer)) if b"POST" in request else None
                await asyncio.wait_for(changed(state, 1), HANG)
                await asyncio.wait_for(changed(state, 0), HANG)
                if dripping is not None:
                    dripping.cancel()
                writer.close()

    asyncio.run(connect())


def test_many_who_say_nothing_leave_room_for_the_owner(tmp_path: Path) -> None:
    """Of those who have not asked so many are waited for, the latest; whoever asks at once is answered."""
    state = state_in(tmp_path)

    async def connect() -> None:
        async with listening(application(state), most_silent=3) as (_, port):
            owner, asking = await asyncio.open_connection("127.0.0.1", port)
            asking.write(request_of(state, "GET", cookie_of(state), path="/api/events"))
            assert (await asyncio.wait_for(owner.readline(), HANG)).startswith(b"HTTP/1.1 200 ")
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(10)]
            for _, writer in silent:
                writer.write(b"GET / HT")
            assert [await rest_of(reader) for reader, _ in silent[:7]] == [b""] * 7
            assert not any(reader.at_eof() for reader, _ in silent[7:]), "there is room for these"
            for _ in range(3):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request_of(state, "GET", cookie_of(state), "Connection: close"))
                assert (await rest_of(reader)).startswith(b"HTTP/1.1 200 ")
                writer.close()
            state.events.tell("run", "x", "still heard")
            assert b"still heard" in await asyncio.wait_for(owner.readuntil(b"still heard"), HANG)
            for writer in (asking, *(writer for _, writer in silent)):
                writer.close()

    asyncio.run(connect())


def test_a_crowd_that_comes_at_once_does_not_push_the_owner_out(tmp_path: Path) -> None:
    """So many are accepted at a time that the owner's request is read before others take her place."""
    state = state_in(tmp_path)
    backlog = _settings(state).backlog

    async def connect() -> None:
        async with listening(application(state), backlog) as (_, port):
            # The server gets to see none of them before all are there: its loop is this one.
            owner = socket.create_connection(("127.0.0.1", port))
            owner.sendall(request_of(state, "GET", cookie_of(state), "Connection: close"))
            crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(min(backlog, 300) - 2)]
            reader, writer = await asyncio.open_connection(sock=owner)
            assert (await rest_of(reader)).startswith(b"HTTP/1.1 200 ")
            writer.close()
            for each in crowd:
                each.close()

    asyncio.run(connect())
