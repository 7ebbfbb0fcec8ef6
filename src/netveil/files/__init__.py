"""File -> Network and back: one module a format, all of them in `FORMATS`.

bytes in a file -> `storage` (compression) -> a format's `read` -> Network
Network -> a format's `write` -> `storage` (whole or not at all) -> bytes in a file
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.files.formats import FORMATS
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.files.format import Format
    from netveil.files.protected import Protect, protected_edges
    from netveil.files.read_write import format_of, read, suffix_for, write
    from netveil.files.release_files import find_release, read_labels
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "format": ["Format"],
            "protected": ["Protect", "protected_edges"],
            "release_files": ["find_release", "read_labels"],
            "read_write": ["format_of", "read", "suffix_for", "write"],
        },
    )

__all__ = [
    "FORMATS",
    "Format",
    "Protect",
    "find_release",
    "format_of",
    "protected_edges",
    "read",
    "read_labels",
    "suffix_for",
    "write",
]
