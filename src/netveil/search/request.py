"""What is asked of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.anonymity import Attackers
from netveil.files import Protect
from netveil.search.algorithms import DEFAULT_ALGORITHM
from netveil.share import Share

if TYPE_CHECKING:
    from netveil.kernels.arrays import IntVector


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """Whom to protect from, at what cost, and how to search; `netveil.anonymize` explains each."""

    attackers: Attackers
    budget: str | int | float | None = None
    target: Share | None = None
    algorithm: str = DEFAULT_ALGORITHM
    config: str | Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    time: float | None = None
    effort: float | None = None
    threads: int | None = None
    keep: Mapping[str, Share] = field(default_factory=dict)
    protect: Protect | IntVector | None = None  # edges also by their numbers, as an array
    curve: bool = False
    start: IntVector | None = None
