"""How somebody gets in: the browser is opened without showing the token, and nobody waits at the door."""

from __future__ import annotations

import asyncio
import os
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import uvicorn
from over_http import BASE, client_of, hall_in, mode_of
from uvicorn.server import ServerState

from netveil.web.opening import opened
from netveil.web.patience import PatientProtocol
from netveil.web.session import Session
from waiting import until

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
    """All users see what a process is started with: a file that leads there, which only its owner reads."""
    with opened(ADDRESS, tmp_path / "kept") as forget:
        until(lambda: bool(told))
        file = file_at(told[0])
        assert told[0].startswith("file:///") and "secret" not in told[0]
        assert file.parent == tmp_path / "home" and mode_of(file) == 0o600
        assert 'content="0;url=http://127.0.0.1:4711/?token=secret&amp;more"' in file.read_text()
        forget()
        assert not file.exists()


def test_the_file_is_gone_at_the_end(told: list[str], tmp_path: Path) -> None:
    """Though nobody came; and it is in our own folder where the home cannot be written."""
    (tmp_path / "home").rmdir()
    with opened(ADDRESS, tmp_path / "kept"):
        until(lambda: bool(told))
        assert file_at(told[0]).parent == tmp_path / "kept"
    assert list((tmp_path / "kept").iterdir()) == []


def test_whoever_uses_the_token_is_told_of() -> None:
    """A wrong one is not."""
    session, uses = Session(1), []
    session.on_use = lambda: uses.append(1)
    token = session.new_token()

    assert not session.use_up("guessed") and uses == []
    assert session.use_up(token) and uses == [1]


def test_from_elsewhere_a_page_leads_on(tmp_path: Path) -> None:
    """A redirect would not bring the strict cookie along; the token works once all the same."""
    hall = hall_in(tmp_path)
    client, path = client_of(hall, let_in=False), hall.address.removeprefix(BASE)
    answer = client.get(path, headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 200 and 'content="0;url=/"' in answer.text
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert client.get("/").status_code == 200
    assert client_of(hall, let_in=False).get(path).status_code == 403


class Wire(asyncio.Transport):
    """A connection to nobody."""

    def __init__(self) -> None:
        super().__init__()
        self.is_cut = False

    def abort(self) -> None:
        """Note that the server has had enough."""
        self.is_cut = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Nobody reads it."""

    def is_closing(self) -> bool:
        """Never by itself."""
        return False


def test_whoever_says_nothing_is_not_waited_for() -> None:
    """A connection is cut unless it brings the headers of a request; what a request takes is the server's."""

    async def connect() -> None:
        async def answers_never(scope: object, receive: object, send: object) -> None:
            await asyncio.Event().wait()

        config = uvicorn.Config(answers_never, log_config=None, lifespan="off")
        state, loop = ServerState(), asyncio.get_running_loop()
        protocol, wire = PatientProtocol(config, state, {}, loop), Wire()
        protocol.connection_made(wire)
        first = protocol.waiting
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: so")
        assert first is not None and protocol.waiting is first, "a byte now and then gains no time"
        protocol.data_received(b"mebody\r\n\r\n")
        assert first.cancelled() and protocol.waiting is None
        for task in state.tasks:
            task.cancel()

        silent, cut = PatientProtocol(config, state, {}, loop), Wire()
        silent.connection_made(cut)
        assert silent.waiting is not None
        silent.waiting._run()  # the time is over
        assert cut.is_cut and not wire.is_cut

    asyncio.run(connect())
