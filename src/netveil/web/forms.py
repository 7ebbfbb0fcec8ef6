"""Forms of the page: what there is to choose from, and what was chosen, checked before anything is queued.

The options of a search are those of its job, the fields of a policy those of its record. The guide asks three
questions in plain words, and proposes attackers, k and a budget; its answers are a policy, with its reasons.
The script of a run is the command and the Python lines that do the same.
"""

from __future__ import annotations

import json
import secrets
import shlex
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import QueryParams

from netveil._version import __version__
from netveil.anonymity import DEFAULT_MEASURE, MEASURES
from netveil.deciding import Policy, read_policy
from netveil.deciding.policy import PRESETS, Grounds
from netveil.errors import NetveilError, unknown_name
from netveil.extensions import user_code_refused
from netveil.files import FORMATS
from netveil.files.tables.lines import SEPARATORS
from netveil.job import KINDS, Anonymization, Job, Option, OptionError, Synthesis, in_option
from netveil.opening import BUILTIN
from netveil.search import LIMITS, check_fits
from netveil.synthetic import check_k
from netveil.web.data_folder import Record
from netveil.web.looking import DEAR
from netveil.web.requests import TEXTS, in_words, mistake, with_fields

if TYPE_CHECKING:
    from netveil.web.data_folder import ListedRelease, Run
    from netveil.web.state import PageState

MOST = {"seed": 2**53, "time": 1_000_000, "effort": 1_000_000, "copies": 100}
"""The largest numbers that are taken; those in JSON are exact up to that seed."""


def options_on_page(kind: type[Job] = Anonymization) -> dict[str, Option]:
    """The options of a job that the page may set: no code and no file of this machine is named there."""
    return {name: each for name, each in kind.declared().items() if each.on_page}


def defaults_on_page(kind: type[Job] = Anonymization) -> dict[str, Any]:
    """Defaults of the options on the page; there, `protect` is the text of a file."""
    document = kind().to_document() | {"protect": "", "keep_attributes": []}
    return {name: document[name] for name in options_on_page(kind)}


DEFAULTS = defaults_on_page()


def checked_options(given: Any, nodes: int, edges: int, kind: type[Job] = Anonymization) -> dict[str, Any]:
    """All options of a job, defaults filled in, checked as far as that can be done without doing it."""
    if not isinstance(given, Mapping):
        raise mistake("options must be an object of JSON.")
    known = options_on_page(kind)
    for name in given:
        if name not in known:
            raise mistake(in_words(unknown_name("option", str(name)[:40], known)))
    wanted = {**defaults_on_page(kind), **given}
    if (policy := wanted.pop("policy")) is not None:
        policy = checked_policy(policy)
    with _in_its_field():
        job: Job = (
            checked_job(wanted, kind) if issubclass(kind, Anonymization) else kind.from_document(wanted)
        )
        if isinstance(job, Anonymization):
            if not isinstance(job.protect, str):
                raise OptionError("protect: this is not a value that it can have.", "protect")
            check_fits(job, nodes, edges)
        elif isinstance(job, Synthesis):
            job.check()
            with in_option("k"):
                check_k(job.k, nodes)
        for name, most in MOST.items():
            if (getattr(job, name, None) or 0) > most:
                raise OptionError(f"{name} {getattr(job, name)}: give at most {most:,}.", name)
    options = {name: value for name, value in job.to_document().items() if name in known} | {"policy": policy}
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
            if name not in list(MEASURES):
                raise OptionError(str(unknown_name("measure", str(name)[:40], MEASURES)), "measures")
        job.attackers.each  # noqa: B018  # checks them
    return job


def check_attributes(options: Mapping[str, Any], has: Collection[str], of_people: Collection[str]) -> None:
    """Raise for attributes to publish that a network lacks, and for known ones that are not published."""
    kept = options.get("keep_attributes") or ()
    for name in kept:
        if not {name, name.rpartition(":")[0]} & set(has):  # the latter of bands: age:10
            raise mistake("keep_attributes: the network has no attribute of this name.", "keep_attributes")
    with _in_its_field():
        Anonymization(known=options.get("known")).knowing(name for name in kept if name in of_people)


