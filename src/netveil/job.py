"""Jobs: what can be asked of netveil, each option once, with its type, default, help text and check.

An `Anonymization` is made by every front: options of the command line, the form of the page, entries of a
plan and arguments of `netveil.anonymize`. The lines that repeat a run and the record of a release are made of
it. To add an option, add a field here and what it does; nothing else lists the options. Another kind of job
is another record beside this one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set as AbstractSet
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property, partial
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

from netveil.errors import NetveilError, SettingError, check_kinds, is_whole, option as named, unknown_name
from netveil.extensions import found_at
from netveil.registries import ALGORITHMS, DEFAULT_ALGORITHM, DEFAULT_MEASURE, LIMITS, MEASURES, Registry

if TYPE_CHECKING:
    from netveil.anonymity import Attackers

Share: TypeAlias = str | int | float | None
Names: TypeAlias = tuple[str, ...] | None
Pairs: TypeAlias = Mapping[str, Any]
Measures: TypeAlias = Any  # names; in Python also functions, measures and Attackers
EdgesToStay: TypeAlias = Any  # a file; in Python also labels and pairs; on the page the text of a file
ConfigFile: TypeAlias = Any  # a preset or a TOML file

Kind: TypeAlias = Literal["flag", "whole", "number", "share", "text", "names", "pairs"]
KINDS: dict[str, Kind] = {
    "bool": "flag",
    "int": "whole",
    "int | None": "whole",
    "float | None": "number",
    "str": "text",
    "Share": "share",
    "Names": "names",
    "Measures": "names",
    "Pairs": "pairs",
    "EdgesToStay": "text",
    "ConfigFile": "text",
}
"""Kind of value that an option takes, by the type of its field."""

Part: TypeAlias = Literal["attackers", "search", "release", "report"]


@dataclass(frozen=True)
class Option:
    """An option of a job, with all that a front needs to offer it."""

    help: str
    metavar: str = ""  # stands for the value on the command line
    spelling: str = ""  # on the command line, where it is given once for each of several values: measure, set
    argument: str = ""  # name in Python, where that is not the name of the field
    part: Part = "search"  # step of the workflow that it is about
    check: Callable[[Any], object] | str | None = None  # raises SettingError; or its place, `module:function`
    on_page: bool = True  # whether the page's form may set it; a file is sent there as what it holds
    in_plan: str = ""  # table of a plan that may hold it: algorithms or measures
    # Of its field:
    name: str = ""  # in the record, in JSON and in plans
    type: str = ""
    default: Any = None

    @property
    def kind(self) -> Kind:
        """Kind of value that it takes."""
        return KINDS[self.type]

    @property
    def flag(self) -> str:
        """Name on the command line."""
        return f"--{(self.spelling or self.name).replace('_', '-')}"


def option(default: Any, help: str, metavar: str = "", **others: Any) -> Any:  # noqa: A002
    """Declare a field of a job: an option with its default and help text."""
    about = {"option": Option(help, metavar, **others)}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=about)
    return field(default=default, metadata=about)


class OptionError(SettingError):
    """An option of a job with a value outside its rule; `option` is its name."""

    def __init__(self, message: str, name: str = "", about: str = "") -> None:
        super().__init__(message, about)
        self.option = name

    def __reduce__(self) -> tuple[type[OptionError], tuple[str, str, str]]:
        """Pickled by what it was made from."""
        return OptionError, (self.message, self.option, self.about)


@dataclass(frozen=True, kw_only=True, eq=False)
class Job:
    """Options of one run. A kind of job is a subclass whose fields are all made by `option`."""

    command: ClassVar[str]  # that does such a job

    @classmethod
    def declared(cls, part: Part | None = None) -> dict[str, Option]:
        """Options by name, in the order of the fields; those of one part of the workflow if it is given."""
        found = {}
        for each in fields(cls):
            about: Option = each.metadata["option"]
            if part in (None, about.part):
                default = {} if each.default is MISSING else each.default
                found[each.name] = replace(
                    about,
                    name=each.name,
                    type=str(each.type),
                    default=default,
                    argument=about.argument or each.name,
                )
        return found

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Make a job of a document from outside; OptionError names the option that is wrong."""
        import msgspec

        known = cls.declared()
        for name in document:
            if name not in known:
                raise OptionError(str(unknown_name("option", str(name)[:40], known)), str(name)[:40])
        try:
            return msgspec.convert(dict(document), cls)
        except msgspec.ValidationError as error:
            problem, _, place = str(error).partition(" - at `$.")
            name = re.split(r"[`.\[]", place)[0]
            raise OptionError(f"{name}: this is not a value that it can have: {problem}.", name) from None

    def to_document(self) -> dict[str, Any]:
        """All options with plain values, as `from_document` takes them."""
        return {name: _plain(value) for name, value in _values(self).items()}

    def check(self) -> None:
        """Raise OptionError for the first option whose value cannot be.

        Kinds are checked where that is all to be said of a value: other checks have more to say.
        """
        for each in self.declared().values():
            value = getattr(self, each.name)
            with in_option(each.name):
                if each.check is None and each.type in ("bool", "str", "Names", "Pairs"):
                    kind = each.kind + "?" * (each.default is None)
                    check_kinds({each.argument: value}, **{each.argument: kind})
                elif each.check is not None and (value is not None or each.default is not None):
                    check = found_at(each.check) if isinstance(each.check, str) else each.check
                    check(value)

    def given(self, part: Part | None = None) -> dict[str, Any]:
        """Values that are not the default, by name."""
        declared = self.declared(part)
        return {
            name: value
            for name, value in _values(self).items()
            if name in declared and _plain(value) != _plain(declared[name].default)
        }

    def words(self) -> list[str]:
        """Format the options that are not the default as words of a command line.

        >>> Anonymization(measures=("degree", "ego"), keep={"lcc": "0%"}, twins=True, audit=False).words()
        ['--measure', 'degree', '--measure', 'ego', '--twins', '--keep', 'lcc=0%', '--no-audit']
        """
        words: list[str] = []
        for name, value in self.given().items():
            each = self.declared()[name]
            if each.kind == "flag":
                words.append(each.flag if value else f"--no-{each.flag[2:]}")
            elif each.kind == "pairs":
                words += [word for key, one in value.items() for word in (each.flag, f"{key}={one}")]
            elif each.kind == "names" and not value:
                continue  # none, as without the option
            elif each.kind == "names" and each.spelling:
                words += [word for one in value for word in (each.flag, str(one))]
            else:
                text = ",".join(value) if each.kind == "names" else str(value)
                words += [each.flag, text.removesuffix(".0") if each.kind == "number" else text]
        return words

    def arguments(self, *parts: Part) -> dict[str, Any]:
        """Keyword arguments in Python that are not the default, of some parts of the workflow."""
        given = {}
        for part in parts:
            for name, value in self.given(part).items():
                each = self.declared()[name]
                several = each.kind == "names"
                single = several and each.spelling and len(value) == 1
                given[each.argument] = value[0] if single else list(value) if several else value
        return given


