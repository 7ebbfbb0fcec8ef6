"""Published networks: from a folder of the user's, from the cache, or from their public homes, and checked.

NETVEIL_DATA, else the cache, else the address → a reader of `files` → checked → Network

Cache: NAME.txt or NAME.mtx is the file, unpacked, as published; NAME.json has its address and its SHA-256,
and is written last, so that only whole files count.
Unpacking happens in memory and nothing is written under a name from an archive, so no archive can reach a
file of the user's, and none can grow beyond the bound.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from netveil._version import __version__
from netveil.errors import FileError, NetworkError, SettingError, unknown_name
from netveil.files import FORMATS, format_of
from netveil.files.other_kinds import check_kind
from netveil.files.storage import (
    COMPRESSIONS,
    check_unpacked,
    decompressed,
    most_unpacked,
    split_name,
    store,
    stored_bytes,
)
from netveil.network import Network

if TYPE_CHECKING:
    from http.client import HTTPResponse

DownloadProgress = Callable[[int, int | None], None]
"""Called with the bytes that have come and, where the server says so, how many there will be."""

_MOST_NAMES_SHOWN = 5
_BLOCK = 1 << 16
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz")


@dataclass(frozen=True, kw_only=True)
class FetchableNetwork:
    """A network at its public home."""

    name: str
    title: str  # one sentence on nodes and edges
    address: str
    nodes: int
    edges: int
    citation: str
    unique: int | None = None  # nodes alone in their class by measure count, where the paper has the number
    member: str | None = None  # the file inside the archive at the address, if it is one
    format: str = "edge-list"
    sha256: str | None = None  # of the file, unpacked, where somebody who can download it has told

    @property
    def file_name(self) -> str:
        """The file's name at its address."""
        return PurePosixPath(urlsplit(self.address).path).name

    @property
    def by_hand(self) -> str:
        """Remedy where it cannot be downloaded."""
        return f"put {self.file_name} into a folder and set NETVEIL_DATA to that folder"


_ENTRIES = tomllib.loads((files("netveil") / "data" / "networks.toml").read_text(encoding="utf-8"))

CATALOGUE = {name: FetchableNetwork(name=name, **entry) for name, entry in _ENTRIES.items()}
"""Every network that can be fetched, by its name."""

PAPER = tuple(network for network in CATALOGUE.values() if network.unique is not None)
"""The five of the paper, in the order of its Table 1."""


SILENCE, SECONDS, MOST_BYTES = 30.0, 1800.0, 256 << 20
"""Bounds on a download: seconds without a byte, seconds in all, and bytes."""


def data_file(network: FetchableNetwork) -> Path | None:
    """The network's file in NETVEIL_DATA, under its name or as published; case does not matter."""
    chosen = os.environ.get("NETVEIL_DATA")
    if not chosen:
        return None
    try:
        found = {path.name.lower(): path for path in sorted(Path(chosen).iterdir()) if path.is_file()}
    except OSError:
        raise SettingError(
            f"NETVEIL_DATA = {chosen}: there is no such folder to read. Correct it or unset it."
        ) from None
    suffixes = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    names = [f"{network.name}{suffix}{packing}" for packing in ("", *COMPRESSIONS) for suffix in suffixes]
    names += [*(network.name + suffix for suffix in _ARCHIVES), network.file_name, published_name(network)]
    return next((found[name.lower()] for name in names if name.lower() in found), None)


def published_name(network: FetchableNetwork) -> str:
    """Name of the network's file, unpacked, at its home."""
    stem, suffix, _ = split_name(network.file_name)
    return network.member or stem + suffix


Place = Literal["NETVEIL_DATA", "cache", "address"]
Checksum = Literal["as published", "as fetched before", "not known"]


@dataclass(frozen=True)
class FoundNetwork:
    """A network, and where its file is."""

    network: Network
    place: Place  # where it was taken from; from its address it has gone into the cache
    file: Path
    checksum: Checksum = "not known"  # what its SHA-256 was held against; the counts are checked always


def find_network(name: str, *, download: bool = True) -> Network:
    """The network of this name in the catalogue, checked; `download` says whether the web may be asked."""
    if download:
        return fetch(name).network
    known = _known(name)
    found = _on_this_machine(known)
    if found is None:
        remedy = f"Run `netveil networks fetch {name}` first, or {known.by_hand}"
        raise FileError(f"{name} is not on this machine. {remedy}; it is at {known.address}.")
    return found.network


def fetch(name: str, progress: DownloadProgress | None = None) -> FoundNetwork:
    """Find a network on this machine, or download it into the cache; nothing wrong or half is kept."""
    known = _known(name)
    found = _on_this_machine(known)
    if found is not None:
        return found
    packed = download(known, progress)
    content, _ = unpacked(packed, known.address, known.member)
    checksum = _check_digest(known, content)
    network = _read(known, content, known.address, known.format)
    keep(known, content)
    return FoundNetwork(network, "address", cached_file(known), checksum)


