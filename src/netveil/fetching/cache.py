"""The cache: networks that were downloaded and checked, one file each with a record beside it.

NAME.txt, NAME.mtx   the file, unpacked, as published
NAME.json            where it came from and its SHA-256; written last, so that only whole files count
"""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

from netveil.errors import FileError
from netveil.fetching.catalogue import FetchableNetwork
from netveil.files import FORMATS
from netveil.files.json_records import DamagedRecordError, read_record, text
from netveil.files.storage import store


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
