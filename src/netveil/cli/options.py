"""Options that commands share: same spelling, same meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from netveil.cli.progress import share_on_bar
from netveil.errors import SettingError, option, plain
from netveil.files import FORMATS
from netveil.job import Anonymization, Job, Option, Part

if TYPE_CHECKING:
    from netveil.blocks import Blocks
    from netveil.files import ReadAs
    from netveil.network import Network
    from netveil.opening import Released


Command = TypeVar("Command", bound=Callable[..., Any])
FLAG = {"is_flag": True, "default": False}  # in a row of `options`
WHOLE = {"type": int}
SEVERAL = {"multiple": True}


def options(*rows: tuple[Any, ...]) -> Callable[[Command], Command]:
    """Add options, a row each: spelling, what stands for the value, help text, and what else click must know.

    A spelling may be followed by the name under which the command gets the value, after a blank.
    """

    def with_options(command: Command) -> Command:
        for spelling, metavar, text, *others in reversed(rows):
            told = {"metavar": metavar or None, "help": text, "default": None, **dict(*others)}
            command = click.option(*spelling.split(), **told)(command)
        return command

    return with_options


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add NETWORK, and options on how to read it."""
    return click.argument("network")(reading_options(command))


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options on how to read a file, handed to the command as one record, `read_as`."""

    @options(
        ("--format", "NAME", f"Format of the file: {', '.join(FORMATS.descriptions)}."),
        ("--columns", "A,B", "Where the people are in a table: names of its header, or numbers from 1."),
        ("--separator", "CHAR", "Between the cells of a table: ',', ';', '|', tab or blank."),
        ("--header/--no-header", "", "Whether the first line names the columns."),
        ("--encoding", "NAME", "Of a text: utf-8, cp1252, utf-16, …"),
        (
            "--nominations/--no-nominations",
            "",
            "Whether a line is a person and any number of named contacts.",
        ),
        ("--sheet", "NAME", "Of a workbook: the sheet with the ties."),
        ("--persons", "FILE", "Attributes of people: a table whose first column has their labels."),
        ("--persons-key", "NAME", "Column of --persons with the labels, if not the first."),
    )
    @wraps(command)
    def with_asked(*arguments: Any, **given: Any) -> Any:
        from netveil.files import ReadAs

        asked = {each.name: given.pop(each.name) for each in fields(ReadAs)}
        return command(*arguments, read_as=ReadAs(**asked), **given)

    return with_asked


def out_options(where: str, replaces: str = "") -> Callable[[Command], Command]:
    """Add --out, a folder that has a name, and --overwrite if it may replace something."""
    out = ("--out", "DIR", where, {"callback": _named})
    return options(out, *([("--overwrite", "", f"Replace {replaces}.", FLAG)] if replaces else []))


def _named(context: click.Context, parameter: click.Parameter, folder: str | None) -> str | None:
    """Check a folder: SettingError if its name is empty, as when a shell variable is not set."""
    if folder is not None and not folder.strip():
        raise SettingError(f"{option('out')}: the name of the folder is empty; give one, or leave it out.")
    return folder


def reading_lines(network: Network | Blocks) -> list[str]:
    """How a file was read, and its first ties, for people to check."""
    from netveil.network import DIRECTIONS, WEIGHTS, losses

    how = network.reading
    lost = [
        each for kind, each in losses(network).items() if kind in (DIRECTIONS, WEIGHTS)
    ]  # others are counted
    lines = [*network.notes, *lost] if how is None else [how.sentence(), *network.notes, *lost, how.ties()]
    return [plain(line) for line in lines if line]  # names of columns and people may hold anything


def reading_document(network: Network | Blocks, quiet: bool) -> dict[str, Any] | None:
    """How a file was read, for JSON; with --quiet without its first ties, which name people."""
    if network.reading is None:
        return None
    document = network.reading.to_dict()
    if quiet:
        del document["first"]
    return document


def warn_of_oddities(network: Network | Blocks) -> None:
    """Print oddities of a network on standard error, even with --quiet."""
    for oddity in network.reading.oddities if network.reading else ():
        click.echo(f"warning: {plain(oddity)}. Check that this is the network that was meant.", err=True)


def job_options(kind: type[Job], *parts: Part) -> Callable[[Command], Command]:
    """Add the options of some parts of a job, each handed to the command under its name."""

    def with_options(command: Command) -> Command:
        for part in reversed(parts):
            for each in reversed(kind.declared(part).values()):
                command = _click_option(each)(command)
        return command

    return with_options


def typed_options(context: click.Context) -> dict[str, Any]:
    """Options that stand on the command line, as they are spelled there, with their values."""
    return {
        (parameter.secondary_opts if context.params.get(name) is False else parameter.opts)[
            0
        ]: context.params.get(name)
        for parameter in context.command.params
        if (name := parameter.name or "")
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


CLICK_TYPES = {"whole": int, "number": float}


def _click_option(each: Option) -> Callable[[Command], Command]:
    """Make the click option of an option of a job."""
    if each.kind == "flag":
        both = f"{each.flag}/--no-{each.flag[2:]}" if each.part == "report" else each.flag
        return click.option(both, each.name, is_flag=True, default=each.default, help=each.help)
    words = dict[str, Any](help=each.help, metavar=each.metavar or None)
    if each.kind == "pairs":
        words |= {"callback": _pairs, "multiple": True}
    elif each.kind == "names" and not each.spelling:
        words["callback"] = _names
    else:
        words |= {
            "multiple": bool(each.spelling),
            "default": each.default,
            "show_default": bool(each.default),
        }
    return click.option(each.flag, each.name, type=CLICK_TYPES.get(each.kind, str), **words)


def _names(context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[str, ...] | None:
    """Split names at commas."""
    return None if given is None else tuple(each.strip() for each in given.split(",") if each.strip())


def _pairs(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Values by name, as in --keep clustering=1%; a setting that is given twice has the last value."""
    flag, pairs = parameter.opts[0], dict[str, str]()
    for each in given:
        name, equals, value = (part.strip() for part in each.partition("="))
        if not equals:
            example = "clustering=1%" if flag == "--keep" else "effort=2"
            raise SettingError(f"{flag} {each}: give {parameter.metavar}, such as {flag} {example}.")
        if flag == "--keep" and name in pairs:
            raise SettingError(f"{flag} {each}: {name}={pairs[name]} is given already; give each limit once.")
        pairs[name] = value
    return pairs


