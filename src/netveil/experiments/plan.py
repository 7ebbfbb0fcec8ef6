"""A plan: what an experiment is about. Its tasks: networks × algorithms × budgets × attackers × k × seeds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from netveil.anonymity import DEFAULT_MEASURE, MEASURES, attackers_of, checked_k
from netveil.attributes import NO_ATTRIBUTES
from netveil.errors import FileError, NetveilError, SettingError, is_whole, option, unknown_name
from netveil.experiments.task import AlgorithmSpec, AttackerSpec, NetworkSpec, Task
from netveil.fetching import CATALOGUE, find_network
from netveil.files import FORMATS, ReadAs, format_of, read_as
from netveil.files.storage import load_file
from netveil.network import Network
from netveil.opening import BUILTIN, load
from netveil.search import ALGORITHMS
from netveil.search.budget import budget_in_edges, parsed_budget, tell_if_ambiguous
from netveil.search.control import checked_time
from netveil.simulated import GenerateError, generate
from netveil.utility import METRICS

# On which line of a TOML file each key and each value of a list stands: `tomllib` does not tell.


TomlPath = tuple[str | int, ...]
"""Where a value is: keys, and places in lists. ("networks", 2, "name") is the name of the third network."""

_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL
)
_OTHER_VALUE = re.compile(r"[^,\]}#\n]*")


def lines_of(text: str) -> dict[TomlPath, int]:
    """The line, from 1, on which each value of a TOML document begins to be given.

    >>> lines_of("seeds = 3\\nnetworks = [\\n  'demo',\\n  {name = 'b'},\\n]\\n")[("networks", 1, "name")]
    4
    """
    walker = _Walker(text)
    walker.document()
    return walker.lines


class _Walker:
    """Walks over a document that `tomllib` has found to be valid, so it need not look out for errors."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[TomlPath, int] = {}
        self.tables: dict[TomlPath, int] = {}  # of each [[list of tables]], how many there are so far

    def document(self) -> None:
        """Headers and pairs to the end."""
        table: TomlPath = ()
        self._skip()
        while self.at < len(self.text):
            if self._takes("["):
                is_in_list = self._takes("[")
                line = self._line()
                table = self._within_lists(self._key())
                if is_in_list:
                    place = self.tables.get(table, 0)
                    self.tables[table] = place + 1
                    table = (*table, place)
                self._note(table, line)
                self._takes("]]" if is_in_list else "]")
            else:
                self._pair(table)
            self._skip()

    def _within_lists(self, keys: TomlPath) -> TomlPath:
        """The path of a header: below a list of tables it means the last of them."""
        path: TomlPath = ()
        for place, key in enumerate(keys):
            path = (*path, key)
            if path in self.tables and place < len(keys) - 1:
                path = (*path, self.tables[path] - 1)
        return path

    def _pair(self, table: TomlPath) -> None:
        line = self._line()
        path = table
        for key in self._key():
            path = (*path, key)
            self._note(path, line)
        self._takes("=")
        self._value(path)

    def _key(self) -> TomlPath:
        keys: list[str] = []
        while not keys or self._takes("."):
            self._skip()
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE_KEY.match(self.text, self.at)
            assert found is not None, "tomllib has read this key"
            self.at = found.end()
            keys.append(tomllib.loads(f"key = {found[0]}")["key"] if quoted else found[0])
            self._skip()
        return tuple(keys)

    def _value(self, path: TomlPath) -> None:
        self._skip()
        if self._takes("["):
            place = 0
            while not self._takes("]"):
                self._note((*path, place), self._line())
                self._value((*path, place))
                self._takes(",")
                place += 1
        elif self._takes("{"):
            while not self._takes("}"):
                self._pair(path)
                self._takes(",")
        else:
            found = _STRING.match(self.text, self.at) or _OTHER_VALUE.match(self.text, self.at)
            assert found is not None, "tomllib has read this value"
            self.at = found.end()
        self._skip()

    def _note(self, path: TomlPath, line: int) -> None:
        self.lines.setdefault(path, line)

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def _skip(self) -> None:
        """Over blanks, line ends and comments."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None, "it matches nothing, too"
        self.at = found.end()

    def _takes(self, mark: str) -> bool:
        """Go over the mark and what is blank around it, if it comes next."""
        self._skip()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        self._skip()
        return True


# All errors in a plan, each with its line, so that they can be corrected in one go.


class PlanError(FileError):
    """A plan that cannot be run. `problems` are sentences, one for each thing that is wrong."""

    longest = 20_000

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[str, ...]]]:
        """Pickled by what it was made from."""
        return PlanError, (self.problems,)


class AlreadyNoted(Exception):  # noqa: N818  # not for users
    """An entry cannot be read, and what is wrong with it has been noted."""


@dataclass
class Problems:
    """What was found so far."""

    file: str
    lines: Mapping[TomlPath, int]
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: TomlPath, message: str) -> None:
        """Note a problem with the value there, or with what it should be part of."""
        while path and path not in self.lines:
            path = path[:-1]
        self.found.append((self.lines.get(path, 1), " ".join(message.split())))

    @contextmanager
    def at(self, path: TomlPath) -> Iterator[None]:
        """Note what is raised inside, and go on."""
        try:
            yield
        except NetveilError as error:
            self.add(path, str(error))
        except AlreadyNoted:
            pass

    @contextmanager
    def all_of(self) -> Iterator[None]:
        """Note all that is wrong with an entry inside, and then give it up if there was anything."""
        before = len(self.found)
        yield
        if len(self.found) > before:
            raise AlreadyNoted

    def check(self) -> None:
        """Raise if there are any, in the order of their lines."""
        if self.found:
            in_order = sorted(self.found, key=lambda problem: problem[0])
            raise PlanError([f"{self.file}, line {line}: {message}" for line, message in in_order])


TaskShare = tuple[int, int]
"""(I, N): of the tasks, every N-th from the I-th on, counted from 1."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an experiment is about, with its networks loaded; `read_plan` makes one from a file."""

    name: str
    networks: tuple[NetworkSpec, ...]
    algorithms: tuple[AlgorithmSpec, ...]
    budgets: tuple[str, ...] = ("5%",)
    attackers: tuple[AttackerSpec, ...] = (AttackerSpec((DEFAULT_MEASURE,)),)
    k: tuple[int, ...] = (2,)
    seeds: tuple[int, ...] = (1,)
    metrics: tuple[str, ...] = ()  # names in `netveil.utility.METRICS`
    text: str = field(default="", compare=False)  # the file that it was read from, for the record

    def tasks(self, share: TaskShare | None = None) -> list[Task]:
        """All runs in a fixed order, or the share of them that one of several processes takes.

        >>> from netveil import load
        >>> plan = Plan(
        ...     name="small",
        ...     networks=(planned_network("karate", load("karate")),),
        ...     algorithms=(planned_algorithm("es"), planned_algorithm("ga", config="conf1")),
        ...     seeds=(1, 2),
        ... )
        >>> [(task.algorithm.name, task.seed) for task in plan.tasks()]
        [('es', 1), ('es', 2), ('ga-conf1', 1), ('ga-conf1', 2)]
        >>> [task.seed for task in plan.tasks(share=(2, 2))]
        [2, 2]
        """
        networks = self.networks if self._looks_at_labels else tuple(map(_unlabelled, self.networks))
        whole = product(networks, self.algorithms, self.budgets, self.attackers, self.k, self.seeds)
        first, step = (1, 1) if share is None else share
        return [Task(*settings, self.metrics) for settings in whole][first - 1 :: step]

    @property
    def _looks_at_labels(self) -> bool:
        """Whether an attacker is a user's function, which may do so."""
        return any(name not in MEASURES for attacker in self.attackers for name in attacker.measures)


