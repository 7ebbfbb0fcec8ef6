"""How does a file become a Network, and back? One module a format; `FORMATS` is the one list of them.

bytes in a file -> `storage` (compression) -> a format's `read` -> Network
Network -> a format's `write` -> `storage` (whole or not at all) -> bytes in a file
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names
from netveil.registries import FORMATS

if TYPE_CHECKING:
    from netveil.files.format import Columns, Format, ReadAs
    from netveil.files.protected import Protect, protected_edges
    from netveil.files.read_write import (
        find_release,
        format_of,
        format_to_write,
        read,
        read_as,
        read_labels,
        suffix_for,
        write,
        write_published,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
