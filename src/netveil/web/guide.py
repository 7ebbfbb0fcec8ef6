"""Three questions in plain words, and what follows: attackers, k and budget, with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from netveil.web.answers import mistake

LARGE = 200_000  # ties, from which comparing whole circles takes long
FEW_PEOPLE = 200  # in so small a network, ten lookalikes for each are more than can be had


class Answer(NamedTuple):
    """An answer to a question, what it means, and what follows."""

    answer: str
    explains: str
    options: dict[str, Any]
    reason: str


QUESTIONS: dict[str, tuple[str, dict[str, Answer]]] = {
    "attacker": (
        "Who could try to find people in it?",
        {
            "stranger": Answer(
                "Somebody who knows little",
                "Such as who has read that somebody has 40 contacts.",
                {"measures": ["degree"], "distance": 1},
                "Measure degree: she knows how many contacts a person has, and nothing else.",
            ),
            "acquaintance": Answer(
                "Somebody who knows the person a little",
                "Knows how many contacts they have, and how many of these know each other. The usual choice.",
                {"measures": ["count"], "distance": 1},
                "Measure count: she has counted a person's contacts and the ties among them.",
            ),
            "insider": Answer(
                "Somebody from the same circle",
                "A colleague or classmate, who knows exactly who among the contacts knows whom.",
                {"measures": ["ego"], "distance": 1},
                "Measure ego: she knows a person's whole circle. Nobody can know more about it.",
            ),
            "collector": Answer(
                "Somebody who has collected data elsewhere",
                "Such as a crawl of another network with many of the same people.",
                {"measures": ["count", "vertex-refinement"], "distance": 1},
                "Measures count and vertex-refinement: she can count contacts, the ties among them, and the "
                "contacts of each contact. Whoever has the whole network finds people all the same: the "
                "audit says how many.",
            ),
        },
    ),
    "alike": (
        "How many people must look alike, so that nobody can say which of them is meant?",
        {
            "two": Answer(
                "Two are enough",
                "Everyone protected has at least one lookalike.",
                {"k": 2},
                "k = 2: everyone protected is hidden by one lookalike. This costs the fewest ties.",
            ),
            "few": Answer(
                "A handful",
                "Everyone protected is one of five or more.",
                {"k": 5},
                "k = 5: for everyone protected, a guess is right at most one time in five. Many data offices "
                "ask for so much.",
            ),
            "many": Answer(
                "Ten or more",
                "For data on health, beliefs and the like.",
                {"k": 10},
                "k = 10: for everyone protected, a guess is right at most one time in ten. This costs many "
                "ties.",
            ),
        },
    ),
    "change": (
        "How much of the network may be changed?",
        {
            "hardly": Answer(
                "Hardly anything",
                "The analysis needs nearly every tie.",
                {"budget": "1%", "target": None},
                "Budget 1%: at most one tie in a hundred is deleted. Some people will remain at risk; the "
                "page says who.",
            ),
            "little": Answer(
                "A little",
                "Figures may move slightly. The usual choice.",
                {"budget": "5%", "target": None},
                "Budget 5%: at most one tie in twenty is deleted, which most analyses hardly notice.",
            ),
            "needed": Answer(
                "As much as is needed",
                "Protection comes first.",
                {"budget": None, "target": "95%"},
                "Target 95%: as few ties are deleted as it takes until 95% of the people have lookalikes.",
            ),
        },
    ),
}
ABOUT = {"attacker": "measures", "alike": "k", "change": "budget"}


def questions() -> list[dict[str, Any]]:
    """The questions, to be asked."""
    return [
        {
            "name": name,
            "question": question,
            "answers": [
                {"name": key, "answer": each.answer, "explains": each.explains}
                for key, each in answers.items()
            ],
        }
        for name, (question, answers) in QUESTIONS.items()
    ]


def proposal(
    answers: Mapping[str, Any], nodes: int | None = None, edges: int | None = None
) -> dict[str, Any]:
    """Attackers, k and budget that fit the answers, with reasons; the size of the network counts if known.

    >>> proposal({"attacker": "insider", "alike": "two", "change": "hardly"})["options"]
    {'measures': ['ego'], 'distance': 1, 'k': 2, 'budget': '1%', 'target': None}
    """
    options: dict[str, Any] = {}
    reasons = []
    for name, (question, known) in QUESTIONS.items():
        chosen = known.get(answers[name]) if isinstance(answers[name], str) else None
        if chosen is None:
            raise mistake(f"“{question}” can be answered by {', '.join(known)}.")
        options |= chosen.options
        reasons.append({"about": ABOUT[name], "reason": chosen.reason})
    reasons += [{"about": about, "reason": reason} for about, reason in _remarks(options, nodes, edges)]
    if nodes is not None and options["k"] > nodes:
        options["k"] = max(2, nodes)
    return {"options": options, "reasons": reasons}


def _remarks(options: dict[str, Any], nodes: int | None, edges: int | None) -> list[tuple[str, str]]:
    """What the size of the network means for the proposal."""
    remarks = []
    if edges is not None and edges > LARGE and "ego" in options["measures"]:
        remarks.append(
            ("measures", f"With {edges:,} ties, comparing whole circles takes long; count is much quicker.")
        )
    if nodes is not None and nodes < FEW_PEOPLE and options["k"] >= 5:
        remarks.append(
            (
                "k",
                f"Among {nodes:,} people, {options['k']} lookalikes for each are much to ask; 2 cost less.",
            )
        )
    return remarks
