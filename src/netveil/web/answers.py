"""How the page is answered: JSON, and one form for everything that goes wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

STATUS = {"mistake": 422, "refused": 403, "missing": 404, "busy": 409, "too-large": 413, "defect": 500}


class WebError(Exception):
    """What a request gets instead of an answer."""

    def __init__(self, kind: str, message: str, lines: Sequence[str] = (), field: str | None = None) -> None:
        """`lines` are those of a file that a question shows, `field` what a form calls the wrong value."""
        super().__init__(message)
        self.kind, self.message, self.lines, self.field = kind, message, list(lines), field

    def to_dict(self) -> dict[str, Any]:
        """The one form of errors."""
        shown = {"lines": self.lines} if self.lines else {}
        return {"error": {"kind": self.kind, "message": self.message, "field": self.field, **shown}}


DEFECT = WebError("defect", "A defect of netveil, not of yours; please report what you did.")


def missing(what: str) -> WebError:
    """There is no such thing, or no longer."""
    return WebError("missing", f"There is no such {what}, or no longer.")


def busy(message: str) -> WebError:
    """It cannot be done now."""
    return WebError("busy", message)


def mistake(message: str, field: str | None = None) -> WebError:
    """The user's mistake, in a field of a form where there is one."""
    return WebError("mistake", message, field=field)


def json_answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A document as JSON; what is no number in JSON, such as infinity, is a defect of ours."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    content = text.encode(errors="backslashreplace")
    return Response(content, status, headers, media_type="application/json")


def error_answer(error: WebError) -> Response:
    """An error in its one form."""
    return json_answer(error.to_dict(), STATUS[error.kind])
