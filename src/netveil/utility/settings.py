"""What a user can decide about a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from netveil.errors import SettingError, unknown_name

CLUSTERING_WAYS = ("paper", "textbook")


@dataclass(frozen=True, kw_only=True)
class MetricSettings:
    """What a user can decide about a comparison."""

    seed: int = 0  # decides what is random: communities, and sources where paths are sampled
    exact: bool = False  # never sample or shorten, however long it takes
    top: int | None = None  # nodes that count as central: 100, or a fifth of the nodes if that is less
    clustering: str = "paper"  # 'paper' leaves nodes with fewer than two neighbours out, 'textbook' counts 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SettingError(f"seed {self.seed}: give a whole number, 0 or more.")
        if self.top is not None and self.top < 1:
            raise SettingError(f"top {self.top}: give the number of central nodes to compare, 1 or more.")
        if self.clustering not in CLUSTERING_WAYS:
            raise unknown_name("clustering", self.clustering, CLUSTERING_WAYS)