def _check_digest(known: FetchableNetwork, content: bytes) -> Checksum:
    """Hold a file against its known SHA-256, else against that of an earlier one; raise if it differs."""
    digest, before = sha256(content).hexdigest(), digest_kept(known)
    if known.sha256 is not None and digest != known.sha256:
        raise NetworkError(
            f"{known.address} is not {known.name}: its SHA-256 is {digest}, and that of the published file "
            f"{known.sha256}. It is not used. Find the file as it was published, and {known.by_hand}."
        )
    if known.sha256 is None and before not in (None, digest):
        raise NetworkError(
            f"{known.address} has changed: its SHA-256 is {digest}, and was {before} when {known.name} was "
            f"fetched before. It is not used. If the change is right, delete {record_file(known)} first."
        )
    return "as published" if known.sha256 is not None else "as fetched before" if before else "not known"


def place_of(known: FetchableNetwork) -> Place:
    """Place from which `fetch` would take a network."""
    if data_file(known) is not None:
        return "NETVEIL_DATA"
    return "address" if cached_content(known) is None else "cache"


def _known(name: str) -> FetchableNetwork:
    if name not in CATALOGUE:
        raise unknown_name("network", name, CATALOGUE)
    return CATALOGUE[name]


def _on_this_machine(known: FetchableNetwork) -> FoundNetwork | None:
    """The network from NETVEIL_DATA, else from the cache, if it is in either."""
    file = data_file(known)
    if file is not None:
        content, inner = unpacked(stored_bytes(str(file)), str(file), known.member)
        # By the catalogue under its published name, else by its suffix.
        is_published = inner.lower() == published_name(known).lower()
        format_name = known.format if is_published else format_of(inner).name
        return FoundNetwork(_read(known, content, str(file), format_name), "NETVEIL_DATA", file)
    cached = cached_content(known)
    if cached is None:
        return None
    file = cached_file(known)
    return FoundNetwork(
        _read(known, cached, str(file), known.format), "cache", file, _check_digest(known, cached)
    )


def _read(known: FetchableNetwork, content: bytes, source: str, format_name: str) -> Network:
    """Read a network and give it its name; raise unless its counts are as they must be.

    These are |V|, |E| and, where the paper has it, |V_u| by measure count.
    """
    from netveil.anonymity import anonymity_of, attackers_of

    check_kind(content, source)
    network = FORMATS[format_name].read(content, source)
    expected = {"nodes": known.nodes, "edges": known.edges}
    found = {"nodes": network.node_count, "edges": network.edge_count}
    if known.unique is not None and found == expected:
        expected["unique nodes"] = known.unique
        found["unique nodes"] = anonymity_of(network, attackers_of("count"), k=2).unique
    if found != expected:
        wanted, there = (
            ", ".join(f"{count:,} {what}" for what, count in counts.items()) for counts in (expected, found)
        )
        raise NetworkError(
            f"{source} is not {known.name}: expected {wanted}, found {there}. "
            f"It is not used. Find the file as it was published at {known.address}, and {known.by_hand}."
        )
    return replace(network, name=known.name, sha256=sha256(content).hexdigest())


def cache_folder() -> Path:
    """NETVEIL_CACHE, or `netveil/networks` where this system keeps what can be fetched again."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("NETVEIL_CACHE")
    return Path(chosen) if chosen else user_cache_path("netveil", False, opinion=False) / "networks"


def cached_content(network: FetchableNetwork) -> bytes | None:
    """Content of the cached file, if its SHA-256 is the recorded one."""
    try:
        content = cached_file(network).read_bytes()
    except OSError:
        return None
    return content if digest_kept(network) == sha256(content).hexdigest() else None


def digest_kept(network: FetchableNetwork) -> str | None:
    """SHA-256 of the file that was fetched before, from its record; the file itself may be gone."""
    try:
        digest = json.loads(record_file(network).read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):  # not there, or damaged
        return None
    return digest if isinstance(digest, str) else None


def keep(network: FetchableNetwork, content: bytes) -> None:
    """Write a checked file and its record to the cache."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(
            f"{folder}, the cache, cannot be made: {reason}. Set NETVEIL_CACHE to a folder."
        ) from None
    about = {"name": network.name, "address": network.address, "bytes": len(content)}
    record = {**about, "sha256": sha256(content).hexdigest()}
    store(content, str(cached_file(network)))
    store((json.dumps(record, indent=2) + "\n").encode(), str(record_file(network)))


def cached_file(network: FetchableNetwork) -> Path:
    """Path of a network's file in the cache."""
    return cache_folder() / f"{network.name}{FORMATS[network.format].suffixes[0]}"


