"""Pajek: `*Vertices`, then `*Edges` or `*Arcs`. Read by igraph; written by us, labels and edges only."""

from __future__ import annotations

import re

from netveil.files.format import Format
from netveil.files.igraph_reader import read_with_igraph
from netveil.files.labels import is_numbered, label_texts
from netveil.files.text import decoded
from netveil.network import Network

_UNFIT = re.compile('["\r\n]')


def read(content: bytes, file: str) -> Network:
    """Network from a Pajek file."""
    return read_with_igraph(decoded(content, file).encode(), file, "Pajek")


def write(network: Network, file: str) -> bytes:
    """Pajek network; the format counts nodes from 1."""
    lines = [f"*Vertices {network.node_count}"]
    if not is_numbered(network):
        texts = label_texts(network, file, _UNFIT, "a quote or a line break")
        lines += [f'{number} "{text}"' for number, text in enumerate(texts, start=1)]
    lines.append("*Edges")
    lines += [f"{u} {v}" for u, v in (network.edges + 1).tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


FORMAT = Format(
    name="pajek",
    suffixes=(".net", ".paj"),
    description="network of Pajek, vertices and then edges",
    read=read,
    write=write,
)
