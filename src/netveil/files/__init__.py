"""How does a file become a Network, and back? One module a format; `FORMATS` is the one list of them.

bytes in a file -> `storage` (compression) -> a format's `read` -> Network
Network -> a format's `write` -> `storage` (whole or not at all) -> bytes in a file
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.files.formats import FORMATS
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.files.asked import Columns, ReadAs
    from netveil.files.format import Format
    from netveil.files.protected import Protect, protected_edges
    from netveil.files.read_write import format_of, format_to_write, read, read_as, suffix_for, write
    from netveil.files.release_files import find_release, read_labels, write_published
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
