"""Published networks: from a folder of the user's, from the cache, or from their public homes, and checked.

NETVEIL_DATA, else the cache, else the address → a reader of `files` → checked → Network
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.fetching.catalogue import CATALOGUE, PAPER, FetchableNetwork
    from netveil.fetching.finding import (
        DownloadLimits,
        DownloadProgress,
        FoundNetwork,
        cache_folder,
        fetch,
        find_network,
        place_of,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
