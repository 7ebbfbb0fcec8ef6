"""The application: all routes, behind the guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.web.answers import DEFECT, WebError, error_answer, missing
from netveil.web.guard import Guard
from netveil.web.routes import door, judging, looking, networks, releases, runs
from netveil.web.state import Hall

SECONDS_BETWEEN_LOOKS = 5.0  # at the folders of experiments

ROUTES: list[Route] = [
    *door.ROUTES,
    *networks.ROUTES,
    *looking.ROUTES,
    *runs.ROUTES,
    *releases.ROUTES,
    *judging.ROUTES,
]


def application(hall: Hall) -> Guard:
    """The application of a server."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        hall.looker.start()
        hall.runs.start_next()
        watching = asyncio.create_task(_watch(hall))
        yield
        watching.cancel()
        hall.events.close()
        await hall.close()

    app = Starlette(
        routes=ROUTES,
        lifespan=lifespan,
        exception_handlers={WebError: _told, HTTPException: _not_found, Exception: _defect},
    )
    app.router.redirect_slashes = False
    app.state.hall = hall
    return Guard(app, hall.session, hall.port)


async def _watch(hall: Hall) -> None:
    """Tell pages of experiments that go on."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        for row in await run_in_threadpool(hall.experiments.refresh):
            hall.events.tell("experiment", row["id"], row)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, WebError)
    return error_answer(error)


async def _defect(request: Request, error: Exception) -> Response:
    return error_answer(DEFECT)


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return error_answer(WebError("refused", "This cannot be done here."))
    return error_answer(missing("page"))
