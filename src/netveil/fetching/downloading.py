"""Download a file as bytes: complete, within limits of time and size, and no web page instead of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from netveil._version import __version__
from netveil.errors import FileError
from netveil.fetching.catalogue import FetchableNetwork

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

DownloadProgress = Callable[[int, int | None], None]
"""Called with the bytes that have come and, where the server says so, how many there will be."""

_BLOCK = 1 << 16
_MOST_DIGITS = 18
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
_PAGE_OPENINGS = (b"<!doctype html", b"<html")


@dataclass(frozen=True, kw_only=True)
class DownloadLimits:
    """How long to wait and how much to take."""

    silence: float = 30.0  # seconds without a byte
    seconds: float = 1800.0  # in all
    downloaded: int = 256 << 20  # bytes
    unpacked: int = 1 << 30  # bytes


def download(
    network: FetchableNetwork, limits: DownloadLimits, progress: DownloadProgress | None = None
) -> bytes:
    """What is at the network's address."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request

    if not is_safe(network.address):
        raise _failure(network, "is no safe address of the web (https)")
    headers = {"User-Agent": f"netveil/{__version__}", "Accept-Encoding": "identity"}
    try:
        with _opener().open(Request(network.address, headers=headers), timeout=limits.silence) as response:
            content = _body(network, response, limits, progress)
    except HTTPError as error:
        error.close()
        raise _failure(network, f"answered {error.code} ({error.reason})") from None
    except TimeoutError:
        raise _failure(network, f"sent nothing for {limits.silence:g} seconds") from None
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _failure(network, f"did not answer within {limits.silence:g} seconds") from None
        raise _failure(network, f"cannot be reached ({error.reason})") from None
    except (HTTPException, OSError) as error:
        raise _failure(network, f"broke off ({type(error).__name__})") from None
    if content[:1000].lstrip().lower().startswith(_PAGE_OPENINGS):
        raise _failure(network, "sent a web page instead of the file")
    return content


def is_safe(address: str) -> bool:
    """Whether nobody on the way can put another file in the place of this one: https, or this machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _THIS_MACHINE)


def _opener() -> OpenerDirector:
    """Opens safe addresses only, wherever an address or a redirection points; proxies as usual."""
    from urllib import request

    class SafeRedirections(request.HTTPRedirectHandler):
        """Leaves what points elsewhere unanswered, which is an error."""

        def redirect_request(self, *answer: Any) -> request.Request | None:
            """The next request, if it is as safe as the first."""
            return super().redirect_request(*answer) if is_safe(answer[-1]) else None

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        SafeRedirections(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
        request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _body(
    network: FetchableNetwork,
    response: HTTPResponse,
    limits: DownloadLimits,
    progress: DownloadProgress | None,
) -> bytes:
    """The answer, block by block, so that limits hold on the way."""
    announced = response.headers.get("Content-Length", "")
    # Python refuses to read thousands of digits; any number of so many is too large.
    expected = int(announced[:_MOST_DIGITS]) if announced.isdecimal() else None
    too_much = f"has more than the {limits.downloaded:,} bytes that are allowed"
    if expected is not None and expected > limits.downloaded:
        raise _failure(network, too_much)
    end = time.monotonic() + limits.seconds
    content = bytearray()
    while block := response.read1(_BLOCK):
        content += block
        if progress is not None:
            progress(len(content), expected)
        if len(content) > limits.downloaded:
            raise _failure(network, too_much)
        if time.monotonic() > end:
            raise _failure(network, f"took more than {limits.seconds:g} seconds")
    if expected is not None and len(content) != expected:
        raise _failure(network, f"broke off after {len(content):,} of {expected:,} bytes")
    return bytes(content)


def _failure(network: FetchableNetwork, what: str) -> FileError:
    return FileError(f"{network.name}: {network.address} {what}. Try again later, or {network.by_hand}.")
