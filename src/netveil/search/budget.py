"""The budget Γ: how many edges may be deleted. The target: which share of nodes must be k-anonymous."""

from __future__ import annotations

import re
from fractions import Fraction

from netveil.errors import SettingError, option
from netveil.formatting import Share, counted, parsed_number, parsed_share, percent
from netveil.job import Anonymization

_WHOLE_WITH_POINT = re.compile(r"\+?(\d+)\.0*")


def edges_allowed(budget: Share | None, has_target: bool, edges: int) -> int:
    """How many edges may be deleted. Without a budget 5% of them, or all where a target is to be reached."""
    return budget_in_edges(_asked(budget, has_target), edges)


def asked_share(budget: Share | None, has_target: bool) -> str | None:
    """The share that was asked for, as text; None if it was a number of edges.

    >>> asked_share(0.07, has_target=False), asked_share(None, has_target=False), asked_share(7, False)
    ('7%', '5%', None)
    """
    is_share, value = parsed_budget(_asked(budget, has_target))
    return percent(value) if is_share else None


def _asked(budget: Share | None, has_target: bool) -> Share:
    if budget is None:
        return "100%" if has_target else "5%"
    return budget


def budget_in_edges(budget: Share, edges: int) -> int:
    """Budget as a number of edges: '5%', '0.05' and 0.05 are shares, rounded down; '40' and 40 are edges.

    Exact arithmetic: 0.29 of 100 edges is 29 edges, though 0.29 * 100 is less than 29 in floating point.
    """
    rule = f"give a share up to 100% (5% or 0.05) or a number of edges (at most {edges})."
    is_share, value = parsed_budget(budget, rule)
    if not is_share and value > edges:
        raise SettingError(f"budget {value} is more than the network's {edges} edges; {rule}")
    return int(value * edges) if is_share else int(value)


def parsed_budget(
    budget: Share, rule: str = "give a share up to 100% (5% or 0.05) or a number of edges."
) -> tuple[bool, Fraction]:
    """Whether a budget is a share, and its value: a share up to 1, or a number of edges."""
    text = str(budget).strip()
    is_share = not text.lstrip("+-").isdigit()
    value = parsed_number(budget, "budget", rule)
    if value < 0:
        raise SettingError(f"budget {text} is negative; {rule}")
    if is_share and value > 1:
        whole = _WHOLE_WITH_POINT.fullmatch(text)
        meant = f" (for {whole[1]} edges give {whole[1]})" if whole else ""
        raise SettingError(f"budget {text} is more than all edges{meant}; {rule}")
    return is_share, value


def without_effect(job: Anonymization, edges: int) -> list[str]:
    """Sentences on options that change nothing in a network of so many edges."""
    told = []
    if edges and edges_allowed(job.budget, job.target is not None, edges) == 0:
        is_share, value = parsed_budget(_asked(job.budget, False))
        if is_share and value:
            told.append(
                f"budget {percent(value)} of {counted(edges, 'edge')} is less than one edge: nothing can be "
                f"deleted; give at least {option('budget', 1)}."
            )
    if job.effort is not None and job.time is not None:
        told.append(
            "effort has no effect beside a time, which says how long to search; leave one of them out."
        )
    return told


def parsed_target(target: Share) -> Fraction:
    """The share as an exact number: '95%', '0.95' and 0.95 are 19/20."""
    rule = "give a share of the people, more than 0% and up to 100%, such as 95% or 0.95."
    return parsed_share(target, "target", rule, above_zero=True)
