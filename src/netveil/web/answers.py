"""How the page is answered: JSON, and one form for everything that goes wrong."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Container, Iterator, Sequence
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import IO, Any

from starlette.responses import Response

from netveil.errors import NetveilError
from netveil.release.deposit import write_zip

TEXTS: dict[str, Any] = tomllib.loads((files("netveil") / "data" / "page.toml").read_text(encoding="utf-8"))
FIELDS = TEXTS["fields"]
"""What the page calls the options of reading."""

_OPTION = re.compile(r"(?<![\w-])--(no-)?([a-z-]+)")


def in_words(error: NetveilError) -> str:
    """The message of an error as the page says it: an option is a field of its name.

    >>> from netveil.errors import option
    >>> in_words(NetveilError(f"Give {option('columns')}, or {option('header', False)}."))
    'Give “columns”, or “First line is already data”.'
    """
    return with_fields(error.for_command_line())


def with_fields(text: str) -> str:
    """A text about options of the command line as the page says it."""
    return _OPTION.sub(_as_field, text)


def _as_field(found: re.Match[str]) -> str:
    name = f"{found[1] or ''}{found[2]}"
    return f"“{FIELDS.get(name, name.replace('no-', 'no '))}”"


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
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(errors="backslashreplace"), status, media_type="application/json")


def error_answer(error: WebError) -> Response:
    """Answer a request with an error."""
    return json_answer(error.to_dict(), STATUS[error.kind])


CHUNK = 1 << 16
PLAIN = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""Flags to open a file that is no link, without waiting for the other end of a pipe."""


def zip_of(folder: Path, more: dict[str, bytes], place: Path) -> IO[bytes]:
    """Zip all files of a folder below its name, and `more` by their names in it, to a nameless file.

    The zip tells nothing but its files: no times, no owner. The nameless file is at a `place` of our own, and
    gone when it is closed. Somebody may have sent the folder: a link in it would bring a file of the user's
    into what is published, and is left out. OSError if the folder itself is a link.
    """
    target = tempfile.TemporaryFile(dir=place)  # noqa: SIM115  # the answer closes it
    try:
        files = chain(_plain_files(folder, more), more.items())
        write_zip(target, ((f"{folder.name}/{name}", content) for name, content in files))
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def _plain_files(folder: Path, but: Container[str]) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the plain files in a folder.

    All are opened below the folder once that is open, where the system can: whoever owns it may put a link in
    its place after it was looked at.
    """
    opened = os.open(folder, PLAIN | os.O_DIRECTORY) if os.open in os.supports_dir_fd else None
    try:
        for name in sorted(os.listdir(folder if opened is None else opened)):  # noqa: PTH208
            path = name if opened is not None else folder / name
            if name not in but and stat.S_ISREG(os.stat(path, dir_fd=opened, follow_symlinks=False).st_mode):
                with os.fdopen(os.open(path, PLAIN, dir_fd=opened), "rb") as stream:
                    yield name, stream.read()
    finally:
        if opened is not None:
            os.close(opened)


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file, and close it at the end."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