def attacker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options on attackers, handed to the command as one record, `attackers`."""
    names = Anonymization.declared("attackers")

    @job_options(Anonymization, "attackers")
    @user_code_option
    @wraps(command)
    def with_attackers(*arguments: Any, **given: Any) -> Any:
        asked = Anonymization(**{name: given.pop(name) for name in names})
        return command(*arguments, attackers=asked.attackers, **given)

    return with_attackers


def user_code_option(command: Command) -> Command:
    """Add --no-user-code."""
    return click.option(
        "--no-user-code",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_refuse_user_code,
        help="Refuse names of the form module:object: they are code, and run as you.",
    )(command)


def _refuse_user_code(context: click.Context, option: click.Parameter, refuse: bool) -> None:
    """Refuse code of a user until the command is done."""
    if refuse:
        from netveil.extensions import user_code_refused

        context.with_resource(user_code_refused())


@dataclass(frozen=True)
class Output:
    """How a command prints its result: as JSON, or as text; with nothing else if it is to be quiet."""

    as_json: bool
    quiet: bool

    def tell(self, document: Mapping[str, Any], *texts: str) -> None:
        """Print the one JSON document, or the texts, each on lines of its own."""
        if self.as_json:
            print_json(document)
        elif texts:
            click.echo("\n".join(texts))


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json and --quiet, handed to the command as one record, `output`."""

    @options(
        ("--json as_json", "", "Print one JSON document.", FLAG),
        ("--quiet", "", "Print nothing but the result.", FLAG | {"callback": _silence}),
    )
    @wraps(command)
    def with_output(*arguments: Any, as_json: bool, quiet: bool, **given: Any) -> Any:
        return command(*arguments, output=Output(as_json, quiet), **given)

    return with_output


def _silence(context: click.Context, option: click.Parameter, quiet: bool) -> bool:
    """Silence what netveil logs, such as that kernels are being compiled."""
    if quiet:
        import logging

        logging.getLogger("netveil").setLevel(logging.WARNING)
    return quiet


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one JSON document on standard output."""
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


WORTH_A_BAR = 1 << 25
"""Bytes of a file that takes seconds to read."""


def opened_on_bar(
    name: str, asked: ReadAs, quiet: bool, *, original: bool = False, counted: bool = False
) -> Network:
    """Open the network that was named, and warn of oddities; a bar tells how far a large file is read."""
    from netveil.opening import open_network

    with reading_on_bar(name, quiet=quiet):
        network = open_network(name, asked, original=original, counted=counted)
    warn_of_oddities(network)
    return network


def opened_with_releases(
    original: str, released: Sequence[str], asked: ReadAs, labels_file: str | None, quiet: bool
) -> tuple[Network, list[Released]]:
    """Open a network and its releases; a table of labels goes with one release."""
    from netveil.opening import open_network, open_released

    if labels_file is not None and len(released) > 1:
        raise SettingError(
            f"--labels {labels_file} is the table of one release; leave it out, and give release folders, "
            f"which bring their own."
        )
    with reading_on_bar(original, *released, quiet=quiet):
        given = [open_released(each, asked, labels_file) for each in released]
        return open_network(original, asked, original=True), given


def places(folder: Path) -> list[str]:
    """Lines on where the parts of a release are."""
    parts = {"To publish": "public", "To keep": "private", "Report": "private/report.html"}
    parts["To sign"] = "private/sign-off.html"
    return [f"{name + ':':13} {folder / part}" for name, part in parts.items()]


@contextmanager
def reading_on_bar(*names: str, quiet: bool) -> Iterator[None]:
    """Show a bar while networks are read inside, where the file of one of them is large."""
    from netveil.progress import heard_by

    with share_on_bar("reading", quiet or not any(map(_is_large, names))) as listener, heard_by(listener):
        yield


def _is_large(name: str) -> bool:
    """Whether a file, or the network in a release folder, takes seconds to read."""
    try:
        place = Path(name)
        files = place.glob("public/network.*") if place.is_dir() else [place]
        return any(file.stat().st_size >= WORTH_A_BAR for file in files)
    except (OSError, ValueError):  # no file, or none that can be looked at: reading tells
        return False