def _values(job: Job) -> dict[str, Any]:
    return {each.name: getattr(job, each.name) for each in fields(job)}


def _plain(value: Any) -> Any:
    """A value for JSON: the text of a path or fraction, what numpy holds, the name of a function."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if hasattr(value, "tolist"):  # of numpy
        return _plain(value.tolist())
    if isinstance(value, os.PathLike | Number):
        return str(value)
    if isinstance(value, Iterable):
        return [_plain(one) for one in (sorted(value, key=str) if isinstance(value, AbstractSet) else value)]
    return str(getattr(value, "name", getattr(value, "__name__", type(value).__name__)))


@contextmanager
def in_option(name: str) -> Iterator[None]:
    """Turn a SettingError inside the block into an OptionError of this option."""
    try:
        yield
    except OptionError:
        raise
    except NetveilError as error:
        raise OptionError(error.message, name, error.about) from None


MOST = 1_000_000  # threads, or copies: more are a slip of the pen


def _whole_from(least: int, name: str, most: int | None = None) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
        if most is not None and value > most:
            raise SettingError(f"{name} is above {most:,}; give a whole number, {least} or more, up to that.")

    return check


def _listed(registry: Registry[Any], between: str) -> str:
    """Names and descriptions in a registry, for a help text."""
    return "; ".join(f"{name}{between}{text}" for name, text in registry.descriptions.items())


_of_attackers = partial(option, part="attackers", in_plan="measures")
_of_algorithm = partial(option, in_plan="algorithms")
_of_release = partial(option, part="release")
_of_report = partial(option, part="report")

POLICY_HELP = (
    "What the release must meet: a TOML file, or open-repository, registered-users, secure-environment, "
    "teaching. Exit code 3 if it does not."
)
POLICY_CHECK = "deciding.policy:read_policy"


@dataclass(frozen=True, kw_only=True, eq=False)
class Anonymization(Job):
    """A search for edges to delete, and the release that comes of it; `netveil.anonymize` explains each."""

    command = "anonymize"

    measures: Measures = _of_attackers(
        (DEFAULT_MEASURE,),
        f"What the attacker knows: {', '.join(MEASURES.descriptions)}, or your own as module:function. "
        "Repeatable: at risk is whom any of the attackers can single out.",
        "NAME",
        spelling="measure",
        argument="measure",
    )
    distance: int = _of_attackers(1, "How far the attacker's knowledge reaches.")
    fuzzy: Share = _of_attackers(
        None, "The attacker's numbers may be off by this share, such as 5%.", "SHARE"
    )
    twins: bool = _of_attackers(False, "Count people with the same contacts as one lookalike.")
    known: Names = option(
        None,
        "Attributes of a person that the attacker knows; of a release, a part of those that are kept. "
        "[default: all that are kept]",
        "A,B",
        part="attackers",
        check="anonymity.attackers:parsed_known",
    )
    k: int = option(2, "People with fewer than K alike are at risk.", part="attackers")
    budget: Share = option(
        None, "Edges to delete at most: 5%, 0.05 or 40. [default: 5%, or all edges with --target]", "B"
    )
    target: Share = option(
        None,
        "Reach that share of k-anonymous people (95%, 0.95) with as few deletions as possible, within the "
        "budget if one is given.",
        "SHARE",
        check="search.budget:parsed_target",
    )
    algorithm: str = _of_algorithm(
        DEFAULT_ALGORITHM,
        f"How to search: {_listed(ALGORITHMS, ', ')}; or your own as module:object.",
        "NAME",
        check=ALGORITHMS.named,
    )
    config: ConfigFile = _of_algorithm(
        None,
        "Settings of the algorithm: a TOML file, or a preset (conf1 to conf4, faithful).",
        "FILE",
        on_page=False,
        check=lambda config: check_kinds({"config": config}, config="file"),
    )
    settings: Pairs = _of_algorithm(
        {}, "One setting of the algorithm. Repeatable.", "NAME=VALUE", spelling="set", on_page=False
    )
    keep: Pairs = option(
        {},
        f"What must be kept, such as clustering=1%. Repeatable. {_listed(LIMITS, ': ')}.",
        "METRIC=SHARE",
        check="search.limit:parsed_limits",
    )
    protect: EdgesToStay = option(
        None, "Edges that must stay: a line with two labels, or one for all of a node's.", "FILE"
    )
    seed: int | None = option(
        None, "Same seed, same deletions. Drawn at random if not given.", "N", check=_whole_from(0, "seed")
    )
    time: float | None = _of_algorithm(
        None, "Stop the search after this time.", "SECONDS", check="search.control:checked_time"
    )
    effort: float | None = option(
        None,
        "How long to search where --time is not given: 2 is twice as long as 1. For annealing. [default: 1]",
        "X",
    )
    threads: int | None = option(
        None, "Threads to search with. [default: all cores]", "N", check=_whole_from(1, "threads", MOST)
    )
    curve: bool = option(False, "Find a solution for parts of the budget too, and show them all.")
    keep_labels: bool = _of_release(False, "Publish the original labels: only if they tell nothing.")
    keep_attributes: Names = _of_release(
        None,
        "Publish these attributes of people and ties, numbers in bands if wanted (age:10, age:0/18/65). "
        "Those of people count as known to the attacker.",
        "A,B",
    )
    utility: bool = _of_report(True, "Measure what the deletion cost, for the report.")
    audit: bool = _of_report(True, "Try attacks on the release, for the report.")
    matching: str = _of_report(
        "brief",
        "How much is tried of attackers who match the whole network: none, brief, usual or all.",
        "EXTENT",
        check="auditing.matching.run_matching:check_extent",
    )
    baselines: bool = _of_report(False, "Try ES, UA and UGA with the same budget too, for the report.")
    policy: ConfigFile = _of_report(None, POLICY_HELP, "FILE", check=POLICY_CHECK)

    def __post_init__(self) -> None:
        """Name an algorithm and limits that are given as objects."""
        if not isinstance(self.algorithm, str):
            with in_option("algorithm"):
                object.__setattr__(self, "algorithm", ALGORITHMS.named(self.algorithm))
        if isinstance(self.keep, Mapping):
            with in_option("keep"):
                named = (name if isinstance(name, str) else LIMITS.named(name) for name in self.keep)
                object.__setattr__(self, "keep", dict(zip(named, self.keep.values(), strict=True)))

    @cached_property
    def attackers(self) -> Attackers:
        """Attackers to protect from."""
        from netveil.anonymity import Attackers

        with in_option("measures"):
            if not isinstance(self.measures, Attackers):
                Attackers.of(self.measures)
        with in_option("distance"):
            Attackers.of(self.measures, self.distance)
        with in_option("fuzzy"):
            return Attackers.of(self.measures, self.distance, self.fuzzy, self.twins, self.k, self.known)

    def knowing(self, kept: Iterable[str]) -> Self:
        """Copy the job, with the kept attributes of people (or the named part of them) as known."""
        published = tuple(kept)
        known = {name if name in published else name.rpartition(":")[0] or name for name in self.known or ()}
        beyond = sorted(known - set(published))
        if beyond:
            has = f"the release carries {', '.join(published)}" if published else "it carries none"
            raise OptionError(
                f"{named('known', beyond)}: only what a release publishes of people is known from it, and "
                f"{has}; name it in {named('keep-attributes', beyond)} too, or leave it out.",
                "known",
            )
        chosen = tuple(name for name in published if self.known is None or name in known)
        return replace(self, known=chosen) if chosen else self

    def to_document(self) -> dict[str, Any]:
        """All options with plain values; Attackers that were given as one record are told by its options."""
        from netveil.anonymity import Attackers

        asked = super().to_document()
        if isinstance(self.measures, Attackers):
            first = self.measures.each[0].to_dict()
            asked |= {name: first[name] for name in ("distance", "fuzzy", "twins")}
            asked["known"] = list(self.measures.known) or None
            asked |= {"measures": [each.measure.name for each in self.measures.each], "k": self.measures.k}
        return asked

    def check(self) -> None:
        """Raise OptionError for an invalid value, or an option that the algorithm does not know."""
        super().check()
        self.attackers  # noqa: B018  # checks them
        able: dict[str, Callable[[Any], bool]] = {
            "effort": lambda each: hasattr(each.default, "effort"),
            "curve": lambda each: each.curve is not None,
        }
        for asked in (["effort"] if self.effort is not None else []) + (["curve"] if self.curve else []):
            if not able[asked](ALGORITHMS[self.algorithm]):
                others = [name for name, each in ALGORITHMS.items() if able[asked](each)]
                remedy = f"leave out the {asked}, or choose {', '.join(others)}"
                raise OptionError(f"algorithm {self.algorithm} has no {asked}; {remedy}.", "algorithm")
        with in_option("effort"):
            if self.effort is not None:
                ALGORITHMS[self.algorithm].settings(None, {"effort": self.effort})
                if "effort" in self.settings:
                    raise SettingError(
                        "effort is given twice, by itself and among the settings; give it once."
                    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Synthesis(Job):
    """A table of a network, and networks drawn from it; `netveil.synthesize` explains each."""

    command = "synthesize"

    k: int = option(5, "Each row of the table stands for K people or more: a guess is right one time in K.")
    copies: int = option(
        1, "Networks to draw from the table, each other ties.", "N", check=_whole_from(1, "copies", MOST)
    )
    seed: int | None = option(
        None, "Same seed, same networks. Drawn at random if not given.", "N", check=_whole_from(0, "seed")
    )
    keep: Pairs = option(
        {},
        "What must be kept, such as clustering=5%; else it is drawn again, in the end refused. Repeatable. "
        "clustering, path_length and lcc change by at most this share, assortativity by so much.",
        "METRIC=SHARE",
        check="synthetic.kept_figures:parsed_figures",
    )
    keep_attributes: Names = option(
        None,
        "Publish these attributes of people, numbers in bands if wanted (age:10, age:0/18/65). A node has "
        "those of a random person of its row, and they count as known to the attacker.",
        "A,B",
    )
    within: Names = option(
        None, "Make groups of K people with equal values of these attributes: knowing them tells less.", "A,B"
    )
    diverse: Pairs = option(
        {},
        "Each row has at least L values of this attribute, which the attacker does not know. Repeatable.",
        "NAME=L",
        check="synthetic.grouping:parsed_diverse",
    )
    hide_dense: bool = option(
        False, "Merge rows that are densely tied with sparser ones: such ties could be told."
    )
    utility: bool = _of_report(True, "Measure what the network still tells, for the report.")
    audit: bool = _of_report(True, "Try attacks on the release, for the report.")
    policy: ConfigFile = _of_report(None, POLICY_HELP, "FILE", check=POLICY_CHECK)
