"""The budget Γ: how many edges may be deleted, given as a share or as a number."""

from __future__ import annotations

import re
from fractions import Fraction

from netveil.errors import SettingError

# 1e999999999 is a number, and takes as long as its digits to write out exactly.
_HUGE_EXPONENT = re.compile(r"e[+-]?\d{4}", re.IGNORECASE)


def budget_in_edges(budget: str | int | float | Fraction, edges: int) -> int:
    """Budget as a number of edges: '5%', '0.05' and 0.05 are shares, rounded down; '40' and 40 are edges.

    Exact arithmetic: 0.29 of 100 edges is 29 edges, though 0.29 * 100 is less than 29 in floating point.
    """
    rule = f"give a share up to 100% (5% or 0.05) or a number of edges (at most {edges})."
    text = str(budget).strip()
    if isinstance(budget, bool):
        raise SettingError(f"budget {budget} is not a number; {rule}")
    try:
        if _HUGE_EXPONENT.search(text):
            raise ValueError
        in_percent = text.endswith("%")
        value = Fraction(text.removesuffix("%").strip())
        is_share = in_percent or not text.lstrip("+-").isdigit()
        share = value / 100 if in_percent else value
    except (ValueError, ZeroDivisionError):
        raise SettingError(f"budget '{text}' is not a number; {rule}") from None
    if value < 0:
        raise SettingError(f"budget {text} is negative; {rule}")
    if is_share and share > 1:
        raise SettingError(f"budget {text} is more than all edges; {rule}")
    if not is_share and value > edges:
        raise SettingError(f"budget {text} is more than the network's {edges} edges; {rule}")
    return int(share * edges) if is_share else int(value)
