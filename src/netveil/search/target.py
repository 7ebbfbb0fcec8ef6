"""The target: the share of nodes that must be k-anonymous (Definition 1: full or partial anonymization)."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from netveil.share import Share, parsed_share


def parsed_target(target: Share) -> Fraction:
    """The share as an exact number: '95%', '0.95' and 0.95 are 19/20."""
    rule = "give a share of the people, more than 0% and up to 100%, such as 95% or 0.95."
    return parsed_share(target, "target", rule, above_zero=True)


def at_risk_for(share: Fraction, nodes: int) -> int:
    """The nodes that may be at risk while that share of all is k-anonymous."""
    return floor((1 - share) * nodes)
