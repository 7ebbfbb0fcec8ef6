"""What every route takes from a request: the hall, and ids that were checked."""

from __future__ import annotations

from starlette.requests import Request

from netveil.web.answers import missing
from netveil.web.hall import Hall
from netveil.web.keeping.place import ID


def hall_of(request: Request) -> Hall:
    """What the server has."""
    hall: Hall = request.app.state.hall
    return hall


def id_in(request: Request) -> str:
    """The id in the path of a request; nothing else of a path is ever used to find something."""
    name = str(request.path_params["id"])
    if ID.fullmatch(name) is None:
        raise missing("thing")
    return name
