"""Who is let in, on every route there is: nobody without the cookie, from another host or another site.

The browser is opened without showing the token, nobody waits at the door, and the page loads nothing else.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import unquote, urlsplit

import pytest
import uvicorn
from over_http import BASE, PORT, client_of, mode_of, state_in
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect
from uvicorn.server import ServerState

import netveil
from netveil.web.guard import MOST_TOKENS, POLICY, POLICY_OF_REPORTS, Session
from netveil.web.routes import routes
from netveil.web.server import TimeoutProtocol, _settings, application, opened
from netveil.web.state import PageState
from waiting import HANG, until

ID = "0123456789abcdef"
CALLS = sorted(
    (method, route.path.replace("{id}", ID).replace("{node:int}", "1").replace("{name:path}", "index.html"))
    for route in routes
    for method in (route.methods or set()) - {"HEAD"}
)
CHANGING = [(method, path) for method, path in CALLS if method != "GET"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """One that was let in."""
    return client_of(state_in(tmp_path_factory.mktemp("guard")))


def test_there_are_routes_of_every_kind() -> None:
    """The tests below would pass on an empty list."""
    assert {"/", "/page/index.html", "/api/events", "/api/state", f"/api/releases/{ID}/private.zip"} <= {
        path for _, path in CALLS
    }
    assert {method for method, _ in CALLS} == {"GET", "POST", "DELETE"}
    assert len(CHANGING) > 15


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_every_route_is_guarded(method: str, path: str, browser: TestClient) -> None:
    """By cookie, host, origin and site: nobody is let in with one of them wrong, everybody with all right."""
    stranger = TestClient(browser.app, base_url=BASE, follow_redirects=False)
    for cookie in ("", f"netveil-{PORT}=wrong", f"netveil-{PORT}=a; netveil-{PORT}=b"):
        refused = stranger.request(method, path, headers={"Origin": BASE, "Cookie": cookie})
        assert refused.status_code == 403
        assert refused.headers["Content-Security-Policy"] == POLICY
    # To the browser, a page of a rebound name is of one origin with ours.
    for host in ("evil.example:4711", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:4711", "[", ""):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert browser.request(method, path, headers=headers).status_code == 403
    # Cookies take another port of this machine for the same site.
    for origin in (
        "https://evil.example",
        "http://127.0.0.1:4712",
        "http://localhost:4711",
        "null",
        "",
        None,
    ):
        request = browser.build_request(method, path, headers={} if origin is None else {"Origin": origin})
        if origin is None:
            del request.headers["Origin"]
        if method != "GET":
            refused = browser.send(request)
            assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "refused")
    for site in ("cross-site", "same-site"):  # a link to the page itself may come from anywhere
        answer = browser.request(method, path, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == (200 if path == "/" else 403)
    if path not in ("/api/events", "/api/quit"):
        answer = browser.request(method, path, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status_code in (200, 404, 409, 422)


def test_a_request_has_one_host(browser: TestClient) -> None:
    """Of two, others than we may look at the second; without one, nobody knows whom it was sent to."""
    ours = ("Host", f"127.0.0.1:{PORT}")
    for hosts in ([ours, ("Host", "evil.example:4711")], [ours, ours]):
        refused = browser.get("/api/state", headers=hosts)
        assert refused.status_code == 403


def test_of_many_unused_tokens_the_oldest_are_forgotten() -> None:
    session = Session(PORT)
    tokens = [session.new_token() for _ in range(MOST_TOKENS + 1)]

    assert [session.use_up(token) for token in tokens] == [False, *[True] * MOST_TOKENS]


def test_every_name_of_this_machine_is_ours(tmp_path: Path) -> None:
    """127.0.0.1, localhost and [::1], each with our port, and each its own origin."""
    state = state_in(tmp_path)
    for host in ("127.0.0.1", "localhost", "[::1]"):
        address = f"http://{host}:{PORT}"
        client = client_of(state, let_in=False)
        client.headers["Host"] = f"{host}:{PORT}"
        cookie = client.get(f"/?token={state.session.new_token()}").headers["set-cookie"].partition(";")[0]
        answer = client.post("/api/address", headers={"Origin": address, "Cookie": cookie}, json={})
        assert answer.status_code == 200


def test_a_token_works_once(tmp_path: Path) -> None:
    """It becomes a cookie that no script can read and no other site can send, and the address is cleaned."""
    state = state_in(tmp_path)
    client, path = client_of(state, let_in=False), state.address.removeprefix(BASE)

    first = client.get(path)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert client_of(state, let_in=False).get(path).status_code == 403
    assert client.get(path).status_code == 303  # whoever has the cookie just loses the token
    assert "set-cookie" not in client.get(path).headers
    wrong = client_of(state, let_in=False).get("/?token=guessed")
    assert (wrong.status_code, "netveil web" in wrong.text) == (
        403,
        True,
    ) and "set-cookie" not in wrong.headers
    client.headers["Origin"] = BASE
    other = client.post("/api/address", json={}).json()["address"].removeprefix(BASE)
    assert client_of(state, let_in=False).get(other).status_code == 303, "an address for another browser"


def test_answers_carry_the_headers(browser: TestClient) -> None:
    """No inline script, no guessing of types, no frames elsewhere, nothing kept, nothing told to others."""
    for path in ("/", "/api/state", "/page/nothing"):
        headers = browser.get(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
    for forbidden in ("unsafe-inline", "unsafe-eval", "http:", "https:", "*"):
        assert forbidden not in POLICY
    assert POLICY_OF_REPORTS.startswith("sandbox ") and "allow-scripts" not in POLICY_OF_REPORTS


def test_sockets_are_refused(browser: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/api/events"):
        pass


def test_a_path_leads_nowhere_else(browser: TestClient) -> None:
    """Only files of the page are served, and only ids open anything, on every route that takes one."""
    outside = ("../guard.py", "..%2fguard.py", "%2e%2e/guard.py", "....//guard.py", "/etc/passwd")
    for name in (*outside, "index.html%00", ".", ""):
        assert browser.get(f"/page/{name}").status_code == 404
    for name in ("..", "%2e%2e%2f%2e%2e", "0123456789ABCDEF", "0123456789abcde", "x" * 16):
        for method, path in CALLS:
            if ID in path:
                body = b"{}" if method == "POST" else None
                answer = browser.request(method, path.replace(ID, name), content=body)
                assert answer.status_code in (403, 404), path


def test_a_defect_tells_nobody_anything(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The text of an exception may name a person: it is neither answered nor logged."""
    state = browser.app.app.state.page  # type: ignore[attr-defined]

    def fail() -> None:
        raise RuntimeError("Zebediah is in the way")

    monkeypatch.setattr(state, "document", fail)
    answer = browser.get("/api/state")

    assert (answer.status_code, answer.json()["error"]["kind"]) == (500, "defect")
    assert "Zebediah" not in answer.text + caplog.text


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


PAGE = Path(netveil.__file__).parent / "web" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())


def test_nothing_is_inline() -> None:
    """The policy of the server forbids scripts and styles inside of the page, and listeners as attributes."""
    text = (PAGE / "index.html").read_text(encoding="utf-8")

    assert {path.suffix for path in FILES} == {".html", ".css", ".js"}
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", text) == []
    assert [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_comes_from_elsewhere_or_becomes_markup(file: Path) -> None:
    """No address but the name of SVG; labels come from strangers, and no script makes markup or code of text.

    Every name that a module imports is exported by the one that it names, and used.
    """
    text = file.read_text(encoding="utf-8")
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"

    assert set(re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", text)) <= {"http://www.w3.org"}
    assert text.count("\n") <= 300
    assert file.suffix != ".js" or re.findall(markup, text) == []
    for names, source in re.findall(r"import \{([^}]*)\} from \"([^\"]+)\"", text):
        exported = (file.parent / source).resolve().read_text(encoding="utf-8")
        for name in filter(None, map(str.strip, names.split(","))):
            pattern = rf"^export (?:async )?(?:function|const|class) {name}\b"
            assert re.search(pattern, exported, re.MULTILINE), name
            assert len(re.findall(rf"\b{name}\b", text)) > 1, name
