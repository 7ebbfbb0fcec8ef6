"""What a release gives away besides its edges: one record for every check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LOOKED_FOR = (
    "labels that look like names or addresses, labels or an order that repeat the original's, "
    "extra columns, comments, files and entries that must not be published, and figures from which "
    "deletions follow"
)
"""What the checks look for, as the end of a sentence."""


@dataclass(frozen=True)
class Leak:
    """One finding. Names nobody: neither a label nor any other text of the release is quoted."""

    severity: Literal["leak", "warning"]  # does give people away, or may
    kind: Literal["labels", "order", "columns", "comments", "files", "figures"]
    finding: str  # one sentence
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.finding} {self.remedy}"