def planned_network(name: str, network: Network) -> NetworkSpec:
    """A network under the name that it has in a plan, without the ties that tell how its file was read."""
    return NetworkSpec(name, replace(network, name=name, reading=None))


def planned_algorithm(
    algorithm: str,
    *,
    name: str | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    time: float | None = None,
) -> AlgorithmSpec:
    """An algorithm with all its settings known, so that no file is needed where it runs.

    `config` is a preset or a TOML file, `settings` are single values which win over it. The name is the
    algorithm's and, if there is one, the configuration's, unless it is given.
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    chosen = ALGORITHMS[algorithm].settings(config, settings or {})
    own_name = algorithm if config is None else f"{algorithm}-{Path(config).stem}"
    return AlgorithmSpec(
        name=own_name if name is None else name,
        algorithm=algorithm,
        config=None if config is None else Path(config).name,
        settings=asdict(chosen),
        time=None if time is None else float(checked_time(time)),
    )


def planned_attacker(
    *measures: str, distance: int = 1, fuzzy: str | None = None, twins: bool = False
) -> AttackerSpec:
    """An attacker, or several who all have the same reach and doubts, checked."""
    attackers_of(measures, distance, fuzzy, twins)
    return AttackerSpec(measures, distance, fuzzy, twins)


def _unlabelled(spec: NetworkSpec) -> NetworkSpec:
    """The network with numbers for labels, and nothing else that tells of people: workers need none of it."""
    numbers = range(spec.network.node_count)
    return NetworkSpec(
        spec.name, replace(spec.network, labels=numbers, reading=None, attributes=NO_ATTRIBUTES)
    )


# Entries of a plan that are a name or a table: algorithms and attackers. All that is wrong is noted.


Types = Mapping[str, Any]
"""The keys of a table, and of what type their values must be; `object` where any will do."""

ALGORITHM: Types = {
    "name": str,
    "algorithm": str,
    "config": str,
    "settings": Mapping,
    "time": (int, float),
}
ATTACKER: Types = {"measure": (str, list), "distance": int, "fuzzy": (str, int, float), "twins": bool}

_WANTED = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    Mapping: "a table",
    (str, list): "a text, or a list of them",
}


def table_of(given: Any, kind: str, types: Types, needed: str, path: TomlPath, problems: Problems) -> Types:
    """The keys of an entry that are right; what is wrong is noted. A text stands for the needed key."""
    table = {needed: given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(f"{kind} {given!r}: give a name, or a table such as {{{needed} = ...}}.")
    for key in table:
        if key not in types:
            problems.add((*path, key), str(unknown_name("key", key, types)))
    if needed not in table:
        problems.add(path, f"this {kind} has no key {needed}; add it.")
    return checked_types(table, types, path, problems)


def checked_types(table: Mapping[str, Any], types: Types, path: TomlPath, problems: Problems) -> Types:
    """The values of the right types; the others are noted. True is not a number, and no name is empty."""
    right = {}
    for key, kind in types.items():
        if key not in table:
            continue
        value = table[key]
        if (isinstance(value, bool) and kind is not bool) or not isinstance(value, kind):
            problems.add((*path, key), f"{key} = {value!r}: give {_WANTED.get(kind, 'a number')}.")
        elif key == "name" and not value.strip():
            problems.add((*path, key), f"name = {value!r}: it is empty; give a text, or leave it out.")
        else:
            right[key] = value
    return right


def algorithm_of(given: Any, path: TomlPath, problems: Problems, folder: Path) -> AlgorithmSpec:
    """An algorithm as a plan gives it: its name, or a table. Files are looked for in the folder."""
    with problems.all_of():
        table = table_of(given, "algorithm", ALGORITHM, "algorithm", path, problems)
        algorithm, config = table.get("algorithm"), table.get("config")
        with problems.at((*path, "time")):
            planned_algorithm("es", time=table.get("time"))
        if algorithm is not None and algorithm not in ALGORITHMS:
            problems.add((*path, "algorithm"), str(unknown_name("algorithm", algorithm, ALGORITHMS)))
        elif algorithm is not None:
            # A file is looked for beside the plan, unless it is a preset of the algorithm.
            if config is not None and config not in ALGORITHMS[algorithm].presets:
                config = folder / config
            with problems.at((*path, "config")):
                planned_algorithm(algorithm, config=config)
            for name, value in table.get("settings", {}).items():
                with problems.at((*path, "settings", name)):
                    planned_algorithm(algorithm, settings={name: value})
    return planned_algorithm(**{**table, "config": config})


def attacker_of(given: Any, path: TomlPath, problems: Problems) -> AttackerSpec:
    """An attacker as a plan gives her: a measure, a list of them, or a table."""
    with problems.all_of():
        whole = {"measure": given} if isinstance(given, list) else given
        table = dict(table_of(whole, "measure", ATTACKER, "measure", path, problems))
        measures = table.pop("measure", [])
        measures = measures if isinstance(measures, list) else [measures]
        if "fuzzy" in table:
            table["fuzzy"] = str(table["fuzzy"])
        for measure in measures:
            with problems.at((*path, "measure")):
                if not isinstance(measure, str):
                    raise SettingError(f"measure {measure!r}: give the name of a measure, such as count.")
                planned_attacker(measure)
        for key, value in table.items():
            with problems.at((*path, key)):
                planned_attacker(DEFAULT_MEASURE, **{key: value})
    return planned_attacker(*measures, **table)


# The networks of a plan: files, built-in and fetched ones by their names, and generated ones.


READING: Types = {"format": str, "columns": (str, list), "separator": str, "header": bool, "encoding": str}
"""How to read a file: the options of the command line."""
NETWORK: Types = {"name": str, "network": str, **READING, "generate": Mapping}


def network_of(given: Any, path: TomlPath, problems: Problems, folder: Path) -> NetworkSpec:
    """A network as a plan gives it: a text, or a table with `network` or `generate`, and perhaps a name.

    All that is wrong is noted. A file is looked for in the folder.
    """
    table = {"network": given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(
            f"network {given!r}: give a file, a name, or a table such as {{name = ..., generate = ...}}."
        )
    with problems.all_of():
        for key in table:
            if key not in NETWORK:
                problems.add((*path, key), str(unknown_name("key", key, NETWORK)))
        right = checked_types(table, NETWORK, path, problems)
        if "format" in right and right["format"] not in FORMATS:
            problems.add((*path, "format"), str(unknown_name("format", right["format"], FORMATS)))
        if "generate" in table:
            network = _generated(table, right, path, problems)
        else:
            network = _read(table, right, path, problems, folder)
    assert network is not None, "else there was a problem"
    return planned_network(right.get("name", network.name), network)


def _generated(table: Mapping[str, Any], right: Types, path: TomlPath, problems: Problems) -> Network | None:
    """A simulated network; None, and all problems noted, where it cannot be one."""
    if "name" not in table:
        problems.add(path, "a generated network needs a name; add name = ... beside generate.")
    if any(key in table for key in ("network", *READING)):
        problems.add(path, "a network is either generated or read; leave out generate, or the other keys.")
    if "generate" not in right:
        return None
    with problems.at((*path, "generate")):
        try:
            return generate(right["generate"])
        except GenerateError as error:
            for key, problem in error.problems.items():
                problems.add((*path, "generate", key), problem)
    return None


def _read(
    table: Mapping[str, Any], right: Types, path: TomlPath, problems: Problems, folder: Path
) -> Network | None:
    """A network that there is already; None, and the problem noted, where it cannot be read."""
    key = "network" if "network" in table else "name"
    if key not in table:
        problems.add(path, "this network has neither a name, nor network nor generate; add one of them.")
    if key not in right or right.get("format", "edge-list") not in FORMATS:
        return None
    with problems.at((*path, key)):
        if not right[key].strip():
            raise SettingError(f"{key} = {right[key]!r}: it is empty; give a file or a name.")
        asked = ReadAs(**{option: right[option] for option in READING if option in right})
        return _loaded(right[key], folder, asked)
    return None


def _loaded(source: str, folder: Path, asked: ReadAs) -> Network:
    """A file beside the plan, or a built-in network, or one to be fetched."""
    file = folder / source
    try:
        exists, is_folder = file.exists(), file.is_dir()
    except OSError:  # a name too long: reading tells
        exists, is_folder = True, False
    if source in BUILTIN and (is_folder or not exists) and asked == ReadAs():
        return load(source)
    if is_folder:
        raise FileError(f"{file} is a folder. Give a file in it.")
    if exists and asked.format is None:
        _check_suffix(file, source)
    if exists or asked.format is not None or any(mark in source for mark in "./\\"):
        return read_as(str(file), asked)
    if source in CATALOGUE:
        return find_network(source)
    nothing = unknown_name("network", source, (*BUILTIN, *CATALOGUE))
    raise FileError(f"{file}: there is no such file. By name: {nothing}")


def _check_suffix(file: Path, source: str) -> None:
    """Raise, in the words of a plan, if a file's name does not say its format."""
    try:
        format_of(str(file))
    except FileError:
        example = f'{{network = "{source}", format = "edge-list"}}'
        raise FileError(
            f"{file}: its suffix names no format. Add format = ... to the network's table, such as "
            f"{example}; the choice is {', '.join(FORMATS)}."
        ) from None


