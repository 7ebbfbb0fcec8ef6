"""Register of releases: which releases were made of which network, and what was decided about them. Private.

One file of the user's, whatever folder a release lies in: `register.json` in netveil's data folder, or the
file that NETVEIL_REGISTER names (none if that is empty). It has a network's fingerprint by labels and edges,
the folders of releases and their verdicts, and is never part of a release.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from netveil.deciding import Decided
from netveil.errors import SettingError
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.files.staging import Hold, InUseError
from netveil.files.storage import write_whole

VARIABLE = "NETVEIL_REGISTER"
MOST_ENTRIES = 2_000  # the oldest go
TRIES, SECONDS_A_TRY = 100, 0.05  # while another process writes


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

    @property
    def is_there(self) -> bool:
        """Whether the folder still holds a release."""
        return os.path.isdir(Path(self.release, "public"))  # noqa: PTH112  # Path.is_dir may raise

    def version(self) -> dict[str, Any]:
        """The entry of a decision log: what was tried, and why it was rejected if it was."""
        rejected = self.verdict if self.met is False else None
        return {
            "release": Path(self.release).name,
            "kind": self.kind,
            "k": self.k,
            "made_at": self.made_at,
            "rejected_because": rejected,
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
    if file is None:
        return ()
    try:
        return tuple(each for each in _read(file) if each.fingerprint == fingerprint)
    except (OSError, DamagedRecordError) as error:
        tell(_damaged(file, error))
        return ()


def enter(entry: Registered, tell: Callable[[str], None]) -> None:
    """Add a release that was written; warns if that is not possible, as the release is there."""
    file = register_file()
    if file is None:
        return
    hold = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hold = _held(file.parent)
        entries = [*_read(file), entry][-MOST_ENTRIES:]
        text = json.dumps({"releases": [asdict(each) for each in entries]}, indent=1)
        write_whole(text.encode(), file, private=True)
    except DamagedRecordError as error:
        tell(_damaged(file, error))
    except (OSError, InUseError) as error:
        why = getattr(error, "strerror", None) or "another netveil is writing it"
        tell(f"{file}: the register of releases cannot be written ({why}), so this release is not in it.")
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
    from msgspec import convert

    try:
        record = read_record(file, {"releases": list[Registered]})
    except FileNotFoundError:
        return []
    return convert(record["releases"], list[Registered])


def _damaged(file: Path, error: Exception) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return (
        f"{file}: the register of releases cannot be read ({why}), so earlier releases are not known. Move "
        f"it away, or restore it from a backup."
    )


def entry_of(
    fingerprint: str,
    content: Sequence[object],
    folder: Path,
    kind: str,
    k: int,
    made_at: str,
    decided: Decided,
) -> Registered:
    """The entry of a release that was written to a folder."""
    met = None if decided.judgement is None else decided.judgement.met
    verdict, path = decided.verdict, str(folder.resolve())
    return Registered(fingerprint, content_digest(content), path, kind, k, made_at, verdict, met)


def content_digest(content: Sequence[object]) -> str:
    """Digest of what decides a published network."""
    return hashlib.sha256(repr(content).encode()).hexdigest()


def others_than(
    folder: Path, content: Sequence[object] | None, entries: Sequence[Registered]
) -> Iterator[Registered]:
    """Releases of these that are still there, in another folder and with other content; the newest first."""
    here, newest = str(folder.resolve()), {each.release: each for each in entries}
    for path, each in reversed(newest.items()):
        is_copy = content is not None and each.content == content_digest(content)
        if path != here and not is_copy and each.is_there:
            yield each


def refuse_second(policy_name: str, folder: Path, entries: Sequence[Registered]) -> None:
    """Raise SettingError if there is another release already that was not rejected."""
    for other in others_than(folder, None, entries):
        if other.met is not False:
            raise SettingError(
                f"policy {policy_name} allows one release of a network, and {other.release} holds one, made "
                f"on {other.made_at[:10]}. Remove it if it was not published, or publish that one."
            )
