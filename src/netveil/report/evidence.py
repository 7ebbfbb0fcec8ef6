"""What a report shows besides the release itself: computed by the workflow, each part can be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from netveil.auditing import Audit
from netveil.search import Outcome
from netveil.utility import Comparison


@dataclass(frozen=True)
class Evidence:
    """What other algorithms find, what the deletion cost, and what attackers could still do."""

    baselines: Mapping[str, Outcome] = field(default_factory=dict)  # by algorithm, with the same budget
    comparison: Comparison | None = None  # of the original with what remains
    audit: Audit | None = None  # of the published network
    skipped: tuple[str, ...] = ()  # parts that were wanted, and interrupted