# A plan from a TOML file. Whatever is wrong with it is told at once, with lines, before anything runs.


KEYS = ("name", "networks", "algorithms", "budgets", "measures", "k", "seeds", "metrics")
NEEDED = {"networks": 'networks = ["demo"]', "algorithms": 'algorithms = ["ga", "uga"]'}
MOST_SEEDS = 1_000_000
LARGEST_NUMBER = 2**63 - 1  # that every reader of TOML must know

Value = TypeVar("Value")


def read_plan(path: str | Path, seeds: int | None = None) -> Plan:
    """The plan in a TOML file, its networks loaded; `seeds` replaces those of the file by 1 to `seeds`.

    Files in it are relative to its folder. PlanError if anything is wrong with it.
    """
    file = str(path)
    if seeds is not None:
        check_count_of_seeds(seeds)
    try:
        text = load_file(file).decode("utf-8-sig")  # some editors begin a file with a mark
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a text file. Give a plan in TOML.") from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError([f"{file}, line {_line(error, text)}: not TOML: {_without_line(error)}."]) from None
    except RecursionError:
        raise FileError(f"{file}: brackets in brackets, far too many. Give a plan in TOML.") from None
    except ValueError:  # Python does not read a number of thousands of digits
        raise PlanError([f"{file}, line {_line_of_digits(text)}: {_TOO_LARGE}"]) from None
    problems = Problems(file, lines_of(text))
    for place in _too_large(document):
        problems.add(place, _TOO_LARGE)
    problems.check()
    if seeds is not None:
        document["seeds"] = seeds
    plan = _Reader(document, problems, Path(file).parent).plan(Path(file).stem, text)
    problems.check()
    for budget in plan.budgets:
        tell_if_ambiguous(budget)
    return plan


