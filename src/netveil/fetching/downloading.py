"""Download a file as bytes: complete, within limits of time and size, and no web page instead of it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from netveil._version import __version__
from netveil.errors import FileError
from netveil.fetching.catalogue import FetchableNetwork
from netveil.files import FORMATS
from netveil.files.json_records import DamagedRecordError, read_record, text
from netveil.files.storage import store

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector


# The cache: networks that were downloaded and checked, one file each with a record beside it.
#
# NAME.txt, NAME.mtx   the file, unpacked, as published
# NAME.json            where it came from and its SHA-256; written last, so that only whole files count


def cache_folder() -> Path:
    """NETVEIL_CACHE, or `netveil/networks` where this system keeps what can be fetched again."""
    chosen = os.environ.get("NETVEIL_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "netveil" / "networks"


def cached_content(network: FetchableNetwork) -> bytes | None:
    """The network's file, if it is in the cache and as it was when it was put there."""
    try:
        content = cached_file(network).read_bytes()
    except OSError:
        return None
    return content if digest_kept(network) == sha256(content).hexdigest() else None


def digest_kept(network: FetchableNetwork) -> str | None:
    """The SHA-256 of the file that was fetched before, as its record tells, be the file there or not."""
    try:
        digest: str = read_record(record_file(network), {"sha256": text})["sha256"]
    except (OSError, DamagedRecordError):
        return None
    return digest


def keep(network: FetchableNetwork, content: bytes) -> None:
    """Put a file that has passed its check into the cache."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(
            f"{folder}, the cache, cannot be made: {reason}. Set NETVEIL_CACHE to a folder."
        ) from None
    record = {
        "name": network.name,
        "address": network.address,
        "bytes": len(content),
        "sha256": sha256(content).hexdigest(),
    }
    store(content, str(cached_file(network)))
    store((json.dumps(record, indent=2) + "\n").encode(), str(record_file(network)))


def cached_file(network: FetchableNetwork) -> Path:
    """Where the cache has or would have a network's file."""
    return cache_folder() / f"{network.name}{FORMATS[network.format].suffixes[0]}"


def record_file(network: FetchableNetwork) -> Path:
    """Where the cache has or would have the record of a network."""
    return cache_folder() / f"{network.name}.json"


# From a file as published to the text inside: decompressed, taken out of its archive, within a bound.
#
# Everything happens in memory and nothing is written under a name from an archive, so no archive can reach
# a file of the user's, and none can grow beyond the bound.


_MOST_NAMES_SHOWN = 5


def unpacked(content: bytes, file: str, member: str | None, most_bytes: int) -> tuple[bytes, str]:
    """What is in a file, by its suffixes, and the name under which it was.

    `member` is the file to take from a .zip or .tar archive; the folders in the archive do not matter.
    """
    name = Path(file).name
    suffix = Path(name).suffix.lower()
    if suffix in _STREAMS:
        content, name = _taken(content, file, suffix, most_bytes), Path(name).stem
        suffix = Path(name).suffix.lower()
    if suffix not in _ARCHIVES:
        return content, name
    if member is None:
        raise FileError(f"{file} is an archive, and a single file is wanted. Unpack it first.")
    return _taken(content, file, suffix, most_bytes, member), member


def _taken(content: bytes, file: str, suffix: str, most_bytes: int, member: str = "") -> bytes:
    """What a compressed file holds, or the member of an archive, if it is whole and not too much."""
    from tarfile import TarError
    from zipfile import BadZipFile

    packed = BytesIO(content)
    try:
        opened = _ARCHIVES[suffix](packed, file, member) if member else _STREAMS[suffix](packed)
        with opened as stream:
            taken: bytes = stream.read(most_bytes + 1)
    # RuntimeError: encrypted, or packed in an unknown way
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, BadZipFile, TarError):
        raise FileError(f"{file} is damaged, cut off or no {suffix} file at all. Fetch it again.") from None
    if len(taken) > most_bytes:
        raise FileError(
            f"{file} unpacks to more than the {most_bytes:,} bytes that are allowed. Check the file."
        )
    return taken


def _in_zip(packed: BytesIO, file: str, member: str) -> IO[bytes]:
    """One file of a zip archive; its checksum is checked when it is read."""
    from zipfile import ZipFile

    archive = ZipFile(packed)
    return archive.open(_chosen(archive.namelist(), file, member))


def _in_tar(packed: BytesIO, file: str, member: str) -> IO[bytes]:
    """One file of a tar archive; links in it are not followed."""
    from tarfile import TarFile

    archive = TarFile(fileobj=packed)
    files = {each.name: each for each in archive if each.isreg()}
    stream = archive.extractfile(files[_chosen(list(files), file, member)])
    assert stream is not None, "a regular file has content"
    return stream


def _chosen(names: list[str], file: str, member: str) -> str:
    """The full name of the member."""
    for name in names:
        if PurePosixPath(name).name == member:
            return name
    shown = ", ".join(names[:_MOST_NAMES_SHOWN]) or "nothing"
    more = ", …" if len(names) > _MOST_NAMES_SHOWN else ""
    raise FileError(f"{file} does not hold {member}; it holds {shown}{more}. Fetch it again, or another one.")


_STREAMS: dict[str, Callable[[BytesIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_ARCHIVES = {".zip": _in_zip, ".tar": _in_tar}


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
