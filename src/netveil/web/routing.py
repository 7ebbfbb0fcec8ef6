"""Routes: how a request of the page gets to its handler, and its answer back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.web.answers import json_answer, missing
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
