"""Forms of the page: what there is to choose from, and what was chosen, checked before anything is queued.

The options of a search are those of its job. The guide asks three questions in plain words, and proposes
attackers, k and budget.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from netveil._version import __version__
from netveil.anonymity import DEFAULT_MEASURE, MEASURES
from netveil.errors import unknown_name
from netveil.files import FORMATS
from netveil.files.tables.lines import SEPARATORS
from netveil.job import Anonymization, Declared, Job, OptionError
from netveil.opening import BUILTIN
from netveil.search import LIMITS, check_fits
from netveil.web.answers import in_words, mistake, with_fields
from netveil.web.work.looking import DEAR

MOST = {"seed": 2**53, "time": 1_000_000, "effort": 1_000_000}
"""The largest numbers that are taken; those in JSON are exact up to that seed."""


def options_on_page(kind: type[Job] = Anonymization) -> dict[str, Declared]:
    """The options of a job that the page may set: no code and no file of this machine is named there."""
    return {name: each for name, each in kind.declared().items() if each.about.on_page}


def defaults_on_page(kind: type[Job] = Anonymization) -> dict[str, Any]:
    """Defaults of the options on the page; there, `protect` is the text of a file."""
    document, known = kind().to_document(), options_on_page(kind)
    return {name: document[name] for name in known} | {"protect": "", "keep_attributes": []}


DEFAULTS = defaults_on_page()


def checked_options(
    given: Any, nodes: int, edges: int, kind: type[Anonymization] = Anonymization
) -> dict[str, Any]:
    """All options of a search, defaults filled in, checked as far as that can be done without searching."""
    if not isinstance(given, Mapping):
        raise mistake("options must be an object of JSON.")
    known = options_on_page(kind)
    for name in given:
        if name not in known:
            raise mistake(in_words(unknown_name("option", str(name)[:40], known)))
    job = checked_job({**defaults_on_page(kind), **given}, kind)
    if not isinstance(job.protect, str):
        raise mistake("protect: this is not a value that it can have.", "protect")
    with _in_its_field():
        check_fits(job, nodes, edges)
    for name, most in MOST.items():
        if (getattr(job, name) or 0) > most:
            raise mistake(f"{name} {getattr(job, name)}: give at most {most:,}.", name)
    options = {name: value for name, value in job.to_document().items() if name in known}
    if options["seed"] is None:  # drawn now, so that it is known from the start
        options["seed"] = secrets.randbits(32)
    return options


def checked_job(options: Mapping[str, Any], kind: type[Anonymization] = Anonymization) -> Anonymization:
    """The job with these options; each attacker is a measure of netveil's own: a request must run no code."""
    with _in_its_field():
        job = kind.from_document(options)
        if not isinstance(job.measures, list | tuple) or not job.measures:
            raise OptionError("No attacker is chosen; choose one or more.", "measures")
        for name in job.measures:
            if not isinstance(name, str) or name not in MEASURES:
                raise OptionError(str(unknown_name("measure", str(name)[:40], MEASURES)), "measures")
        job.attackers.each  # noqa: B018  # checks them
    return job


@contextmanager
def _in_its_field() -> Iterator[None]:
    """Show what is wrong with an option beside its field."""
    try:
        yield
    except OptionError as error:
        raise mistake(in_words(error), error.option) from None


ATTACKERS = {name: DEFAULTS[name] for name in Anonymization.declared("attackers")}


def attackers_in(query: QueryParams) -> dict[str, Any]:
    """Attackers in the query of a request, checked."""
    asked = {
        **ATTACKERS,
        "measures": query.getlist("measure") or ATTACKERS["measures"],
        "distance": number_in(query, "distance", ATTACKERS["distance"]),
        "k": number_in(query, "k", ATTACKERS["k"]),
        "fuzzy": query.get("fuzzy") or None,
        "twins": query.get("twins", "") in ("true", "1", "yes"),
    }
    checked_job(asked)
    return asked


def number_in(query: QueryParams, name: str, usual: int) -> int:
    """Whole number in the query of a request."""
    given = query.get(name, str(usual))
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise mistake(f"{name}: give a whole number.")
    return int(given)


def choices(kind: type[Job] = Anonymization) -> dict[str, Any]:
    """What there is to choose from: measures, algorithms, limits, formats, and all options of a job."""
    return {
        "version": __version__,
        "measures": [
            {"name": name, "knowledge": measure.attacker, "dear": name in DEAR}
            for name, measure in MEASURES.items()
        ],
        "default_measure": DEFAULT_MEASURE,
        "limits": [
            {"name": name, "description": description} for name, description in LIMITS.descriptions.items()
        ],
        "formats": list(FORMATS),
        "separators": list(SEPARATORS.values()),
        "builtin": [
            {"name": name, "description": each.description, "available": each.available()}
            for name, each in BUILTIN.items()
        ],
        "defaults": defaults_on_page(kind),
        "options": [
            {"name": name, "kind": each.kind, "default": each.default, "help": with_fields(each.about.help)}
            for name, each in options_on_page(kind).items()
        ],
    }


LARGE = 200_000  # ties, from which comparing whole circles takes long
FEW_PEOPLE = 200  # in so small a network, ten lookalikes for each are more than can be had


class Answer(NamedTuple):
    """Answer to a question: what it means, and which options follow."""

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
    """Questions of the guide, without what follows from their answers."""
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
            ("k", f"Among {nodes:,} people, {options['k']} lookalikes for each are much to ask; 2 cost less.")
        )
    return remarks