@contextmanager
def _in_its_field() -> Iterator[None]:
    """Show what is wrong with an option beside its field; what a request names is not imported."""
    try:
        with user_code_refused():
            yield
    except OptionError as error:
        raise mistake(in_words(error), error.option) from None


ATTACKERS = {name: DEFAULTS[name] for name in Anonymization.declared("attackers")}


def checked_attackers(given: Any) -> dict[str, Any]:
    """Attackers of a request, defaults filled in."""
    if not isinstance(given, Mapping) or not given.keys() <= ATTACKERS.keys():
        raise mistake(f"Of attackers can be said: {', '.join(ATTACKERS)}.")
    checked_job(asked := {**ATTACKERS, **given})
    return asked


def attackers_in(query: QueryParams) -> dict[str, Any]:
    """Attackers in the query of a request, as JSON."""
    try:
        return checked_attackers(json.loads(query.get("attackers", "{}")))
    except (ValueError, RecursionError):
        raise mistake("Attackers are told as JSON.") from None


def number_in(query: QueryParams, name: str, usual: int) -> int:
    """Whole number in the query of a request."""
    given = query.get(name, str(usual))
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise mistake(f"{name}: give a whole number.")
    return int(given)


def choices(kind: type[Job] = Anonymization) -> dict[str, Any]:
    """What there is to choose from: measures, limits, formats, options of a job and of a synthesis."""
    return {
        "version": __version__,
        "measures": [
            {"name": name, "knowledge": measure.attacker, "dear": name in DEAR}
            for name, measure in MEASURES.items()
        ],
        "default_measure": DEFAULT_MEASURE,
        "limits": [{"name": name, "description": LIMITS.describe(name)} for name in LIMITS],
        "formats": list(FORMATS),
        "separators": list(SEPARATORS.values()),
        "builtin": [
            {"name": name, "description": each.description, "available": each.available()}
            for name, each in BUILTIN.items()
        ],
        **_form_of(kind),
        "synthetic": _form_of(Synthesis),
        "policy": {
            "tables": {"policy": _entries(Policy), "decision": _entries(Grounds)},
            "presets": [read_policy(name).to_dict() for name in PRESETS],
        },
    }


def _form_of(kind: type[Job]) -> dict[str, Any]:
    """Options of a kind of job, and what its form shows at first."""
    return {
        "defaults": defaults_on_page(kind),
        "options": [
            {"name": name, "kind": each.kind, "default": each.default, "help": with_fields(each.help)}
            for name, each in options_on_page(kind).items()
            if name != "policy"  # has a form of its own
        ],
    }


KINDS_OF_ENTRIES = {
    **KINDS,
    **dict.fromkeys(("tuple[str, ...]", "tuple[str, ...] | None"), "names"),
    "LeastK": "whole",
    "Months | None": "whole",
    "Area | None": "number",
    "Mapping[str, Share]": "pairs",
    "date | None": "date",
}
"""Kinds of values in a policy by the types of its fields; others are texts."""
POLICY = "policy.toml"
LARGEST_POLICY = 100_000  # characters


def _entries(record: type[Policy | Grounds]) -> list[dict[str, Any]]:
    """Entries of a table of a policy, as its form has them."""
    return [
        {
            "name": each.name,
            "kind": KINDS_OF_ENTRIES.get(str(each.type), "text"),
            "default": {} if each.default is MISSING else each.default,
            "help": TEXTS["policy"].get(each.name, ""),
        }
        for each in fields(record)
        if each.name != "grounds"
    ]


def checked_policy(given: Any) -> dict[str, Any]:
    """A policy that the page sent as a document, all entries filled in.

    A request names no file, not even that of a preset; a preset that was changed has not its name any more.
    """
    if not isinstance(given, Mapping):
        raise mistake("policy: give what it holds, as an object of JSON.", "policy")
    try:
        policy = Policy.from_document(given, "policy", "own")
        document = policy.to_dict()
        rules = document["policy"]
        if policy.name in PRESETS and rules != read_policy(policy.name).to_dict()["policy"]:
            rules["name"] = f"{policy.name}, changed"
        tomllib.loads(toml_of(document).encode().decode())
    except NetveilError as error:
        raise mistake(in_words(error), "policy") from None
    except ValueError:
        raise mistake("policy: it holds a character that no file can hold.", "policy") from None
    return document


