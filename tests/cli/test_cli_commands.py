"""What every command has in common, help, and the small ones: version, start-up, `networks`, `report`."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import PEOPLE, Said, listing, mistake, netveil, write

import netveil as nv
from netveil.cli import COMMANDS, netveil as root_command
from netveil.kernels import compile_cache
from netveil.opening import BUILTIN


def test_version_and_no_command_at_all() -> None:
    """The name and the number, as bug reports need them; without a command the help, with exit code 2."""
    assert netveil("--version") == Said(0, f"netveil {nv.__version__}\n", "")
    assert netveil().code == 2 and netveil().out.startswith("Usage: netveil ")


def test_the_shared_options_are_spelled_as_in_the_contract() -> None:
    options = {
        command: {name for parameter in root_command.commands[command].params for name in parameter.opts}
        for command in ("measure", "anonymize")
    }
    shared = {"--measure", "--distance", "--k", "--format", "--json", "--quiet"}

    assert options["measure"] >= shared
    assert options["anonymize"] >= shared | {
        *("--budget", "--algorithm", "--seed", "--time", "--threads", "--out", "--config", "--keep"),
        *("--protect", "--target", "--curve", "--effort", "--from-curve", "--keep-labels"),
        *("--overwrite",),
    }


def test_quiet_does_not_even_say_that_it_compiles(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What kernels report on a machine's first run passes only without --quiet."""
    file, measure = write(tmp_path / "people.csv", PEOPLE), nv.measure

    def measure_on_first_run(*arguments: Any, **options: Any) -> nv.Anonymity:
        logging.getLogger("netveil").info("compiling for this machine")
        return measure(*arguments, **options)

    monkeypatch.setattr("netveil.api.measure", measure_on_first_run)

    netveil("measure", file, "--quiet")
    assert caplog.messages == []
    netveil("measure", file)
    assert caplog.messages == ["compiling for this machine"]


def test_networks_lists_the_built_in_ones() -> None:
    """Each with its name, what it is and where it comes from; `demo` is always available."""
    said = netveil("networks")
    rows = netveil("networks", "--json").json["networks"]

    assert (said.code, said.err) == (0, "")
    for each in BUILTIN.values():
        assert f"{each.name:<16}{each.description}" in said.out
        assert each.source in said.out
    assert [row["name"] for row in rows] == list(BUILTIN)
    assert {row["name"]: row["available"] for row in rows}["demo"] is True


@pytest.fixture(scope="module")
def written_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the people, with its report."""
    folder = tmp_path_factory.mktemp("written")
    people = nv.read(write(folder / "people.csv", PEOPLE))
    return nv.save(nv.anonymize(people, budget=1, seed=1), folder / "release")


@pytest.fixture
def release(written_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(written_once, tmp_path / "release"))


def test_report_renders_a_lost_report_again(release: Path) -> None:
    """And the page to sign, from the private record alone, to the same bytes; all else stays as it was."""
    before = listing(release)
    pages = [release / "private" / name for name in ("report.html", "sign-off.html", "decision.md")]
    for page in pages:
        page.unlink()

    said = netveil("report", release)

    assert said == Said(0, "".join(f"{page}\n" for page in pages), "")
    assert listing(release) == before


def test_report_needs_the_record_of_a_release_and_a_place(release: Path) -> None:
    """Without it, with a damaged one, or with a folder in its place: one line, and the old pages stay."""
    run, report = release / "private" / "run.json", release / "private" / "report.html"
    whole = run.read_text(encoding="utf-8")
    run.unlink()
    assert "is not a release: it has no private/run.json" in mistake(release, "report", str(release))
    for record, what in {
        "": "is damaged: it is not JSON",
        "{": "is damaged: it is not JSON",
        "[]": "is damaged: it is not a record. Make the release again.",
        '{"network": "x"}': "is damaged: history is missing.",
    }.items():
        write(run, record)
        assert what in mistake(release, "report", str(release))
    write(run, whole)
    report.unlink()
    report.mkdir()
    assert f"{report} cannot be written" in mistake(release, "report", str(release))


@pytest.mark.thorough
def test_what_is_compiled_beforehand_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`netveil compile` says how many files are in which folder; without a safe folder, what to do."""
    said = netveil("compile")
    number, folder = re.fullmatch(r"Compiled: ([\d,]+) files in (.+)\n", said.out).groups()  # type: ignore[union-attr]
    monkeypatch.setattr(compile_cache, "kept_folder", lambda: None)

    assert said.code == 0 and len(list(Path(folder).iterdir())) == int(number.replace(",", ""))
    assert "NUMBA_CACHE_DIR" in mistake(tmp_path, "compile")


SLOW_TO_IMPORT = {
    *("numpy", "numba", "scipy", "igraph", "matplotlib", "networkx", "pandas", "rich", "jinja2"),
    *("dask", "distributed", "pyarrow", "asyncio", "concurrent", "multiprocessing", "importlib.metadata"),
}
MOST_MODULES = 25  # of netveil: all of it is some 200
HELPS = [(), *((name,) for name in COMMANDS), ("networks", "fetch")]
QUICK_HELPS: list[tuple[str, ...]] = [(), ("anonymize",), ("experiment",)]  # with the most imports


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
    said = netveil("--help")
    loaded = click.Group(commands={name: root_command.commands[name] for name in COMMANDS})
    context = click.Context(loaded, **root_command.context_settings)
    formatter = context.make_formatter()
    loaded.format_commands(context, formatter)

    assert netveil("-h") == said and (said.code, said.err) == (0, "")
    for name, sentence in COMMANDS.items():
        opening = (root_command.commands[name].help or "").split("\n\n")[0]
        assert " ".join(opening.split()) == sentence
    assert formatter.getvalue().split("Commands:\n")[1] == said.out.split("Commands:\n")[1]


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
    at_first = modules_after("import netveil")
    later = modules_after("import netveil; netveil.Network")

    assert not at_first & SLOW_TO_IMPORT
    assert len([module for module in at_first if module.startswith("netveil")]) <= 5
    assert {"netveil.network", "numpy"} <= later
