"""Files of a release folder: the published network, to read and to write, and the table of labels."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from netveil.errors import FileError
from netveil.files.node_table import place_of_nodes, write_tables
from netveil.files.read_write import write
from netveil.files.storage import bounded_bytes, split_name
from netveil.network import Network
from netveil.spreadsheet_cells import text_in


@dataclass(frozen=True)
class ReleaseFiles:
    """Where the files of a release are."""

    network: Path
    labels: Path | None  # None where only the public part is at hand


def find_release(path: str | os.PathLike[str]) -> ReleaseFiles | None:
    """The files of the release that this folder, its public folder or its network file belongs to, if any."""
    given = Path(path)
    if given.is_dir():
        is_public = given.resolve().name == "public"
        public = given if is_public else given / "public"
        check_plain(given.resolve().parent if is_public else given)
        network = _network_in(public, given)
    elif (
        given.resolve().parent.name == "public" and split_name(given.name)[0] == "network" and given.is_file()
    ):
        public, network = given.resolve().parent, given
        check_plain(public.parent)
    else:
        return None
    labels = public.resolve().parent / "private" / "labels.csv"
    return ReleaseFiles(network, labels if labels.is_file() else None)


def check_plain(folder: str | os.PathLike[str], parts: Iterable[str] = ("public", "private")) -> None:
    """Raise if anything in these parts of a folder is neither a file nor a folder; links are not followed.

    Somebody may have sent the folder. A link in it leads to files of whoever opens it, which might then be
    published; reading from a pipe or a device may never end.
    """
    left = [Path(folder) / part for part in parts]
    while left:
        path = left.pop()
        try:
            about = path.lstat()
            if stat.S_ISDIR(about.st_mode) and not _is_junction(about):
                left += sorted(path.iterdir())
                continue
        except (OSError, ValueError):  # nothing is there, or nobody here may look: reading tells which
            continue
        if not stat.S_ISREG(about.st_mode):
            is_link = stat.S_ISLNK(about.st_mode) or stat.S_ISDIR(about.st_mode)
            what = "a link, which may lead anywhere" if is_link else "neither a file nor a folder"
            raise FileError(
                f"{path} is {what}; nothing of {folder} is read. Put a plain copy in its place, or remove it."
            )


def _is_junction(about: os.stat_result) -> bool:
    """Whether a folder of Windows is a link to another."""
    tag = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return tag is not None and getattr(about, "st_reparse_tag", None) == tag


def write_published(network: Network, file: Path) -> None:
    """Write the network of a release into its public folder; beside a table of ties stands one of nodes."""
    place = place_of_nodes(file)
    if place is None:
        write(network, file, keep_attributes=network.attributes.names)
    else:
        write_tables(network, file, place)


def read_labels(path: str | os.PathLike[str]) -> dict[str, str]:
    """Original label → published label, from the table `original,published` of a release."""
    return dict(read_pairs(path, ("original", "published"), "labels", "Give a release's labels.csv."))


def read_pairs(
    path: str | os.PathLike[str], columns: tuple[str, str], what: str, remedy: str
) -> list[tuple[str, str]]:
    """The rows of a private table of a release, which has these two columns."""
    try:
        text = io.StringIO(bounded_bytes(path).decode("utf-8-sig"), newline="")
        header, *rows = list(csv.reader(text)) or [[]]
    except (OSError, ValueError, csv.Error):
        raise FileError(f"{path} cannot be read as a table of {what}. {remedy}") from None
    if header != list(columns):
        raise FileError(f"{path}, line 1: expected the columns {','.join(columns)}. {remedy}")
    for number, row in enumerate(rows, start=2):
        if len(row) != 2:
            raise FileError(f"{path}, line {number}: expected two labels, found {len(row)}.")
    return [(text_in(first), text_in(second)) for first, second in rows]


def _network_in(public: Path, given: Path) -> Path:
    found = sorted(public.glob("network.*")) if public.is_dir() else []
    if not found:
        raise FileError(f"{given} is a folder without public/network.*. Give a release folder or a file.")
    if len(found) > 1:
        raise FileError(f"{public} has {len(found)} files network.*. Name the one to compare.")
    return found[0]
