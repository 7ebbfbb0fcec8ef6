"""`--help` of every command: what it says, and how little it imports to say so."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest
from command_line import netveil

from netveil.cli import COMMANDS, netveil as root_command

SLOW_TO_IMPORT = {
    *("numpy", "numba", "scipy", "igraph", "matplotlib", "networkx", "pandas", "rich", "jinja2"),
    *("dask", "distributed", "pyarrow", "asyncio", "concurrent", "multiprocessing", "importlib.metadata"),
}
MOST_MODULES = 25  # of netveil: all of it is some 200
HELPS = [(), *((name,) for name in COMMANDS), ("networks", "fetch")]
QUICK_HELPS: list[tuple[str, ...]] = [(), ("anonymize",), ("experiment",)]  # with the most imports


def test_help_lists_every_command() -> None:
    """On standard output, exit code 0, as click would list them."""
    for option in ("--help", "-h"):
        said = netveil(option)
        listed = re.findall(r"^  ([a-z]+)  ", said.out.split("Commands:")[1], re.MULTILINE)
        assert (said.code, said.err) == (0, "")
        assert set(listed) == set(root_command.commands) >= {"measure", "anonymize", "report", "networks"}


def test_every_command_has_help() -> None:
    """With its usage, a sentence on what it does, and words beside every option."""
    for command in COMMANDS:
        said = netveil(command, "--help")

        assert (said.code, said.err) == (0, "")
        assert said.out.startswith(f"Usage: netveil {command} ") and root_command.commands[command].help
        for parameter in root_command.commands[command].params:
            if parameter.param_type_name == "option":
                assert parameter.opts[0] in said.out
                assert getattr(parameter, "help", None), f"{parameter.opts[0]} says nothing"


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    """The sentences in `COMMANDS` are those of the commands, so the list is as click would make it."""
    listed = netveil("--help").out.split("Commands:\n")[1]
    loaded = click.Group(commands={name: root_command.commands[name] for name in COMMANDS})
    context = click.Context(loaded, **root_command.context_settings)
    formatter = context.make_formatter()
    loaded.format_commands(context, formatter)

    for name, sentence in COMMANDS.items():
        opening = (root_command.commands[name].help or "").split("\n\n")[0]
        assert " ".join(opening.split()) == sentence
    assert formatter.getvalue().split("Commands:\n")[1] == listed


def modules_after(script: str) -> set[str]:
    """The modules that a new process has imported when it has run a script."""
    script = f"import sys; {script}; print('\\0', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(done.stdout.split("\0")[1].split())


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=() if words in QUICK_HELPS else pytest.mark.thorough, id=" ".join(words))
        for words in HELPS
    ],
)
def test_help_imports_next_to_nothing(words: tuple[str, ...]) -> None:
    """No slow library, no other command, and of netveil only what lists names."""
    modules = modules_after(f"from netveil.cli import main; main({[*words, '--help']})")

    called = {f"netveil.cli.{name}" for name in words[:1]}
    assert "netveil.cli" in modules
    assert modules & {f"netveil.cli.{name}" for name in COMMANDS} == called
    assert not modules & SLOW_TO_IMPORT
    assert len([module for module in modules if module.startswith("netveil")]) <= MOST_MODULES


def test_importing_netveil_imports_next_to_nothing() -> None:
    """What is slow waits until a name is used; then it comes."""
    at_first = modules_after("import netveil")
    later = modules_after("import netveil; netveil.Network")

    assert not at_first & SLOW_TO_IMPORT
    assert len([module for module in at_first if module.startswith("netveil")]) <= 5
    assert {"netveil.network", "numpy"} <= later
