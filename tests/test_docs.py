"""README and docs keep their word: what they show is run, in order, and compared with what they show."""

from __future__ import annotations

import doctest
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import netveil.cli
from netveil.studies.plan import read_plan
from pages import PAGES, READ, RUN, Block, Command, blocks_of, commands_of, is_as_shown

WHY_NOT = {
    "creates an environment",
    "downloads from the internet",
    "downloads from the internet, and takes minutes",
    "needs a cluster",
    "needs to be root",
    "needs two machines",
    "run by tests/adding",
    "serves until it is ended",
    "takes minutes",
}
"""The only reasons not to run a block."""

PAGES_THAT_RUN = [page for page in PAGES if any(block.is_run for block in blocks_of(page))]
WHATEVER_THE_EFFORT = ("measures.md", "experiments.md", "tuning.md")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, on a machine that has fetched no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("NETVEIL_DATA", raising=False)
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / ".fetched"))
    return tmp_path


@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_what_a_page_shows_is_what_happens(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """Commands, Python and sessions, from the first block to the last, in one folder that was empty.

    Searches take as long as a reader's do, but where a page shows nothing that depends on it.
    """
    if page not in WHATEVER_THE_EFFORT:
        request.getfixturevalue("standard_effort")
    names: dict[str, Any] = {"__name__": page}
    for block in blocks_of(page):
        if block.file is not None:
            save(block, folder)
        elif block.is_run and block.language == "console":
            for command in commands_of(block):
                check(command, capsys)
        elif block.is_run and block.language == "python":
            exec(compile(block.text, block.place, "exec"), names)
        elif block.is_run:
            answer(block, names)


def save(block: Block, folder: Path) -> None:
    """Add a block to its file; a module is read again by the next command, as by a new process."""
    assert block.file is not None
    file = folder / block.file
    with file.open("a", encoding="utf-8") as opened:
        opened.write(block.text)
    sys.modules.pop(file.stem, None)


def check(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command; compare standard output, or the error where the page shows one, with what is shown."""
    program, *arguments = shlex.split(command.line, comments=True)
    assert program == "netveil", f"{command.place}: only commands of netveil can be run here"
    capsys.readouterr()
    code = netveil.cli.main(arguments)
    out, err = capsys.readouterr()
    fails = command.shown.startswith("netveil: ")
    said = err if fails else out

    assert code == (2 if fails else 0), f"{command.place}: {command.line}\n{out}{err}"
    if command.shown:
        assert is_as_shown(said, command.shown), f"{command.place}: {command.line}\nprints\n{said}"


def answer(block: Block, names: dict[str, Any]) -> None:
    """Run a session, and compare each answer; how many blanks there are does not count."""
    session = doctest.DocTestParser().get_doctest(block.text, names, block.page, block.page, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed = runner.run(session, out=said.append, clear_globs=False).failed
    names.update(session.globs)

    assert not failed, "".join(said)


def test_a_plan_with_all_keys_is_a_plan(folder: Path) -> None:
    """The one in docs/experiments.md can be read where the files are that it names."""
    for block in blocks_of("experiments.md"):
        if block.file == "all-keys.toml":
            save(block, folder)
    (folder / "data").mkdir()
    for file in ("people.csv", "data/2024.dat"):
        (folder / file).write_text("".join(f"{node},{node + 1}\n" for node in range(50)), encoding="utf-8")
    messages = [f"{node},{node + 1},{node + 2},hello" for node in range(50)]
    (folder / "messages.csv").write_text(
        "\n".join(["time,sender,receiver,text", *messages]), encoding="utf-8"
    )
    (folder / "mine.toml").write_text("population = 50\n", encoding="utf-8")
    plan = read_plan(folder / "all-keys.toml")

    # 5 networks, 4 algorithms, 2 budgets, 4 sets of attackers, 2 values of k and 5 seeds.
    assert len(plan.tasks()) == 5 * 4 * 2 * 4 * 2 * 5


def test_every_block_says_what_it_is_and_whoever_is_not_run_says_why() -> None:
    """No fence is left without a name, and no reason is made up on the way."""
    for page in PAGES:
        for block in blocks_of(page):
            assert block.language in RUN | READ, block.place
            assert block.not_run is None or block.not_run in WHY_NOT, block.place
            assert block.language != "bash" or block.not_run is not None, f"{block.place}: why is it not run?"


def test_what_is_only_read_holds_no_commands() -> None:
    """A command in a block of text would escape."""
    for page in PAGES:
        for block in blocks_of(page):
            if block.language == "text":
                assert not any(line.startswith(("$ ", "netveil ")) for line in block.text.splitlines()), (
                    block.place
                )


def test_fences_are_all_found() -> None:
    """Two for each block: none is swallowed by another, or overlooked for its indentation."""
    for page, file in PAGES.items():
        fences = sum(
            line.lstrip().startswith("```") for line in file.read_text(encoding="utf-8").splitlines()
        )

        assert fences == 2 * len(blocks_of(page)), page


def test_every_page_with_examples_is_run() -> None:
    """All but those about clusters, downloads and experiments of minutes, and those that only tell."""
    told = {
        "architecture.md",
        "cluster.md",
        "decisions.md",
        "networks.md",
        "paper.md",
        "results.md",
        "search.md",
        "web-safety.md",
        "web.md",
    }

    assert set(PAGES_THAT_RUN) == PAGES.keys() - told


@pytest.mark.parametrize(
    ("said", "shown", "same"),
    [
        ("9 of 10\n", "9 of 10\n", True),
        ("9 of 10\n", "8 of 10\n", False),
        ("9 of 10 in 3.1 s\n", "9 of 10 in … s\n", True),
        ("9 of 10\nin 3.1 s\n", "9 of … s\n", False),
        ("a\nb\nc\nd\n", "a\n…\nd\n", True),
        ("a\nd\n", "a\n…\nd\n", True),
        ("a\nb\n", "a\n", False),
        ("a long line\n", "a long\nline\n", True),
        ("a (b) c\n", "a (b) c\n", True),
        ("", "", True),
        ("a\n", "", False),
    ],
)
def test_an_ellipsis_stands_for_what_varies(said: str, shown: str, same: bool) -> None:
    """Within its line, or for lines; everything else must be there to the letter."""
    assert is_as_shown(said, shown) is same
