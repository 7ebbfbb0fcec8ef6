"""NETVEIL_DATA: a folder with files of networks, for machines without internet."""

from __future__ import annotations

import os
from pathlib import Path

from netveil.errors import SettingError
from netveil.fetching.catalogue import FetchableNetwork
from netveil.files import FORMATS
from netveil.files.storage import COMPRESSIONS

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz")


def data_file(network: FetchableNetwork) -> Path | None:
    """The network's file in NETVEIL_DATA: under the network's name or as published; case does not matter."""
    chosen = os.environ.get("NETVEIL_DATA")
    if not chosen:
        return None
    try:
        files = {path.name.lower(): path for path in sorted(Path(chosen).iterdir()) if path.is_file()}
    except OSError:
        raise SettingError(
            f"NETVEIL_DATA = {chosen}: there is no such folder to read. Correct it or unset it."
        ) from None
    for name in _names(network):
        if name.lower() in files:
            return files[name.lower()]
    return None


def _names(network: FetchableNetwork) -> list[str]:
    """Names that the file may have, best first."""
    suffixes = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    packed = ["", *COMPRESSIONS]
    names = [f"{network.name}{suffix}{packing}" for packing in packed for suffix in suffixes]
    names += [network.name + suffix for suffix in _ARCHIVES]
    names.append(network.file_name)
    if Path(network.file_name).suffix in COMPRESSIONS and network.member is None:
        names.append(Path(network.file_name).stem)
    if network.member is not None:
        names.append(network.member)
    return names