def policy_in(text: Any) -> dict[str, Any]:
    """The policy in a TOML file that was dropped on the page."""
    if not isinstance(text, str) or len(text) > LARGEST_POLICY:
        raise mistake(f"policy: give a TOML file of at most {LARGEST_POLICY:,} characters.", "policy")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise mistake(f"This is not a TOML file: {error}. Write lines such as: k = 5", "policy") from None
    return checked_policy(json.loads(json.dumps(document, default=str)))  # dates as texts


def policy_file(policy: dict[str, Any]) -> tuple[str, str]:
    """Name of a policy for an option, and what is in the file of this name; nothing for a preset."""
    name = policy["policy"]["name"]
    is_preset = name in PRESETS and policy == read_policy(name).to_dict()
    return (name, "") if is_preset else (POLICY, toml_of(policy))


def toml_of(policy: Mapping[str, Any]) -> str:
    """A policy as a TOML file.

    >>> print(toml_of({"policy": {"k": 5, "attributes": None, "loss": {"edges": "5%"}}, "decision": {}}))
    [policy]
    k = 5
    [policy.loss]
    edges = "5%"
    [decision]
    <BLANKLINE>
    """
    rules = dict(policy["policy"])
    tables = {"policy.loss": rules.pop("loss", {}), "decision": policy["decision"]}
    lines = []
    for name, entries in {"policy": rules, **tables}.items():
        lines.append(f"[{name}]")
        for key, value in entries.items():
            if value is not None:
                text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
                lines.append(f"{key} = {text}")
    return "\n".join(lines) + "\n"


LARGE = 200_000  # ties, from which comparing whole circles takes long, and so does grouping people
MAY_STAY = "5%"  # of the people at risk, where the guide was asked
FEW_PEOPLE = 200  # in so small a network, ten lookalikes for each are more than can be had

QUESTIONS: dict[str, Any] = TEXTS["guide"]


def questions() -> list[dict[str, Any]]:
    """Questions of the guide in order, each with its answers in order."""
    return [
        {**asked, "name": name, "answers": [{"name": key, **each} for key, each in asked["answers"].items()]}
        for name, asked in QUESTIONS.items()
    ]


def proposal(
    answers: Mapping[str, Any], nodes: int | None = None, edges: int | None = None
) -> dict[str, Any]:
    """Propose attackers, k and budget for the answers, with reasons that mind the network's size if known.

    The policy is what the answers ask for. Where people must be hidden from everybody (`from_all`), only a
    synthetic network will do.

    >>> proposal({"attacker": "insider", "alike": "two", "change": "hardly"})["options"]
    {'budget': '1%', 'target': None, 'measures': ['ego'], 'distance': 1, 'k': 2}
    """
    options: dict[str, Any] = {"budget": None, "target": None}
    reasons, said = [], []
    for name, asked in QUESTIONS.items():
        chosen = asked["answers"].get(answers[name]) if isinstance(answers[name], str) else None
        if chosen is None:
            raise mistake(f"“{asked['question']}” can be answered by {', '.join(asked['answers'])}.")
        options |= chosen["options"]
        reasons.append({"about": asked["about"], "reason": chosen["reason"]})
        said.append(f"{asked['question']} {chosen['answer']}.")
    if (edges or 0) > LARGE and "ego" in options["measures"]:
        slow = f"With {edges:,} ties, comparing whole circles takes long; count is much quicker."
        reasons.append({"about": "measures", "reason": slow})
    if nodes is not None and nodes < FEW_PEOPLE and options["k"] >= 5:
        much = f"Among {nodes:,} people, {options['k']} lookalikes for each are much to ask; 2 cost less."
        reasons.append({"about": "k", "reason": much})
        options["k"] = min(options["k"], max(2, nodes))
    from_all = bool(options.pop("hidden_from_all", False))
    rules = {"name": "answers to the guide", "reason": " ".join(said), "k": options["k"], "at_risk": MAY_STAY}
    rules |= {"attackers": options["measures"], "loss": {"edges": options["budget"]}}
    if from_all:
        rules |= {"found_with_network": f"{100 / options['k']:g}%", "attackers": [], "loss": {}}
    policy = checked_policy({"policy": rules})
    return {"options": options, "reasons": reasons, "from_all": from_all, "policy": policy}


