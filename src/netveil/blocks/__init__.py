"""Networks that do not fit into memory: cut into blocks of nodes on disk, and counted block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.blocks.cutting import Blocks, cut_network, open_blocks
    from netveil.blocks.measuring import BlockAnonymity, measure_blocks
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
