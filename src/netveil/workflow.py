"""The one workflow, whoever calls it: the command line, `netveil.anonymize` and `save`, experiments.

    read → measure → search → baselines → compare → audit → record → folder

`anonymizing` measures, searches and returns a release; `publish` finds out what its report shows, and writes
its folder. Everything that takes long is a generator underneath: it tells how far it has come.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

from netveil.errors import FileError, SecondReleaseWarning, SettingError, warn_caller
from netveil.files import FORMATS, format_to_write
from netveil.files.labels import check_labels
from netveil.files.read_write import cannot_hold_attributes
from netveil.network import Network
from netveil.release.folder import ReleaseFolder, warning_of_others
from netveil.release.gather import gather
from netveil.release.records import Clock, local_time
from netveil.release.release import Release
from netveil.report import Evidence
from netveil.search import Control, Request, Underway, searching


def anonymizing(network: Network, request: Request, control: Control) -> Generator[Underway, None, Release]:
    """Search for edges to delete; yields how far the search has come, and returns the release."""
    check_labels(network)
    outcome = yield from searching(network, request, control)
    return Release(network, outcome)


def anonymizing_into(
    folder: ReleaseFolder, network: Network, request: Request, control: Control, *, resume: bool = False
) -> Generator[Underway, None, Release]:
    """The same for a folder, which keeps what the search finds until the release is in it.

    To resume after a search that had come to its end is not to search again.
    """
    release = folder.found_by_unfinished(network, request) if resume else None
    if release is not None:
        control.announce("The search that was cut off had come to its end; nothing is searched for anew.")
        return release
    release = yield from anonymizing(network, request, control)
    folder.keep_found(release, request)
    return release


def publish(
    release: Release,
    folder: ReleaseFolder,
    extension: str = "txt",
    *,
    command: str = "",
    clock: Clock = local_time,
    **wanted: Any,
) -> Evidence:
    """Find out what the report of a release shows, and write its folder.

    `extension` is that of the published network, `command` what made the release, `clock` tells when, and
    `wanted` is what `gather` takes. Returns what was found out: parts that were not wanted, or interrupted,
    are missing.
    """
    evidence = gather(release, **wanted)
    folder.save(release, extension, evidence, command, clock)
    return evidence


def save(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    extension: str = "txt",
    utility: bool = True,
    audit: bool = True,
    baselines: bool = True,
    audit_curve: bool = False,
) -> Path:
    """Write a release folder, whole or not at all; the network is published as `network.<extension>`.

    The report tells what the deletion cost (`utility`), what attackers could still do (`audit`) and what
    other algorithms find with the same budget (`baselines`): seconds of work on thousands of nodes.
    `audit_curve` tells for each point of a curve whom somebody finds who has the whole network. A
    `SecondReleaseWarning` tells where another release of the network is beside the folder.
    """
    target = ReleaseFolder(folder, overwrite=overwrite)
    extension = extension.removeprefix(".")
    try:
        chosen = format_to_write(f"network.{extension}")  # an unknown one shall fail before the work
    except FileError:
        if any(f".{extension}" in each.suffixes for each in FORMATS.values()):
            raise  # of a format that is only read
        known = ", ".join(
            suffix[1:] for each in FORMATS.values() if each.is_written for suffix in each.suffixes
        )
        raise SettingError(
            f"extension {extension!r}: no network is written so; the choice is {known}."
        ) from None
    if release.network.attributes.names and not chosen.holds_attributes:
        raise cannot_hold_attributes(f"network.{extension}", chosen)
    publish(
        release,
        target,
        extension,
        utility=utility,
        audit=audit,
        baselines=baselines,
        audit_curve=audit_curve,
    )
    second = warning_of_others(target.path)
    if second is not None:
        warn_caller(second, SecondReleaseWarning)
    return target.path
