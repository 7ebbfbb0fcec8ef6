"""Requests of the page: routes to handlers, ids, documents, files; and how they are answered.

What comes with a request is never too much, and stays private. Everything that goes wrong has one form.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar, get_type_hints
from urllib.parse import unquote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.errors import NetveilError
from netveil.release.deposit import write_zip

TEXTS: dict[str, Any] = tomllib.loads((files("netveil") / "data" / "page.toml").read_text(encoding="utf-8"))
FIELDS = TEXTS["fields"]
"""What the page calls the options of reading."""

_OPTION = re.compile(r"(?<![\w-])--([a-z-]+)")


def in_words(error: NetveilError) -> str:
    """The message of an error as the page says it: an option is a field of its name.

    >>> from netveil.errors import option
    >>> in_words(NetveilError(f"Give {option('columns')}, or {option('header', False)}."))
    'Give “columns”, or “First line is already data”.'
    """
    return with_fields(error.for_command_line())


def with_fields(text: str) -> str:
    """A text about options of the command line as the page says it."""
    return _OPTION.sub(lambda found: f"“{FIELDS.get(found[1], found[1].replace('no-', 'no '))}”", text)


STATUS = {"mistake": 422, "refused": 403, "missing": 404, "busy": 409, "too-large": 413, "defect": 500}


class WebError(Exception):
    """Error that a request is answered with."""

    def __init__(self, kind: str, message: str, lines: Sequence[str] = (), field: str | None = None) -> None:
        """`lines` are those of a file that a question shows, `field` what a form calls the wrong value."""
        super().__init__(message)
        self.kind, self.message, self.lines, self.field = kind, message, list(lines), field

    def to_dict(self) -> dict[str, Any]:
        """Error as JSON: the one form that the page knows."""
        shown = {"lines": self.lines} if self.lines else {}
        return {"error": {"kind": self.kind, "message": self.message, "field": self.field, **shown}}


DEFECT = WebError("defect", "A defect of netveil, not of yours; please report what you did.")


def missing(what: str) -> WebError:
    """Error for something that does not exist, or no longer."""
    return WebError("missing", f"There is no such {what}, or no longer.")


def busy(message: str) -> WebError:
    """Error for a request that cannot be served now."""
    return WebError("busy", message)


def mistake(message: str, field: str | None = None) -> WebError:
    """Error for a mistake of the user's, in a field of a form where there is one."""
    return WebError("mistake", message, field=field)


def json_answer(document: Any, status: int = 200) -> Response:
    """Answer with a document as JSON; what is no number in JSON, such as infinity, is a defect of ours."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


def error_answer(error: WebError) -> Response:
    """Answer a request with an error."""
    return json_answer(error.to_dict(), STATUS[error.kind])


def zip_of(folder: Path, more: dict[str, bytes], place: Path) -> IO[bytes]:
    """Zip all files of a folder below its name, and `more` by their names in it, to a nameless file.

    The nameless file is at a `place` of our own, and gone when it is closed. Somebody may have sent the
    folder: a link in it would bring a file of the user's into what is published, and is left out.
    """
    if folder.is_symlink() or not folder.is_dir():
        raise missing("release")
    plain = (each for each in sorted(folder.iterdir()) if each.is_file() and not each.is_symlink())
    contents = ((each.name, each.read_bytes()) for each in plain if each.name not in more)
    target = tempfile.TemporaryFile(dir=place)  # noqa: SIM115  # the answer closes it
    write_zip(target, ((f"{folder.name}/{name}", content) for name, content in chain(contents, more.items())))
    target.seek(0)
    return target


ID = re.compile(r"[0-9a-f]{16}")
Handler = Callable[..., Awaitable[Any]]
Document = TypeVar("Document")

HEADER = "x-netveil-files"
MOST_FILES = 40
MOST_DRAINED = 1 << 30  # bytes of what is refused that are read and thrown away, for its sender to hear why
MOST_JSON = 8 << 20


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """The document in the body of a request; keys that it does not have are refused."""


class Routes(list[Route]):
    """The routes of a topic."""

    def add(self, path: str, method: str = "GET", status: int = 200) -> Callable[[Handler], Handler]:
        """Have the decorated handler answer requests for a path, by a response or a document to send as JSON.

        It gets the server's state and the request; by the parameters that it has, `name`, the id in the path,
        and `asked`, the JSON in the body as a record of the type that it declares.
        """

        def added(handler: Handler) -> Handler:
            kinds = get_type_hints(handler)

            async def answer(request: Request) -> Response:
                given: dict[str, Any] = {}
                if "name" in kinds:
                    given["name"] = id_in(request)
                if "asked" in kinds:
                    given["asked"] = await json_body(request, kinds["asked"])
                found = await handler(request.app.state.page, request, **given)
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


async def json_body(request: Request, kind: type[Document]) -> Document:
    """The document in a request, which msgspec checks."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_JSON:
            raise too_large(MOST_JSON)
    try:
        return msgspec.json.decode(bytes(content) or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise mistake(f"The request does not hold what it should: {error}.") from None
    except (msgspec.DecodeError, RecursionError):
        raise mistake("The request is not JSON.") from None


class Announced(msgspec.Struct):
    """Name and size of a file that is to come."""

    name: str
    size: Annotated[int, msgspec.Meta(ge=0)]


def announced_files(request: Request, most: int = MOST_FILES) -> list[Announced]:
    """The files in the body of a request, one after the other, as its header tells."""
    try:
        files = msgspec.json.decode(unquote(request.headers.get(HEADER, "")), type=list[Announced])
    except (msgspec.DecodeError, RecursionError):
        raise mistake("The header X-Netveil-Files must tell names and sizes of the files.") from None
    if not 1 <= len(files) <= most:
        raise mistake("Bring one file at a time." if most == 1 else f"Give between 1 and {most} files.")
    return files


async def receive_files(
    request: Request, files: list[Announced], most: int, place_of: Callable[[str], Path | None]
) -> None:
    """Write the files of a request to their places; those that have none are passed over.

    Raise for what announces more than `most` bytes, or another size than it has. Whoever asks deletes then
    what was written; the rest is read and forgotten, for a browser listens only when it has sent everything.
    """
    chunks, rest = request.stream(), b""
    try:
        if sum(file.size for file in files) > most:
            raise too_large(most)
        for file in files:
            place, left = place_of(file.name), file.size
            flags = os.O_WRONLY | (0 if place is None else os.O_CREAT | os.O_EXCL)
            with os.fdopen(os.open(place or os.devnull, flags, 0o600), "wb") as target:
                while left:
                    rest = rest or await anext(chunks, b"")
                    if not rest:
                        raise mistake("The upload ended before all of it was there; try again.")
                    part, rest = rest[:left], rest[left:]
                    left -= target.write(part)
        if rest or await anext(chunks, b""):
            raise mistake("More came than was announced; try again.")
    except WebError:
        drained = 0
        async for chunk in chunks:
            drained += len(chunk)
            if drained > MOST_DRAINED:
                break
        raise


def too_large(most: int) -> WebError:
    """Error for more bytes than are let in."""
    return WebError(
        "too-large",
        f"This is larger than {most / 2**20:,.0f} MB, the most that the page takes. Use the command line "
        f"for it, or start the page with a larger --largest-upload.",
    )
