"""The server: the application with all its routes behind the guard, on this machine only, until a signal.

Connections need no cookie, and each holds one of the few hundred files that a process may have open: without
timeouts, another user's program could keep the page's owner out. It can say nothing, send a body for ever, or
never read an answer. The guard ends the connection of whoever is refused, so that only those who were let in
come as far as a body or a long answer; and of those who have not asked yet only so many are waited for.
"""

from __future__ import annotations

import asyncio
import html
import os
import secrets
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from netveil.errors import FileError, SettingError, option
from netveil.files.read_write import check_plain
from netveil.web.data_folder import DataFolder
from netveil.web.guard import Guard, Session
from netveil.web.requests import DEFECT, TEXTS, WebError, error_answer, missing
from netveil.web.routes import routes
from netveil.web.state import LARGEST_UPLOAD, PageState


@contextmanager
def opened(address: str, folder: Path) -> Iterator[Callable[[], None]]:
    """Open the browser at a page of the user's own that leads to the address; yields what deletes that page.

    All users of a machine see what a process is started with, so the token is in that page alone. It is in
    the user's home: browsers that are packed as snaps see no hidden folder, and no temporary one.
    """
    name = f"netveil-{secrets.token_hex(4)}.html"
    try:
        file = _write_page(Path.home() / name, address)
    except OSError:
        file = _write_page(folder / name, address)
    # Some browsers run in the terminal, and would not let us serve.
    threading.Thread(target=webbrowser.open, args=[file.as_uri()], daemon=True).start()
    try:
        yield lambda: file.unlink(missing_ok=True)
    finally:
        file.unlink(missing_ok=True)


def _write_page(file: Path, address: str) -> Path:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(TEXTS["doors"]["opening"].format(address=html.escape(address)))
    return file


class TimeoutProtocol(H11Protocol):
    """uvicorn's protocol with a time limit: it would wait for ever for a request, and to be read."""

    seconds = 10.0  # for a request to come and be answered, or `least_bytes` of it to come or be read
    least_bytes = 1 << 14
    most_silent = 96  # connections that never asked for anything; some systems let 256 files be open

    has_asked = went_on = False  # whether a request was answered; ever, and since we looked last
    received = unread = 0  # bytes since we looked last, and bytes of answers then

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout of a new connection; of too many silent ones, close the oldest."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # to hear of all that is not read, also of a last answer
        self.watching = self.loop.call_later(self.seconds, self.look)
        silent = [each for each in self.connections if isinstance(each, TimeoutProtocol) and each.is_silent]
        if len(silent) > self.most_silent:
            min(silent, key=lambda each: each.watching.when()).transport.abort()

    @property
    def is_silent(self) -> bool:
        """Whether no whole request has come yet."""
        return not self.has_asked and self.conn.their_state is h11.IDLE

    def data_received(self, data: bytes) -> None:
        """Count what comes."""
        super().data_received(data)
        self.received += len(data)

    def on_response_complete(self) -> None:
        """Note that a request was answered."""
        super().on_response_complete()
        self.has_asked = self.went_on = True

    def resume_writing(self) -> None:
        """Note that all of an answer so far is read, or on its way."""
        super().resume_writing()
        self.went_on = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a closed connection."""
        self.watching.cancel()
        super().connection_lost(exc)

    def look(self) -> None:
        """Cut off a connection that waits for the other side, which did not go on since we looked last."""
        unread = self.transport.get_write_buffer_size()
        is_their_turn = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.flow.read_paused
        moved = self.received + max(self.unread - unread, 0)
        if (is_their_turn or unread) and not self.went_on and moved < self.least_bytes:
            self.transport.abort()
            return
        self.went_on, self.received, self.unread = False, 0, unread
        self.watching = self.loop.call_later(self.seconds, self.look)


ADDRESS = "127.0.0.1"
SECONDS_BETWEEN_LOOKS = 5.0  # at the folders of experiments


def application(state: PageState) -> Guard:
    """The application of a server: all routes, behind the guard."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        state.workers.start()
        state.runs.start_next()
        watching = asyncio.create_task(_watch_experiments(state))
        yield
        watching.cancel()
        await state.close()

    handlers = dict.fromkeys((WebError, HTTPException, Exception), _on_error)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.router.redirect_slashes = False
    app.state.page = state
    return Guard(app, state.session)