# Scripts.

PROTECTED = "protected.txt"
OUT_OF_A_ZIP = (
    "To have exactly this release again, unpack both zips into one folder: the second Python lines load it."
)
ASKED_OF_TABLES = ("columns", "separator", "header", "encoding", "nominations")


@dataclass(frozen=True)
class Source:
    """Network that a run starts from, as a script names it."""

    network: str  # a file, or a built-in network
    is_builtin: bool
    asked: Record  # how the file is to be read

    def words(self, command: str) -> list[str]:
        """The beginning of a command about the network."""
        words = ["netveil", command, self.network]
        for name, value in self.asked.items():
            if isinstance(value, bool):
                words.append(f"--{name}" if value else f"--no-{name}")
            else:
                told = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                words += [f"--{name.replace('_', '-')}", told]
        return words

    def opened(self) -> str:
        """The Python line that reads the network."""
        call = "load" if self.is_builtin else "read"
        return f"network = nv.{call}({self.network!r}{_arguments(self.asked)})"


def _script(command: str, python: str, repeats: bool, note: str = "", kind: str = "search") -> Record:
    """A command and Python lines; `repeats`: they do what `does` says, or the note says why not."""
    does = "draw the same ties" if kind == "synthetic" else "delete the same ties"
    return {"command": command, "python": python, "repeats": repeats, "note": note, "does": does}


def source_of(given: Record) -> Source:
    """Network of a worker's order as a script names it."""
    if given["kind"] == "builtin":
        return Source(given["name"], True, {})
    persons = given.get("persons") or {"shown": None, "key": None}
    said = {**given["asked"], "persons": persons["shown"], "persons_key": persons["key"]}
    asked = {name: value for name, value in said.items() if value is not None}
    return Source(given["shown"], bool(given.get("is_builtin")), asked)


def reading_to_ask(reading: Record | None) -> Record:
    """Options to read the original of a release as it was read then."""
    if reading is None or reading["format"] != "edge-list":
        return {}
    by_itself = (None, "blanks and marks")  # what netveil finds by itself, and has no name for
    return {name: reading[name] for name in ASKED_OF_TABLES if reading.get(name) not in by_itself}


def out_folder(name: str, kind: str = "search") -> str:
    """Name of a release's folder in a script."""
    return f"{name}-{'synthetic' if kind == 'synthetic' else 'release'}"


JOBS: dict[str, type[Job]] = {"search": Anonymization, "point": Anonymization, "synthetic": Synthesis}
"""Kind of job that a run of each kind does."""


def _job(options: Record, kind: str = "search") -> Job:
    """The job of a run as a script asks for it: what must stay and a policy of one's own are in files."""
    policy = options.get("policy")
    files = {"policy": None if policy is None else policy_file(policy)[0]}
    if "protect" in options:
        files["protect"] = PROTECTED if options["protect"].strip() else None
    return JOBS[kind].from_document({**options, **files})


def _arguments(given: Record) -> str:
    return "".join(f", {name}={value!r}" for name, value in given.items())


def command_for(
    source: Source, options: Record, out: str, kind: str = "search", *, resume: bool = False
) -> str:
    """The command of a run."""
    job, going_on = _job(options, kind), ["--resume"] if resume else []
    return shlex.join([*source.words(job.command), *job.words(), *going_on, "--out", out])


def command_for_point(source: Source, options: Record, budget: int, curve: str, out: str) -> str:
    """The command that takes a point of the curve of a release."""
    point = ["--from-curve", curve, "--budget", str(budget)]
    labels = ["--keep-labels"] if options["keep_labels"] else []
    policy = ["--policy", policy_file(options["policy"])[0]] if options["policy"] else []
    return shlex.join([*source.words("anonymize"), *point, *labels, *policy, "--out", out])


def python_for(source: Source, options: Record, extension: str, out: str, kind: str = "search") -> str:
    """The Python lines of a run; the function has the name of the command."""
    job = _job(options, kind)
    given = job.arguments("attackers", "search", "release")
    said = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    called = f"release = nv.{job.command}(\n    network,\n{said})"
    return f"import netveil as nv\n\n{source.opened()}\n{called}\n{_saved(job, extension, out)}"


