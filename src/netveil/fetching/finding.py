"""Find a published network: in NETVEIL_DATA, else in the cache, else at its address; read and check it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from netveil.errors import FileError, NetworkError, SettingError, unknown_name
from netveil.fetching.catalogue import CATALOGUE, FetchableNetwork
from netveil.fetching.downloading import (
    DownloadLimits,
    DownloadProgress,
    cached_content,
    cached_file,
    digest_kept,
    download,
    keep,
    record_file,
    unpacked,
)
from netveil.files import FORMATS, format_of
from netveil.files.storage import COMPRESSIONS, bounded_bytes, split_name
from netveil.network import Network

# NETVEIL_DATA: a folder with files of networks, for machines without internet.


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


Place = Literal["NETVEIL_DATA", "cache", "address"]
Checksum = Literal["as published", "as fetched before", "not known"]


@dataclass(frozen=True)
class FoundNetwork:
    """A network that was looked for, and where its file is."""

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


def fetch(
    name: str, limits: DownloadLimits | None = None, progress: DownloadProgress | None = None
) -> FoundNetwork:
    """Find a network on this machine, or download it into the cache; nothing wrong or half is kept."""
    known = _known(name)
    found = _on_this_machine(known)
    if found is not None:
        return found
    within = limits or DownloadLimits()
    packed = download(known, within, progress)
    content, _ = unpacked(packed, known.address, known.member, within.unpacked)
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
    if known.sha256 is not None:
        return "as published"
    return "not known" if before is None else "as fetched before"


def place_of(known: FetchableNetwork) -> Place:
    """Where `fetch` would take a network from."""
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
        try:
            packed = bounded_bytes(file)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise FileError(f"{file}: cannot be read: {reason}. Correct or remove it.") from None
        content, inner = unpacked(packed, str(file), known.member, DownloadLimits().unpacked)
        return FoundNetwork(_read(known, content, str(file), _format(known, inner)), "NETVEIL_DATA", file)
    cached = cached_content(known)
    if cached is None:
        return None
    file = cached_file(known)
    checksum: Checksum = "as fetched before" if known.sha256 is None else _check_digest(known, cached)
    return FoundNetwork(_read(known, cached, str(file), known.format), "cache", file, checksum)


def _format(known: FetchableNetwork, inner: str) -> str:
    """The format of a file: as its suffix says, but as the catalogue says under the name it is published."""
    published = known.member or split_name(known.file_name)[0] + split_name(known.file_name)[1]
    return known.format if inner.lower() == published.lower() else format_of(inner).name


def _read(known: FetchableNetwork, content: bytes, source: str, format_name: str) -> Network:
    """The network in a file, checked and under its name."""
    network = FORMATS[format_name].read(content, source)
    _check(network, known, source)
    return replace(network, name=known.name, sha256=sha256(content).hexdigest())


def _check(network: Network, known: FetchableNetwork, source: str) -> None:
    """Raise unless |V|, |E| and, where the paper has it, |V_u| by measure count are as they must be."""
    from netveil.anonymity import anonymity_of, attackers_of

    expected = {"nodes": known.nodes, "edges": known.edges}
    found = {"nodes": network.node_count, "edges": network.edge_count}
    if known.unique is not None and found == expected:
        expected["unique nodes"] = known.unique
        found["unique nodes"] = anonymity_of(network, attackers_of("count"), k=2).unique
    if found != expected:
        raise NetworkError(
            f"{source} is not {known.name}: expected {_listed(expected)}, found {_listed(found)}. "
            f"It is not used. Find the file as it was published at {known.address}, and {known.by_hand}."
        )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())
