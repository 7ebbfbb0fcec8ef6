"""Attackers who match whole networks, for people to read: sentences, and a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from netveil.auditing.matching.matchers import MATCHERS
from netveil.auditing.matching.score import Matching, Score
from netveil.columns import in_columns
from netveil.digits import percentage
from netveil.words import counted

HARDLY_ANYBODY = 0.01  # of the people: fewer found is no reason not to publish
NO_BETTER = 0.02  # of the people: so little less than after random deletions is no protection

CONSEQUENCE = (
    "So publish only if nobody who could attack has the network itself; or raise the budget, though that "
    "helps little; or do not publish."
)

NOT_TRIED = (
    "Somebody who has the original network itself was not tried, as that takes hours in so large a network. "
    "Do not take it that she finds nobody: in smaller ones she often finds nearly everybody."
)


def worst(rows: Sequence[Matching]) -> Matching | None:
    """The attacker who has the whole network and recognises nobody beforehand, if she was tried."""
    return next((row for row in rows if row.knows_all), None)


def sentences(rows: Sequence[Matching], left_out: int = 0) -> list[str]:
    """What the person who signs must know of somebody who has the network itself.

    Nothing if she was not to be tried; that she was not, if she was left out because it takes too long.
    """
    whole = worst(rows)
    if whole is None:
        return [NOT_TRIED] if left_out and not rows else []
    score = whole.release
    told = [
        f"Somebody who has the original network itself, and recognises nobody beforehand, finds "
        f"{_of_all(score)} in the release, and mistakes {_wrong(score)}."
    ]
    told.append(
        f"In the original she finds {percentage(whole.original.share_found)}; after as many random deletions "
        f"{percentage(whole.random_deletion.share_found)}."
    )
    if is_no_better(whole):
        told.append("Against her, this release is no better than random deletion.")
    told += [*_with_less(rows), *_with_seeds(rows, whole)]
    if score.share_found > HARDLY_ANYBODY:
        told.append(CONSEQUENCE)
    return told


def brief(rows: Sequence[Matching], left_out: int = 0) -> list[str]:
    """The same in two sentences, where there is no room for more."""
    whole = worst(rows)
    if whole is None:
        return sentences(rows, left_out)
    beside = "no better than" if is_no_better(whole) else "against"
    told = [
        f"Somebody who has the original network itself finds {_of_all(whole.release)} in the release "
        f"({beside} {percentage(whole.random_deletion.share_found)} after random deletions)."
    ]
    return [*told, CONSEQUENCE] if whole.release.share_found > HARDLY_ANYBODY else told


def is_no_better(row: Matching) -> bool:
    """Whether she finds about as many as if edges had been deleted at random, and finds people at all."""
    found, after_random = row.release.share_found, row.random_deletion.share_found
    return found > HARDLY_ANYBODY and found > after_random - NO_BETTER


def _of_all(score: Score) -> str:
    return f"{score.found:,.0f} of {score.people:,.0f} people ({percentage(score.share_found)})"


def _wrong(score: Score) -> str:
    """How many she is wrong about: the end of 'and mistakes …'."""
    wrong = round(score.wrong)
    return (
        "nobody for somebody else"
        if wrong == 0
        else f"{counted(wrong, 'person', 'people')} for somebody else"
    )


def _with_less(rows: Sequence[Matching]) -> list[str]:
    """What is left if she knows half or a quarter of the ties."""
    shares = {0.5: "half", 0.25: "a quarter"}
    found = {
        row.knowledge.known: row.release.share_found
        for row in rows
        if row.knowledge.ties == "random" and not row.knowledge.seeds and row.knowledge.known in shares
    }
    told = [f"{percentage(found[known])} with {name}" for known, name in shares.items() if known in found]
    return [f"If she knows fewer of the ties, she finds {' and '.join(told)} of them."] if told else []


def _with_seeds(rows: Sequence[Matching], whole: Matching) -> list[str]:
    """Whether somebody who recognises people finds clearly more."""
    with_all = [row for row in rows if row.knowledge.known == 1 and row.knowledge.seeds]
    best = max(with_all, key=lambda row: row.release.share_found, default=whole)
    if best.release.share_found <= whole.release.share_found + NO_BETTER:
        return []
    return [
        f"Somebody who recognises {counted(best.knowledge.seeds, 'person', 'people')} beforehand finds "
        f"{percentage(best.release.share_found)} of the others, and is wrong about "
        f"{percentage(best.release.share_wrong)} ({best.attack})."
    ]


def matching_table(rows: Sequence[Matching], left_out: int) -> str:
    """A line for each attacker and what she knows: people found and wrong, and shares found beside."""
    header = ["attacker", "ties", "seeds", "people", "found", "range", "wrong", "share", "original", "random"]
    cells = [_cells(row) for row in rows]
    lines = in_columns([header, *cells], left=3)
    names = dict.fromkeys(row.attack for row in rows)
    return "\n".join(
        [
            *lines,
            "Attackers who match the whole network. ties: how many she knows (c: those of one community);",
            "seeds: people she recognises beforehand (b: the best-connected), not counted; found, wrong:",
            "people whom she names rightly and wrongly, on average; range: lowest and highest found; share:",
            "found of all; original, random: the same in the original, and if as many edges were deleted at",
            "random. What she does:",
            *in_columns([[f"  {name}", MATCHERS[name].title] for name in names], left=2),
            *(
                [f"{counted(left_out, 'further case')} would take long: matching 'all' tries them."]
                * bool(left_out)
            ),
        ]
    )


def _cells(row: Matching) -> list[str]:
    knowledge, score = row.knowledge, row.release
    low, high = score.found_range
    return [
        row.attack,
        f"{100 * knowledge.known:g}%{' c' if knowledge.ties == 'community' else ''}",
        f"{knowledge.seeds:,}{' b' if knowledge.seeds and knowledge.chosen == 'best-connected' else ''}",
        f"{score.people:,.0f}",
        f"{score.found:,.0f}",
        f"{low:,}" if low == high else f"{low:,}–{high:,}",
        f"{score.wrong:,.0f}",
        percentage(score.share_found),
        percentage(row.original.share_found),
        percentage(row.random_deletion.share_found),
    ]
