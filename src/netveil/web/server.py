"""Serve the page on this machine, from a free port until a signal, and leave nothing running behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from netveil.errors import FileError, SettingError, option
from netveil.files.release_files import check_plain
from netveil.web.app import application
from netveil.web.hall import LARGEST_UPLOAD, Hall
from netveil.web.keeping.place import Place, usual_folder
from netveil.web.opening import opened
from netveil.web.patience import PatientProtocol
from netveil.web.session import Session
from netveil.web.watched import is_experiment

ADDRESS = "127.0.0.1"


class Server(uvicorn.Server):
    """uvicorn, which ends on SIGINT and SIGTERM as on any wish to end: with exit code 0."""

    on_exit: Callable[[], object] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals while serving; uvicorn would send them once more to ourselves."""
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, previous in before.items():
                signal.signal(number, previous)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End soon."""
        self.should_exit = True
        if self.on_exit is not None:
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
        place = Place(usual_folder() if folder is None else folder)
        stack.enter_context(place.served_alone())
        listening = stack.enter_context(_socket(port))
        port = listening.getsockname()[1]
        hall = Hall(
            place,
            Session(port),
            port,
            releases_given=releases,
            experiments_given=experiments,
            largest_upload=largest_upload,
            is_temporary=temporary,
        )
        server = Server(_settings(hall))
        hall.quit = lambda: server.handle_exit(signal.SIGTERM, None)
        address = hall.address
        say(address)
        if browser:
            hall.session.on_use = stack.enter_context(opened(address, place.path))
        asyncio.run(_serve(server, hall, listening))


async def _serve(server: Server, hall: Hall, listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    if not os.environ.get("NETVEIL_DEBUG"):
        loop.set_exception_handler(lambda loop, context: None)  # it would be logged, with what it was about
    # Streams are open as long as pages are; the server would wait for them.
    server.on_exit = lambda: loop.call_soon_threadsafe(hall.events.close)
    await server.serve(sockets=[listening])


def _settings(hall: Hall) -> uvicorn.Config:
    return uvicorn.Config(
        application(hall),
        http=PatientProtocol,
        # As many are accepted at a time: whoever has asked is heard before too many others have come.
        backlog=PatientProtocol.most_waiting // 3,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=False,
    )


@contextmanager
def _socket(port: int) -> Iterator[socket.socket]:
    """A socket that listens on loopback only; port 0 is any that is free."""
    # asyncio lets sockets that say TCP send small answers at once; others wait 40 ms for each.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows it would share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((ADDRESS, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "it must be below 65536"
            raise SettingError(
                f"port {port} cannot be used: {reason}. Give another {option('port')}, or leave it out."
            ) from None
        listening.listen()  # whoever reads the address may connect at once
        yield listening
    finally:
        listening.close()


def told_apart(given: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Which of these folders are releases, and which experiments; an error for what is neither."""
    releases, experiments = [], []
    for folder in given:
        if (folder / "private" / "run.json").is_file():
            releases.append(folder)
        elif is_experiment(folder):
            check_plain(folder, ("plan.toml", "runs", "failed"))
            experiments.append(folder)
        else:
            raise FileError(
                f"{folder} is neither a release folder nor that of an experiment. Bring networks in the page."
            )
    return releases, experiments
