"""What a page may ask of a search, and whom it asks about: checked before anything is queued."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.datastructures import QueryParams

from netveil.anonymity import DEFAULT_MEASURE, MEASURES, Attackers, checked_k
from netveil.errors import NetveilError, SettingError, unknown_name
from netveil.search import ALGORITHMS, DEFAULT_ALGORITHM
from netveil.search.budget import edges_allowed, parsed_target
from netveil.search.limits.keep_limits import parsed_limits
from netveil.web.answers import mistake
from netveil.web.wording import in_words

ATTACKERS: dict[str, Any] = {
    "measures": [DEFAULT_MEASURE],
    "distance": 1,
    "k": 2,
    "fuzzy": None,
    "twins": False,
}
DEFAULTS: dict[str, Any] = {
    **ATTACKERS,
    "budget": None,
    "target": None,
    "algorithm": DEFAULT_ALGORITHM,
    "effort": None,
    "time": None,
    "keep": {},
    "protect": "",
    "curve": False,
    "seed": None,
    "threads": None,
    "keep_labels": False,
    "keep_attributes": [],
    "utility": True,
    "audit": True,
    "baselines": True,
    "audit_curve": False,
}
"""Everything that can be asked of a search, as it is if nobody asks."""

SHARE = (str, int, float, type(None))
KINDS: dict[str, tuple[type, ...]] = {
    "measures": (list,),
    "distance": (int,),
    "k": (int,),
    "fuzzy": SHARE,
    "budget": SHARE,
    "target": SHARE,
    "algorithm": (str,),
    "effort": (int, float, type(None)),
    "time": (int, float, type(None)),
    "keep": (dict,),
    "protect": (str,),
    "seed": (int, type(None)),
    "threads": (int, type(None)),
    "keep_attributes": (list,),
}
MOST_SEED = 2**53  # numbers in JSON are exact up to it
MOST_TIME = 1_000_000


def checked_options(given: Any, nodes: int, edges: int) -> dict[str, Any]:
    """All options of a search, as far as they can be checked without searching; an error if one is wrong."""
    if not isinstance(given, Mapping):
        raise mistake("options must be an object of JSON.")
    for name in given:
        if name not in DEFAULTS:
            raise mistake(in_words(unknown_name("option", str(name)[:40], DEFAULTS)))
    options = {**DEFAULTS, **given}
    _check_kinds(options)
    attackers = checked_attackers({name: options[name] for name in ATTACKERS})
    with _in_field("k"):
        checked_k(attackers.k, nodes)
    with _in_field("target"):
        has_target = options["target"] is not None
        if has_target:
            parsed_target(options["target"])
    with _in_field("budget"):
        edges_allowed(options["budget"], has_target, edges)
    with _in_field("keep"):
        parsed_limits(options["keep"])
    with _in_field("algorithm"):
        _check_algorithm(options)
    if options["seed"] is not None and not 0 <= options["seed"] <= MOST_SEED:
        raise mistake(f"seed {options['seed']}: give a whole number from 0 to {MOST_SEED}.", "seed")
    for name in ("time", "effort"):
        if options[name] is not None and not 0 < options[name] <= MOST_TIME:
            raise mistake(f"{name} {options[name]}: give a number above 0, at most {MOST_TIME:,}.", name)
    if options["seed"] is None:  # drawn now, so that it is known from the start
        options["seed"] = secrets.randbits(32)
    return options


def _check_algorithm(options: Mapping[str, Any]) -> None:
    """Raise for an algorithm that does not exist, or cannot do what is asked of it."""
    name = options["algorithm"]
    if name not in ALGORITHMS:
        raise unknown_name("algorithm", name, ALGORITHMS)
    if options["effort"] is not None and not hasattr(ALGORITHMS[name].default, "effort"):
        raise SettingError(f"algorithm {name} has no effort; leave it out, or choose {DEFAULT_ALGORITHM}.")
    if options["curve"] and ALGORITHMS[name].curve is None:
        raise SettingError(f"algorithm {name} has no curve; leave it out, or choose {DEFAULT_ALGORITHM}.")


@contextmanager
def _in_field(name: str) -> Iterator[None]:
    """What is wrong inside is wrong with this field."""
    try:
        yield
    except NetveilError as error:
        raise mistake(in_words(error), name) from None


def checked_attackers(asked: dict[str, Any]) -> Attackers:
    """The attackers that are asked about, each a measure of netveil's own: a request must run no code."""
    _check_kinds(asked)
    for name in asked["measures"]:
        if not isinstance(name, str) or name not in MEASURES:
            raise mistake(in_words(unknown_name("measure", str(name)[:40], MEASURES)), "measures")
    if not asked["measures"]:
        raise mistake("No attacker is chosen; choose one or more.", "measures")
    with _in_field("distance"):
        Attackers.of(asked["measures"], asked["distance"])
    with _in_field("fuzzy"):
        attackers = Attackers.of(
            asked["measures"], asked["distance"], asked["fuzzy"], asked["twins"], asked["k"]
        )
    return attackers


def attackers_in(query: QueryParams) -> dict[str, Any]:
    """The attackers in the query of a request."""
    asked = {
        "measures": query.getlist("measure") or ATTACKERS["measures"],
        "distance": number_in(query, "distance", ATTACKERS["distance"]),
        "k": number_in(query, "k", ATTACKERS["k"]),
        "fuzzy": query.get("fuzzy") or None,
        "twins": query.get("twins", "") in ("true", "1", "yes"),
    }
    checked_attackers(asked)
    return asked


def number_in(query: QueryParams, name: str, usual: int) -> int:
    """A whole number in the query of a request."""
    given = query.get(name, str(usual))
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise mistake(f"{name}: give a whole number.")
    return int(given)


def _check_kinds(options: Mapping[str, Any]) -> None:
    """Raise for a value of a kind that the option never has."""
    for name, value in options.items():
        kinds = KINDS.get(name, (bool,))
        is_right = isinstance(value, kinds) and (isinstance(value, bool) <= (bool in kinds))
        if isinstance(value, list):
            is_right &= all(isinstance(each, str) for each in value)
        if isinstance(value, dict):
            is_right &= all(isinstance(each, SHARE[:3]) for each in value.values())
        if not is_right:
            raise mistake(f"{name}: this is not a value that it can have.", name)
