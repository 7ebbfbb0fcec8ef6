"""An attacker who knows that a release is made by deleting edges: numbers fall, and never rise.

Who only knows that her numbers may be off looks for numbers around hers. But where edges are deleted and none
are added, no number of `degree`, `count` or `edge-count` rises. So she looks between (1 - φ) of each number
and the number itself. In such a release she misses nobody whom the other one has among her candidates for the
same φ, and has fewer wrong ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from netveil.anonymity import Attacker
from netveil.anonymity.measure import only_falls
from netveil.errors import SettingError, option
from netveil.share import Share, parsed_share, percent


def parsed_deletions(value: Share) -> Fraction:
    """The share that is meant, exactly, as `parsed_fuzzy` has it."""
    return parsed_share(value, "deletions", "give a share from 0% to 100%, such as 5% or 0.05.")


@dataclass(frozen=True)
class DeletionsAttacker(Attacker):
    """An attacker for whom `fuzzy` is the share by which deletions have lowered each number at most."""

    def __post_init__(self) -> None:
        if self.fuzzy is None or not only_falls(self.measure):
            raise SettingError(
                f"measure {self.measure.name} cannot allow for deletions: its states are not known to be "
                f"numbers that only fall by them; leave {option('deletions')} out, or choose degree, count "
                f"or edge-count."
            )
        super().__post_init__()

    @property
    def name(self) -> str:
        """As for any attacker, with the share that deletions may have taken."""
        return super().name.replace(", fuzzy ", ", deletions ")

    @property
    def _how_far_and_how_exact(self) -> str:
        assert self.fuzzy is not None
        farther = "" if self.distance == 1 else f", up to distance {self.distance}"
        return f"{farther}, and allows for deletions that lower each number by up to {percent(self.fuzzy)}"