async def _watch_experiments(state: PageState) -> None:
    """Tell pages of experiments that go on."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        for row in await run_in_threadpool(state.experiments.refresh):
            state.events.tell("experiment", row["id"], row)


async def _on_error(request: Request, error: Exception) -> Response:
    """Answer a request that failed: with its own error, for what is not there, or for a defect of ours."""
    if isinstance(error, HTTPException):
        wrong_method = WebError("refused", "This cannot be done here.")
        error = wrong_method if error.status_code == 405 else missing("page")
    return error_answer(error if isinstance(error, WebError) else DEFECT)


class Server(uvicorn.Server):
    """uvicorn, which ends on SIGINT and SIGTERM as on any wish to end: with exit code 0."""

    on_exit: Callable[[], object] = staticmethod(lambda: None)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals while serving; uvicorn would send them once more to ourselves."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, previous in before.items():
                signal.signal(number, previous)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note the signal, and end soon."""
        self.should_exit = True
        self.on_exit()


def serve(
    port: int = 0,
    *,
    folder: Path | None = None,
    temporary: bool = False,
    given: Sequence[Path] = (),
    browser: bool = True,
    largest_upload: int = LARGEST_UPLOAD,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until a signal. `say` hears the address; `given` are folders of releases and experiments."""
    releases, experiments = told_apart(given)
    with ExitStack() as stack:
        if temporary:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="netveil-")))
        data = DataFolder(usual_folder() if folder is None else folder)
        stack.enter_context(data.served_alone())
        listening = stack.enter_context(_socket(port))
        session = Session(listening.getsockname()[1])
        state = PageState(data, session, releases, experiments, largest_upload, is_temporary=temporary)
        server = Server(_settings(state))
        state.quit = lambda: server.handle_exit(signal.SIGTERM, None)
        say(address := state.address)
        if browser:
            state.session.on_use = stack.enter_context(opened(address, data.path))
        asyncio.run(_serve(server, state, listening))


async def _serve(server: Server, state: PageState, listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    if not os.environ.get("NETVEIL_DEBUG"):
        loop.set_exception_handler(lambda loop, context: None)  # it would be logged, with what it was about
    # Streams are open as long as pages are; the server would wait for them.
    server.on_exit = lambda: loop.call_soon_threadsafe(state.events.close)
    await server.serve(sockets=[listening])


def _settings(state: PageState) -> uvicorn.Config:
    return uvicorn.Config(
        application(state),
        http=TimeoutProtocol,
        # As many are accepted at a time: whoever has asked is heard before too many others have come.
        backlog=TimeoutProtocol.most_silent // 3,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=False,
    )


def _socket(port: int) -> socket.socket:
    """Listen on loopback only; port 0 is any that is free."""
    # asyncio lets sockets that say TCP send small answers at once; others wait 40 ms for each.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # on Windows it would share the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "it must be below 65536"
        message = f"port {port} cannot be used: {reason}. Give another {option('port')}, or leave it out."
        raise SettingError(message) from None
    listening.listen()  # whoever reads the address may connect at once
    return listening


def usual_folder() -> Path:
    """Where the page keeps its things unless the user says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("netveil", appauthor=False) / "web"


def told_apart(given: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Split folders into releases and experiments; an error for others."""
    releases, experiments = [], []
    for folder in given:
        if (folder / "private" / "run.json").is_file():
            releases.append(folder)
        elif (folder / "runs").is_dir():
            check_plain(folder, ("plan.toml", "runs", "failed"))
            experiments.append(folder)
        else:
            neither = f"{folder} is neither a release folder nor that of an experiment."
            raise FileError(f"{neither} Bring networks in the page.")
    return releases, experiments