def check_count_of_seeds(seeds: int) -> None:
    """Raise unless this is a possible number of seeds."""
    if not is_whole(seeds) or not 1 <= seeds <= MOST_SEEDS:
        raise SettingError(f"{option('seeds', seeds)}: give how many, between 1 and {MOST_SEEDS:,}.")


class _Reader:
    """Reads the keys of a document, and notes what is wrong instead of stopping at it."""

    def __init__(self, document: Mapping[str, Any], problems: Problems, folder: Path) -> None:
        self.document = document
        self.problems = problems
        self.folder = folder

    def plan(self, stem: str, text: str) -> Plan:
        """The plan as far as it can be read."""
        for key in self.document:
            if key not in KEYS:
                self.problems.add((key,), str(unknown_name("key", key, KEYS)))
        for key, example in NEEDED.items():
            if key not in self.document:
                self.problems.add((), f"the plan has no {key}; add a line such as {example}")
        name = checked_types(self.document, {"name": str}, (), self.problems).get("name", stem)
        networks = self._each(
            "networks", [], lambda value, path: network_of(value, path, self.problems, self.folder), _name
        )
        algorithms = self._each(
            "algorithms", [], lambda value, path: algorithm_of(value, path, self.problems, self.folder), _name
        )
        attackers = self._each(
            "measures", [DEFAULT_MEASURE], lambda value, path: attacker_of(value, path, self.problems), _name
        )
        budgets = self._each("budgets", ["5%"], _budget, parsed_budget)
        sizes = self._each("k", [2], _class_size, int)
        self._check_fit(budgets, networks, lambda given, on: budget_in_edges(given, on.edge_count))
        self._check_fit(sizes, networks, lambda given, on: checked_k(given, on.node_count))
        return Plan(
            name=name,
            networks=tuple(networks.values()),
            algorithms=tuple(algorithms.values()),
            budgets=tuple(budgets.values()),
            attackers=tuple(attackers.values()),
            k=tuple(sizes.values()),
            seeds=self._seeds(),
            metrics=self._metrics(),
            text=text,
        )

    def _each(
        self,
        key: str,
        default: list[Any],
        read: Callable[[Any, TomlPath], Value],
        same: Callable[[Value], object],
    ) -> dict[TomlPath, Value]:
        """The values of a list, or a single one, by their places; no two may be the `same`."""
        given = self.document.get(key, default)
        places: dict[TomlPath, Any] = {(key,): given}
        if isinstance(given, list):
            places = {(key, number): value for number, value in enumerate(given)}
            if not given and key in self.document:
                self.problems.add((key,), f"{key} is empty; give one or more, or leave it out.")
        values: dict[TomlPath, Value] = {}
        seen: set[object] = set()
        for path, entry in places.items():
            with self.problems.at(path):
                value = read(entry, path)
                if same(value) in seen:
                    raise SettingError(
                        f"{key}: {_shown(same(value), value)} is there already; give each once, "
                        f"or another name."
                    )
                seen.add(same(value))
                values[path] = value
        return values

    def _seeds(self) -> tuple[int, ...]:
        given = self.document.get("seeds", 1)
        if isinstance(given, list):
            return tuple(self._each("seeds", [], _seed, int).values())
        with self.problems.at(("seeds",)):
            if not is_whole(given) or not 1 <= given <= MOST_SEEDS:
                raise SettingError(
                    f"seeds = {given!r}: give how many, 1 or more, or a list of whole numbers from 0."
                )
            return tuple(range(1, given + 1))
        return ()

    def _metrics(self) -> tuple[str, ...]:
        given = self.document.get("metrics", [])
        if given in ("all", ["all"]):
            return tuple(METRICS)
        if given == []:
            return ()
        return tuple(self._each("metrics", [], _metric, str).values())

    def _check_fit(
        self,
        values: Mapping[TomlPath, Value],
        networks: Mapping[TomlPath, NetworkSpec],
        check: Callable[[Value, Network], object],
    ) -> None:
        """Note each value that does not fit a network, with the first such network."""
        for path, value in values.items():
            for spec in networks.values():
                try:
                    check(value, spec.network)
                except SettingError as error:
                    self.problems.add(path, f"{error} (network {spec.name})")
                    break