def _saved(job: Job, extension: str, out: str) -> str:
    suffix = {} if extension == "txt" else {"extension": extension}
    return f"nv.save(release, {out!r}{_arguments({**suffix, **job.arguments('report')})})"


def _loaded(out: str) -> str:
    """Python lines that load a release from its folder."""
    return f"import netveil as nv\n\nrelease = nv.load_release({out!r})"


def why_not_again(options: Record, figures: Record | None) -> str:
    """Why the same search need not find the same again; nothing where it does."""
    if figures is None:
        return ""
    if figures["stopped_by"] == "interrupted":
        reason = "it was stopped by hand"
    elif figures["resumed"]:
        reason = "it went on from an earlier search that was cut off"
    elif options["time"] is not None:
        reason = "a clock ended it, and how far a search gets in that time depends on the machine"
    else:
        return ""
    return f"This search cannot be repeated step by step: {reason}. These lines search again. {OUT_OF_A_ZIP}"


def lines_of_run(state: PageState, run: Run) -> Record:
    """The script for a run in any state, and the files that it needs beside it."""
    needs, source = [], source_of(run.given)
    if not source.is_builtin:
        sha256 = (run.figures or {}).get("original_sha256")
        needs.append({"name": Path(source.network).name, "sha256": sha256})
    if "persons" in source.asked:
        needs.append({"name": source.asked["persons"], "sha256": None})
    if state.runs.protected_file(run) is not None:
        needs.append({"name": PROTECTED, "sha256": None, "where": "in the private zip"})
    if (policy := run.options.get("policy")) is not None and (text := policy_file(policy)[1]):
        needs.append({"name": POLICY, "sha256": None, "where": "below", "text": text})
    script = _point_script(state, run) if run.kind == "point" else _whole_script(state, run)
    return {**script, "needs": needs}


def _whole_script(state: PageState, run: Run) -> Record:
    """The script of a search, or of a synthetic network, which the same seed draws again."""
    source, out, note = source_of(run.given), out_folder(run.name, run.kind), ""
    command = command_for(source, run.options, out, run.kind)
    python = python_for(source, run.options, run.extension, out, run.kind)
    if run.kind == "search" and run.state == "cut-off":
        command = command_for(source, run.options, str(state.runs.folder_of(run)), resume=True)
        note = "This search was cut off: the command goes on from its best, as the page does with “resume”."
    elif run.kind == "search" and (note := why_not_again(run.options, run.figures)):
        python += f"\n\n# Exactly this release, from both zips unpacked into one folder:\n{_loaded(out)}"
    return _script(command, python, not note, note, run.kind)


def _point_script(state: PageState, run: Run) -> Record:
    """Two steps where the search for the curve was a run of this page, too."""
    assert run.budget is not None
    out, searched = f"{run.name}-point-release", state.runs.find(run.source)
    curve = out_folder(run.name) if searched else str(run.source_folder)
    command = command_for_point(source_of(run.given), run.options, run.budget, curve, out)
    python = f"release = release.at({run.budget})\n{_saved(_job(run.options), run.extension, out)}"
    if searched is None:
        note = "The curve is in the release folder that is named here."
        return _script(command, f"{_loaded(curve)}\n{python}", True, note)
    before = _whole_script(state, searched)
    return before | {"command": f"{before['command']}\n{command}", "python": f"{before['python']}\n{python}"}


def lines_of_release(state: PageState, release: ListedRelease) -> Record:
    """The script for a release; of one that the page did not make, the command in its record."""
    run = state.runs.find(release.id)
    if run is not None:
        return lines_of_run(state, run)
    command = str(release.record().get("command") or "")
    folder = str(release.folder) if release.source == "folder" else out_folder(release.name)
    note = "The command is the one in the release's record." if command else "Its record names no command."
    python = _loaded(folder)
    if release.figures.get("kind") == "synthetic":
        python = f"import netveil as nv\n\nnetwork = nv.read('{folder}/public/network.{release.extension}')"
    return {**_script(command, python, False, note), "needs": []}
