"""The one list of formats, each in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.files.format import Format

FORMATS: Registry[Format] = Registry(
    "netveil.files",
    {
        "edge-list": "edge_list:FORMAT",
        "graphml": "graphml:FORMAT",
        "gml": "gml:FORMAT",
        "pajek": "pajek:FORMAT",
        "matrix-market": "matrix_market:FORMAT",
        "nauty": "nauty:FORMAT",
        "json": "node_link:FORMAT",
        "parquet": "parquet:FORMAT",
        "arrow": "arrow:FORMAT",
        "xlsx": "xlsx:FORMAT",
        "matrix": "matrix:FORMAT",
        "adjacency-list": "adjacency_list:FORMAT",
    },
)
"""Every format by its name."""
