"""What a longer search would probably bring, as far as one search can tell.

Nothing, where the result was shown to be the least (`search.exhaustive`). Elsewhere nobody knows for sure.
A search that cools down finds much shortly before its end, however long it is. That its curve falls there
says nothing about more time, so the curve cannot be drawn on. The forecast is what ten times the time brought
elsewhere (`Algorithm.tenfold`). The search's own curve can only speak against it: where the whole second half
found nothing better, there is probably little left to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from netveil.search import ALGORITHMS, Outcome, Progress
from netveil.search.algorithm import Tenfold
from netveil.words import duration

PROPOSALS_AN_EDGE = 100  # fewer tell nothing: such a search has hardly begun to cool
ROWS = 20  # of a history, without which its halves cannot be compared
FEW = 10  # people; of fewer, how many a search leaves is chance more than time


class Left(NamedTuple):
    """How many people a search ten times as long would leave at risk."""

    fewest: int
    likely: int
    most: int


class Outlook(NamedTuple):
    """What a longer search would probably bring."""

    sentence: str  # or two; empty where there was no search, or nothing is left to find
    left: Left | None = None  # where figures can be given


def longer_search(outcome: Outcome, edges: int) -> Outlook:
    """What ten times the time would probably bring; `edges` are those of the original."""
    chosen = ALGORITHMS.get(outcome.algorithm)
    measured = () if chosen is None else chosen.tenfold
    if not outcome.history or outcome.least:
        return Outlook("")
    if outcome.at_risk_after <= outcome.enough:
        nobody = f"Nobody is left at risk to {outcome.attackers.name} with k = {outcome.k}"
        achieved = "The target is reached" if outcome.at_risk_after else nobody
        return Outlook(f"{achieved}: a longer search could only save deletions.")
    if outcome.stopped_by == "interrupted":
        return Outlook(
            "The search was interrupted. Had it gone on to its end, it would probably have left fewer people "
            "at risk; how many cannot be told."
        )
    if not measured and outcome.stopped_by != "time":
        return Outlook("This search ends by itself, whatever the time: more of it would change nothing.")
    is_short = bool(measured) and outcome.evaluations < PROPOSALS_AN_EDGE * edges
    if not is_short and _is_flat(outcome.history):
        return Outlook(
            "The second half of the search found nothing better: a longer one would probably bring little or "
            "nothing, though that is not certain."
        )
    if not measured:
        return Outlook("More time would probably leave fewer people at risk; how many cannot be told.")
    why = "this one was too short to judge by" if is_short else _why_not(outcome)
    if why:
        return Outlook(f"How many people a longer search would leave at risk cannot be told: {why}.")
    left = _left(outcome, measured)
    return Outlook(
        f"Searching ten times as long ({duration(10 * outcome.seconds)}) would probably leave about "
        f"{left.likely:,} of these {outcome.at_risk_after:,} people at risk, between {left.fewest:,} and "
        f"{left.most:,}, judging by searches on other networks.",
        left,
    )


def whether_least(outcome: Outcome) -> str:
    """Whether the result was shown to be the least, in a sentence; empty where there was no search."""
    if not outcome.history:
        return ""
    if not outcome.least:
        return "Not shown to be the least: another search, perhaps a longer one, may find fewer."
    if outcome.at_risk_after > outcome.enough:
        return (
            "Shown to be the least: no deletion that was allowed leaves fewer people at risk, and none of "
            "fewer edges as few."
        )
    falls_short = "miss the target" if outcome.target is not None else "leave somebody at risk"
    return f"Shown to be the least: all deletions of fewer edges that were allowed {falls_short}."


def _why_not(outcome: Outcome) -> str:
    """Why what was measured elsewhere says nothing about this search, if so."""
    if outcome.resumed:
        return "this one went on from an earlier one"
    if outcome.curve:
        return "this one shared its time out among the points of a curve"
    special = outcome.limits or outcome.target is not None
    if special or outcome.attackers.name != "count" or outcome.k != 2:
        return "that was tried for measure count and k = 2 only, without target and limits"
    if outcome.at_risk_after < FEW:
        return "so few are left that chance decides, more than time"
    return ""


def _left(outcome: Outcome, measured: Sequence[Tenfold]) -> Left:
    deletions = outcome.budget / outcome.at_risk_before
    row = [row for row in measured if row.deletions <= deletions][-1]
    now = outcome.at_risk_after
    return Left(floor(row.low * now), round(row.likely * now), min(ceil(row.high * now), now))


def _is_flat(history: Sequence[Progress]) -> bool:
    """Whether nothing better came in the second half: by solutions tried, not by the clock."""
    half = history[-1].evaluations / 2
    first = [row.objective for row in history if row.evaluations <= half]
    return len(history) >= ROWS and bool(first) and min(first) <= history[-1].objective