def record_file(network: FetchableNetwork) -> Path:
    """Path of a network's record in the cache."""
    return cache_folder() / f"{network.name}.json"


def unpacked(content: bytes, file: str, member: str | None) -> tuple[bytes, str]:
    """Content of a packed file, by its suffixes, and the name that it had inside.

    `member` is the file to take from a .zip or .tar archive; the folders in the archive do not matter.
    """
    name, compression = PurePosixPath(file).name, split_name(file)[2]
    if compression:
        content, name = decompressed(content, file, compression), PurePosixPath(name).stem
    if not name.lower().endswith((".zip", ".tar")):
        return content, name
    if member is None:
        raise FileError(f"{file} is an archive, and a single file is wanted. Unpack it first.")
    return _member(content, file, name.lower().endswith(".zip"), member), member


def _member(content: bytes, file: str, is_zip: bool, member: str) -> bytes:
    """Content of one file of an archive; links in it are not followed."""
    from tarfile import TarError, TarFile
    from zipfile import BadZipFile, ZipFile

    most = most_unpacked(len(content))
    try:
        archive: Any = ZipFile(BytesIO(content)) if is_zip else TarFile(fileobj=BytesIO(content))
        entries = archive.infolist() if is_zip else [each for each in archive if each.isreg()]
        names = {each.filename if is_zip else each.name: each for each in entries}
        found = next((each for name, each in names.items() if PurePosixPath(name).name == member), None)
        taken = (archive.open if is_zip else archive.extractfile)(found).read(most + 1) if found else None
    # RuntimeError: encrypted, or packed in an unknown way
    except (OSError, EOFError, ValueError, RuntimeError, BadZipFile, TarError):
        raise FileError(f"{file} is damaged, cut off or no archive at all. Fetch it again.") from None
    if taken is None:
        shown = ", ".join([*names][:_MOST_NAMES_SHOWN]) + ", …" * (len(names) > _MOST_NAMES_SHOWN)
        raise FileError(f"{file} does not hold {member}; it holds {shown or 'nothing'}. Fetch it again.")
    check_unpacked(len(taken), len(content), file)
    return bytes(taken)


def download(network: FetchableNetwork, progress: DownloadProgress | None = None) -> bytes:
    """Content at the network's address: complete and within the limits."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class SafeRedirections(HTTPRedirectHandler):
        """Follows redirections to safe addresses; any other is an error."""

        def redirect_request(self, *answer: Any) -> Request | None:
            """Next request, if its address is safe."""
            return super().redirect_request(*answer) if is_safe(answer[-1]) else None

    if not is_safe(network.address):
        raise _failure(network, "is no safe address of the web (https)")
    headers = {"User-Agent": f"netveil/{__version__}", "Accept-Encoding": "identity"}
    request = Request(network.address, headers=headers)
    try:
        with build_opener(SafeRedirections).open(request, timeout=SILENCE) as response:
            return _body(network, response, progress)
    except HTTPError as error:
        error.close()
        raise _failure(network, f"answered {error.code} ({error.reason})") from None
    except (HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise _failure(network, f"sent nothing for {SILENCE:g} seconds") from None
        raise _failure(network, f"cannot be reached ({reason})") from None


def is_safe(address: str) -> bool:
    """Whether nobody on the way can exchange the file: https, or this machine."""
    parts = urlsplit(address)
    is_here = parts.hostname in ("127.0.0.1", "::1", "localhost")
    return parts.scheme == "https" or (parts.scheme == "http" and is_here)


def _body(network: FetchableNetwork, response: HTTPResponse, progress: DownloadProgress | None) -> bytes:
    """Content of the response, read block by block so that limits hold on the way."""
    announced = response.headers.get("Content-Length", "")
    # Python refuses to read thousands of digits; any number of so many is too large.
    expected = int(announced[:18]) if announced.isdecimal() else None
    too_much = f"has more than the {MOST_BYTES:,} bytes that are allowed"
    if expected is not None and expected > MOST_BYTES:
        raise _failure(network, too_much)
    end = time.monotonic() + SECONDS
    content = bytearray()
    while block := response.read1(_BLOCK):
        content += block
        if progress is not None:
            progress(len(content), expected)
        if len(content) > MOST_BYTES:
            raise _failure(network, too_much)
        if time.monotonic() > end:
            raise _failure(network, f"took more than {SECONDS:g} seconds")
    if expected is not None and len(content) != expected:
        raise _failure(network, f"broke off after {len(content):,} of {expected:,} bytes")
    return bytes(content)


def _failure(network: FetchableNetwork, what: str) -> FileError:
    return FileError(f"{network.name}: {network.address} {what}. Try again later, or {network.by_hand}.")