def _name(spec: NetworkSpec | AlgorithmSpec | AttackerSpec) -> str:
    return spec.name


def _budget(given: Any, path: TomlPath) -> str:
    """The budget as text, if it can be one; whether it fits each network is checked later."""
    parsed_budget(given)
    return str(given).strip()


def _class_size(given: Any, path: TomlPath) -> int:
    """A k that is one at all; that it fits with each network is checked later."""
    if not is_whole(given):
        raise SettingError(f"k = {given!r}: give a whole number, 2 or more.")
    return checked_k(int(given), nodes=max(2, int(given)))


def _seed(given: Any, path: TomlPath) -> int:
    if not is_whole(given) or given < 0:
        raise SettingError(f"seed {given!r}: give a whole number, 0 or more.")
    return int(given)


def _metric(given: Any, path: TomlPath) -> str:
    if given == "all":
        raise SettingError('metrics: "all" stands alone; write metrics = "all", or leave it out here.')
    if given not in list(METRICS):
        raise unknown_name("metric", str(given), ["all", *METRICS])
    return str(given)


def _shown(same: object, value: object) -> str:
    """What two entries have in common, as a user wrote it."""
    return f"'{same}'" if isinstance(same, str) else str(value)


_TOO_LARGE = f"this number is too large; numbers are between -{LARGEST_NUMBER} and {LARGEST_NUMBER}."


def _too_large(value: Any, path: TomlPath = ()) -> Iterator[TomlPath]:
    """Where a document has whole numbers larger than every reader of TOML must support."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        yield path
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _too_large(inner, (*path, key))


def _line_of_digits(text: str) -> int:
    """The line with the first number of very many digits."""
    found = re.search(r"\d[\d_]{999}", text)
    return 1 if found is None else text.count("\n", 0, found.start()) + 1


def _line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else max(1, len(text.splitlines()))


def _without_line(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r" \(at .*\)$", "", str(error))
