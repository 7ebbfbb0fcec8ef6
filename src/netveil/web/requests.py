"""Requests of the page: routes to handlers, ids, documents, and files, which are written to our own folder.

What comes with a request is never too much, and stays private.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.web.answers import WebError, json_answer, missing, mistake
from netveil.web.data_folder import ID
from netveil.web.state import PageState

Handler = Callable[[PageState, Request], Awaitable[Any]]
"""Answers a request with a document, which is sent as JSON, or with a response of its own."""


class Routes(list[Route]):
    """The routes of a topic."""

    def add(self, path: str, method: str = "GET", status: int = 200) -> Callable[[Handler], Handler]:
        """Have the decorated handler answer requests for a path."""

        def added(handler: Handler) -> Handler:
            async def answer(request: Request) -> Response:
                found = await handler(request.app.state.page, request)
                return found if isinstance(found, Response) else json_answer(found, status)

            self.append(Route(path, answer, methods=[method]))
            return handler

        return added


def id_in(request: Request) -> str:
    """The id in the path of a request; nothing else of a path is ever used to find something."""
    name = str(request.path_params["id"])
    if ID.fullmatch(name) is None:
        raise missing("thing")
    return name


HEADER = "x-netveil-files"
MOST_FILES = 40
MOST_DRAINED = 1 << 30  # bytes of what is too large that are read and thrown away, for its sender to hear why
MOST_JSON = 8 << 20
LONGEST_NUMBER = 16  # digits; Python refuses to read thousands of them
FAR_TOO_MUCH = 1 << 60


class Announced(NamedTuple):
    """Name and size of a file that is to come."""

    name: str
    size: int


def announced_files(request: Request) -> list[Announced]:
    """The files in the body of a request, one after the other, as its header tells."""
    try:
        rows = json.loads(unquote(request.headers[HEADER]))
        files = [Announced(str(row["name"]), int(row["size"])) for row in rows]
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError):
        raise mistake("The header X-Netveil-Files must tell names and sizes of the files.") from None
    if not 1 <= len(files) <= MOST_FILES or any(file.size < 0 for file in files):
        raise mistake(f"Give between 1 and {MOST_FILES} files.")
    return files


async def receive_files(
    request: Request, files: list[Announced], most: int, place_of: Callable[[str], Path | None]
) -> None:
    """Write the files of a request to their places; those that have none are passed over.

    What is larger than `most` bytes, or announces to be, is refused, and nothing of it stays.
    """
    body = _Body(request, most)
    if max(sum(file.size for file in files), _content_length(request)) > most:
        await body.drain()
        raise too_large(most)
    written: list[Path] = []
    try:
        for file in files:
            place = place_of(file.name)
            if place is None:
                await body.copy(file.size, None)
                continue
            written.append(place)
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                await body.copy(file.size, stream)
        await body.check_end()
    except BaseException as error:
        for place in written:
            place.unlink(missing_ok=True)
        if isinstance(error, WebError):
            await body.drain()
        raise


class _Body:
    """The bytes of a request as they come, counted."""

    def __init__(self, request: Request, most: int) -> None:
        self._chunks, self._most = request.stream(), most
        self._rest, self._count = b"", 0

    async def copy(self, size: int, target: IO[bytes] | None) -> None:
        """Copy the next `size` bytes to a file, or nowhere."""
        while size:
            if not await self._more():
                raise mistake("The upload ended before all of it was there; try again.")
            part, self._rest = self._rest[:size], self._rest[size:]
            size -= len(part)
            if target is not None:
                target.write(part)

    async def check_end(self) -> None:
        """Raise if more came than was announced."""
        if await self._more():
            raise mistake("More came than was announced; try again.")

    async def read(self) -> bytes:
        """Read the whole body."""
        parts = []
        while await self._more():
            parts.append(self._rest)
            self._rest = b""
        return b"".join(parts)

    async def drain(self) -> None:
        """Read what still comes and forget it: a browser listens only when it has sent everything."""
        async for chunk in self._chunks:
            self._count += len(chunk)
            if self._count > MOST_DRAINED:
                break

    async def _more(self) -> bool:
        """Wait for bytes in `_rest`; whether there are any."""
        while not self._rest:
            chunk = await anext(self._chunks, None)
            if chunk is None:
                return False
            self._rest, self._count = chunk, self._count + len(chunk)
            if self._count > self._most:
                raise too_large(self._most)
        return True


async def json_body(request: Request, known: dict[str, Any]) -> dict[str, Any]:
    """The document in a request, with values of `known` for what it leaves out; other keys are refused."""
    body = _Body(request, MOST_JSON)
    try:
        content = await body.read()
    except WebError:
        await body.drain()
        raise
    try:
        document = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        raise mistake("The request is not JSON.") from None
    if not isinstance(document, dict):
        raise mistake("The request must be an object of JSON.")
    for key in document:
        if key not in known:
            raise mistake(f"The request has an unknown key, {key[:40]!r}; known are {', '.join(known)}.")
    return {**known, **document}


def too_large(most: int) -> WebError:
    """Error for more bytes than are let in."""
    return WebError(
        "too-large",
        f"This is larger than {most / 2**20:,.0f} MB, the most that the page takes. Use the command line "
        f"for it, or start the page with a larger --largest-upload.",
    )


def _content_length(request: Request) -> int:
    given = request.headers.get("content-length", "0")
    if not (given.isascii() and given.isdigit()):
        return 0
    return int(given) if len(given) < LONGEST_NUMBER else FAR_TOO_MUCH
