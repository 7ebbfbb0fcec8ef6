"""Other releases of the same network: beside a release, or in the register. Two can be laid on each other.

The register is one private file of the user's, whatever folder a release lies in: `register.json` in
netveil's data folder, or the file that NETVEIL_REGISTER names (none if that is empty). It has a network's
fingerprint by labels and edges, the folders of releases and their verdicts, and is never part of a release.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from netveil.errors import SettingError, either_way
from netveil.files.staging import Hold, InUseError
from netveil.files.storage import write_whole
from netveil.release.records import content_digest, record_in

VARIABLE = "NETVEIL_REGISTER"
MOST_ENTRIES = 2_000  # the oldest go
TRIES, SECONDS_A_TRY = 100, 0.05  # while another process writes
MOST_RECORDS = 100  # that are read beside a release


@dataclass(frozen=True)
class Registered:
    """A release that was written."""

    fingerprint: str  # of its original, by labels
    content: str  # digest of what decides what is published, but for numbers
    release: str  # the folder
    kind: str  # `deletion` or `synthetic`
    k: int
    made_at: str
    verdict: str
    met: bool | None  # None without a policy

    def version(self) -> dict[str, Any]:
        """The entry of a decision log: what was tried, and why it was rejected if it was."""
        return {
            "release": Path(self.release).name,
            "kind": self.kind,
            "k": self.k,
            "made_at": self.made_at,
            "rejected_because": self.verdict if self.met is False else None,
        }


def register_file() -> Path | None:
    """Where the register is; None where the user wants none."""
    if (given := os.environ.get(VARIABLE)) is not None:
        return Path(given).absolute() if given else None
    from platformdirs import user_data_path

    return user_data_path("netveil", appauthor=False) / "register.json"


def registered(fingerprint: str, tell: Callable[[str], None]) -> tuple[Registered, ...]:
    """Releases of the network with this fingerprint, the earliest first; warns if they cannot be known."""
    file = register_file()
    try:
        return tuple(each for each in _read(file) if each.fingerprint == fingerprint) if file else ()
    except (OSError, ValueError, RecursionError) as error:
        tell(
            f"{file}: the register of releases cannot be read ({_why(error)}), so earlier releases are not "
            f"known. Move it away, or restore it from a backup."
        )
        return ()


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "another netveil is writing it"


def enter(entry: Registered, tell: Callable[[str], None]) -> None:
    """Add a release that was written; warns if that is not possible, as the release is there."""
    if (file := register_file()) is None:
        return
    hold = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hold = _held(file.parent)
        entries = [*_read(file), entry][-MOST_ENTRIES:]
        text = json.dumps({"releases": [asdict(each) for each in entries]}, indent=1)
        write_whole(text.encode(), file, private=True)
    except (OSError, ValueError, RecursionError, InUseError) as error:
        tell(f"{file}: this release is not in the register, which cannot be changed ({_why(error)}).")
    finally:
        if hold is not None:
            hold.end()


def _held(folder: Path) -> Hold:
    """The lock on the folder of the register; InUseError if another process keeps it for seconds."""
    for _ in range(TRIES):
        with suppress(InUseError):
            return Hold(folder)
        time.sleep(SECONDS_A_TRY)
    raise InUseError


def _read(file: Path) -> list[Registered]:
    import msgspec

    with suppress(FileNotFoundError):
        record = msgspec.json.decode(file.read_bytes(), type=dict[str, list[Registered]])
        return record.get("releases", [])
    return []


def others_than(folder: Path, content: str | None, entries: Sequence[Registered]) -> Iterator[Path]:
    """Folders of registered releases that are still there, elsewhere and with other content; newest first."""
    here, newest = str(folder.resolve()), {each.release: each for each in entries}
    for path, each in reversed(newest.items()):
        if path != here and each.content != content and os.path.isdir(Path(path, "public")):  # noqa: PTH112
            yield Path(path)


def refuse_second(policy_name: str, folder: Path, entries: Sequence[Registered]) -> None:
    """Raise SettingError if there is another release already that was not rejected."""
    kept = [each for each in entries if each.met is not False]
    for other in others_than(folder, None, kept):
        made_on = next(each.made_at[:10] for each in reversed(kept) if each.release == str(other))
        raise SettingError(
            f"policy {policy_name} allows one release of a network, and {other} holds one, made on "
            f"{made_on}. Remove it if it was not published, or publish that one."
        )


# Releases beside a release, whether the register knows them or not.


def releases_beside(folder: Path, identity: tuple[str, str] | None = None) -> Iterator[Path]:
    """The folders beside this release that hold another one of its network.

    A copy of it gives nothing more away, under other numbers either. What cannot be read is passed over.
    `identity` is that of a release that is not written yet.
    """
    this = identity or _identity_in(folder)
    with suppress(OSError):
        records = sorted(folder.parent.glob("*/private/run.json"))
        others = (file.parent.parent for file in records if file.parent.parent.resolve() != folder.resolve())
        for other in islice(others, MOST_RECORDS):
            found = _identity_in(other)
            if this and found and found[0] == this[0] and found[1] != this[1]:
                yield other


def _identity_in(folder: Path) -> tuple[str, str] | None:
    """Identity of the release in a folder, as `Release.identity` tells it."""
    private = folder / "private"
    run, tables = record_in(private / "run.json"), (private / "deleted_edges.csv", private / "table.csv")
    try:
        content = [table.read_bytes() for table in tables if table.is_file()]
        names = run.get("keep_labels"), run.get("kept_attributes")
        return run["fingerprint_by_labels"], content_digest(*content, *names)
    except (OSError, KeyError):
        return None


def warning_of_others(folder: Path, elsewhere: Iterable[Path] = ()) -> str | None:
    """Warning where another release of the same network is beside this one, or elsewhere; else None."""
    beside = next(chain(releases_beside(folder), elsewhere), None)
    if beside is None:
        return None
    runs = [record_in(each / "private" / "run.json") for each in (beside, folder)]
    synthetic = [run.get("kind") == "synthetic" for run in runs]
    if all(synthetic):
        return (
            f"{beside} was drawn from another table of the same network. Two tables give away what one "
            f"hides: publish one only, and draw further networks from it (netveil "
            f"synthesize --from {beside})."
        )
    if any(synthetic):
        return (
            f"{beside} holds another release of the same network, and one of the two is synthetic. Whoever "
            f"has both knows more than from either: publish one only."
        )
    both = either_way(
        f"netveil.audit_together(original, [{str(beside)!r}, {str(folder)!r}])",
        f"netveil audit ORIGINAL {beside} {folder}",
    )
    return (
        f"{beside} holds another release of the same network. Whoever has two can lay them on each other, "
        f"which undoes most deletions: publish one only. What both give away: {both}"
    )
